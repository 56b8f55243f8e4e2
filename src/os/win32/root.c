/* root.c - another root folder on Windows: links are resolved inside it, so the host is never read.
 *
 * The walk (walk.c) decides by looking; since a folder may be swapped for a junction between the look and the
 * open, what was opened is asked for its final path, which must lie below the root. */
#include "os/win32/win32.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "os/win32/walk.h"

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

int tn_os_root_open(const char *path, struct tn_os_root **ret, struct tn_err *err)
{
    HANDLE h;
    struct tn_arena mem;
    DWORD attributes, tag;
    int rc = tn_win32_open(NULL, path, FILE_READ_ATTRIBUTES, true, &h, err);
    if (rc)
        return rc;
    tn_arena_init(&mem);
    char *p = tn_win32_final(&mem, h, path);
    if (!p)
        rc = tn_win32_error(err, path, GetLastError());
    else if (!tn_win32_attributes(h, &attributes, &tag) || tn_win32_type(attributes, tag) != 'd')
        rc = tn_win32_error(err, path, ERROR_DIRECTORY);
    CloseHandle(h);
    if (rc == 0) {
        struct tn_os_root *r = tn_xmalloc(sizeof *r);
        r->path = tn_xmalloc(strlen(p) + 1);
        memcpy(r->path, p, strlen(p) + 1);
        *ret = r;
    }
    tn_arena_deinit(&mem);
    return rc;
}

void tn_os_root_close(struct tn_os_root *root)
{
    if (!root)
        return;
    free(root->path);
    free(root);
}

static HANDLE open_verbatim(struct tn_arena *mem, const char *path, DWORD access, bool follow)
{
    return CreateFileW(
        tn_win32_verbatim(mem, path), access, SHARE_ALL, NULL, OPEN_EXISTING,
        FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_NO_RECALL | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), NULL);
}

static int look(void *ctx, const char *path, char *ret_type, struct tn_buf *ret_target, struct tn_err *err)
{
    struct tn_arena *mem = ctx;
    DWORD attributes, tag;
    HANDLE h = open_verbatim(mem, path, FILE_READ_ATTRIBUTES, false);
    if (h == INVALID_HANDLE_VALUE)
        return tn_win32_error(err, path, GetLastError());
    int rc = 0;
    if (!tn_win32_attributes(h, &attributes, &tag))
        rc = tn_win32_error(err, path, GetLastError());
    else
        *ret_type = tn_win32_type(attributes, tag);
    if (rc == 0 && *ret_type == 'l')
        rc = tn_win32_link(h, path, ret_target, err);
    CloseHandle(h);
    return rc;
}

int tn_win32_root_open(struct tn_os_root *at, const char *path, DWORD access, bool follow, HANDLE *ret,
                       struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_buf full;
    tn_arena_init(&mem);
    tn_buf_init(&full);
    int rc = tn_win32_walk(at->path, path, follow, look, &mem, &full, err);
    if (rc == 0) {
        HANDLE h = open_verbatim(&mem, full.p, access, follow);
        if (h == INVALID_HANDLE_VALUE && follow && GetLastError() == ERROR_CANT_ACCESS_FILE)
            h = open_verbatim(&mem, full.p, access, false);
        const char *real = h == INVALID_HANDLE_VALUE ? NULL : tn_win32_final(&mem, h, full.p);
        if (h == INVALID_HANDLE_VALUE) {
            rc = tn_win32_error(err, path, GetLastError());
        } else if (!real || !tn_path_under(TN_PATH_WINDOWS, real, at->path)) {
            rc = tn_err_set(err, TN_E_REFUSED, path, "leads out of the root folder");
            CloseHandle(h);
        } else {
            *ret = h;
        }
    }
    tn_buf_deinit(&full);
    tn_arena_deinit(&mem);
    return rc;
}
