/* soname.c - see soname.h. */
#include "version/soname.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

static bool is_hex(char c)
{
    return tn_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Cuts "-<8 or 32 hex digits>" off the end of s[0..n) and returns the new length. */
static size_t cut_copy(const char *s, size_t n, char copy[33])
{
    static const size_t lengths[] = {8, 32};
    for (size_t k = 0; k < TN_LEN(lengths); k++) {
        size_t len = lengths[k], i = 0;
        if (n < len + 2 || s[n - len - 1] != '-')
            continue;
        while (i < len && is_hex(s[n - len + i]))
            i++;
        if (i < len)
            continue;
        memcpy(copy, s + n - len, len);
        copy[len] = 0;
        return n - len - 1;
    }
    return n;
}

static bool parse_elf(const char *name, struct tn_soname *v)
{
    const char *so = name;
    while ((so = strstr(so, ".so")) != NULL) {
        if (so[3] == 0 || (so[3] == '.' && tn_is_digit(so[4])))
            break;
        so += 3;
    }
    if (!so || so == name)
        return false;
    size_t n = cut_copy(name, (size_t)(so - name), v->copy);
    memcpy(v->stem, name, n);
    if (so[3])
        memcpy(v->version, so + 4, strlen(so + 4) + 1);
    return true;
}

static bool is_version_char(char c)
{
    return tn_is_digit(c) || c == '.' || c == '_';
}

/* Where the "_version" token begins (its underscore), or n. The token may hold underscores: take the first one
 * behind which only digits, dots and underscores follow. */
static size_t version_at(const char *s, size_t n)
{
    size_t at = n;
    for (size_t i = n; i-- > 1;) {
        if (s[i] == '_' && i + 1 < n && tn_is_digit(s[i + 1]))
            at = i;
        if (!is_version_char(s[i]))
            break;
    }
    return at;
}

static bool parse_dll(const char *name, size_t n, struct tn_soname *v)
{
    bool alt = false;
    n = cut_copy(name, n, v->copy);
    if (n > 4 && name[n - 4] == '.' && tn_lower(name[n - 3]) == 'a' && tn_lower(name[n - 2]) == 'l' &&
        tn_lower(name[n - 1]) == 't') {
        alt = true;
        n -= 4;
    }
    size_t at = version_at(name, n);
    if (at < n) {
        memcpy(v->version, name + at + 1, n - at - 1);
        if (at > 2 && (memcmp(name + at - 2, "64", 2) == 0 || memcmp(name + at - 2, "32", 2) == 0)) {
            v->bits = name[at - 2] == '6' ? 64 : 32;
            at -= 2;
        }
    }
    for (size_t i = 0; i < at; i++)
        v->stem[i] = tn_lower(name[i]);
    if (alt)
        memcpy(v->stem + at, ".alt", 5);
    v->dll = true;
    return at > 0;
}

int tn_version_soname_parse(const char *name, struct tn_soname *ret, struct tn_err *err)
{
    struct tn_soname v;
    size_t n = strlen(name);
    bool ok;
    memset(&v, 0, sizeof v);
    if (n > TN_MAX_NAME_BYTES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "file name of %zu bytes", n);
    if (strpbrk(name, "/\\"))
        return tn_err_set(err, TN_E_FORMAT, NULL, "a path, not a file name");
    if (n > 4 && tn_str_ieq(name + n - 4, ".dll"))
        ok = parse_dll(name, n - 4, &v);
    else
        ok = parse_elf(name, &v);
    if (!ok)
        return tn_err_set(err, TN_E_FORMAT, NULL, "not the name of a shared library");
    *ret = v;
    return 0;
}

bool tn_version_dll_token(const char *token, char *buf, size_t size)
{
    size_t n = strspn(token, "0123456789");
    const char *rest = token + n;
    char out[TN_MAX_NAME_BYTES + 2];
    uint64_t v;
    if (strlen(token) > TN_MAX_NAME_BYTES || !tn_str_u64(token, n, 10, &v))
        return false;
    bool joined = v >= 20 && v < 1000 && (*rest == 0 || strcmp(rest, "_0") == 0);
    if (joined)
        snprintf(out, sizeof out, "%u.%u", (unsigned)(v / 10), (unsigned)(v % 10));
    else
        snprintf(out, sizeof out, "%s", token);
    for (char *p = out; *p; p++)
        if (*p == '_')
            *p = '.';
    if (strlen(out) >= size)
        return false;
    memcpy(buf, out, strlen(out) + 1);
    return true;
}
