/* write.c - files in an opened folder: written whole, appended to, read. See os/change.h.
 *
 * Invariant: a file is never seen half written: it is made under a name that nobody knows and takes its name by one
 * rename. */
#include "os/win32/dir.h"

#include <winternl.h>

#include "base/arena.h"
#include "base/span.h"

int tn_os_dir_symlink(struct tn_os_dir *d, const char *name, const char *target, struct tn_err *err)
{
    (void)target;
    return tn_win32_dir_error(err, d, name, ERROR_NOT_SUPPORTED); /* needs a right that people do not have */
}

/* A new file under a name that nobody knows. */
static DWORD create_temp(HANDLE dir, struct tn_arena *mem, HANDLE *ret)
{
    const struct tn_win32_at how = {.access = GENERIC_WRITE | DELETE | FILE_READ_ATTRIBUTES,
                                    .disposition = FILE_CREATE,
                                    .options = FILE_NON_DIRECTORY_FILE};
    DWORD e = ERROR_FILE_EXISTS;
    for (unsigned i = 0; i < 64 && (e == ERROR_FILE_EXISTS || e == ERROR_ALREADY_EXISTS); i++)
        e = tn_win32_open_at(dir,
                             tn_win32_wide(mem, tn_arena_printf(mem, ".tenon-%lx-%x", GetCurrentProcessId(),
                                                                (unsigned)tn_os_monotonic_us() + i)),
                             &how, ret);
    return e;
}

static int write_whole(struct tn_os_dir *d, const char *name, struct tn_span text, bool sync, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *w;
    HANDLE h = NULL;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    DWORD e = rc ? 0 : create_temp(d->h, &mem, &h);
    if (!rc && !e) {
        e = tn_win32_write(h, text.p, text.n);
        if (!e && sync && !FlushFileBuffers(h))
            e = GetLastError();
        if (!e)
            e = tn_win32_rename(h, d->h, w, true);
        if (e)
            tn_win32_delete(h);
        CloseHandle(h);
    }
    tn_arena_deinit(&mem);
    if (e)
        return tn_win32_dir_error(err, d, name, e);
    return rc || !sync ? rc : tn_os_dir_sync(d, err);
}

int tn_os_dir_write(struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode, struct tn_err *err)
{
    (void)mode;
    return write_whole(d, name, tn_span_of(p, n), true, err);
}

int tn_os_dir_replace(struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode, struct tn_err *err)
{
    (void)mode;
    return write_whole(d, name, tn_span_of(p, n), false, err);
}

static DWORD fill_like(HANDLE from, HANDLE to, const void *p, size_t n)
{
    DWORD e = tn_win32_write(to, p, n);
    FILE_BASIC_INFO now;
    if (!e)
        e = tn_win32_copy_meta(from, to);
    if (!e && GetFileInformationByHandleEx(to, FileBasicInfo, &now, sizeof now)) { /* its content is new */
        FILETIME t;
        GetSystemTimeAsFileTime(&t);
        now.LastWriteTime.LowPart = t.dwLowDateTime;
        now.LastWriteTime.HighPart = (LONG)t.dwHighDateTime;
        SetFileInformationByHandle(to, FileBasicInfo, &now, sizeof now);
    }
    if (!e && !FlushFileBuffers(to))
        e = GetLastError();
    return e;
}

