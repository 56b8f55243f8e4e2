/* change.c - see os/change.h: changing a Windows machine is a later step, and refused in words until then. */
#include "os/change.h"

static int none(struct tn_err *err, const char *what)
{
    return tn_err_set(err, TN_E_UNSUPPORTED, what, "this version changes nothing on Windows");
}

int tn_os_dir_open(const char *path, struct tn_os_dir **ret, struct tn_err *err)
{
    (void)ret;
    return none(err, path);
}

void tn_os_dir_close(struct tn_os_dir *d)
{
    (void)d;
}

const char *tn_os_dir_path(const struct tn_os_dir *d)
{
    (void)d;
    return "";
}

bool tn_os_id_eq(struct tn_os_id a, struct tn_os_id b)
{
    return a.ino == b.ino && a.born == b.born;
}

#define REFUSED(name, ...)                                                                                             \
    int name(__VA_ARGS__)                                                                                              \
    {                                                                                                                  \
        return none(err, "");                                                                                          \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"

REFUSED(tn_os_dir_enter, struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err)
REFUSED(tn_os_dir_ensure, struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err)
REFUSED(tn_os_dir_id, struct tn_os_dir *d, const char *name, struct tn_os_id *ret, struct tn_err *err)
REFUSED(tn_os_dir_stat, struct tn_os_dir *d, const char *name, struct tn_os_stat *ret, struct tn_err *err)
REFUSED(tn_os_dir_make, struct tn_os_dir *d, const char *name, uint32_t mode, struct tn_err *err)
REFUSED(tn_os_dir_symlink, struct tn_os_dir *d, const char *name, const char *target, struct tn_err *err)
REFUSED(tn_os_dir_write, struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode,
        struct tn_err *err)
REFUSED(tn_os_dir_replace, struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode,
        struct tn_err *err)
REFUSED(tn_os_dir_read, struct tn_os_dir *d, const char *name, size_t max, struct tn_buf *ret, struct tn_err *err)
REFUSED(tn_os_dir_list, struct tn_os_dir *d, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n,
        struct tn_err *err)
REFUSED(tn_os_dir_rename, struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err)
REFUSED(tn_os_dir_swap, struct tn_os_dir *d, const char *a, const char *b, struct tn_err *err)
REFUSED(tn_os_dir_sync, struct tn_os_dir *d, struct tn_err *err)
REFUSED(tn_os_dir_sync_all, struct tn_os_dir *d, struct tn_err *err)
REFUSED(tn_os_dir_append, struct tn_os_dir *d, const char *name, const void *p, size_t n, struct tn_err *err)
REFUSED(tn_os_tree_walk, struct tn_os_dir *d, const char *name,
        int (*seen)(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err), void *ctx, struct tn_err *err)
REFUSED(tn_os_tree_copy, struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err)
REFUSED(tn_os_file_like, struct tn_os_dir *d, const char *like, const char *name, const void *p, size_t n,
        struct tn_err *err)
REFUSED(tn_os_tree_merge, struct tn_os_dir *d, const char *name, struct tn_err *err)
REFUSED(tn_os_tree_remove, struct tn_os_dir *d, const char *name, struct tn_err *err)
REFUSED(tn_os_lock_take, struct tn_os_dir *d, const char *name, unsigned wait_ms, struct tn_os_lock **ret,
        long *ret_holder, struct tn_err *err)
REFUSED(tn_os_install, const struct tn_os_install *how, int *ret_status, struct tn_err *err)

void tn_os_lock_drop(struct tn_os_lock *l)
{
    (void)l;
}

void tn_os_interrupts_hold(void)
{
}

bool tn_os_interrupted(void)
{
    return false;
}

void tn_os_interrupts_release(void)
{
}
