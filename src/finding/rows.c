/* rows.c - where the rows of each environment lie, so that judging many environments stays linear.
 *
 * Invariant: a range is only a bound. Every row of the environment is inside it; rows of others may be, too, since a
 * snapshot from elsewhere may hold them in any order. Probes write the rows of one environment side by side. */
#include <stdlib.h>
#include <string.h>

#include "finding/verdict.h"

struct id {
    const char *id;
    size_t row;
};

static int by_id(const void *a, const void *b)
{
    const char *x = ((const struct id *)a)->id, *y = ((const struct id *)b)->id;
    return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

static void include_range(struct tn_range *r, struct tn_range more)
{
    if (more.to == 0)
        return;
    if (r->to == 0)
        *r = more;
    r->from = r->from < more.from ? r->from : more.from;
    r->to = r->to > more.to ? r->to : more.to;
}

/* An environment that sees its base's packages. */
static void include(struct tn_judge_rows *r, const struct tn_judge_rows *base)
{
    include_range(&r->framework, base->framework);
    include_range(&r->dist, base->dist);
    include_range(&r->library, base->library);
}

struct index {
    struct id *id;
    size_t n;
    const struct id *last; /* neighbours mostly belong to one environment */
    struct tn_judge_rows *rows;
};

static void widen(struct tn_range *r, size_t row)
{
    if (r->to == 0)
        r->from = row;
    r->to = row + 1;
}

static struct tn_judge_rows *rows_of(struct index *x, struct tn_str env)
{
    struct id key = {env.v, 0};
    if (!tn_known(env))
        return NULL;
    if (!x->last || strcmp(x->last->id, env.v) != 0)
        x->last = x->n ? bsearch(&key, x->id, x->n, sizeof *x->id, by_id) : NULL;
    return x->last ? &x->rows[x->last->row] : NULL;
}

/* Environments by their path, the first of equal ones first: many may see one base. */
struct place {
    const char *path;
    const char *id;
    size_t row;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int c = strcmp(x->path, y->path);
    return c ? c : x->row < y->row ? -1 : x->row > y->row;
}

struct places {
    enum tn_path_style style;
    struct place *v;
    size_t n;
};

static void sort_places(const struct tn_snap *s, struct tn_arena *mem, struct places *ret)
{
    *ret = (struct places){tn_snap_style(s), tn_arena_array(mem, s->env.n, sizeof *ret->v), 0};
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        if (tn_known(e->id) && tn_known(e->path))
            ret->v[ret->n++] = (struct place){tn_path_key(mem, ret->style, e->path.v), e->id.v, i};
    }
    if (ret->n > 1)
        qsort(ret->v, ret->n, sizeof *ret->v, by_place);
}

/* tn_judge_base, by one search instead of a walk. */
static const char *base_of(const struct places *p, struct tn_arena *mem, const struct tn_rec_env *e, size_t row)
{
    if (!tn_is(e->system_site, 1) || !tn_known(e->base))
        return NULL;
    const char *key = tn_path_key(mem, p->style, e->base.v);
    size_t from = 0, to = p->n;
    while (from < to) {
        size_t half = from + (to - from) / 2;
        if (strcmp(p->v[half].path, key) < 0)
            from = half + 1;
        else
            to = half;
    }
    from += from < p->n && p->v[from].row == row;
    return from < p->n && strcmp(p->v[from].path, key) == 0 ? p->v[from].id : NULL;
}

void tn_judge_narrow(struct tn_judge *j, struct tn_arena *mem)
{
    if (j->env)
        j->rows = &tn_judge_index(j->s, mem)[j->env_row];
}

const struct tn_judge_rows *tn_judge_index(const struct tn_snap *s, struct tn_arena *mem)
{
    struct index x = {tn_arena_array(mem, s->env.n, sizeof *x.id), 0, NULL, NULL};
    struct tn_range common = {0, 0};
    struct tn_judge_rows *r;
    x.rows = tn_arena_array(mem, s->env.n, sizeof *x.rows);
    for (size_t i = 0; i < s->env.n; i++)
        if (tn_known(s->env.v[i].id))
            x.id[x.n++] = (struct id){s->env.v[i].id.v, i};
    if (x.n > 1)
        qsort(x.id, x.n, sizeof *x.id, by_id);
    for (size_t i = 0; i < s->framework.n; i++)
        if ((r = rows_of(&x, s->framework.v[i].env)) != NULL)
            widen(&r->framework, i);
    for (size_t i = 0; i < s->dist.n; i++)
        if ((r = rows_of(&x, s->dist.v[i].env)) != NULL)
            widen(&r->dist, i);
    for (size_t i = 0; i < s->library.n; i++)
        if (!tn_known(s->library.v[i].env))
            widen(&common, i);
        else if ((r = rows_of(&x, s->library.v[i].env)) != NULL)
            widen(&r->library, i);
    for (size_t i = 0; i < s->env.n; i++)
        x.rows[i].common = common;
    struct places places = {TN_PATH_POSIX, NULL, 0};
    for (size_t i = 0; i < s->env.n && !places.v; i++)
        if (tn_is(s->env.v[i].system_site, 1))
            sort_places(s, mem, &places);
    const struct tn_judge_rows *own =
        tn_arena_memdup(mem, x.rows, s->env.n * sizeof *own); /* a base's base is not seen */
    for (size_t i = 0; i < s->env.n; i++)
        if ((x.rows[i].base = base_of(&places, mem, &s->env.v[i], i)) != NULL) {
            struct id key = {x.rows[i].base, 0};
            const struct id *base = bsearch(&key, x.id, x.n, sizeof *x.id, by_id);
            include(&x.rows[i], &own[base->row]);
        }
    return x.rows;
}
