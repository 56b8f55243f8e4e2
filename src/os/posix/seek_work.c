/* seek_work.c - a process that searches folders for names: lists, never follows a link, looks at what is wanted alone.
 *
 * Invariant: four calls a folder (open, twice list, close) and none for names that are not wanted. Folders are opened
 * from the one that holds them, with O_NOFOLLOW, so that a folder swapped for a link during the walk leads nowhere and
 * long paths need no care. What vanishes meanwhile is not there; what cannot be read is counted. */
#include "os/posix/seek.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "os/posix/posix.h"

#define MAX_DEPTH 400 /* descriptors that are open at a time; RLIMIT_NOFILE is 1024 */
#define MAX_TEXT (64u << 10)
#define FLUSH (48u << 10)

/* A folder on the way down: what is left of its subfolders lies in names, from next to end. */
struct level {
    int fd;
    size_t path_n, first, next, end;
};

struct work {
    const struct tn_seek *s;
    unsigned worker;
    int fd; /* where hits go */
    struct tn_buf out, names;
    char path[MAX_TEXT];
    struct level level[MAX_DEPTH];
    unsigned depth;
    uint32_t tree;
    _Alignas(struct dirent64) char space[65536];
};

static void lock(struct tn_seek_shared *x)
{
    while (atomic_flag_test_and_set_explicit(&x->lock, memory_order_acquire))
        usleep(20);
}

static void unlock(struct tn_seek_shared *x)
{
    atomic_flag_clear_explicit(&x->lock, memory_order_release);
}

static void flush(struct work *w)
{
    for (size_t at = 0; at < w->out.n;) {
        ssize_t n = write(w->fd, w->out.p + at, w->out.n - at);
        if (n < 0 && errno != EINTR)
            _exit(1); /* nobody waits any more */
        at += n > 0 ? (size_t)n : 0;
    }
    tn_buf_clear(&w->out);
}

static void unreadable(struct work *w)
{
    atomic_fetch_add_explicit(&w->s->shared->tree[w->tree].unreadable, 1, memory_order_relaxed);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool among(const char **list, size_t n, const char *text)
{
    return n && bsearch((void *)&text, (void *)list, n, sizeof *list, by_text) != NULL;
}

/* The wanted name of the folder at hand, looked at. */
static void hit(struct work *w, int dir, size_t path_n, const char *name)
{
    struct stat st;
    char target[TN_MAX_PATH_BYTES];
    size_t n = strlen(name), slash = path_n > 1;
    ssize_t to = 0;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !(S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
        return;
    if (S_ISLNK(st.st_mode) && (to = readlinkat(dir, name, target, sizeof target - 1)) < 0)
        return;
    target[to] = 0;
    struct tn_seek_hit h;
    memset(&h, 0, sizeof h);
    h.path_n = (uint32_t)(path_n + slash + n + 1);
    h.target_n = (uint32_t)to + 1;
    h.size = (uint32_t)sizeof h + h.path_n + h.target_n;
    h.st.type = S_ISLNK(st.st_mode) ? 'l' : 'f';
    h.st.mode = st.st_mode & 07777;
    h.st.uid = st.st_uid;
    h.st.gid = st.st_gid;
    h.st.size = (uint64_t)st.st_size;
    h.st.dev = st.st_dev;
    h.st.ino = st.st_ino;
    h.st.nlink = st.st_nlink;
    h.st.mtime = st.st_mtime;
    tn_buf_add(&w->out, &h, sizeof h);
    tn_buf_add(&w->out, w->path, path_n);
    tn_buf_add(&w->out, "/", slash);
    tn_buf_add(&w->out, name, n + 1);
    tn_buf_add(&w->out, target, h.target_n);
}

static bool is_dir(int dir, const struct dirent64 *e)
{
    struct stat st;
    if (e->d_type != DT_UNKNOWN)
        return e->d_type == DT_DIR;
    return fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* A mount point is searched as a file system of its own, or not at all. */
static bool is_point(struct work *w, size_t path_n, const char *name)
{
    size_t n = strlen(name), slash = path_n > 1;
    if (path_n + n + 2 > sizeof w->path)
        return false;
    memcpy(w->path + path_n, "/", slash);
    memcpy(w->path + path_n + slash, name, n + 1);
    bool yes = among(w->s->point, w->s->n_point, w->path);
    w->path[path_n] = 0;
    return yes;
}

/* Lists the folder fd, whose path is w->path[0 .. path_n), and goes down into it; fd is closed or kept. */
static void enter(struct work *w, int fd, size_t path_n)
{
    const struct tn_os_seek *how = w->s->how;
    struct level l = {fd, path_n, w->names.n, w->names.n, w->names.n};
    bool points = among(w->s->parent, w->s->n_point, w->path);
    ssize_t got;
    if (w->s->measure)
        tn_seek_measure(w->s, w->tree, fd, w->path, NULL, &w->out);
    while ((got = getdents64(fd, w->space, sizeof w->space)) > 0) {
        atomic_fetch_add_explicit(&w->s->shared->worker[w->worker].beat, 1, memory_order_relaxed);
        if (w->out.n > FLUSH)
            flush(w);
        for (ssize_t off = 0; off < got;) {
            const struct dirent64 *e = (const void *)(w->space + off);
            const char *name = e->d_name;
            off += e->d_reclen;
            if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])))
                continue;
            if (is_dir(fd, e)) {
                if (!points || !is_point(w, path_n, name))
                    tn_buf_add(&w->names, name, strlen(name) + 1);
            } else if (w->s->measure) {
                tn_seek_measure(w->s, w->tree, fd, w->path, name, &w->out);
            } else if (how->keep(how->ctx, name)) {
                hit(w, fd, path_n, name);
            }
        }
    }
    if (got < 0 && errno != ENOENT)
        unreadable(w);
    struct tn_seek_shared *x = w->s->shared;
    atomic_fetch_add_explicit(&x->tree[w->tree].folders, 1, memory_order_relaxed);
    l.end = w->names.n;
    if (l.end == l.first)
        close(fd);
    else
        w->level[w->depth++] = l;
}

