/* reg.c - the registry, 64-bit view, for reading only.
 *
 * Values become text: numbers as decimal digits, lists with a line each, %NAME% left as it is. */
#include "os/win32/win32.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/span.h"
#include "base/str.h"

#define MAX_VALUE_NAME 16384u

int tn_win32_reg_open(const char *key, struct tn_arena *mem, REGSAM access, HKEY *ret, struct tn_err *err)
{
    static const struct {
        const char *name;
        uintptr_t key;
    } hives[] = {{"HKLM", 0x80000002u}, {"HKEY_LOCAL_MACHINE", 0x80000002u},
                 {"HKCU", 0x80000001u}, {"HKEY_CURRENT_USER", 0x80000001u},
                 {"HKCR", 0x80000000u}, {"HKEY_CLASSES_ROOT", 0x80000000u},
                 {"HKU", 0x80000003u},  {"HKEY_USERS", 0x80000003u}};
    size_t n = strcspn(key, "\\");
    const char *hive = tn_arena_strndup(mem, key, n), *sub = key + n + (key[n] == '\\');
    for (size_t i = 0; i < TN_LEN(hives); i++) {
        if (!tn_str_ieq(hives[i].name, hive))
            continue;
        HKEY from = (HKEY)(intptr_t)(LONG)hives[i].key; /* as winreg.h writes them */
        LSTATUS e = RegOpenKeyExW(from, tn_win32_wide(mem, sub), 0, access | KEY_WOW64_64KEY, ret);
        return e ? tn_win32_error(err, key, (DWORD)e) : 0;
    }
    return tn_err_set(err, TN_E_USAGE, key, "no such hive");
}

/* The text of REG_SZ and friends: up to the first NUL; without one, all of it. */
static const char *text_of(struct tn_arena *mem, const wchar_t *w, size_t n)
{
    return tn_win32_narrow(mem, w, wcsnlen(w, n));
}

static const char *lines_of(struct tn_arena *mem, const wchar_t *w, size_t n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    for (size_t i = 0; i < n && w[i];) {
        size_t k = wcsnlen(w + i, n - i);
        if (b.n)
            tn_buf_ch(&b, '\n');
        tn_buf_str(&b, tn_win32_narrow(mem, w + i, k));
        i += k + 1;
    }
    char *r = tn_arena_strndup(mem, b.p, b.n);
    tn_buf_deinit(&b);
    return r;
}

static const char *decode(struct tn_arena *mem, DWORD type, const void *data, size_t n)
{
    struct tn_span s = tn_span_of(data, n);
    uint32_t d;
    uint64_t q;
    switch (type) {
    case REG_SZ:
    case REG_EXPAND_SZ: return text_of(mem, data, n / 2);
    case REG_MULTI_SZ: return lines_of(mem, data, n / 2);
    case REG_DWORD:
    case REG_DWORD_BIG_ENDIAN:
        return tn_span_u32(s, 0, type == REG_DWORD_BIG_ENDIAN, &d) ? tn_arena_printf(mem, "%u", (unsigned)d) : NULL;
    case REG_QWORD: return tn_span_u64(s, 0, false, &q) ? tn_arena_printf(mem, "%llu", (unsigned long long)q) : NULL;
    default: return NULL;
    }
}

int tn_os_reg_value(const char *key, const char *value, struct tn_arena *mem, const char **ret, struct tn_err *err)
{
    HKEY k;
    struct tn_arena temp;
    tn_arena_init(&temp);
    int rc = tn_win32_reg_open(key, &temp, KEY_READ, &k, err);
    if (rc) {
        tn_arena_deinit(&temp);
        return rc;
    }
    DWORD type = 0, n = 0;
    void *data = NULL;
    const wchar_t *name = tn_win32_wide(&temp, value);
    LSTATUS e = RegQueryValueExW(k, name, NULL, &type, NULL, &n);
    for (unsigned tries = 0; e == 0 && n <= TN_MAX_SMALL_FILE && tries < 4; tries++) {
        DWORD room = n + 2; /* it may grow between the two calls */
        data = tn_arena_alloc(&temp, room);
        n = room;
        e = RegQueryValueExW(k, name, NULL, &type, data, &n);
        if (e != ERROR_MORE_DATA)
            break;
        e = 0;
        data = NULL;
    }
    RegCloseKey(k);
    const char *text = e == 0 && data ? decode(mem, type, data, n) : NULL;
    if (e)
        rc = tn_win32_error(err, key, (DWORD)e);
    else if (!data)
        rc = tn_err_set(err, TN_E_LIMIT, key, "value larger than %u bytes", TN_MAX_SMALL_FILE);
    else if (!text)
        rc = tn_err_set(err, TN_E_FORMAT, key, "value is neither text nor a number (type %lu)", (unsigned long)type);
    else
        *ret = text;
    tn_arena_deinit(&temp);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    const struct tn_os_entry *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : x->type - y->type;
}

int tn_os_reg_list(const char *key, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err)
{
    HKEY k;
    struct tn_arena temp;
    struct tn_os_entry *list = NULL;
    size_t count = 0, cap = 0;
    tn_arena_init(&temp);
    int rc = tn_win32_reg_open(key, &temp, KEY_READ, &k, err);
    wchar_t *w = rc ? NULL : tn_arena_array(&temp, MAX_VALUE_NAME, sizeof *w);
    for (unsigned values = 0; rc == 0 && values < 2; values++)
        for (DWORD i = 0; rc == 0; i++) {
            DWORD n = MAX_VALUE_NAME;
            LSTATUS e = values ? RegEnumValueW(k, i, w, &n, NULL, NULL, NULL, NULL)
                               : RegEnumKeyExW(k, i, w, &n, NULL, NULL, NULL, NULL);
            if (e == ERROR_NO_MORE_ITEMS)
                break;
            if (e) {
                rc = tn_win32_error(err, key, (DWORD)e);
            } else if (count == TN_MAX_DIR_ENTRIES) {
                rc = tn_err_set(err, TN_E_LIMIT, key, "more than %u entries", TN_MAX_DIR_ENTRIES);
            } else {
                list = tn_arena_grow(mem, list, count, &cap, sizeof *list);
                list[count].name = tn_win32_narrow(mem, w, n);
                list[count++].type = values ? 'f' : 'd';
            }
        }
    if (w)
        RegCloseKey(k);
    tn_arena_deinit(&temp);
    if (rc)
        return rc;
    if (count > 1)
        qsort(list, count, sizeof *list, by_name);
    *ret = list;
    *ret_n = count;
    return 0;
}