int tn_os_file_like(struct tn_os_dir *d, const char *like, const char *name, const void *p, size_t n,
                    struct tn_err *err)
{
    const struct tn_win32_at old = {
        .access = FILE_READ_ATTRIBUTES | READ_CONTROL, .disposition = FILE_OPEN, .options = FILE_NON_DIRECTORY_FILE};
    const struct tn_win32_at new = {.access = GENERIC_WRITE | FILE_READ_ATTRIBUTES | READ_CONTROL | WRITE_DAC | DELETE,
                                    .disposition = FILE_CREATE,
                                    .options = FILE_NON_DIRECTORY_FILE};
    struct tn_arena mem;
    struct tn_os_stat st = {.type = 0};
    wchar_t *w_like, *w;
    HANDLE from = NULL, to = NULL;
    int rc = tn_os_dir_stat(d, like, &st, err);
    if (!rc && st.type != 'f')
        rc = tn_err_set(err, TN_E_REFUSED, like, "not a regular file");
    tn_arena_init(&mem);
    if (!rc)
        rc = tn_win32_name(&mem, err, like, &w_like);
    if (!rc)
        rc = tn_win32_name(&mem, err, name, &w);
    DWORD e = rc ? 0 : tn_win32_open_at(d->h, w_like, &old, &from);
    if (!rc && !e)
        e = tn_win32_open_at(d->h, w, &new, &to);
    if (to) {
        e = fill_like(from, to, p, n);
        if (e)
            tn_win32_delete(to);
        CloseHandle(to);
    }
    if (from)
        CloseHandle(from);
    tn_arena_deinit(&mem);
    if (e)
        return tn_win32_dir_error(err, d, to || !from ? like : name, e);
    return rc ? rc : tn_os_dir_sync(d, err);
}

static DWORD append(HANDLE h, const void *p, size_t n)
{
    LARGE_INTEGER zero = {.QuadPart = 0}, was;
    if (!SetFilePointerEx(h, zero, &was, FILE_END))
        return GetLastError();
    DWORD e = tn_win32_write(h, p, n);
    if (!e && !FlushFileBuffers(h))
        e = GetLastError();
    if (e && SetFilePointerEx(h, was, NULL, FILE_BEGIN)) /* half a line: whoever reads it passes over it */
        SetEndOfFile(h);
    return e;
}

int tn_os_dir_append(struct tn_os_dir *d, const char *name, const void *p, size_t n, struct tn_err *err)
{
    const struct tn_win32_at how = {.access = GENERIC_WRITE | FILE_READ_ATTRIBUTES,
                                    .disposition = FILE_OPEN_IF,
                                    .options = FILE_NON_DIRECTORY_FILE};
    struct tn_arena mem;
    struct tn_os_stat st;
    wchar_t *w;
    HANDLE h = NULL;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    DWORD e = rc ? 0 : tn_win32_open_at(d->h, w, &how, &h);
    tn_arena_deinit(&mem);
    if (rc || e)
        return e ? tn_win32_dir_error(err, d, name, e) : rc;
    rc = tn_win32_stat(h, name, &st, err);
    if (!rc && st.type != 'f')
        rc = tn_err_set(err, TN_E_REFUSED, name, "is not a regular file");
    if (!rc && (e = append(h, p, n)))
        rc = tn_win32_dir_error(err, d, name, e);
    CloseHandle(h);
    return rc;
}

int tn_os_dir_read(struct tn_os_dir *d, const char *name, size_t max, struct tn_buf *ret, struct tn_err *err)
{
    const struct tn_win32_at how = {
        .access = GENERIC_READ, .disposition = FILE_OPEN, .options = FILE_NON_DIRECTORY_FILE};
    struct tn_arena mem;
    struct tn_os_stat st;
    wchar_t *w;
    HANDLE h = NULL;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    DWORD e = rc ? 0 : tn_win32_open_at(d->h, w, &how, &h);
    tn_arena_deinit(&mem);
    if (rc || e)
        return e ? tn_win32_dir_error(err, d, name, e) : rc;
    rc = tn_win32_stat(h, name, &st, err);
    if (!rc && st.type != 'f')
        rc = tn_err_set(err, TN_E_REFUSED, name, "is not a regular file");
    while (!rc && max) {
        char chunk[16384];
        DWORD k = 0;
        if (!ReadFile(h, chunk, max < sizeof chunk ? (DWORD)max : (DWORD)sizeof chunk, &k, NULL))
            rc = tn_win32_dir_error(err, d, name, GetLastError());
        if (!k)
            break;
        tn_buf_add(ret, chunk, k);
        max -= k;
    }
    CloseHandle(h);
    return rc;
}
