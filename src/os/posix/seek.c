/* seek.c - searching all disks for names: the process that waits.
 *
 * Others search (seek_work.c), as many as there are processors: they share what is left to do, and one that does not
 * move on for SEEK_MS is killed and its file system left, since a call that waits for a dead FUSE server or an NFS
 * server ends by SIGKILL alone. */
#include "os/posix/seek.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "os/posix/posix.h"

#define SEEK_MS 5000u
#define TICK_MS 200u

struct sought {
    const struct tn_seek *s;
    struct tn_arena *mem;
    struct tn_os_hit *hit;
    size_t n_hit, cap;
};

static bool start(struct tn_seek_pool *w, unsigned i)
{
    int pair[2];
    pid_t parent = getpid();
    if (pipe2(pair, O_CLOEXEC))
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        close(pair[0]);
        tn_seek_work(w->s, i, pair[1]);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return false;
    }
    struct tn_seek_child *c = &w->child[i];
    c->pid = pid;
    c->fd = pair[0];
    c->beat = atomic_load(&w->s->shared->worker[i].beat);
    c->moved = tn_os_monotonic_us();
    tn_buf_clear(&c->in);
    return true;
}

/* Whole hits of what a process has written so far. */
static size_t take_hits(void *ctx, const char *p, size_t n)
{
    struct sought *w = ctx;
    size_t at = 0;
    struct tn_seek_hit h;
    while (n - at >= sizeof h) {
        memcpy(&h, p + at, sizeof h);
        if (n - at < h.size)
            break;
        if (w->n_hit < TN_MAX_SEEK_HITS) {
            const char *path = p + at + sizeof h, *target = path + h.path_n;
            w->hit = tn_arena_grow(w->mem, w->hit, w->n_hit, &w->cap, sizeof *w->hit);
            struct tn_os_hit *to = &w->hit[w->n_hit++];
            to->path = tn_arena_strdup(w->mem, path + w->s->strip);
            to->target = h.st.type == 'l' ? tn_arena_strdup(w->mem, target) : NULL;
            to->st = h.st;
        }
        at += h.size;
    }
    return at;
}

static void hear(struct tn_seek_pool *w, struct tn_seek_child *c)
{
    tn_buf_room(&c->in, 65536);
    ssize_t n = read(c->fd, c->in.p + c->in.n, 65536);
    if (n > 0) {
        c->in.n += (size_t)n;
        size_t at = w->take(w->ctx, c->in.p, c->in.n);
        memmove(c->in.p, c->in.p + at, c->in.n - at);
        c->in.n -= at;
    } else if (n == 0 || errno != EINTR) {
        close(c->fd);
        c->fd = -1;
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

/* Kills the one that does not move, gives up the file system that it is on, and starts another in its place. */
static void replace(struct tn_seek_pool *w, unsigned i)
{
    struct tn_seek_shared *x = w->s->shared;
    struct tn_seek_child *c = &w->child[i];
    atomic_store(&x->tree[atomic_load(&x->worker[i].tree)].late, true);
    kill(c->pid, SIGKILL);
    close(c->fd);
    c->fd = -1;
    waitpid(c->pid, NULL, WNOHANG); /* in state D it may take its time */
    while (atomic_flag_test_and_set(&x->lock))
        usleep(20);
    x->busy--;
    atomic_store(&x->worker[i].busy, false);
    atomic_flag_clear(&x->lock);
    start(w, i);
}

static void watch(struct tn_seek_pool *w)
{
    struct tn_seek_shared *x = w->s->shared;
    uint64_t now = tn_os_monotonic_us();
    for (unsigned i = 0; i < w->n; i++) {
        struct tn_seek_child *c = &w->child[i];
        unsigned long long beat = atomic_load(&x->worker[i].beat);
        if (beat != c->beat || !atomic_load(&x->worker[i].busy)) {
            c->beat = beat;
            c->moved = now;
        } else if (c->fd >= 0 && now - c->moved > SEEK_MS * 1000ull) {
            replace(w, i);
        }
    }
}

static void wait_all(struct tn_seek_pool *w)
{
    const struct tn_os_seek *how = w->s->how;
    uint64_t tick = tn_os_monotonic_us();
    for (;;) {
        struct pollfd p[TN_SEEK_WORKERS];
        unsigned who[TN_SEEK_WORKERS], n = 0;
        for (unsigned i = 0; i < w->n; i++)
            if (w->child[i].fd >= 0) {
                p[n] = (struct pollfd){w->child[i].fd, POLLIN, 0};
                who[n++] = i;
            }
        if (n == 0 || tn_os_expired())
            return;
        int got = poll(p, n, (int)TICK_MS);
        for (unsigned i = 0; got > 0 && i < n; i++)
            if (p[i].revents)
                hear(w, &w->child[who[i]]);
        if (tn_os_monotonic_us() - tick < TICK_MS * 1000ull)
            continue;
        tick = tn_os_monotonic_us();
        watch(w);
        unsigned long long folders = 0;
        for (unsigned i = 0; i < w->s->shared->n_tree; i++)
            folders += atomic_load_explicit(&w->s->shared->tree[i].folders, memory_order_relaxed);
        if (how->tick)
            how->tick(how->tick_ctx, folders);
    }
}

unsigned tn_seek_run(struct tn_seek_pool *w)
{
    unsigned running = 0;
    for (unsigned i = 0; i < w->n; i++) {
        w->child[i].fd = -1;
        tn_buf_init(&w->child[i].in);
        running += start(w, i);
    }
    wait_all(w);
    for (unsigned i = 0; i < w->n; i++) {
        if (w->child[i].fd >= 0) { /* the deadline of all has passed */
            kill(w->child[i].pid, SIGKILL);
            close(w->child[i].fd);
        }
        tn_buf_deinit(&w->child[i].in);
    }
    return running;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void tn_seek_sort(struct tn_seek *s)
{
    if (s->n_point) {
        qsort((void *)s->parent, s->n_point, sizeof *s->parent, by_text);
        qsort((void *)s->point, s->n_point, sizeof *s->point, by_text);
    }
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct tn_os_hit *)a)->path, ((const struct tn_os_hit *)b)->path);
}

