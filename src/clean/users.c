/* users.c - who uses an item of the stock, and who names it.
 *
 * Sources of the rules: what the loader gives (record load, loader/); /proc/PID/maps; Requires-Dist and conda's
 * depends, followed until a package that is none of NVIDIA's libraries asks; REQUESTED (PEP 376) and requested_spec. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "clean/index.h"

struct tn_clean_user *tn_clean_user_add(struct tn_clean *c, struct tn_clean_item *i, enum tn_clean_use use)
{
    i->user = tn_arena_grow(c->mem, i->user, i->n_user, &i->cap_user, sizeof *i->user);
    struct tn_clean_user *u = &i->user[i->n_user++];
    memset(u, 0, sizeof *u);
    u->use = use;
    u->number = -1;
    return u;
}

/* "nvidia-cublas-cu12 12.1.3": is the first word this name? */
static bool first_word(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && (text[n] == ' ' || text[n] == 0);
}

static bool is_owned(const struct tn_rec_stock *r, const struct tn_rec_library *l)
{
    if (!tn_known(l->owner))
        return false;
    if (tn_known(r->env))
        return tn_known(l->env) && tn_says(r->env, l->env.v) && tn_known(r->name) && first_word(l->owner.v, r->name.v);
    for (size_t p = 0; r->packages.k == TN_KNOWN && p < r->packages.n; p++)
        if (!tn_known(l->env) && first_word(l->owner.v, r->packages.v[p]))
            return true;
    return false;
}

/* Is that file one of the item's? */
static bool holds(const struct tn_clean *c, const struct tn_rec_stock *r, const char *path)
{
    const struct tn_snap *s = c->s;
    const struct tn_key *k;
    enum tn_path_style st = tn_snap_style(s);
    if (tn_says(r->kind, "toolkit"))
        return tn_known(r->path) && tn_path_under(st, path, r->path.v);
    for (size_t p = 0; r->pieces.k == TN_KNOWN && p < r->pieces.n; p++)
        if (tn_path_same(st, path, r->pieces.v[p]))
            return true;
    for (size_t n = tn_keys_find(&c->index->library, tn_path_key(c->mem, st, path), &k); n; n--, k++)
        if (is_owned(r, &s->library.v[k->row]))
            return true;
    return false;
}

struct rows {
    size_t *v, n, cap;
};

static void take(struct tn_clean *c, struct rows *r, const struct tn_key *k, size_t n)
{
    for (; n; n--, k++) {
        r->v = tn_arena_grow(c->mem, r->v, r->n, &r->cap, sizeof *r->v);
        r->v[r->n++] = k->row;
    }
}

static void take_file(struct tn_clean *c, struct rows *r, const char *path)
{
    const struct tn_key *k;
    size_t n = tn_keys_find(&c->index->load, tn_path_key(c->mem, tn_snap_style(c->s), path), &k);
    take(c, r, k, n);
}

/* Loads of a file in the folder. */
static void take_below(struct tn_clean *c, struct rows *r, const char *folder)
{
    const struct tn_key *k;
    const char *key = tn_path_key(c->mem, tn_snap_style(c->s), folder);
    size_t n = tn_keys_starts(&c->index->load, tn_arena_printf(c->mem, "%s/", strcmp(key, "/") == 0 ? "" : key), &k);
    take(c, r, k, n);
}

