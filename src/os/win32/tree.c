/* tree.c - whole trees below an opened folder: seen, copied, removed, joined. See os/change.h.
 *
 * Invariant: each folder is opened in the one above it by its handle; a junction, a link, a volume that is mounted
 * there is an entry and never entered. */
#include "os/win32/dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winioctl.h>
#include <winternl.h>

#include "base/limits.h"
#include "base/str.h"

#define MAX_DEPTH 200u /* handles that are open at once; real environments have some 20 levels */
#define TOO_DEEP ERROR_CANT_RESOLVE_FILENAME
#define MAX_REPARSE 16384u /* MAXIMUM_REPARSE_DATA_BUFFER_SIZE */

struct tree {
    struct tn_os_dir *d;
    const char *top;
    struct tn_buf path; /* below the top, with "/" */
};

static int failed(struct tn_err *err, const struct tree *t, DWORD e)
{
    char name[TN_ERR_TEXT];
    snprintf(name, sizeof name, "%s%s%s", t->top, t->path.n ? "\\" : "", t->path.n ? t->path.p : "");
    for (char *p = name; *p; p++)
        *p = *p == '/' ? '\\' : *p;
    return tn_win32_dir_error(err, t->d, name, e);
}

static void init(struct tree *t, struct tn_os_dir *d, const char *top)
{
    t->d = d;
    t->top = top;
    tn_buf_init(&t->path);
    tn_buf_str(&t->path, "");
}

static size_t go_in(struct tree *t, const char *name)
{
    size_t was = t->path.n;
    tn_buf_printf(&t->path, "%s%s", was ? "/" : "", name);
    return was;
}

static void go_back(struct tree *t, size_t was)
{
    t->path.n = was;
    t->path.p[was] = 0;
}

/* What an opened folder holds, in byte order. What the list calls a link is one. */
static int names_of(struct tree *t, struct tn_arena *mem, HANDLE h, struct tn_os_entry **ret, size_t *ret_n,
                    struct tn_err *err)
{
    *ret_n = 0;
    return tn_win32_list(h, t->d->path, NULL, NULL, mem, ret, ret_n, err);
}

/* --- seen --- */

struct walk {
    struct tree t;
    int (*seen)(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err);
    void *ctx;
};

static int walk_one(struct walk *w, HANDLE dir, const char *name, bool link, unsigned depth, struct tn_err *err);

static int walk_folder(struct walk *w, HANDLE dir, const wchar_t *name, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_entry *list = NULL;
    size_t n = 0;
    HANDLE in;
    DWORD e = depth >= MAX_DEPTH ? TOO_DEEP : tn_win32_enter(dir, name, &in);
    if (e)
        return failed(err, &w->t, e);
    tn_arena_init(&mem);
    int rc = names_of(&w->t, &mem, in, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = go_in(&w->t, list[i].name);
        rc = walk_one(w, in, list[i].name, list[i].type == 'l', depth + 1, err);
        go_back(&w->t, was);
    }
    tn_arena_deinit(&mem);
    CloseHandle(in);
    return rc;
}

static int walk_one(struct walk *w, HANDLE dir, const char *name, bool link, unsigned depth, struct tn_err *err)
{
    struct tn_os_tree_entry e = {.path = w->t.path.n ? w->t.path.p : ""};
    struct tn_arena mem;
    struct tn_buf target;
    HANDLE h;
    char type;
    tn_arena_init(&mem);
    wchar_t *name_w = tn_win32_wide(&mem, name);
    DWORD error = tn_win32_look_at(dir, name_w, &type, &h);
    int rc = error ? failed(err, &w->t, error) : tn_win32_stat(h, name, &e.st, err);
    tn_buf_init(&target);
    if (!rc) {
        e.mtime_ns = tn_win32_mtime_ns(h);
        if (link)
            e.st.type = 'l';
        if (e.st.type == 'l') {
            tn_buf_str(&target, "");
            tn_win32_link(h, name, &target, NULL);
            e.target = target.p;
        }
        rc = w->seen(w->ctx, &e, err);
    }
    if (!error)
        CloseHandle(h);
    if (!rc && e.st.type == 'd')
        rc = walk_folder(w, dir, name_w, depth, err);
    tn_buf_deinit(&target);
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_walk(struct tn_os_dir *d, const char *name,
                    int (*seen)(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err), void *ctx,
                    struct tn_err *err)
{
    struct walk w = {.seen = seen, .ctx = ctx};
    struct tn_arena mem;
    wchar_t *unused;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &unused);
    tn_arena_deinit(&mem);
    if (rc)
        return rc;
    init(&w.t, d, name);
    rc = walk_one(&w, d->h, name, false, 0, err);
    tn_buf_deinit(&w.t.path);
    return rc;
}