/* Which mounts are searched, and which folders none goes down into. */
static void prepare(struct tn_seek *s, struct tn_posix_mount *all, size_t n, struct tn_arena *mem)
{
    unsigned kept = 0;
    s->parent = tn_arena_array(mem, n, sizeof *s->parent);
    s->point = tn_arena_array(mem, n, sizeof *s->point);
    s->mount = tn_arena_array(mem, n, sizeof *s->mount);
    for (size_t i = 0; i < n; i++) {
        if (i) {
            s->parent[s->n_point] = tn_path_dir(mem, TN_PATH_POSIX, all[i].path);
            s->point[s->n_point++] = all[i].path;
        }
        bool wanted = !all[i].pseudo && !all[i].twice && (s->how->all || !all[i].network || i == 0);
        if (wanted && kept < TN_SEEK_TREES && strlen(all[i].path) < TN_MAX_PATH_BYTES)
            s->mount[kept++] = all[i];
    }
    tn_seek_sort(s);
    s->shared->n_tree = kept;
}

static void tell(const struct tn_seek *s, const struct tn_posix_mount *all, size_t n, struct tn_arena *mem,
                 struct tn_os_sought *ret)
{
    ret->tree = tn_arena_array(mem, n, sizeof *ret->tree);
    for (unsigned i = 0; i < s->shared->n_tree; i++) {
        struct tn_os_tree *t = &ret->tree[ret->n_tree++];
        const char *path = s->mount[i].path + s->strip;
        t->path = *path ? path : "/";
        t->type = s->mount[i].type;
        t->folders = atomic_load(&s->shared->tree[i].folders);
        t->unreadable = atomic_load(&s->shared->tree[i].unreadable);
        t->state = atomic_load(&s->shared->tree[i].late) ? TN_OS_TREE_LATE
                   : !t->folders && t->unreadable        ? TN_OS_TREE_DENIED
                                                         : TN_OS_TREE_WHOLE;
        ret->n_tree -= !t->folders && !t->unreadable && t->state == TN_OS_TREE_WHOLE; /* a file that is mounted */
    }
    for (size_t i = 1; i < n; i++)
        if (all[i].network && !all[i].twice && !s->how->all)
            ret->tree[ret->n_tree++] =
                (struct tn_os_tree){all[i].path + s->strip, all[i].type, TN_OS_TREE_NETWORK, 0, 0};
}

unsigned tn_seek_workers(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 2 ? 2 : n > (long)TN_SEEK_WORKERS ? TN_SEEK_WORKERS : (unsigned)n;
}

/* The mounts below the root folder, links of whose path are resolved; without /proc the root alone. */
static size_t mounts(const char *below, struct tn_arena *mem, struct tn_posix_mount **ret)
{
    struct tn_buf text;
    tn_buf_init(&text);
    size_t n = 0;
    if (tn_os_read(NULL, "/proc/self/mountinfo", 0, TN_MAX_SMALL_FILE, &text, NULL, NULL) == 0 && text.n)
        n = tn_posix_mounts(mem, text.p, below, ret);
    tn_buf_deinit(&text);
    if (n == 0) {
        *ret = tn_arena_alloc(mem, sizeof **ret);
        **ret = (struct tn_posix_mount){.path = below, .type = "?", .dev = "", .root = "/"};
        n = 1;
    }
    return n;
}

int tn_os_seek(struct tn_os_root *at, const struct tn_os_seek *how, struct tn_arena *mem, struct tn_os_sought *ret,
               struct tn_err *err)
{
    struct tn_posix_mount *all;
    const char *below = at && strcmp(at->path, "/") != 0 ? at->path : "/";
    size_t n = mounts(below, mem, &all);
    struct tn_seek s = {.how = how, .strip = strlen(below) > 1 ? strlen(below) : 0};
    struct sought w = {.s = &s, .mem = mem};
    struct tn_seek_pool pool = {.s = &s, .n = tn_seek_workers(), .take = take_hits, .ctx = &w};
    s.shared = mmap(NULL, sizeof *s.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s.shared == MAP_FAILED)
        return tn_posix_error(err, below, errno);
    prepare(&s, all, n, mem);
    unsigned running = tn_seek_run(&pool);
    memset(ret, 0, sizeof *ret);
    if (w.n_hit > 1)
        qsort(w.hit, w.n_hit, sizeof *w.hit, by_path);
    ret->hit = w.hit;
    ret->n_hit = w.n_hit;
    tell(&s, all, n, mem, ret);
    munmap(s.shared, sizeof *s.shared);
    return running ? 0 : tn_err_set(err, TN_E_IO, below, "cannot start a process");
}
