/* wheeltag.c - see wheeltag.h. */
#include "version/wheeltag.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

static bool part_ok(const char *s, size_t n)
{
    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!tn_is_digit(s[i]) && !tn_is_alpha(s[i]) && !strchr("._+!", s[i]))
            return false;
    return true;
}

int tn_version_wheel_parse(const char *file, struct tn_arena *a, struct tn_wheel *ret, struct tn_err *err)
{
    enum { MIN_PARTS = 5, MAX_PARTS = 6 };
    struct tn_span part[MAX_PARTS];
    const char *text[MAX_PARTS];
    size_t n = strlen(file), parts = 0, at = 0;
    if (n > TN_MAX_NAME_BYTES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "file name of %zu bytes", n);
    if (n < 4 || strcmp(file + n - 4, ".whl") != 0)
        return tn_err_set(err, TN_E_FORMAT, NULL, "not the name of a wheel");
    n -= 4;
    while (at <= n && parts < MAX_PARTS) {
        size_t len = strcspn(file + at, "-");
        if (len > n - at)
            len = n - at;
        if (!part_ok(file + at, len))
            return tn_err_set(err, TN_E_FORMAT, NULL, "a part of the wheel's name is empty or has odd characters");
        part[parts++] = tn_span_of(file + at, len);
        at += len + 1;
    }
    if (at <= n || parts < MIN_PARTS || (parts == MAX_PARTS && !tn_is_digit((char)part[2].p[0])))
        return tn_err_set(err, TN_E_FORMAT, NULL, "a wheel's name has five parts, or six with a build number");
    for (size_t i = 0; i < parts; i++)
        text[i] = tn_arena_strndup(a, (const char *)part[i].p, part[i].n);
    ret->name = text[0];
    ret->version = text[1];
    ret->build = parts == MAX_PARTS ? text[2] : "";
    ret->python = text[parts - 3];
    ret->abi = text[parts - 2];
    ret->platform = text[parts - 1];
    return 0;
}

bool tn_version_tag_next(const char **rest, struct tn_span *ret)
{
    while (**rest == '.')
        ++*rest;
    size_t n = strcspn(*rest, ".");
    if (n == 0)
        return false;
    *ret = tn_span_of(*rest, n);
    *rest += n;
    return true;
}

bool tn_version_tag_has(const char *set, const char *tag)
{
    struct tn_span t;
    while (tn_version_tag_next(&set, &t))
        if (tn_span_eq(t, tag))
            return true;
    return false;
}

/* digits followed by "_", at most 9 of them. */
static bool take_number(struct tn_span *s, unsigned *ret)
{
    uint64_t v;
    size_t n = 0;
    while (n < s->n && tn_is_digit((char)s->p[n]))
        n++;
    if (n == 0 || n > 9 || n >= s->n || s->p[n] != '_' || !tn_str_u64((const char *)s->p, n, 10, &v))
        return false;
    *ret = (unsigned)v;
    *s = tn_span_from(*s, n + 1);
    return true;
}

bool tn_version_platform_libc(struct tn_span tag, struct tn_platform_libc *ret)
{
    static const struct {
        const char *prefix;
        enum tn_libc kind;
        unsigned major, minor; /* 0: the tag says it */
    } forms[] = {{"manylinux1_", TN_LIBC_GLIBC, 2, 5},
                 {"manylinux2010_", TN_LIBC_GLIBC, 2, 12},
                 {"manylinux2014_", TN_LIBC_GLIBC, 2, 17},
                 {"manylinux_", TN_LIBC_GLIBC, 0, 0},
                 {"musllinux_", TN_LIBC_MUSL, 0, 0}};
    for (size_t i = 0; i < TN_LEN(forms); i++) {
        struct tn_platform_libc v = {forms[i].kind, forms[i].major, forms[i].minor, {NULL, 0}};
        if (!tn_span_starts(tag, forms[i].prefix))
            continue;
        v.arch = tn_span_from(tag, strlen(forms[i].prefix));
        if (v.major == 0 && !(take_number(&v.arch, &v.major) && take_number(&v.arch, &v.minor)))
            return false;
        if (v.arch.n == 0)
            return false;
        *ret = v;
        return true;
    }
    return false;
}

bool tn_version_wheel_libc(const char *set, enum tn_libc kind, struct tn_platform_libc *ret)
{
    struct tn_platform_libc v, best = {TN_LIBC_NONE, 0, 0, {NULL, 0}};
    struct tn_span tag;
    while (tn_version_tag_next(&set, &tag)) {
        if (!tn_version_platform_libc(tag, &v) || v.kind != kind)
            continue;
        if (best.kind == TN_LIBC_NONE || v.major < best.major || (v.major == best.major && v.minor < best.minor))
            best = v;
    }
    if (best.kind == TN_LIBC_NONE)
        return false;
    *ret = best;
    return true;
}

int tn_version_normal_name(const char *name, char *buf, size_t n, struct tn_err *err)
{
    size_t k = 0, len = strlen(name);
    if (len == 0 || !(tn_is_alpha(name[0]) || tn_is_digit(name[0])) ||
        !(tn_is_alpha(name[len - 1]) || tn_is_digit(name[len - 1])))
        return tn_err_set(err, TN_E_FORMAT, NULL, "not the name of a Python distribution");
    for (size_t pass = 0; pass < 2; pass++) { /* first look, then write: buf is untouched on failure */
        k = 0;
        for (size_t i = 0; i < len; i++) {
            char c = tn_lower(name[i]);
            bool sep = c == '-' || c == '_' || c == '.';
            if (!sep && !tn_is_alpha(c) && !tn_is_digit(c))
                return tn_err_set(err, TN_E_FORMAT, NULL, "not the name of a Python distribution");
            if (sep && strchr("-_.", name[i + 1]))
                continue;
            if (pass)
                buf[k] = sep ? '-' : c;
            k++;
        }
        if (k >= n)
            return tn_err_set(err, TN_E_LIMIT, NULL, "distribution name of %zu bytes", len);
    }
    buf[k] = 0;
    return 0;
}
