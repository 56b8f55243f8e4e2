/* tree.c - whole trees below an opened folder: seen, brought to the disk. See os/change.h and tree.h. */
#include "os/win32/tree.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

int tn_win32_tree_failed(struct tn_err *err, const struct tn_win32_tree *t, DWORD e)
{
    char name[TN_ERR_TEXT];
    snprintf(name, sizeof name, "%s%s%s", t->top, t->path.n ? "\\" : "", t->path.n ? t->path.p : "");
    for (char *p = name; *p; p++)
        *p = *p == '/' ? '\\' : *p;
    return tn_win32_dir_error(err, t->d, name, e);
}

void tn_win32_tree_init(struct tn_win32_tree *t, struct tn_os_dir *d, const char *top)
{
    t->d = d;
    t->top = top;
    tn_buf_init(&t->path);
    tn_buf_str(&t->path, "");
}

size_t tn_win32_tree_in(struct tn_win32_tree *t, const char *name)
{
    size_t was = t->path.n;
    tn_buf_printf(&t->path, "%s%s", was ? "/" : "", name);
    return was;
}

void tn_win32_tree_back(struct tn_win32_tree *t, size_t was)
{
    t->path.n = was;
    t->path.p[was] = 0;
}

int tn_win32_tree_names(struct tn_win32_tree *t, struct tn_arena *mem, HANDLE h, struct tn_os_entry **ret,
                        size_t *ret_n, struct tn_err *err)
{
    *ret_n = 0;
    return tn_win32_list(h, t->d->path, NULL, NULL, mem, ret, ret_n, err);
}

/* --- seen --- */

struct walk {
    struct tn_win32_tree t;
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
    DWORD e = depth >= TN_WIN32_DEPTH ? TN_WIN32_TOO_DEEP : tn_win32_enter(dir, name, &in);
    if (e)
        return tn_win32_tree_failed(err, &w->t, e);
    tn_arena_init(&mem);
    int rc = tn_win32_tree_names(&w->t, &mem, in, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = tn_win32_tree_in(&w->t, list[i].name);
        rc = walk_one(w, in, list[i].name, list[i].type == 'l', depth + 1, err);
        tn_win32_tree_back(&w->t, was);
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
    int rc = error ? tn_win32_tree_failed(err, &w->t, error) : tn_win32_stat(h, name, &e.st, err);
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
    tn_win32_tree_init(&w.t, d, name);
    rc = walk_one(&w, d->h, name, false, 0, err);
    tn_buf_deinit(&w.t.path);
    return rc;
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
