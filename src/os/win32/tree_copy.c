/* tree_copy.c - a tree copied, and one joined into another. See os/change.h and tree.h. */
#include "os/win32/tree.h"

#include <stdlib.h>
#include <winioctl.h>
#include <winternl.h>

#include "base/limits.h"

#define MAX_REPARSE 16384u /* MAXIMUM_REPARSE_DATA_BUFFER_SIZE */

static DWORD copy_bytes(HANDLE from, HANDLE to)
{
    char *p = tn_xmalloc(TN_MAX_SMALL_FILE);
    DWORD e = 0, n = 0;
    do {
        if (!ReadFile(from, p, TN_MAX_SMALL_FILE, &n, NULL))
            e = GetLastError();
        else if (n)
            e = tn_win32_write(to, p, n);
    } while (!e && n);
    free(p);
    return e;
}

/* A further name of the same file; where that cannot be (1024 names, FAT), another file of the same content. */
static DWORD copy_file(HANDLE from, HANDLE to, const wchar_t *name)
{
    const struct tn_win32_at look = {.access = FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES, .disposition = FILE_OPEN};
    const struct tn_win32_at read = {.access = GENERIC_READ | READ_CONTROL, .disposition = FILE_OPEN};
    const struct tn_win32_at new = {.access = GENERIC_WRITE | FILE_READ_ATTRIBUTES | READ_CONTROL | WRITE_DAC,
                                    .disposition = FILE_CREATE,
                                    .options = FILE_NON_DIRECTORY_FILE};
    HANDLE in = NULL, out = NULL;
    DWORD e = tn_win32_open_at(from, name, &look, &in);
    if (!e) {
        e = tn_win32_link_file(in, to, name);
        CloseHandle(in);
        in = NULL;
    }
    if (!e || e == ERROR_ALREADY_EXISTS || e == ERROR_FILE_EXISTS)
        return e;
    e = tn_win32_open_at(from, name, &read, &in);
    if (!e)
        e = tn_win32_open_at(to, name, &new, &out);
    if (!e)
        e = copy_bytes(in, out);
    if (!e)
        e = tn_win32_copy_meta(in, out);
    if (in)
        CloseHandle(in);
    if (out)
        CloseHandle(out);
    return e;
}

/* The same reparse data under another name: links and junctions lead where they led. */
static DWORD copy_link(HANDLE from, HANDLE to, const wchar_t *name)
{
    const struct tn_win32_at look = {.access = FILE_READ_ATTRIBUTES, .disposition = FILE_OPEN};
    struct tn_win32_at new = {.access = GENERIC_WRITE | DELETE, .disposition = FILE_CREATE};
    unsigned char *data = tn_xmalloc(MAX_REPARSE);
    HANDLE in = NULL, out = NULL;
    DWORD attributes = 0, tag, n = 0, e = tn_win32_open_at(from, name, &look, &in);
    if (!e && (!tn_win32_attributes(in, &attributes, &tag) ||
               !DeviceIoControl(in, FSCTL_GET_REPARSE_POINT, NULL, 0, data, MAX_REPARSE, &n, NULL)))
        e = GetLastError();
    new.options = attributes &FILE_ATTRIBUTE_DIRECTORY ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE;
    if (!e)
        e = tn_win32_open_at(to, name, &new, &out);
    if (!e && !DeviceIoControl(out, FSCTL_SET_REPARSE_POINT, data, n, NULL, 0, &n, NULL)) {
        e = GetLastError();
        tn_win32_delete(out);
    }
    if (in)
        CloseHandle(in);
    if (out)
        CloseHandle(out);
    free(data);
    return e;
}

static int copy_below(struct tn_win32_tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err);

static int copy_folder(struct tn_win32_tree *t, HANDLE from, HANDLE to, const wchar_t *name, const wchar_t *to_name,
                       unsigned depth, struct tn_err *err)
{
    const struct tn_win32_at look = {.access =
                                         FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | READ_CONTROL,
                                     .disposition = FILE_OPEN,
                                     .options = FILE_DIRECTORY_FILE};
    const struct tn_win32_at new = {.access = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES |
                                              FILE_WRITE_ATTRIBUTES | FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY |
                                              READ_CONTROL | WRITE_DAC,
                                    .disposition = FILE_CREATE,
                                    .options = FILE_DIRECTORY_FILE};
    HANDLE in = NULL, out = NULL;
    int rc = 0;
    DWORD e = depth >= TN_WIN32_DEPTH ? TN_WIN32_TOO_DEEP : tn_win32_open_at(from, name, &look, &in);
    if (!e)
        e = tn_win32_open_at(to, to_name, &new, &out);
    if (!e)
        rc = copy_below(t, in, out, depth + 1, err);
    if (!e && !rc)
        e = tn_win32_copy_meta(in, out);
    if (in)
        CloseHandle(in);
    if (out)
        CloseHandle(out);
    return e ? tn_win32_tree_failed(err, t, e) : rc;
}

