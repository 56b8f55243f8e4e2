/* at.c - an entry of an opened folder, by the folder's handle. See dir.h.
 *
 * Win32 has no call that opens, renames or links a name below a handle; the system calls beneath it do (winternl.h,
 * "NtCreateFile", "FILE_RENAME_INFORMATION" of the driver kit). */
#include "os/win32/dir.h"

#include <string.h>
#include <winternl.h>

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
#define TRIES 20u /* a virus scanner or an indexer holds what is new for a moment */
#define PAUSE_MS 25u

static bool name_of(const wchar_t *name, UNICODE_STRING *ret)
{
    size_t n = wcslen(name) * sizeof *name;
    *ret = (UNICODE_STRING){.Length = (USHORT)n, .MaximumLength = (USHORT)n, .Buffer = (wchar_t *)(uintptr_t)name};
    return n < 0xFFFE;
}

DWORD tn_win32_open_at(HANDLE dir, const wchar_t *name, const struct tn_win32_at *how, HANDLE *ret)
{
    UNICODE_STRING u;
    OBJECT_ATTRIBUTES o;
    IO_STATUS_BLOCK io;
    HANDLE h;
    if (!name_of(name, &u))
        return ERROR_INVALID_NAME;
    InitializeObjectAttributes(&o, &u, OBJ_CASE_INSENSITIVE, dir, how->sd);
    NTSTATUS s = NtCreateFile(
        &h, how->access | SYNCHRONIZE, &o, &io, NULL, FILE_ATTRIBUTE_NORMAL, how->share ? how->share : SHARE_ALL,
        how->disposition,
        how->options | FILE_OPEN_REPARSE_POINT | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT, NULL, 0);
    if (s < 0)
        return RtlNtStatusToDosError(s);
    *ret = h;
    return 0;
}

DWORD tn_win32_look_at(HANDLE dir, const wchar_t *name, char *ret_type, HANDLE *ret)
{
    static const struct tn_win32_at how = {.access = FILE_READ_ATTRIBUTES, .disposition = FILE_OPEN};
    DWORD attributes, tag, e = tn_win32_open_at(dir, name, &how, ret);
    if (e)
        return e;
    if (!tn_win32_attributes(*ret, &attributes, &tag)) {
        e = GetLastError();
        CloseHandle(*ret);
        return e;
    }
    *ret_type = tn_win32_type(attributes, tag);
    return 0;
}

DWORD tn_win32_enter(HANDLE dir, const wchar_t *name, HANDLE *ret)
{
    struct tn_win32_at how = {.access = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | FILE_ADD_FILE |
                                        FILE_ADD_SUBDIRECTORY,
                              .disposition = FILE_OPEN,
                              .options = FILE_DIRECTORY_FILE};
    DWORD attributes, tag, e = tn_win32_open_at(dir, name, &how, ret);
    if (e == ERROR_ACCESS_DENIED) { /* one that may only be looked at */
        how.access = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES;
        e = tn_win32_open_at(dir, name, &how, ret);
    }
    if (e)
        return e;
    if (!tn_win32_attributes(*ret, &attributes, &tag))
        e = GetLastError();
    else if (tn_win32_type(attributes, tag) != 'd')
        e = ERROR_DIRECTORY;
    if (e)
        CloseHandle(*ret);
    return e;
}

static bool is_held(DWORD e)
{
    return e == ERROR_ACCESS_DENIED || e == ERROR_SHARING_VIOLATION || e == ERROR_LOCK_VIOLATION;
}

/* FILE_RENAME_INFORMATION and FILE_LINK_INFORMATION have one shape. */
static DWORD set_name(HANDLE h, HANDLE to, const wchar_t *name, bool replace, FILE_INFORMATION_CLASS what)
{
    struct {
        BOOLEAN replace;
        HANDLE root;
        ULONG length;
        WCHAR name[256];
    } i;
    IO_STATUS_BLOCK io;
    size_t n = wcslen(name);
    if (n == 0 || n > 255)
        return ERROR_FILENAME_EXCED_RANGE;
    memset(&i, 0, sizeof i);
    i.replace = replace;
    i.root = to;
    i.length = (ULONG)(n * sizeof *name);
    memcpy(i.name, name, i.length);
    NTSTATUS s = NtSetInformationFile(h, &io, &i, sizeof i, what);
    return s < 0 ? RtlNtStatusToDosError(s) : 0;
}

