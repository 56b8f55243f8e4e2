/* name.c - from tenon's paths to those of CreateFileW and back, and what Windows errors mean.
 *
 * Invariant: a path that would open a device, a pipe or a mail slot never reaches CreateFileW. */
#include "os/win32/win32.h"

#include <string.h>
#include <wchar.h>

#include "base/str.h"
#include "os/win32/wtf8.h"

#define MAX_UNITS 32767u
#define LONG_FROM 240u /* MAX_PATH less room for a file name that the system may add */

enum tn_path_style tn_os_path_style(void)
{
    return TN_PATH_WINDOWS;
}

int tn_win32_error(struct tn_err *err, const char *path, DWORD e)
{
    static const struct {
        DWORD e;
        int code;
        const char *text;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, TN_E_NOTFOUND, "no such file"},
        {ERROR_PATH_NOT_FOUND, TN_E_NOTFOUND, "no such folder"},
        {ERROR_INVALID_DRIVE, TN_E_NOTFOUND, "no such drive"},
        {ERROR_INVALID_NAME, TN_E_NOTFOUND, "no file can have this name"},
        {ERROR_BAD_PATHNAME, TN_E_NOTFOUND, "no file can have this name"},
        {ERROR_DIRECTORY, TN_E_NOTFOUND, "not a folder"},
        {ERROR_ACCESS_DENIED, TN_E_DENIED, "access denied"},
        {ERROR_SHARING_VIOLATION, TN_E_DENIED, "another program has it open for itself"},
        {ERROR_LOCK_VIOLATION, TN_E_DENIED, "another program has locked it"},
        {ERROR_PRIVILEGE_NOT_HELD, TN_E_DENIED, "a needed privilege is not held"},
        {ERROR_WRITE_PROTECT, TN_E_DENIED, "write protected"},
        {740, TN_E_DENIED, "needs an administrator"}, /* ERROR_ELEVATION_REQUIRED */
        {ERROR_FILENAME_EXCED_RANGE, TN_E_LIMIT, "path too long"},
        {ERROR_CANT_RESOLVE_FILENAME, TN_E_LIMIT, "too many links"},
        {ERROR_SEM_TIMEOUT, TN_E_TIMEOUT, "no answer in time"},
        {ERROR_TIMEOUT, TN_E_TIMEOUT, "no answer in time"},
        {WAIT_TIMEOUT, TN_E_TIMEOUT, "no answer in time"},
        {ERROR_BAD_EXE_FORMAT, TN_E_FORMAT, "not a program of this system"},
        {ERROR_EXE_MACHINE_TYPE_MISMATCH, TN_E_FORMAT, "a program of another processor"},
        {ERROR_NOT_A_REPARSE_POINT, TN_E_FORMAT, "not a link"},
        {ERROR_INVALID_FUNCTION, TN_E_UNSUPPORTED, "not supported by this volume"},
        {ERROR_NOT_SUPPORTED, TN_E_UNSUPPORTED, "not supported by this volume"},
        {ERROR_BAD_NETPATH, TN_E_IO, "the network path does not answer"},
        {ERROR_NOT_READY, TN_E_IO, "the drive is not ready"},
    };
    for (size_t i = 0; i < TN_LEN(known); i++)
        if (known[i].e == e)
            return tn_err_set(err, known[i].code, path, "%s", known[i].text);
    return tn_err_set(err, TN_E_IO, path, "Windows error %lu", (unsigned long)e);
}

wchar_t *tn_win32_wide(struct tn_arena *mem, const char *s)
{
    size_t n = strlen(s), units = tn_wtf8_to_utf16(s, n, NULL, 0);
    wchar_t *w = tn_arena_array(mem, units + 1, sizeof *w);
    tn_wtf8_to_utf16(s, n, w, units);
    return w;
}

char *tn_win32_narrow(struct tn_arena *mem, const wchar_t *s, size_t n)
{
    size_t bytes = tn_wtf8_from_utf16(s, n, NULL, 0);
    char *r = tn_arena_alloc(mem, bytes + 1);
    tn_wtf8_from_utf16(s, n, r, bytes);
    return r;
}

static bool wide_starts(const wchar_t *s, const wchar_t *prefix)
{
    return _wcsnicmp(s, prefix, wcslen(prefix)) == 0;
}

static bool is_device(const wchar_t *p)
{
    if (wide_starts(p, L"\\\\?\\")) {
        p += 4;
        bool drive = ((p[0] | 32) >= 'a' && (p[0] | 32) <= 'z') && p[1] == ':' && p[2] == '\\';
        if (drive || wide_starts(p, L"Volume{"))
            return false;
        if (!wide_starts(p, L"UNC\\"))
            return true;
        p += 4;
    } else if (wide_starts(p, L"\\\\.\\") || wide_starts(p, L"\\??\\")) {
        return true;
    } else if (wide_starts(p, L"\\\\")) {
        p += 2;
    } else {
        return false;
    }
    const wchar_t *share = wcschr(p, '\\');
    size_t n = share ? wcscspn(++share, L"\\") : 0;
    return (n == 4 && wide_starts(share, L"pipe")) || (n == 8 && wide_starts(share, L"mailslot")) ||
           (n == 4 && wide_starts(share, L"IPC$"));
}

