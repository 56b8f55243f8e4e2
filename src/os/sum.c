/* sum.c - see sum.h. */
#include "os/sum.h"

#include <stdlib.h>

#define MAX_INODES (8u << 20) /* 48 bytes each */

uint64_t tn_os_twin(const char *name, uint64_t size)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    for (unsigned i = 0; i < 8; i++)
        h = (h ^ (size >> 8 * i & 255)) * 1099511628211u;
    return h ? h : 1;
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
    const struct tn_os_inode *x = a, *y = b;
    int c = order(x->links == 0, y->links == 0);
    c = c ? c : order(x->dev, y->dev);
    c = c ? c : order(x->at, y->at);
    c = c ? c : order(x->tree, y->tree);
    return c ? c : order(x->bytes, y->bytes);
}

static int by_twin(const void *a, const void *b)
{
    const struct tn_os_inode *x = a, *y = b;
    int c = order(x->twin, y->twin);
    return c ? c : by_place(a, b);
}

static bool same(const struct tn_os_inode *a, const struct tn_os_inode *b)
{
    return a->dev == b->dev && a->at == b->at && (a->links == 0) == (b->links == 0);
}

/* Notes the groups that hold one of these inodes; those that are noted stay. */
static void note_groups(struct tn_os_sum *m, const struct tn_os_inode *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i && v[i].tree == v[i - 1].tree)
            continue;
        for (size_t f = m->first[v[i].tree]; f < m->first[v[i].tree + 1]; f++) {
            unsigned g = m->folder[f].group;
            if (m->stamp[g] != m->serial) {
                m->stamp[g] = m->serial;
                m->held[m->n_held++] = g;
            }
        }
    }
}

static void new_groups(struct tn_os_sum *m)
{
    m->serial++;
    m->n_held = 0;
}

static size_t run_of(const struct tn_os_inode *v, size_t n)
{
    size_t k = 1;
    while (k < n && same(&v[k], &v[0]))
        k++;
    return k;
}

/* Files of several names, large ones, and pieces that copies share: each once. */
static void add_inodes(struct tn_os_sum *m)
{
    struct tn_os_inode *v = m->inode;
    if (m->n > 1)
        qsort(v, m->n, sizeof *v, by_place);
    for (size_t i = 0, n; i < m->n; i += n) {
        n = run_of(v + i, m->n - i);
        uint64_t bytes = v[i + n - 1].bytes;
        new_groups(m);
        note_groups(m, v + i, n);
        for (unsigned k = 0; k < m->n_held; k++) {
            struct tn_os_taken *t = &m->ret->group[m->held[k]];
            t->bytes += bytes;
            if (m->n_held > 1)
                t->shared += bytes;
            else if (v[i].links && v[i].links <= n)
                t->freed += bytes;
        }
        m->ret->bytes += bytes;
    }
}

/* Large files of one name and size that are several inodes, in several groups. */
static void add_twins(struct tn_os_sum *m)
{
    struct tn_os_inode *v = m->inode;
    if (m->n > 1)
        qsort(v, m->n, sizeof *v, by_twin);
    for (size_t i = 0, end; i < m->n; i = end) {
        uint64_t sum = 0, most = 0;
        for (end = i; end < m->n && v[end].twin == v[i].twin; end++) {
        }
        if (!v[i].twin)
            continue;
        new_groups(m);
        note_groups(m, v + i, end - i);
        if (m->n_held < 2 || run_of(v + i, end - i) == end - i)
            continue;
        for (size_t k = i, n; k < end; k += n) {
            n = run_of(v + k, end - k);
            new_groups(m);
            note_groups(m, v + k, n);
            for (unsigned g = 0; g < m->n_held; g++)
                m->ret->group[m->held[g]].doubled += v[k].bytes;
            sum += v[k].bytes;
            most = v[k].bytes > most ? v[k].bytes : most;
        }
        m->ret->doubled += sum - most;
    }
}

bool tn_os_sum_add(struct tn_os_sum *s, const struct tn_os_inode *i)
{
    if (s->n == MAX_INODES)
        return false;
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 4096;
        s->inode = tn_xrealloc(s->inode, s->cap * sizeof *s->inode);
    }
    s->inode[s->n++] = *i;
    return true;
}

void tn_os_sum(struct tn_os_sum *s, unsigned n_group, struct tn_arena *mem)
{
    s->stamp = tn_arena_array(mem, n_group, sizeof *s->stamp);
    s->held = tn_arena_array(mem, n_group, sizeof *s->held);
    add_inodes(s);
    add_twins(s);
    free(s->inode);
    s->inode = NULL;
}
