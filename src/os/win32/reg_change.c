/* reg_change.c - values of the registry that are changed: read and written as the bytes that they are. */
#include "os/change.h"
#include "os/win32/win32.h"

#include <string.h>

#include "base/limits.h"
#include "os/win32/wtf8.h"

int tn_os_reg_get(const char *key, const char *value, struct tn_arena *mem, struct tn_os_reg_raw *ret,
                  struct tn_err *err)
{
    HKEY k;
    DWORD type = 0, n = 0;
    int rc = tn_win32_reg_open(key, mem, KEY_READ, &k, err);
    if (rc)
        return rc;
    const wchar_t *name = tn_win32_wide(mem, value);
    LSTATUS e = RegQueryValueExW(k, name, NULL, &type, NULL, &n);
    void *p = NULL;
    if (!e && n <= TN_MAX_SMALL_FILE) {
        p = tn_arena_alloc(mem, n + 2u);
        e = RegQueryValueExW(k, name, NULL, &type, p, &n); /* ERROR_MORE_DATA: it was changed meanwhile */
    }
    RegCloseKey(k);
    if (e && e != ERROR_FILE_NOT_FOUND)
        return tn_win32_error(err, key, (DWORD)e);
    if (!e && !p)
        return tn_err_set(err, TN_E_LIMIT, key, "value larger than %u bytes", TN_MAX_SMALL_FILE);
    *ret = (struct tn_os_reg_raw){.there = !e, .type = type, .p = p, .n = e ? 0 : n};
    return 0;
}

int tn_os_reg_set(const char *key, const char *value, const struct tn_os_reg_raw *is, struct tn_err *err)
{
    HKEY k;
    struct tn_arena mem;
    tn_arena_init(&mem);
    int rc = tn_win32_reg_open(key, &mem, KEY_SET_VALUE, &k, err);
    if (!rc) {
        const wchar_t *name = tn_win32_wide(&mem, value);
        LSTATUS e = is->there ? RegSetValueExW(k, name, 0, is->type, is->p, (DWORD)is->n) : RegDeleteValueW(k, name);
        if (!e || (!is->there && e == ERROR_FILE_NOT_FOUND))
            e = RegFlushKey(k);
        RegCloseKey(k);
        rc = e ? tn_win32_error(err, key, (DWORD)e) : 0;
    }
    tn_arena_deinit(&mem);
    return rc;
}

bool tn_os_reg_may_set(const char *key)
{
    HKEY k;
    struct tn_arena mem;
    tn_arena_init(&mem);
    bool ok = tn_win32_reg_open(key, &mem, KEY_SET_VALUE, &k, NULL) == 0;
    if (ok)
        RegCloseKey(k);
    tn_arena_deinit(&mem);
    return ok;
}

/* Up to the first NUL; what is behind it, a NUL as a rule, belongs to the value's end. */
static size_t units_of(const struct tn_os_reg_raw *v)
{
    return wcsnlen(v->p, v->n / sizeof(wchar_t));
}

const char *tn_os_reg_text(struct tn_arena *mem, const struct tn_os_reg_raw *v)
{
    if (!v->there || (v->type != REG_SZ && v->type != REG_EXPAND_SZ))
        return NULL;
    return tn_win32_narrow(mem, v->p, units_of(v));
}

struct tn_os_reg_raw tn_os_reg_with(struct tn_arena *mem, const struct tn_os_reg_raw *v, const char *text)
{
    size_t units = tn_wtf8_to_utf16(text, strlen(text), NULL, 0), head = units * sizeof(wchar_t);
    size_t was = units_of(v) * sizeof(wchar_t), tail = v->n - was;
    unsigned char *p = tn_arena_alloc(mem, head + tail + 2);
    tn_wtf8_to_utf16(text, strlen(text), (wchar_t *)(void *)p, units);
    memcpy(p + head, (const unsigned char *)v->p + was, tail);
    return (struct tn_os_reg_raw){.there = true, .type = v->type, .p = p, .n = head + tail};
}

typedef LRESULT(WINAPI *send_message_timeout_fn)(HWND, UINT, WPARAM, LPARAM, UINT, UINT, PDWORD_PTR);

/* USER32 is loaded here alone: it and what it brings would take longer to load than all else at the program's start. */
void tn_os_reg_announce(void)
{
    HMODULE user = LoadLibraryExW(L"user32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    FARPROC f = user ? GetProcAddress(user, "SendMessageTimeoutW") : NULL;
    send_message_timeout_fn send;
    memcpy(&send, &f, sizeof send);
    if (f)
        send(HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM)L"Environment", SMTO_ABORTIFHUNG, 2000, NULL);
    if (user)
        FreeLibrary(user);
}