/* --- removed --- */

struct removal {
    struct tree t;
    HANDLE top;
    unsigned counter; /* folders that lie too deep, moved to the top */
};

static int remove_one(struct removal *r, HANDLE dir, const wchar_t *name, bool link, unsigned depth,
                      struct tn_err *err);

static int remove_below(struct removal *r, HANDLE dir, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_entry *list = NULL;
    size_t n = 0;
    tn_arena_init(&mem);
    int rc = names_of(&r->t, &mem, dir, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = go_in(&r->t, list[i].name);
        rc = remove_one(r, dir, tn_win32_wide(&mem, list[i].name), list[i].type == 'l', depth, err);
        go_back(&r->t, was);
    }
    tn_arena_deinit(&mem);
    return rc;
}

static DWORD move_up(struct removal *r, HANDLE h)
{
    struct tn_arena mem;
    tn_arena_init(&mem);
    DWORD e =
        tn_win32_rename(h, r->top, tn_win32_wide(&mem, tn_arena_printf(&mem, ".tenon-deep-%u", r->counter++)), false);
    tn_arena_deinit(&mem);
    return e;
}

static int remove_one(struct removal *r, HANDLE dir, const wchar_t *name, bool link, unsigned depth, struct tn_err *err)
{
    const struct tn_win32_at how = {.access = DELETE | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES,
                                    .disposition = FILE_OPEN};
    DWORD attributes, tag;
    HANDLE h, in;
    int rc = 0;
    DWORD e = tn_win32_open_at(dir, name, &how, &h);
    if (e)
        return e == ERROR_FILE_NOT_FOUND ? 0 : failed(err, &r->t, e);
    if (!tn_win32_attributes(h, &attributes, &tag)) {
        e = GetLastError();
    } else if (!link && tn_win32_type(attributes, tag) == 'd') {
        if (depth >= MAX_DEPTH) {
            e = move_up(r, h);
            CloseHandle(h);
            return e ? failed(err, &r->t, e) : 0;
        }
        e = tn_win32_enter(dir, name, &in);
        if (!e) {
            rc = remove_below(r, in, depth + 1, err);
            CloseHandle(in);
        }
    }
    if (!e && !rc)
        e = tn_win32_delete(h);
    CloseHandle(h);
    return e ? failed(err, &r->t, e) : rc;
}

/* First everything in it; what lay too deep is found at its top, and looked through again. */
static int remove_tree(struct removal *r, HANDLE dir, const wchar_t *name, struct tn_err *err)
{
    unsigned before;
    char type;
    HANDLE h;
    DWORD e = tn_win32_look_at(dir, name, &type, &h);
    if (e)
        return e == ERROR_FILE_NOT_FOUND || e == ERROR_PATH_NOT_FOUND ? 0 : failed(err, &r->t, e);
    CloseHandle(h);
    if (type != 'd')
        return remove_one(r, dir, name, true, 0, err);
    e = tn_win32_enter(dir, name, &r->top);
    if (e)
        return failed(err, &r->t, e);
    int rc;
    do {
        before = r->counter;
        rc = remove_below(r, r->top, 0, err);
    } while (!rc && r->counter != before);
    CloseHandle(r->top);
    return rc ? rc : remove_one(r, dir, name, false, 0, err);
}

int tn_os_tree_remove(struct tn_os_dir *d, const char *name, struct tn_err *err)
{
    struct removal r = {.counter = 0};
    struct tn_arena mem;
    wchar_t *w;
    tn_arena_init(&mem);
    int rc = tn_win32_name(&mem, err, name, &w);
    init(&r.t, d, name);
    if (!rc)
        rc = remove_tree(&r, d->h, w, err);
    tn_buf_deinit(&r.t.path);
    tn_arena_deinit(&mem);
    return rc ? rc : tn_os_dir_sync(d, err);
}

/* --- copied --- */

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

static int copy_below(struct tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err);

static int copy_folder(struct tree *t, HANDLE from, HANDLE to, const wchar_t *name, const wchar_t *to_name,
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
    DWORD e = depth >= MAX_DEPTH ? TOO_DEEP : tn_win32_open_at(from, name, &look, &in);
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
    return e ? failed(err, t, e) : rc;
}

static int copy_one(struct tree *t, HANDLE from, HANDLE to, const struct tn_os_entry *one, const wchar_t *name,
                    unsigned depth, struct tn_err *err)
{
    DWORD e = 0;
    switch (one->type) {
    case 'd': return copy_folder(t, from, to, name, name, depth, err);
    case 'f': e = copy_file(from, to, name); break;
    case 'l': e = copy_link(from, to, name); break;
    default: return tn_err_set(err, TN_E_REFUSED, t->path.p, "neither a file nor a folder nor a link");
    }
    return e ? failed(err, t, e) : 0;
}

