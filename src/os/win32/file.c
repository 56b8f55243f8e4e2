/* file.c - files, folders and links on Windows.
 *
 * Invariant: data is read from regular files on disks only; nothing is opened for writing except by
 * tn_os_write_file. Names: name.c. Links inside a root: root.c. A file that lives in a cloud is not fetched. */
#include "os/win32/win32.h"

#include <stdlib.h>
#include <string.h>
#include <winioctl.h>
#include <sddl.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/span.h"
#include "os/win32/walk.h"

#define EPOCH_1970 116444736000000000LL /* in 100 ns since 1601 */
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
#define MAX_REPARSE 16384u /* MAXIMUM_REPARSE_DATA_BUFFER_SIZE */

char tn_win32_type(DWORD attributes, DWORD tag)
{
    char plain = attributes & FILE_ATTRIBUTE_DIRECTORY ? 'd' : 'f';
    if (!(attributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return plain;
    switch (tag) {
    case TN_TAG_SYMLINK:
    case TN_TAG_MOUNT_POINT:
    case TN_TAG_LX_SYMLINK: return 'l';
    case TN_TAG_AF_UNIX: return 's';
    case TN_TAG_LX_FIFO: return 'p';
    case TN_TAG_LX_CHR: return 'c';
    case TN_TAG_LX_BLK: return 'b';
    case TN_TAG_APPEXECLINK: return 'o'; /* a Store program's alias: no content */
    default: return plain;               /* deduplicated, compressed, in a cloud */
    }
}

/* The reparse data of an open link; returns its length, 0 if it has none. */
static DWORD reparse_data(HANDLE h, unsigned char *ret)
{
    DWORD n = 0;
    if (!DeviceIoControl(h, FSCTL_GET_REPARSE_POINT, NULL, 0, ret, MAX_REPARSE, &n, NULL))
        return 0;
    return n;
}

bool tn_win32_attributes(HANDLE h, DWORD *ret_attributes, DWORD *ret_tag)
{
    FILE_ATTRIBUTE_TAG_INFO t;
    if (GetFileInformationByHandleEx(h, FileAttributeTagInfo, &t, sizeof t)) {
        *ret_attributes = t.FileAttributes;
        *ret_tag = t.ReparseTag;
        return true;
    }
    BY_HANDLE_FILE_INFORMATION i;
    if (!GetFileInformationByHandle(h, &i))
        return false;
    *ret_attributes = i.dwFileAttributes;
    *ret_tag = 0;
    if (i.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) {
        unsigned char *data = tn_xmalloc(MAX_REPARSE);
        uint32_t tag;
        if (tn_span_u32(tn_span_of(data, reparse_data(h, data)), 0, false, &tag))
            *ret_tag = tag;
        free(data);
    }
    return true;
}

int tn_win32_link(HANDLE h, const char *path, struct tn_buf *ret, struct tn_err *err)
{
    unsigned char *data = tn_xmalloc(MAX_REPARSE);
    DWORD n = reparse_data(h, data);
    DWORD e = n ? 0 : GetLastError();
    int rc = n ? tn_win32_reparse_target(tn_span_of(data, n), ret, err) : tn_win32_error(err, path, e);
    free(data);
    return rc;
}

int tn_win32_open(struct tn_os_root *at, const char *path, DWORD access, bool follow, HANDLE *ret, struct tn_err *err)
{
    if (at)
        return tn_win32_root_open(at, path, access, follow, ret, err);
    struct tn_arena mem;
    wchar_t *w;
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_NO_RECALL;
    tn_arena_init(&mem);
    int rc = tn_win32_native(&mem, path, &w, err);
    if (rc == 0) {
        HANDLE h = CreateFileW(w, access, SHARE_ALL, NULL, OPEN_EXISTING,
                               flags | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), NULL);
        if (h == INVALID_HANDLE_VALUE && follow && GetLastError() == ERROR_CANT_ACCESS_FILE) /* AppExecLink */
            h = CreateFileW(w, access, SHARE_ALL, NULL, OPEN_EXISTING, flags | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
        if (h == INVALID_HANDLE_VALUE)
            rc = tn_win32_error(err, path, GetLastError());
        else
            *ret = h;
    }
    tn_arena_deinit(&mem);
    return rc;
}

static int64_t unix_time(FILETIME t)
{
    int64_t v = (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) - EPOCH_1970;
    return v / 10000000 - (v % 10000000 < 0);
}

int tn_win32_stat(HANDLE h, const char *path, struct tn_os_stat *ret, struct tn_err *err)
{
    struct tn_os_stat s;
    BY_HANDLE_FILE_INFORMATION i;
    DWORD attributes = 0, tag = 0, kind = GetFileType(h);
    memset(&s, 0, sizeof s);
    if (kind != FILE_TYPE_DISK) {
        s.type = kind == FILE_TYPE_PIPE ? 'p' : kind == FILE_TYPE_CHAR ? 'c' : 'o';
        *ret = s;
        return 0;
    }
    if (!GetFileInformationByHandle(h, &i) || !tn_win32_attributes(h, &attributes, &tag))
        return tn_win32_error(err, path, GetLastError());
    s.type = tn_win32_type(attributes, tag);
    s.size = s.type == 'd' ? 0 : (uint64_t)i.nFileSizeHigh << 32 | i.nFileSizeLow;
    s.dev = i.dwVolumeSerialNumber;
    s.ino = (uint64_t)i.nFileIndexHigh << 32 | i.nFileIndexLow;
    s.nlink = i.nNumberOfLinks;
    s.mtime = unix_time(i.ftLastWriteTime);
    s.atime = unix_time(i.ftLastAccessTime);
    *ret = s;
    return 0;
}

/* A device or pipe where a file or folder is looked for: there is none. It was not opened. */
static int open_to_look(struct tn_os_root *at, const char *path, DWORD access, bool follow, HANDLE *ret,
                        struct tn_err *err)
{
    int rc = tn_win32_open(at, path, access, follow, ret, err);
    return rc == TN_E_REFUSED && !at ? tn_win32_error(err, path, ERROR_INVALID_NAME) : rc;
}

int tn_os_stat(struct tn_os_root *at, const char *path, bool follow, struct tn_os_stat *ret, struct tn_err *err)
{
    HANDLE h;
    int rc = open_to_look(at, path, FILE_READ_ATTRIBUTES, follow, &h, err);
    if (rc)
        return rc;
    rc = tn_win32_stat(h, path, ret, err);
    CloseHandle(h);
    return rc;
}

int tn_os_readlink(struct tn_os_root *at, const char *path, struct tn_buf *ret, struct tn_err *err)
{
    HANDLE h;
    DWORD attributes, tag;
    int rc = tn_win32_open(at, path, FILE_READ_ATTRIBUTES, false, &h, err);
    if (rc)
        return rc;
    if (!tn_win32_attributes(h, &attributes, &tag))
        rc = tn_win32_error(err, path, GetLastError());
    else if (tn_win32_type(attributes, tag) != 'l')
        rc = tn_err_set(err, TN_E_FORMAT, path, "not a link");
    else
        rc = tn_win32_link(h, path, ret, err);
    CloseHandle(h);
    return rc;
}

int tn_os_list_some(struct tn_os_root *at, const char *path, bool (*keep)(const void *ctx, const char *name),
                    const void *ctx, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err)
{
    HANDLE h;
    DWORD attributes, tag;
    int rc = open_to_look(at, path, FILE_LIST_DIRECTORY | SYNCHRONIZE, true, &h, err);
    if (rc)
        return rc;
    if (!tn_win32_attributes(h, &attributes, &tag) || tn_win32_type(attributes, tag) != 'd')
        rc = tn_win32_error(err, path, ERROR_DIRECTORY);
    else
        rc = tn_win32_list(h, path, keep, ctx, mem, ret, ret_n, err);
    CloseHandle(h);
    return rc;
}

int tn_os_list(struct tn_os_root *at, const char *path, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n,
               struct tn_err *err)
{
    return tn_os_list_some(at, path, NULL, NULL, mem, ret, ret_n, err);
}

static int read_range(HANDLE h, const char *path, uint64_t off, size_t max, struct tn_buf *got, struct tn_err *err)
{
    char chunk[65536];
    while (got->n < max) {
        uint64_t at = off + got->n;
        OVERLAPPED o = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
        DWORD n = 0, want = max - got->n < sizeof chunk ? (DWORD)(max - got->n) : (DWORD)sizeof chunk;
        if (!ReadFile(h, chunk, want, &n, &o)) {
            DWORD e = GetLastError();
            return e == ERROR_HANDLE_EOF ? 0 : tn_win32_error(err, path, e);
        }
        if (n == 0)
            return 0;
        tn_buf_add(got, chunk, n);
    }
    return 0;
}

static int open_regular(struct tn_os_root *at, const char *path, HANDLE *ret, struct tn_os_stat *st, struct tn_err *err)
{
    int rc = tn_win32_open(at, path, GENERIC_READ, true, ret, err);
    if (rc == TN_E_DENIED && tn_os_stat(at, path, true, st, NULL) == 0 && st->type == 'd')
        return tn_err_set(err, TN_E_FORMAT, path, "is a folder"); /* one that may be looked at only */
    if (rc)
        return rc;
    rc = tn_win32_stat(*ret, path, st, err);
    if (rc == 0 && st->type != 'f')
        rc = st->type == 'd' ? tn_err_set(err, TN_E_FORMAT, path, "is a folder")
                             : tn_err_set(err, TN_E_REFUSED, path, "is not a regular file");
    if (rc)
        CloseHandle(*ret);
    return rc;
}

static int read_handle(HANDLE h, const char *path, uint64_t off, size_t max, struct tn_buf *ret, struct tn_err *err)
{
    struct tn_buf got;
    tn_buf_init(&got);
    int rc = read_range(h, path, off, max, &got, err);
    if (rc) {
        tn_buf_deinit(&got);
        return rc;
    }
    tn_buf_deinit(ret);
    *ret = got;
    return 0;
}

struct tn_os_held {
    HANDLE h;
    uint64_t size;
    char path[];
};

int tn_os_hold(struct tn_os_root *at, const char *path, struct tn_os_held **ret, struct tn_err *err)
{
    HANDLE h;
    struct tn_os_stat st;
    int rc = open_regular(at, path, &h, &st, err);
    if (rc)
        return rc;
    size_t n = strlen(path) + 1;
    struct tn_os_held *f = malloc(sizeof *f + n);
    if (!f) {
        CloseHandle(h);
        tn_oom();
    }
    f->h = h;
    f->size = st.size;
    memcpy(f->path, path, n);
    *ret = f;
    return 0;
}

int tn_os_read_held(struct tn_os_held *f, uint64_t off, size_t max, struct tn_buf *ret, uint64_t *ret_size,
                    struct tn_err *err)
{
    if (ret_size)
        *ret_size = f->size;
    return read_handle(f->h, f->path, off, max, ret, err);
}

void tn_os_release(struct tn_os_held *f)
{
    if (!f)
        return;
    CloseHandle(f->h);
    free(f);
}

int tn_os_read(struct tn_os_root *at, const char *path, uint64_t off, size_t max, struct tn_buf *ret,
               uint64_t *ret_size, struct tn_err *err)
{
    HANDLE h;
    struct tn_os_stat st;
    int rc = open_regular(at, path, &h, &st, err);
    if (rc)
        return rc;
    rc = read_handle(h, path, off, max, ret, err);
    CloseHandle(h);
    if (!rc && ret_size)
        *ret_size = st.size;
    return rc;
}

int tn_os_read_stdin(size_t max, struct tn_buf *ret, struct tn_err *err)
{
    HANDLE in = GetStdHandle(STD_INPUT_HANDLE);
    for (;;) {
        char chunk[65536];
        DWORD n = 0;
        if (!ReadFile(in, chunk, sizeof chunk, &n, NULL)) {
            DWORD e = GetLastError();
            return e == ERROR_BROKEN_PIPE || e == ERROR_HANDLE_EOF ? 0 : tn_win32_error(err, "-", e);
        }
        if (n == 0)
            return 0;
        if (n > max - ret->n)
            return tn_err_set(err, TN_E_LIMIT, "-", "more than %zu bytes", max);
        tn_buf_add(ret, chunk, n);
    }
}

int tn_os_stdin_some(void *buf, size_t n, size_t *ret_n, struct tn_err *err)
{
    DWORD got = 0;
    *ret_n = 0;
    if (!ReadFile(GetStdHandle(STD_INPUT_HANDLE), buf, n > 1u << 30 ? 1u << 30 : (DWORD)n, &got, NULL)) {
        DWORD e = GetLastError();
        return e == ERROR_BROKEN_PIPE || e == ERROR_HANDLE_EOF ? 0 : tn_win32_error(err, "-", e);
    }
    *ret_n = got;
    return 0;
}

int tn_os_disk(struct tn_os_root *at, const char *path, uint64_t *ret_free, uint64_t *ret_total, struct tn_err *err)
{
    HANDLE h;
    struct tn_arena mem;
    ULARGE_INTEGER mine, total;
    int rc = tn_win32_open(at, path, FILE_READ_ATTRIBUTES, true, &h, err);
    if (rc)
        return rc;
    tn_arena_init(&mem);
    char *p = tn_win32_final(&mem, h, path); /* of the volume that the links lead to */
    DWORD e = GetLastError();
    CloseHandle(h);
    if (p) {
        const wchar_t *w = tn_win32_verbatim(&mem, p);
        DWORD n = (DWORD)wcslen(w) + 2;
        wchar_t *volume = tn_arena_array(&mem, n, sizeof *volume);
        e = GetVolumePathNameW(w, volume, n) && GetDiskFreeSpaceExW(volume, &mine, &total, NULL) ? 0 : GetLastError();
    }
    if (!p || e) {
        rc = tn_win32_error(err, path, e);
    } else {
        *ret_free = mine.QuadPart;
        *ret_total = total.QuadPart;
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_realpath(const char *path, struct tn_buf *ret, struct tn_err *err)
{
    HANDLE h;
    struct tn_arena mem;
    int rc = tn_win32_open(NULL, path, FILE_READ_ATTRIBUTES, true, &h, err);
    if (rc)
        return rc;
    tn_arena_init(&mem);
    char *p = tn_win32_final(&mem, h, path);
    DWORD e = GetLastError();
    CloseHandle(h);
    if (p) {
        tn_buf_clear(ret);
        tn_buf_str(ret, p);
    } else {
        rc = tn_win32_error(err, path, e);
    }
    tn_arena_deinit(&mem);
    return rc;
}

char *tn_os_cwd(struct tn_arena *mem)
{
    DWORD n = GetCurrentDirectoryW(0, NULL);
    wchar_t *w = tn_arena_array(mem, (size_t)n + 1, sizeof *w);
    DWORD got = n ? GetCurrentDirectoryW(n + 1, w) : 0;
    return got && got <= n ? tn_win32_narrow(mem, w, got) : tn_arena_strdup(mem, ".");
}

PSECURITY_DESCRIPTOR tn_win32_private(struct tn_arena *mem, bool folder)
{
    HANDLE token;
    DWORD n = 0;
    LPWSTR sid = NULL;
    PSECURITY_DESCRIPTOR sd = NULL;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return NULL;
    GetTokenInformation(token, TokenUser, NULL, 0, &n);
    TOKEN_USER *user = tn_arena_alloc(mem, n);
    if (n && GetTokenInformation(token, TokenUser, user, n, &n) && ConvertSidToStringSidW(user->User.Sid, &sid)) {
        const char *text = tn_win32_narrow(mem, sid, wcslen(sid));
        const wchar_t *sddl = tn_win32_wide(mem, tn_arena_printf(mem, "D:P(A;%s;FA;;;%s)", folder ? "OICI" : "", text));
        LocalFree(sid);
        if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(sddl, SDDL_REVISION_1, &sd, NULL))
            sd = NULL;
    }
    CloseHandle(token);
    return sd;
}

static HANDLE create_temp(struct tn_arena *mem, const wchar_t *to, SECURITY_ATTRIBUTES *sa, wchar_t **ret)
{
    size_t n = wcslen(to);
    for (unsigned tries = 0; tries < 64; tries++) {
        static const wchar_t digits[] = L"0123456789abcdef";
        uint64_t x = tn_os_monotonic_us() * 6364136223846793005ull ^ (uint64_t)GetCurrentProcessId() << 20 ^ tries;
        wchar_t *w = tn_arena_array(mem, n + 10, sizeof *w);
        memcpy(w, to, n * sizeof *w);
        w[n] = '.';
        for (unsigned i = 0; i < 8; i++, x >>= 4)
            w[n + 1 + i] = digits[x & 15];
        HANDLE h = CreateFileW(w, GENERIC_WRITE, 0, sa, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        *ret = w;
        if (h != INVALID_HANDLE_VALUE || GetLastError() != ERROR_FILE_EXISTS)
            return h;
    }
    return INVALID_HANDLE_VALUE;
}

static DWORD write_all(HANDLE h, const char *p, size_t n)
{
    while (n) {
        DWORD k = 0, want = n < (1u << 20) ? (DWORD)n : 1u << 20;
        if (!WriteFile(h, p, want, &k, NULL))
            return GetLastError();
        p += k;
        n -= k;
    }
    return FlushFileBuffers(h) ? 0 : GetLastError();
}

/* Virus scanners hold a new file open for a moment. */
static DWORD replace(const wchar_t *from, const wchar_t *to)
{
    DWORD e = 0;
    for (unsigned tries = 0; tries < 5; tries++) {
        if (MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
            return 0;
        e = GetLastError();
        if (e != ERROR_ACCESS_DENIED && e != ERROR_SHARING_VIOLATION)
            return e;
        Sleep(20);
    }
    return e;
}

int tn_os_write_file(const char *path, const void *p, size_t n, bool private_file, struct tn_err *err)
{
    struct tn_arena mem;
    wchar_t *to, *temp = NULL;
    SECURITY_ATTRIBUTES sa = {.nLength = sizeof sa};
    tn_arena_init(&mem);
    int rc = tn_win32_native(&mem, path, &to, err);
    if (rc == 0 && private_file && !(sa.lpSecurityDescriptor = tn_win32_private(&mem, false)))
        rc = tn_err_set(err, TN_E_IO, path, "cannot make a private file");
    if (rc == 0) {
        HANDLE h = create_temp(&mem, to, private_file ? &sa : NULL, &temp);
        DWORD e = h == INVALID_HANDLE_VALUE ? GetLastError() : 0;
        if (!e) {
            e = write_all(h, p, n);
            CloseHandle(h);
            if (!e)
                e = replace(temp, to);
            if (e)
                DeleteFileW(temp);
        }
        rc = e ? tn_win32_error(err, path, e) : 0;
    }
    if (sa.lpSecurityDescriptor)
        LocalFree(sa.lpSecurityDescriptor);
    tn_arena_deinit(&mem);
    return rc;
}