DWORD tn_win32_rename(HANDLE h, HANDLE to, const wchar_t *name, bool replace)
{
    DWORD e = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        e = set_name(h, to, name, replace, FileRenameInformation);
        if (!is_held(e))
            break;
        Sleep(PAUSE_MS);
    }
    return e;
}

DWORD tn_win32_link_file(HANDLE h, HANDLE to, const wchar_t *name)
{
    return set_name(h, to, name, false, FileLinkInformation);
}

/* A read-only file is made writable for as long as it takes; its other names, which share the attribute, get it back.
 */
DWORD tn_win32_delete(HANDLE h)
{
    FILE_DISPOSITION_INFO gone = {TRUE};
    FILE_BASIC_INFO was, now;
    DWORD e = 0;
    bool only_read = GetFileInformationByHandleEx(h, FileBasicInfo, &was, sizeof was) &&
                     (was.FileAttributes & FILE_ATTRIBUTE_READONLY);
    if (only_read) {
        memset(&now, 0, sizeof now); /* 0: a time that stays */
        now.FileAttributes = (was.FileAttributes & ~(DWORD)FILE_ATTRIBUTE_READONLY) | FILE_ATTRIBUTE_NORMAL;
        if (now.FileAttributes != FILE_ATTRIBUTE_NORMAL)
            now.FileAttributes &= ~(DWORD)FILE_ATTRIBUTE_NORMAL;
        SetFileInformationByHandle(h, FileBasicInfo, &now, sizeof now);
    }
    if (!SetFileInformationByHandle(h, FileDispositionInfo, &gone, sizeof gone))
        e = GetLastError();
    if (only_read)
        SetFileInformationByHandle(h, FileBasicInfo, &was, sizeof was);
    return e;
}

DWORD tn_win32_write(HANDLE h, const void *p, size_t n)
{
    const char *at = p;
    while (n) {
        DWORD k = 0, want = n < (1u << 20) ? (DWORD)n : 1u << 20;
        if (!WriteFile(h, at, want, &k, NULL))
            return GetLastError();
        at += k;
        n -= k;
    }
    return 0;
}

/* The access list is set only where it is another than what the new entry has by its folder: one that was inherited
 * stays so. */
static DWORD copy_access(HANDLE from, HANDLE to)
{
    struct tn_arena mem;
    PSECURITY_DESCRIPTOR sd[2] = {NULL, NULL};
    DWORD size[2] = {0, 0}, e = 0;
    HANDLE h[2] = {from, to};
    tn_arena_init(&mem);
    for (int i = 0; i < 2 && !e; i++) {
        GetKernelObjectSecurity(h[i], DACL_SECURITY_INFORMATION, NULL, 0, &size[i]);
        sd[i] = tn_arena_alloc(&mem, size[i] + 1u);
        if (!size[i] || !GetKernelObjectSecurity(h[i], DACL_SECURITY_INFORMATION, sd[i], size[i], &size[i]))
            e = GetLastError();
    }
    if (!e && (size[0] != size[1] || memcmp(sd[0], sd[1], size[0]) != 0) &&
        !SetKernelObjectSecurity(to, DACL_SECURITY_INFORMATION, sd[0]))
        e = GetLastError();
    tn_arena_deinit(&mem);
    return e == ERROR_NOT_SUPPORTED || e == ERROR_INVALID_FUNCTION ? 0 : e; /* FAT has none */
}

DWORD tn_win32_copy_meta(HANDLE from, HANDLE to)
{
    FILE_BASIC_INFO i;
    DWORD e = copy_access(from, to);
    if (e)
        return e;
    if (!GetFileInformationByHandleEx(from, FileBasicInfo, &i, sizeof i))
        return GetLastError();
    i.FileAttributes &= FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM |
                        FILE_ATTRIBUTE_ARCHIVE | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;
    if (!i.FileAttributes)
        i.FileAttributes = FILE_ATTRIBUTE_NORMAL;
    return SetFileInformationByHandle(to, FileBasicInfo, &i, sizeof i) ? 0 : GetLastError();
}

int64_t tn_win32_mtime_ns(HANDLE h)
{
    FILE_BASIC_INFO i;
    if (!GetFileInformationByHandleEx(h, FileBasicInfo, &i, sizeof i))
        return 0;
    return (i.LastWriteTime.QuadPart - 116444736000000000LL) * 100;
}