int tn_win32_native(struct tn_arena *mem, const char *path, wchar_t **ret, struct tn_err *err)
{
    if (!*path)
        return tn_err_set(err, TN_E_NOTFOUND, path, "empty path");
    if (strlen(path) > 3 * MAX_UNITS)
        return tn_err_set(err, TN_E_LIMIT, path, "path too long");
    wchar_t *w = tn_win32_wide(mem, path);
    DWORD n = GetFullPathNameW(w, 0, NULL, NULL);
    if (n == 0 || n > MAX_UNITS)
        return n ? tn_err_set(err, TN_E_LIMIT, path, "path too long") : tn_win32_error(err, path, GetLastError());
    wchar_t *full = tn_arena_array(mem, n + 9, sizeof *full);
    DWORD got = GetFullPathNameW(w, n + 1, full + 8, NULL);
    if (got == 0 || got > n)
        return tn_win32_error(err, path, got ? ERROR_BAD_PATHNAME : GetLastError());
    full += 8;
    if (is_device(w) || is_device(full))
        return tn_err_set(err, TN_E_REFUSED, path, "is not a regular file");
    bool verbatim = wide_starts(full, L"\\\\?\\");
    if (wcspbrk(full + (verbatim ? 4 : 0), L"*?<>|\""))
        return tn_win32_error(err, path, ERROR_INVALID_NAME);
    if (!verbatim && got >= LONG_FROM && wide_starts(full, L"\\\\")) {
        full -= 6; /* \\server -> \\?\UNC\server */
        memcpy(full, L"\\\\?\\UNC", 7 * sizeof *full);
    } else if (!verbatim && got >= LONG_FROM) {
        full -= 4;
        memcpy(full, L"\\\\?\\", 4 * sizeof *full);
    }
    *ret = full;
    return 0;
}

wchar_t *tn_win32_verbatim(struct tn_arena *mem, const char *path)
{
    if (tn_str_starts(path, "\\\\?\\"))
        return tn_win32_wide(mem, path);
    if (tn_str_starts(path, "\\\\"))
        return tn_win32_wide(mem, tn_arena_printf(mem, "\\\\?\\UNC\\%s", path + 2));
    return tn_win32_wide(mem, tn_arena_printf(mem, "\\\\?\\%s", path));
}

/* Wine cannot say the final path of a file whose path is long; it can say the part after the drive, which links of
 * its own do not change there. */
static char *final_without_drive(struct tn_arena *mem, HANDLE h, const char *path)
{
    size_t size = sizeof(FILE_NAME_INFO) + 2 * MAX_UNITS;
    FILE_NAME_INFO *i = tn_arena_alloc(mem, size);
    if (tn_str_starts(path, "\\\\?\\"))
        path += 4;
    const char *from = tn_is_alpha(path[0]) && path[1] == ':' ? path : tn_os_cwd(mem);
    if (from[1] != ':' || !GetFileInformationByHandleEx(h, FileNameInfo, i, (DWORD)size))
        return NULL;
    const char *rest = tn_win32_narrow(mem, i->FileName, i->FileNameLength / 2);
    return tn_arena_printf(mem, "%c:%s", from[0] & ~32, rest);
}

char *tn_win32_final(struct tn_arena *mem, HANDLE h, const char *path)
{
    DWORD how = FILE_NAME_NORMALIZED | VOLUME_NAME_DOS;
    DWORD n = GetFinalPathNameByHandleW(h, NULL, 0, how);
    if (n == 0 && GetLastError() == ERROR_MORE_DATA)
        return final_without_drive(mem, h, path);
    if (n == 0) { /* some network drives do not normalise */
        how = FILE_NAME_OPENED | VOLUME_NAME_DOS;
        n = GetFinalPathNameByHandleW(h, NULL, 0, how);
    }
    if (n == 0 || n > MAX_UNITS + 8)
        return NULL;
    wchar_t *w = tn_arena_array(mem, n + 1, sizeof *w);
    DWORD got = GetFinalPathNameByHandleW(h, w, n + 1, how);
    if (got == 0 || got > n)
        return NULL;
    char *p = tn_win32_narrow(mem, w, got);
    if (tn_str_starts(p, "\\\\?\\UNC\\")) {
        p[6] = '\\';
        return p + 6;
    }
    return tn_str_starts(p, "\\\\?\\") && p[4] && p[5] == ':' ? p + 4 : p;
}
