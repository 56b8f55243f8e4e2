/* tree.c - whole trees below an opened folder: seen, copied, removed. See os/change.h.
 *
 * Invariant: each folder is opened in the one above it, neither through a link nor onto another file system. */
#include "os/posix/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"

#define MAX_DEPTH 200u /* descriptors that are open at once; real environments have some 20 levels */

int64_t tn_posix_mtime_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int failed(struct tn_err *err, const struct tn_os_dir *d, const char *top, const char *below, int e)
{
    char name[TN_ERR_TEXT];
    snprintf(name, sizeof name, "%s%s%s", top, *below ? "/" : "", below);
    return tn_posix_dir_error(err, d, name, e);
}

/* --- seen --- */

struct walk {
    struct tn_os_dir *d;
    const char *top;
    struct tn_buf path; /* below the top */
    int (*seen)(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err);
    void *ctx;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in an opened folder, in byte order; closes nothing. NULL: errno. */
static char **names_of(struct tn_arena *mem, int fd, size_t *ret_n)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    struct tn_buf b;
    size_t n = 0;
    if (!dir) {
        if (again >= 0)
            close(again);
        return NULL;
    }
    tn_buf_init(&b);
    errno = 0;
    for (struct dirent *e; (e = readdir(dir)); errno = 0) {
        if (tn_str_eq(e->d_name, ".") || tn_str_eq(e->d_name, ".."))
            continue;
        if (n == TN_MAX_DIR_ENTRIES) {
            errno = EFBIG;
            break;
        }
        const char *name = tn_arena_strdup(mem, e->d_name);
        tn_buf_add(&b, &name, sizeof name);
        n++;
    }
    int e = errno;
    closedir(dir);
    char **all = e ? NULL : tn_arena_alloc(mem, b.n + sizeof *all);
    if (all && n) {
        memcpy(all, b.p, b.n);
        qsort(all, n, sizeof *all, by_name);
    }
    tn_buf_deinit(&b);
    errno = e;
    *ret_n = n;
    return all;
}

static int walk_one(struct walk *w, int fd, const char *name, unsigned depth, struct tn_err *err);

static int walk_folder(struct walk *w, int fd, const char *name, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    size_t n = 0, was = w->path.n;
    int rc = 0, in = depth >= MAX_DEPTH ? -1 : tn_posix_enter(fd, name);
    if (in < 0)
        return failed(err, w->d, w->top, w->path.n ? w->path.p : "", depth >= MAX_DEPTH ? ELOOP : errno);
    tn_arena_init(&mem);
    char **names = names_of(&mem, in, &n);
    if (!names)
        rc = failed(err, w->d, w->top, w->path.n ? w->path.p : "", errno);
    for (size_t i = 0; i < n && names && !rc; i++) {
        tn_buf_printf(&w->path, "%s%s", was ? "/" : "", names[i]);
        rc = walk_one(w, in, names[i], depth + 1, err);
        w->path.n = was;
        w->path.p[was] = 0;
    }
    tn_arena_deinit(&mem);
    close(in);
    return rc;
}

static int walk_one(struct walk *w, int fd, const char *name, unsigned depth, struct tn_err *err)
{
    struct stat st;
    char target[TN_MAX_PATH_BYTES];
    struct tn_os_tree_entry e = {.path = w->path.n ? w->path.p : ""};
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
        return failed(err, w->d, w->top, e.path, errno);
    tn_posix_stat_fill(&e.st, &st);
    e.mtime_ns = tn_posix_mtime_ns(&st);
    if (S_ISLNK(st.st_mode)) {
        ssize_t n = readlinkat(fd, name, target, sizeof target - 1);
        if (n < 0)
            return failed(err, w->d, w->top, e.path, errno);
        target[n] = 0;
        e.target = target;
    }
    int rc = w->seen(w->ctx, &e, err);
    return rc || !S_ISDIR(st.st_mode) ? rc : walk_folder(w, fd, name, depth, err);
}

int tn_os_tree_walk(struct tn_os_dir *d, const char *name,
                    int (*seen)(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err), void *ctx,
                    struct tn_err *err)
{
    struct walk w = {.d = d, .top = name, .seen = seen, .ctx = ctx};
    int rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    tn_buf_init(&w.path);
    tn_buf_str(&w.path, "");
    rc = walk_one(&w, d->fd, name, 0, err);
    tn_buf_deinit(&w.path);
    return rc;
}

