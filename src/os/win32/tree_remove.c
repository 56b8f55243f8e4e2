/* tree_remove.c - a tree that goes. See os/change.h and tree.h: what links lead to stays. */
#include "os/win32/tree.h"

#include <winternl.h>

struct removal {
    struct tn_win32_tree t;
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
    int rc = tn_win32_tree_names(&r->t, &mem, dir, &list, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t was = tn_win32_tree_in(&r->t, list[i].name);
        rc = remove_one(r, dir, tn_win32_wide(&mem, list[i].name), list[i].type == 'l', depth, err);
        tn_win32_tree_back(&r->t, was);
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
        return e == ERROR_FILE_NOT_FOUND ? 0 : tn_win32_tree_failed(err, &r->t, e);
    if (!tn_win32_attributes(h, &attributes, &tag)) {
        e = GetLastError();
    } else if (!link && tn_win32_type(attributes, tag) == 'd') {
        if (depth >= TN_WIN32_DEPTH) {
            e = move_up(r, h);
            CloseHandle(h);
            return e ? tn_win32_tree_failed(err, &r->t, e) : 0;
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
    return e ? tn_win32_tree_failed(err, &r->t, e) : rc;
}

int tn_win32_tree_remove_empty(struct tn_win32_tree *t, HANDLE dir, const wchar_t *name, unsigned depth,
                               struct tn_err *err)
{
    struct removal r = {.t = *t};
    return remove_one(&r, dir, name, true, depth, err);
}

/* First everything in it; what lay too deep is found at its top, and looked through again. */
static int remove_tree(struct removal *r, HANDLE dir, const wchar_t *name, struct tn_err *err)
{
    unsigned before;
    char type;
    HANDLE h;
    DWORD e = tn_win32_look_at(dir, name, &type, &h);
    if (e)
        return e == ERROR_FILE_NOT_FOUND || e == ERROR_PATH_NOT_FOUND ? 0 : tn_win32_tree_failed(err, &r->t, e);
    CloseHandle(h);
    if (type != 'd')
        return remove_one(r, dir, name, true, 0, err);
    e = tn_win32_enter(dir, name, &r->top);
    if (e)
        return tn_win32_tree_failed(err, &r->t, e);
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
    tn_win32_tree_init(&r.t, d, name);
    if (!rc)
        rc = remove_tree(&r, d->h, w, err);
    tn_buf_deinit(&r.t.path);
    tn_arena_deinit(&mem);
    return rc ? rc : tn_os_dir_sync(d, err);
}