static int by_row(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Rows of load whose file is one of the item's, each once, in their order. */
static struct rows loads_of(struct tn_clean *c, const struct tn_rec_stock *r)
{
    const struct tn_snap *s = c->s;
    const struct tn_key *k;
    struct rows all = {NULL, 0, 0};
    if (tn_known(r->path) && (tn_says(r->kind, "toolkit") || tn_says(r->kind, "cache") || tn_says(r->kind, "env") ||
                              tn_clean_is_stored(r))) {
        take_below(c, &all, r->path.v);
    } else {
        for (size_t p = 0; r->pieces.k == TN_KNOWN && p < r->pieces.n; p++)
            take_file(c, &all, r->pieces.v[p]);
        for (size_t n = tn_keys_find(&c->index->owned, tn_known(r->env) ? r->env.v : "", &k); n; n--, k++)
            if (is_owned(r, &s->library.v[k->row]))
                take_file(c, &all, s->library.v[k->row].path.v);
    }
    if (all.n > 1)
        qsort(all.v, all.n, sizeof *all.v, by_row);
    size_t out = 0;
    for (size_t i = 0; i < all.n; i++)
        if (!i || all.v[i] != all.v[i - 1])
            all.v[out++] = all.v[i];
    all.n = out;
    return all;
}

static void loads(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct rows all = loads_of(c, i->r);
    for (size_t n = 0; n < all.n; n++) {
        const struct tn_rec_load *l = &c->s->load.v[all.v[n]];
        const struct tn_rec_env *e = tn_clean_env(c, l->env);
        bool again = false;
        for (size_t u = 0; u < i->n_user && !again; u++)
            again = i->user[u].env == e && i->user[u].load &&
                    tn_says(l->framework, tn_known(i->user[u].load->framework) ? i->user[u].load->framework.v : "");
        if (again)
            continue;
        struct tn_clean_user *u = tn_clean_user_add(c, i, TN_CLEAN_LOADS);
        u->env = e;
        u->load = l;
    }
}

static void processes(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_snap *s = c->s;
    const struct tn_key *k;
    for (size_t n = tn_known(i->r->path) ? tn_keys_find(&c->index->mention, i->r->path.v, &k) : 0; n; n--, k++) {
        const struct tn_rec_mention *m = &s->mention.v[k->row];
        if (!tn_says(m->by, "process"))
            continue;
        struct tn_clean_user *u = tn_clean_user_add(c, i, TN_CLEAN_RUNS);
        u->text = tn_known(m->file) ? m->file.v : NULL;
        u->path = tn_known(m->path) ? m->path.v : NULL;
        u->number = m->pid.k == TN_KNOWN ? m->pid.v : -1;
    }
}

static const struct tn_rec_stock *row_of(const struct tn_clean *c, struct tn_str kind, struct tn_str env,
                                         const char *name)
{
    const struct tn_key *k;
    for (size_t n = tn_keys_find(&c->index->stock, env.v, &k); n; n--, k++)
        if (tn_says(c->s->stock.v[k->row].kind, kind.v) && tn_says(c->s->stock.v[k->row].name, name))
            return &c->s->stock.v[k->row];
    return NULL;
}

#define MAX_CHAIN 256u

/* Follows who asks for it: the first that is no such library itself; "" for one that was asked for by its name; NULL
 * when the chain ends without either. */
static const char *asker(const struct tn_clean *c, const struct tn_rec_stock *r)
{
    const struct tn_rec_stock *queue[MAX_CHAIN] = {r};
    size_t n = 1;
    for (size_t at = 0; at < n; at++) {
        if (tn_is(queue[at]->requested, 1))
            return at ? queue[at]->name.v : "";
        for (size_t w = 0; queue[at]->wanted_by.k == TN_KNOWN && w < queue[at]->wanted_by.n; w++) {
            const char *name = queue[at]->wanted_by.v[w];
            const struct tn_rec_stock *next = row_of(c, r->kind, r->env, name);
            bool again = false;
            if (!next)
                return name;
            for (size_t k = 0; k < n && !again; k++)
                again = queue[k] == next;
            if (!again && n == MAX_CHAIN)
                return name;
            if (!again)
                queue[n++] = next;
        }
    }
    return NULL;
}

static void requires(struct tn_clean *c, struct tn_clean_item *i)
{
    const char *who = tn_known(i->r->env) && tn_known(i->r->name) ? asker(c, i->r) : NULL;
    if (who && *who)
        tn_clean_user_add(c, i, TN_CLEAN_REQUIRES)->text = who;
    else if (who)
        tn_clean_user_add(c, i, TN_CLEAN_REQUESTED);
}

static void choices(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_snap *s = c->s;
    for (size_t n = 0; tn_known(i->r->env) && n < s->choice.n; n++)
        if (tn_known(s->choice.v[n].env) && tn_says(i->r->env, s->choice.v[n].env.v) && tn_known(s->choice.v[n].by))
            tn_clean_user_add(c, i, TN_CLEAN_CHOSEN)->text =
                tn_known(s->choice.v[n].name)
                    ? tn_arena_printf(c->mem, "%s %s", s->choice.v[n].by.v, s->choice.v[n].name.v)
                    : s->choice.v[n].by.v;
    const struct tn_rec_env *e = tn_clean_env(c, i->r->env);
    if (e && tn_is(e->active, 1))
        tn_clean_user_add(c, i, TN_CLEAN_ACTIVE);
}

/* A folder of the loader's own search: a program that nobody has looked at may open it. */
static void searched(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_snap *s = c->s;
    for (size_t n = 0; n < s->library.n; n++)
        if (tn_is(s->library.v[n].reachable, 1) && tn_known(s->library.v[n].path) &&
            holds(c, i->r, s->library.v[n].path.v)) {
            tn_clean_user_add(c, i, TN_CLEAN_SEARCHED);
            return;
        }
}

static void links(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_snap *s = c->s;
    enum tn_path_style st = tn_snap_style(s);
    for (size_t t = 0; tn_known(i->r->path) && t < s->toolkit.n; t++) {
        const struct tn_rec_toolkit *k = &s->toolkit.v[t];
        for (size_t n = 0; tn_says(k->path, i->r->path.v) && k->names.k == TN_KNOWN && n < k->names.n; n++)
            tn_clean_user_add(c, i, TN_CLEAN_LINK)->text = k->names.v[n];
    }
    /* A folder of the search orders of this very shell. */
    for (size_t n = 0; tn_known(i->r->path) && n < s->search.n; n++) {
        const struct tn_rec_search *r = &s->search.v[n];
        bool ours = tn_says(r->by, "PATH") || tn_says(r->by, "LD_LIBRARY_PATH");
        bool in = ours && tn_known(r->path) && tn_path_under(st, r->path.v, i->r->path.v);
        for (size_t u = 0; !in && ours && tn_known(r->path) && u < i->n_user; u++)
            in = i->user[u].use == TN_CLEAN_LINK && tn_path_under(st, r->path.v, i->user[u].text);
        if (!in)
            continue;
        struct tn_clean_user *u = tn_clean_user_add(c, i, TN_CLEAN_VARIABLE);
        u->text = r->by.v;
        u->path = r->path.v;
    }
}

static void variables(struct tn_clean *c, struct tn_clean_item *i)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDNN_PATH", "CUDA_BIN_PATH", NULL};
    const struct tn_snap *s = c->s;
    for (size_t n = 0; tn_known(i->r->path) && n < s->variable.n; n++) {
        const struct tn_rec_variable *v = &s->variable.v[n];
        bool leads = tn_known(v->name) && (tn_str_in(v->name.v, names) || tn_str_starts(v->name.v, "CUDA_PATH_V"));
        if (!leads || !tn_known(v->value) || !tn_path_under(tn_snap_style(s), v->value.v, i->r->path.v))
            continue;
        struct tn_clean_user *u = tn_clean_user_add(c, i, TN_CLEAN_VARIABLE);
        u->text = v->name.v;
        u->path = v->value.v;
    }
    const struct tn_key *k;
    for (size_t n = tn_known(i->r->path) ? tn_keys_find(&c->index->mention, i->r->path.v, &k) : 0; n; n--, k++) {
        const struct tn_rec_mention *m = &s->mention.v[k->row];
        /* An activation script names its own environment; that goes with it. */
        bool own = tn_known(m->file) && tn_path_under(tn_snap_style(s), m->file.v, i->r->path.v);
        if (tn_says(m->by, "process") || own)
            continue;
        struct tn_clean_user *u = tn_clean_user_add(c, i, TN_CLEAN_FILE);
        u->text = tn_known(m->file) ? m->file.v : NULL;
        u->path = tn_known(m->path) ? m->path.v : NULL;
        u->number = m->line.k == TN_KNOWN ? m->line.v : -1;
    }
}

void tn_clean_users(struct tn_clean *c, struct tn_clean_item *i)
{
    loads(c, i);
    processes(c, i);
    for (size_t n = 0; tn_clean_is_stored(i->r) && n < i->r->held_by.n; n++)
        tn_clean_user_add(c, i, TN_CLEAN_HELD)->text = i->r->held_by.v[n];
    if (i->kind == TN_CLEAN_WHEEL || i->kind == TN_CLEAN_CONDA)
    requires(c, i);
    if (i->kind == TN_CLEAN_ENV)
        choices(c, i);
    if (i->kind == TN_CLEAN_TOOLKIT || i->kind == TN_CLEAN_CUDNN)
        searched(c, i);
    if (i->kind == TN_CLEAN_TOOLKIT)
        links(c, i);
    if (i->kind == TN_CLEAN_TOOLKIT || i->kind == TN_CLEAN_ENV)
        variables(c, i);
}