/* --- removed --- */

struct removal {
    struct tn_os_dir *d;
    const char *top;
    int top_fd; /* of the tree: folders that lie too deep are moved there first */
    unsigned counter;
    bool mounted; /* something is mounted below, and stays */
};

static int remove_below(struct removal *r, int fd, unsigned depth, struct tn_err *err);

static int remove_folder(struct removal *r, int fd, const char *name, unsigned depth, struct tn_err *err)
{
    char moved[40];
    int in;
    if (depth >= MAX_DEPTH) { /* to be found there again by the loop at the top */
        snprintf(moved, sizeof moved, ".tenon-deep-%u", r->counter++);
        return renameat(fd, name, r->top_fd, moved) ? failed(err, r->d, r->top, name, errno) : 0;
    }
    in = tn_posix_enter(fd, name);
    if (in < 0 && errno == EACCES && fchmodat(fd, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
        in = tn_posix_enter(fd, name);
    if (in < 0 && errno == EXDEV) {
        r->mounted = true;
        return 0;
    }
    if (in < 0)
        return errno == ENOENT ? 0 : failed(err, r->d, r->top, name, errno);
    int rc = remove_below(r, in, depth, err);
    close(in);
    if (!rc && unlinkat(fd, name, AT_REMOVEDIR) && errno != ENOENT && !(r->mounted && errno == ENOTEMPTY))
        rc = failed(err, r->d, r->top, name, errno);
    return rc;
}

static int remove_below(struct removal *r, int fd, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    size_t n = 0;
    int rc = 0;
    tn_arena_init(&mem);
    char **names = names_of(&mem, fd, &n);
    if (!names)
        rc = failed(err, r->d, r->top, "", errno);
    for (size_t i = 0; i < n && names && !rc; i++) {
        struct stat st;
        if (unlinkat(fd, names[i], 0) == 0 || errno == ENOENT)
            continue;
        int e = errno;
        if (fstatat(fd, names[i], &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode)) {
            if (e == EACCES && fchmod(fd, 0700) == 0 && unlinkat(fd, names[i], 0) == 0)
                continue;
            rc = failed(err, r->d, r->top, names[i], e);
        } else {
            rc = remove_folder(r, fd, names[i], depth + 1, err);
            if (rc == TN_E_DENIED && fchmod(fd, 0700) == 0) /* a folder that is read-only to its owner */
                rc = remove_folder(r, fd, names[i], depth + 1, err);
        }
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_remove(struct tn_os_dir *d, const char *name, struct tn_err *err)
{
    struct removal r = {.d = d, .top = name};
    int rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    if (unlinkat(d->fd, name, 0) == 0 || errno == ENOENT)
        return tn_os_dir_sync(d, err);
    if (errno != EISDIR && errno != EACCES && errno != EPERM) /* what is wrong with a file is not "no folder" */
        return tn_posix_dir_error(err, d, name, errno);
    r.top_fd = tn_posix_enter(d->fd, name);
    if (r.top_fd < 0 && errno == EACCES && fchmodat(d->fd, name, 0700, 0) == 0)
        r.top_fd = tn_posix_enter(d->fd, name);
    if (r.top_fd < 0)
        return tn_posix_dir_error(err, d, name, errno);
    unsigned before;
    do {
        before = r.counter;
        rc = remove_below(&r, r.top_fd, 0, err);
    } while (!rc && r.counter != before);
    close(r.top_fd);
    if (rc)
        return rc;
    if (r.mounted)
        return tn_posix_dir_error(err, d, name, EXDEV);
    if (unlinkat(d->fd, name, AT_REMOVEDIR) && errno != ENOENT)
        return tn_posix_dir_error(err, d, name, errno);
    return tn_os_dir_sync(d, err);
}

/* --- copied --- */

struct copy {
    struct tn_os_dir *d;
    const char *top;
    struct tn_buf path;
    char *bytes;
};

/* Extended attributes: what cannot be set (other than for lack of space) is no reason to stop; security labels are the
 * system's. */
static int copy_attributes(int from, int to)
{
    char names[4096], value[65536];
    ssize_t n = flistxattr(from, names, sizeof names);
    for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
        if (tn_str_starts(names + i, "security."))
            continue;
        ssize_t k = fgetxattr(from, names + i, value, sizeof value);
        if (k >= 0 && fsetxattr(to, names + i, value, (size_t)k, 0) && (errno == ENOSPC || errno == EDQUOT))
            return errno;
    }
    return 0;
}

int tn_posix_copy_meta(int from, int to, const struct stat *st)
{
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    int e = copy_attributes(from, to);
    if (e)
        return e;
    if ((geteuid() == 0 || st->st_gid != getegid()) &&
        fchown(to, geteuid() == 0 ? st->st_uid : (uid_t)-1, st->st_gid) && geteuid() == 0)
        return errno;
    return fchmod(to, st->st_mode & 07777) || futimens(to, times) ? errno : 0;
}

static int copy_bytes(struct copy *c, int from, int to)
{
    if (ioctl(to, FICLONE, from) == 0)
        return 0;
    for (;;) {
        ssize_t n = read(from, c->bytes, TN_MAX_SMALL_FILE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : 0;
        for (ssize_t at = 0; at < n;) {
            ssize_t k = write(to, c->bytes + at, (size_t)(n - at));
            if (k < 0 && errno == EINTR)
                continue;
            if (k < 0)
                return errno;
            at += k;
        }
    }
}

static int copy_file(struct copy *c, int from, int to, const char *name, const struct stat *st)
{
    if (linkat(from, name, to, name, 0) == 0)
        return 0;
    if (errno != EPERM && errno != EXDEV && errno != EMLINK && errno != ENOTSUP)
        return errno;
    int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), e = in < 0 ? errno : 0;
    int out = e ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (!e && out < 0)
        e = errno;
    if (!e)
        e = copy_bytes(c, in, out);
    if (!e)
        e = tn_posix_copy_meta(in, out, st);
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) && !e)
        e = errno;
    return e;
}

static int copy_link(int from, int to, const char *name, const struct stat *st)
{
    char target[TN_MAX_PATH_BYTES];
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    ssize_t n = readlinkat(from, name, target, sizeof target - 1);
    if (n < 0)
        return errno;
    target[n] = 0;
    if (symlinkat(target, to, name))
        return errno;
    if (geteuid() == 0 && fchownat(to, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW))
        return errno;
    return utimensat(to, name, times, AT_SYMLINK_NOFOLLOW) ? errno : 0;
}

static int copy_below(struct copy *c, int from, int to, unsigned depth, struct tn_err *err);

static int copy_folder(struct copy *c, int from, int to, const char *name, const char *to_name, const struct stat *st,
                       unsigned depth, struct tn_err *err)
{
    int in = depth >= MAX_DEPTH ? -1 : tn_posix_enter(from, name);
    int e = in >= 0 ? 0 : depth >= MAX_DEPTH ? ELOOP : errno, out = -1, rc = 0;
    if (!e && mkdirat(to, to_name, 0700))
        e = errno;
    if (!e && (out = tn_posix_enter(to, to_name)) < 0)
        e = errno;
    if (!e)
        rc = copy_below(c, in, out, depth + 1, err);
    if (!e && !rc)
        e = tn_posix_copy_meta(in, out, st);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return e ? failed(err, c->d, c->top, c->path.p, e) : rc;
}

static int copy_below(struct copy *c, int from, int to, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    size_t n = 0, was = c->path.n;
    int rc = 0;
    tn_arena_init(&mem);
    char **names = names_of(&mem, from, &n);
    if (!names)
        rc = failed(err, c->d, c->top, c->path.p, errno);
    for (size_t i = 0; i < n && names && !rc; i++) {
        struct stat st;
        tn_buf_printf(&c->path, "%s%s", was ? "/" : "", names[i]);
        int e = fstatat(from, names[i], &st, AT_SYMLINK_NOFOLLOW) ? errno : 0;
        if (!e && S_ISDIR(st.st_mode))
            rc = copy_folder(c, from, to, names[i], names[i], &st, depth, err);
        else if (!e)
            e = S_ISREG(st.st_mode)   ? copy_file(c, from, to, names[i], &st)
                : S_ISLNK(st.st_mode) ? copy_link(from, to, names[i], &st)
                                      : EXDEV;
        if (e == EXDEV)
            rc = tn_err_set(err, TN_E_REFUSED, c->path.p, "neither a file nor a folder nor a link");
        else if (e)
            rc = failed(err, c->d, c->top, c->path.p, e);
        c->path.n = was;
        c->path.p[was] = 0;
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_copy(struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err)
{
    struct copy c = {.d = d, .top = from};
    struct stat st;
    int rc = tn_posix_name(err, from);
    if (!rc)
        rc = tn_posix_name(err, to);
    if (rc)
        return rc;
    if (fstatat(d->fd, from, &st, AT_SYMLINK_NOFOLLOW))
        return tn_posix_dir_error(err, d, from, errno);
    if (!S_ISDIR(st.st_mode))
        return tn_posix_dir_error(err, d, from, ENOTDIR);
    tn_buf_init(&c.path);
    tn_buf_str(&c.path, "");
    c.bytes = malloc(TN_MAX_SMALL_FILE);
    rc = c.bytes ? copy_folder(&c, d->fd, d->fd, from, to, &st, 0, err) : tn_posix_dir_error(err, d, from, ENOMEM);
    free(c.bytes);
    tn_buf_deinit(&c.path);
    return rc;
}

/* --- merged --- */

static int merge_below(struct tn_os_dir *d, const char *top, int from, int to, unsigned depth, struct tn_err *err);

/* A folder of the name, also through a link that leads to one below here: "lib64 -> targets/x86_64-linux/lib". */
static int enter_beneath(int fd, const char *name)
{
    static const struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                                        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
    int got = tn_posix_enter(fd, name);
    return got >= 0 ? got : (int)syscall(SYS_openat2, fd, name, &how, sizeof how);
}

static int merge_folder(struct tn_os_dir *d, const char *top, int from, int to, const char *name, unsigned depth,
                        struct tn_err *err)
{
    int in = -1, out = -1, e = 0, rc = 0;
    if (renameat(from, name, to, name) == 0) /* there was none, or an empty one */
        return 0;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
        e = errno;
    if (!e && ((in = tn_posix_enter(from, name)) < 0 || (out = enter_beneath(to, name)) < 0))
        e = errno == ENOTDIR ? EEXIST : errno;
    if (!e && depth >= MAX_DEPTH)
        e = ELOOP;
    if (!e)
        rc = merge_below(d, top, in, out, depth + 1, err);
    if (!e && !rc && unlinkat(from, name, AT_REMOVEDIR))
        e = errno;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return e ? failed(err, d, top, name, e) : rc;
}

static int merge_below(struct tn_os_dir *d, const char *top, int from, int to, unsigned depth, struct tn_err *err)
{
    struct tn_arena mem;
    size_t n = 0;
    int rc = 0;
    tn_arena_init(&mem);
    char **names = names_of(&mem, from, &n);
    if (!names)
        rc = failed(err, d, top, "", errno);
    for (size_t i = 0; i < n && names && !rc; i++) {
        struct stat st;
        if (fstatat(from, names[i], &st, AT_SYMLINK_NOFOLLOW))
            rc = failed(err, d, top, names[i], errno);
        else if (S_ISDIR(st.st_mode))
            rc = merge_folder(d, top, from, to, names[i], depth, err);
        else if (renameat(from, names[i], to, names[i]))
            rc = failed(err, d, top, names[i], errno == EISDIR ? EEXIST : errno);
    }
    tn_arena_deinit(&mem);
    return rc;
}

int tn_os_tree_merge(struct tn_os_dir *d, const char *name, struct tn_err *err)
{
    int rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    int from = tn_posix_enter(d->fd, name);
    if (from < 0)
        return tn_posix_dir_error(err, d, name, errno);
    rc = merge_below(d, name, from, d->fd, 0, err);
    close(from);
    if (!rc && unlinkat(d->fd, name, AT_REMOVEDIR))
        rc = tn_posix_dir_error(err, d, name, errno);
    return rc;
}