static int copy_one(struct tn_win32_tree *t, HANDLE from, HANDLE to, const struct tn_os_entry *one, const wchar_t *name,
                    unsigned depth, struct tn_err *err)
{
    DWORD e = 0;
    switch (one->type) {
    case 'd': return copy_folder(t, from, to, name, name, depth, err);
    case 'f': e = copy_file(from, to, name); break;
    case 'l': e = copy_link(from, to, name); break;
    default: return tn_err_set(err, TN_E_REFUSED, t->path.p, "neither a file nor a folder nor a link");
    }
    return e ? tn_win32_tree_failed(err, t, e) : 0;
}

static int copy_below(struct tn_win32_tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_entry *list = NULL;
    size_t n = 0;
    tn_arena_init(&mem);
    int rc = tn_win32_tree_names(t, &mem, from, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = tn_win32_tree_in(t, list[i].name);
        rc = copy_one(t, from, to, &list[i], tn_win32_wide(&mem, list[i].name), depth, err);
        tn_win32_tree_back(t, was);
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_copy(struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err)
{
    struct tn_win32_tree t;
    struct tn_arena mem;
    struct tn_os_stat st = {.type = 0};
    wchar_t *a, *b;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, from, &a);
    if (!rc)
        rc = tn_win32_name(&mem, err, to, &b);
    if (!rc)
        rc = tn_os_dir_stat(d, from, &st, err);
    if (!rc && st.type != 'd')
        rc = tn_win32_dir_error(err, d, from, ERROR_DIRECTORY);
    tn_win32_tree_init(&t, d, from);
    if (!rc)
        rc = copy_folder(&t, d->h, d->h, a, b, 0, err);
    tn_buf_deinit(&t.path);
    tn_arena_deinit(&mem);
    return rc;
}

/* --- joined --- */

static int merge_below(struct tn_win32_tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err);

static int merge_folder(struct tn_win32_tree *t, HANDLE from, HANDLE to, const wchar_t *name, unsigned depth,
                        struct tn_err *err)
{
    HANDLE in = NULL, out = NULL;
    int rc = 0;
    DWORD e = depth >= TN_WIN32_DEPTH ? TN_WIN32_TOO_DEEP : tn_win32_enter(from, name, &in);
    if (!e && (e = tn_win32_enter(to, name, &out)) == ERROR_DIRECTORY)
        e = ERROR_ALREADY_EXISTS;
    if (!e)
        rc = merge_below(t, in, out, depth + 1, err);
    if (in)
        CloseHandle(in);
    if (out)
        CloseHandle(out);
    if (e || rc)
        return e ? tn_win32_tree_failed(err, t, e) : rc;
    return tn_win32_tree_remove_empty(t, from, name, 0, err);
}

static int merge_one(struct tn_win32_tree *t, HANDLE from, HANDLE to, char type, const wchar_t *name, unsigned depth,
                     struct tn_err *err)
{
    const struct tn_win32_at how = {.access = DELETE | FILE_READ_ATTRIBUTES, .disposition = FILE_OPEN};
    HANDLE h, there;
    char is = 0;
    DWORD e = tn_win32_look_at(to, name, &is, &there);
    if (!e)
        CloseHandle(there);
    else
        is = 0;
    if (is == 'd' && type == 'd')
        return merge_folder(t, from, to, name, depth, err);
    if (is == 'd' || (is && type == 'd'))
        return tn_win32_tree_failed(err, t, ERROR_ALREADY_EXISTS);
    e = tn_win32_open_at(from, name, &how, &h);
    if (!e) {
        e = tn_win32_rename(h, to, name, true);
        CloseHandle(h);
    }
    return e ? tn_win32_tree_failed(err, t, e) : 0;
}

static int merge_below(struct tn_win32_tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_entry *list = NULL;
    size_t n = 0;
    tn_arena_init(&mem);
    int rc = tn_win32_tree_names(t, &mem, from, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = tn_win32_tree_in(t, list[i].name);
        rc = merge_one(t, from, to, list[i].type, tn_win32_wide(&mem, list[i].name), depth, err);
        tn_win32_tree_back(t, was);
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_merge(struct tn_os_dir *d, const char *name, struct tn_err *err)
{
    struct tn_win32_tree t;
    struct tn_os_dir *from;
    int rc = tn_os_dir_enter(d, name, &from, err);
    if (rc)
        return rc;
    tn_win32_tree_init(&t, d, name);
    rc = merge_below(&t, from->h, d->h, 0, err);
    tn_buf_deinit(&t.path);
    tn_os_dir_close(from);
    return rc ? rc : tn_os_tree_remove(d, name, err);
}
