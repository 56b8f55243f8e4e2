/* measure.c - what folders take on the disk: the process that waits and adds up.
 *
 * What counts once: os/sum.h. Who lists the folders: seek_work.c and measure_work.c, in the same processes and with the
 * same care as a search for names; files of one name are added up there, all others come here. */
#include "os/posix/seek.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/str.h"
#include "os/posix/posix.h"

struct measure {
    struct tn_seek s;
    struct tn_os_folder *folder; /* by path; each path and group once */
    size_t n_folder;
    size_t *first; /* for each tree: its first folder; the next tree's is the end */
    struct tn_os_sum sum;
    struct tn_os_measured *ret;
    struct tn_arena *mem;
};

static size_t take_inodes(void *ctx, const char *p, size_t n)
{
    struct measure *m = ctx;
    struct tn_os_inode i;
    size_t at = 0;
    for (; n - at >= sizeof i; at += sizeof i + i.path_n) {
        memcpy(&i, p + at, sizeof i);
        if (n - at - sizeof i < i.path_n)
            break;
        i.path = i.path_n ? tn_arena_strndup(m->mem, p + at + sizeof i, i.path_n) + m->s.strip : NULL;
        if (!tn_os_sum_add(&m->sum, &i)) /* its folder is late */
            atomic_store(&m->s.shared->tree[i.tree].late, true);
    }
    return at;
}

/* What the processes have added up themselves. */
static void add_trees(struct measure *m)
{
    for (uint32_t t = 0; t < m->s.shared->n_tree; t++) {
        uint64_t bytes = atomic_load(&m->s.shared->tree[t].bytes);
        bool alone = m->first[t + 1] - m->first[t] == 1;
        m->ret->bytes += bytes;
        for (size_t f = m->first[t]; f < m->first[t + 1]; f++) {
            struct tn_os_taken *g = &m->ret->group[m->folder[f].group];
            g->bytes += bytes;
            g->freed += alone ? bytes : 0;
            g->shared += alone ? 0 : bytes;
            g->files += atomic_load(&m->s.shared->tree[t].files);
            g->folders += atomic_load(&m->s.shared->tree[t].folders);
            g->unreadable += atomic_load(&m->s.shared->tree[t].unreadable);
            uint64_t youngest = atomic_load(&m->s.shared->tree[t].youngest);
            g->youngest = youngest > g->youngest ? youngest : g->youngest;
            g->late = g->late || atomic_load(&m->s.shared->tree[t].late);
        }
    }
}

static int by_path(const void *a, const void *b)
{
    const struct tn_os_folder *x = a, *y = b;
    int c = strcmp(x->path, y->path);
    return c ? c : x->group < y->group ? -1 : x->group > y->group;
}

/* Each path is a tree; none is gone down into from above. */
static void prepare(struct measure *m, const char *below, const struct tn_os_folder *folder, size_t n,
                    struct tn_arena *mem)
{
    struct tn_seek *s = &m->s;
    uint32_t n_tree = 0;
    s->strip = strlen(below) > 1 ? strlen(below) : 0;
    s->parent = tn_arena_array(mem, n, sizeof *s->parent);
    s->point = tn_arena_array(mem, n, sizeof *s->point);
    s->mount = tn_arena_array(mem, n, sizeof *s->mount);
    m->folder = tn_arena_array(mem, n, sizeof *m->folder);
    m->first = tn_arena_array(mem, n + 1, sizeof *m->first);
    struct tn_os_folder *all = tn_arena_array(mem, n, sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct tn_os_folder){s->strip ? tn_arena_printf(mem, "%.*s%s", (int)s->strip, below, folder[i].path)
                                                : folder[i].path,
                                       folder[i].group};
    if (n > 1)
        qsort(all, n, sizeof *all, by_path);
    for (size_t i = 0; i < n; i++) {
        bool again = i && strcmp(all[i].path, all[i - 1].path) == 0;
        if (!again) {
            s->parent[s->n_point] = tn_path_dir(mem, TN_PATH_POSIX, all[i].path);
            s->point[s->n_point++] = all[i].path;
        }
        if (all[i].group == TN_OS_NO_GROUP || (again && all[i].group == all[i - 1].group) ||
            strlen(all[i].path) >= TN_MAX_PATH_BYTES)
            continue;
        if (!again && n_tree < TN_SEEK_TREES) {
            m->first[n_tree] = m->n_folder;
            s->mount[n_tree++] = (struct tn_posix_mount){.path = all[i].path, .type = "", .dev = "", .root = ""};
        }
        m->folder[m->n_folder++] = all[i];
        m->first[n_tree] = m->n_folder;
    }
    tn_seek_sort(s);
    s->shared->n_tree = n_tree;
}

int tn_os_measure(struct tn_os_root *at, const struct tn_os_folder *folder, size_t n, unsigned n_group,
                  const struct tn_os_seek *how, struct tn_arena *mem, struct tn_os_measured *ret, struct tn_err *err)
{
    struct measure m = {.s = {.how = how, .measure = true}, .ret = ret, .mem = mem};
    struct tn_seek_pool pool = {.s = &m.s, .n = tn_seek_workers(), .take = take_inodes, .ctx = &m};
    const char *below = at && strcmp(at->path, "/") != 0 ? at->path : "/";
    memset(ret, 0, sizeof *ret);
    ret->group = tn_arena_array(mem, n_group, sizeof *ret->group);
    m.s.shared = mmap(NULL, sizeof *m.s.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (m.s.shared == MAP_FAILED)
        return tn_posix_error(err, below, errno);
    prepare(&m, below, folder, n, mem);
    unsigned running = tn_seek_run(&pool);
    add_trees(&m);
    m.sum.folder = m.folder;
    m.sum.first = m.first;
    m.sum.ret = ret;
    m.sum.how = how;
    tn_os_sum(&m.sum, n_group, mem);
    munmap(m.s.shared, sizeof *m.s.shared);
    return running ? 0 : tn_err_set(err, TN_E_IO, below, "cannot start a process");
}