/* The next subfolder of the innermost folder. */
static void down(struct work *w)
{
    struct level *l = &w->level[w->depth - 1];
    if (l->next >= l->end) {
        close(l->fd);
        w->names.n = l->first;
        w->depth--;
        return;
    }
    const char *name = w->names.p + l->next;
    size_t n = strlen(name), slash = l->path_n > 1;
    l->next += n + 1;
    if (w->depth == MAX_DEPTH || l->path_n + n + 2 > sizeof w->path) {
        unreadable(w);
        return;
    }
    int fd = openat(l->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) /* the last two: no folder any more */
            unreadable(w);
        if (w->s->measure)
            tn_seek_measure(w->s, w->tree, l->fd, w->path, name, &w->out);
        return;
    }
    memcpy(w->path + l->path_n, "/", slash);
    memcpy(w->path + l->path_n + slash, name, n + 1);
    enter(w, fd, l->path_n + slash + n);
}

/* Gives a subfolder of the outermost folder to a process that has nothing to do. */
static void share(struct work *w)
{
    struct tn_seek_shared *x = w->s->shared;
    for (unsigned i = 0; i < w->depth; i++) {
        struct level *l = &w->level[i];
        const char *name = w->names.p + l->next;
        if (l->next >= l->end)
            continue;
        size_t n = strlen(name), slash = l->path_n > 1;
        if (l->path_n + n + 2 > sizeof x->job->path)
            return;
        lock(x);
        if (x->n_job < TN_SEEK_JOBS) {
            struct tn_seek_job *j = &x->job[x->n_job++];
            memcpy(j->path, w->path, l->path_n);
            memcpy(j->path + l->path_n, "/", slash);
            memcpy(j->path + l->path_n + slash, name, n + 1);
            j->tree = w->tree;
            l->next += n + 1;
        }
        unlock(x);
        return;
    }
}

/* Without a link anywhere on the way: a folder that was given away may have been swapped since. */
static int open_folder(const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
                           .resolve = RESOLVE_NO_SYMLINKS};
    long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open(path, (int)how.flags);
    return (int)fd;
}

static bool take(struct work *w)
{
    struct tn_seek_shared *x = w->s->shared;
    bool got = true;
    lock(x);
    if (x->n_job) {
        const struct tn_seek_job *j = &x->job[--x->n_job];
        w->tree = j->tree;
        memcpy(w->path, j->path, strlen(j->path) + 1);
    } else if (x->next_tree < x->n_tree) {
        w->tree = x->next_tree++;
        memcpy(w->path, w->s->mount[w->tree].path, strlen(w->s->mount[w->tree].path) + 1);
    } else {
        got = false;
    }
    x->busy += got;
    if (got) {
        atomic_store(&x->worker[w->worker].tree, w->tree);
        atomic_store(&x->worker[w->worker].busy, true);
    }
    unlock(x);
    return got;
}

/* False: nobody has anything left that could be given away. */
static bool wait_for_work(struct work *w)
{
    struct tn_seek_shared *x = w->s->shared;
    atomic_fetch_add(&x->hungry, 1);
    flush(w);
    for (;;) {
        lock(x);
        bool more = x->n_job || x->next_tree < x->n_tree, end = !more && !x->busy;
        unlock(x);
        if (more || end) {
            atomic_fetch_sub(&x->hungry, 1);
            return more;
        }
        usleep(100);
    }
}

static void search(struct work *w)
{
    struct tn_seek_shared *x = w->s->shared;
    int fd = atomic_load(&x->tree[w->tree].late) ? -2 : open_folder(w->path);
    w->names.n = 0;
    w->depth = 0;
    if (fd >= 0)
        enter(w, fd, strlen(w->path));
    else if (fd == -1 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        unreadable(w);
    while (w->depth) {
        if (atomic_load_explicit(&x->hungry, memory_order_relaxed))
            share(w);
        down(w);
    }
    lock(x);
    x->busy--;
    atomic_store(&x->worker[w->worker].busy, false);
    unlock(x);
}

_Noreturn void tn_seek_work(const struct tn_seek *s, unsigned worker, int fd)
{
    struct work *w = tn_xmalloc(sizeof *w);
    w->s = s;
    w->worker = worker;
    w->fd = fd;
    tn_buf_init(&w->out);
    tn_buf_init(&w->names);
    do
        while (take(w))
            search(w);
    while (wait_for_work(w));
    flush(w);
    _exit(0);
}