static int copy_below(struct tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_entry *list = NULL;
    size_t n = 0;
    tn_arena_init(&mem);
    int rc = names_of(t, &mem, from, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = go_in(t, list[i].name);
        rc = copy_one(t, from, to, &list[i], tn_win32_wide(&mem, list[i].name), depth, err);
        go_back(t, was);
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_copy(struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err)
{
    struct tree t;
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
    init(&t, d, from);
    if (!rc)
        rc = copy_folder(&t, d->h, d->h, a, b, 0, err);
    tn_buf_deinit(&t.path);
    tn_arena_deinit(&mem);
    return rc;
}

/* --- joined --- */

static int merge_below(struct tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err);

static int merge_folder(struct tree *t, HANDLE from, HANDLE to, const wchar_t *name, unsigned depth, struct tn_err *err)
{
    HANDLE in = NULL, out = NULL;
    int rc = 0;
    DWORD e = depth >= MAX_DEPTH ? TOO_DEEP : tn_win32_enter(from, name, &in);
    if (!e && (e = tn_win32_enter(to, name, &out)) == ERROR_DIRECTORY)
        e = ERROR_ALREADY_EXISTS;
    if (!e)
        rc = merge_below(t, in, out, depth + 1, err);
    if (in)
        CloseHandle(in);
    if (out)
        CloseHandle(out);
    if (e || rc)
        return e ? failed(err, t, e) : rc;
    struct removal r = {.t = *t};
    return remove_one(&r, from, name, true, 0, err); /* empty by now, else it stays and is said */
}

static int merge_one(struct tree *t, HANDLE from, HANDLE to, char type, const wchar_t *name, unsigned depth,
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
        return failed(err, t, ERROR_ALREADY_EXISTS);
    e = tn_win32_open_at(from, name, &how, &h);
    if (!e) {
        e = tn_win32_rename(h, to, name, true);
        CloseHandle(h);
    }
    return e ? failed(err, t, e) : 0;
}

static int merge_below(struct tree *t, HANDLE from, HANDLE to, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    struct tn_os_entry *list = NULL;
    size_t n = 0;
    tn_arena_init(&mem);
    int rc = names_of(t, &mem, from, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = go_in(t, list[i].name);
        rc = merge_one(t, from, to, list[i].type, tn_win32_wide(&mem, list[i].name), depth, err);
        go_back(t, was);
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_merge(struct tn_os_dir *d, const char *name, struct tn_err *err)
{
    struct tree t;
    struct tn_os_dir *from;
    int rc = tn_os_dir_enter(d, name, &from, err);
    if (rc)
        return rc;
    init(&t, d, name);
    rc = merge_below(&t, from->h, d->h, 0, err);
    tn_buf_deinit(&t.path);
    tn_os_dir_close(from);
    return rc ? rc : tn_os_tree_remove(d, name, err);
}

/* --- on the disk --- */

struct flush {
    struct tn_os_dir *d;
    const char *top;
};

static int flush_one(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err)
{
    const struct flush *f = ctx;
    struct tn_arena mem;
    HANDLE h;
    if (e->st.type != 'f' || e->st.nlink > 1) /* the latter: a file that was there before */
        return 0;
    tn_arena_init(&mem);
    const char *path = tn_path_join3(&mem, TN_PATH_WINDOWS, f->d->path, f->top, e->path);
    int rc = tn_win32_open(NULL, path, GENERIC_WRITE, false, &h, NULL);
    if (rc == 0) { /* a read-only one cannot be flushed by its user */
        FlushFileBuffers(h);
        CloseHandle(h);
    }
    tn_arena_deinit(&mem);
    (void)err;
    return 0;
}

/* A volume may be flushed by an administrator alone; else each file is. */
int tn_os_dir_sync_all(struct tn_os_dir *d, const char *name, struct tn_err *err)
{
    wchar_t volume[] = L"\\\\.\\C:";
    struct flush f = {d, name};
    HANDLE h = INVALID_HANDLE_VALUE;
    if (tn_is_alpha(d->path[0]) && d->path[1] == ':') {
        volume[4] = (wchar_t)d->path[0];
        h = CreateFileW(volume, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    }
    if (h != INVALID_HANDLE_VALUE) {
        bool done = FlushFileBuffers(h);
        CloseHandle(h);
        if (done)
            return 0;
    }
    return tn_os_tree_walk(d, name, flush_one, &f, err);
}
