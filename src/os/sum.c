/* sum.c - see sum.h. */
#include "os/sum.h"

#include <stdlib.h>

#define MAX_INODES (8u << 20) /* 72 bytes each */

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

/* Several inodes in several groups: is it stored more than once? */
static bool is_spread(struct tn_os_sum *m, const struct tn_os_inode *v, size_t n)
{
    new_groups(m);
    note_groups(m, v, n);
    return m->n_held > 1 && run_of(v, n) < n;
}

static void count(struct tn_os_sum *m, const struct tn_os_inode *v, size_t n)
{
    uint64_t sum = 0, most = 0;
    for (size_t k = 0, run; k < n; k += run) {
        run = run_of(v + k, n - k);
        new_groups(m);
        note_groups(m, v + k, run);
        for (unsigned g = 0; g < m->n_held; g++)
            m->ret->group[m->held[g]].doubled += v[k].bytes;
        sum += v[k].bytes;
        most = v[k].bytes > most ? v[k].bytes : most;
    }
    m->ret->doubled += sum - most;
}

static size_t run_of_twins(const struct tn_os_inode *v, size_t n)
{
    size_t k = 1;
    while (k < n && v[k].twin == v[0].twin)
        k++;
    return k;
}

/* What these files hold takes the place of what they were alike in: each inode is asked once. */
static void ask_content(struct tn_os_sum *m, struct tn_os_inode *v, size_t n, bool whole)
{
    for (size_t k = 0, run; k < n; k += run) {
        run = run_of(v + k, n - k);
        uint64_t twin = m->how->content(m->how->content_ctx, v[k].path, v[k].size, whole);
        for (size_t i = k; i < k + run; i++)
            v[i].twin = twin;
    }
    qsort(v, n, sizeof *v, by_twin);
}

/* Large files that are alike in size (and name, where content is not asked for), then in their ends, then whole. */
static void add_alike(struct tn_os_sum *m, struct tn_os_inode *v, size_t n)
{
    for (size_t a = 0, na; a < n; a += na) {
        na = run_of_twins(v + a, n - a);
        if (!v[a].twin || !is_spread(m, v + a, na))
            continue;
        if (!v[a].path) {
            count(m, v + a, na);
            continue;
        }
        ask_content(m, v + a, na, false);
        for (size_t b = a, nb; b < a + na; b += nb) {
            nb = run_of_twins(v + b, a + na - b);
            if (!v[b].twin || !is_spread(m, v + b, nb))
                continue;
            ask_content(m, v + b, nb, true);
            for (size_t c = b, nc; c < b + nb; c += nc) {
                nc = run_of_twins(v + c, b + nb - c);
                if (v[c].twin && is_spread(m, v + c, nc))
                    count(m, v + c, nc);
            }
        }
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
    if (s->n > 1)
        qsort(s->inode, s->n, sizeof *s->inode, by_twin);
    add_alike(s, s->inode, s->n);
    free(s->inode);
    s->inode = NULL;
}
