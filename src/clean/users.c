/* users.c - who uses an item of the stock, and who names it.
 *
 * Sources of the rules: what the loader gives (record load, loader/); /proc/PID/maps; Requires-Dist and conda's
 * depends, followed until a package that is none of NVIDIA's libraries asks; REQUESTED (PEP 376) and requested_spec. */
#include <string.h>

#include "base/str.h"
#include "clean/clean.h"

struct tn_clean_user *tn_clean_user_add(struct tn_clean *c, struct tn_clean_item *i, enum tn_clean_use use)
{
    i->user = tn_arena_grow(c->mem, i->user, i->n_user, &i->cap_user, sizeof *i->user);
    struct tn_clean_user *u = &i->user[i->n_user++];
    memset(u, 0, sizeof *u);
    u->use = use;
    u->number = -1;
    return u;
}

bool tn_clean_is_broken(const struct tn_snap *s, struct tn_str env)
{
    for (size_t i = 0; tn_known(env) && i < s->stock.n; i++)
        if (tn_says(s->stock.v[i].kind, "env") && tn_known(s->stock.v[i].env) && tn_says(s->stock.v[i].env, env.v))
            return true;
    return false;
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
static bool holds(const struct tn_snap *s, const struct tn_rec_stock *r, const char *path)
{
    enum tn_path_style st = tn_snap_style(s);
    if (tn_says(r->kind, "toolkit") || tn_says(r->kind, "cache"))
        return tn_known(r->path) && tn_path_under(st, path, r->path.v);
    for (size_t p = 0; r->pieces.k == TN_KNOWN && p < r->pieces.n; p++)
        if (tn_path_same(st, path, r->pieces.v[p]))
            return true;
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_known(s->library.v[i].path) && tn_path_same(st, s->library.v[i].path.v, path) &&
            is_owned(r, &s->library.v[i]))
            return true;
    return false;
}

static void loads(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_snap *s = c->s;
    for (size_t n = 0; n < s->load.n; n++) {
        const struct tn_rec_load *l = &s->load.v[n];
        const char *file = tn_known(l->real) ? l->real.v : tn_known(l->path) ? l->path.v : NULL;
        const struct tn_rec_env *e = tn_known(l->env) ? tn_snap_env(s, l->env.v) : NULL;
        bool again = false;
        for (size_t u = 0; u < i->n_user && !again; u++)
            again = i->user[u].env == e && i->user[u].load &&
                    tn_says(l->framework, tn_known(i->user[u].load->framework) ? i->user[u].load->framework.v : "");
        if (!file || !e || again || tn_says(l->outcome, "missing") || tn_clean_is_broken(s, l->env) ||
            !holds(s, i->r, file))
            continue;
        struct tn_clean_user *u = tn_clean_user_add(c, i, TN_CLEAN_LOADS);
        u->env = e;
        u->load = l;
    }
}

static void processes(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_snap *s = c->s;
    for (size_t n = 0; tn_known(i->r->path) && n < s->mention.n; n++) {
        const struct tn_rec_mention *m = &s->mention.v[n];
        if (!tn_says(m->by, "process") || !tn_says(m->leads_to, i->r->path.v))
            continue;
        struct tn_clean_user *u = tn_clean_user_add(c, i, TN_CLEAN_RUNS);
        u->text = tn_known(m->file) ? m->file.v : NULL;
        u->path = tn_known(m->path) ? m->path.v : NULL;
        u->number = m->pid.k == TN_KNOWN ? m->pid.v : -1;
    }
}

static const struct tn_rec_stock *row_of(const struct tn_snap *s, struct tn_str kind, struct tn_str env,
                                         const char *name)
{
    for (size_t i = 0; i < s->stock.n; i++)
        if (tn_says(s->stock.v[i].kind, kind.v) && tn_known(s->stock.v[i].env) && tn_says(env, s->stock.v[i].env.v) &&
            tn_says(s->stock.v[i].name, name))
            return &s->stock.v[i];
    return NULL;
}

#define MAX_CHAIN 256u

/* Follows who asks for it: the first that is no such library itself; "" for one that was asked for by its name; NULL
 * when the chain ends without either. */
static const char *asker(const struct tn_snap *s, const struct tn_rec_stock *r)
{
    const struct tn_rec_stock *queue[MAX_CHAIN] = {r};
    size_t n = 1;
    for (size_t at = 0; at < n; at++) {
        if (tn_is(queue[at]->requested, 1))
            return at ? queue[at]->name.v : "";
        for (size_t w = 0; queue[at]->wanted_by.k == TN_KNOWN && w < queue[at]->wanted_by.n; w++) {
            const char *name = queue[at]->wanted_by.v[w];
            const struct tn_rec_stock *next = row_of(s, r->kind, r->env, name);
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
    const char *who = tn_known(i->r->env) && tn_known(i->r->name) ? asker(c->s, i->r) : NULL;
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
    const struct tn_rec_env *e = tn_known(i->r->env) ? tn_snap_env(s, i->r->env.v) : NULL;
    if (e && tn_is(e->active, 1))
        tn_clean_user_add(c, i, TN_CLEAN_ACTIVE);
}

/* A folder of the loader's own search: a program that nobody has looked at may open it. */
static void searched(struct tn_clean *c, struct tn_clean_item *i)
{
    const struct tn_snap *s = c->s;
    for (size_t n = 0; n < s->library.n; n++)
        if (tn_is(s->library.v[n].reachable, 1) && tn_known(s->library.v[n].path) &&
            holds(s, i->r, s->library.v[n].path.v)) {
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
    for (size_t n = 0; tn_known(i->r->path) && n < s->mention.n; n++) {
        const struct tn_rec_mention *m = &s->mention.v[n];
        /* An activation script names its own environment; that goes with it. */
        bool own = tn_known(m->file) && tn_path_under(tn_snap_style(s), m->file.v, i->r->path.v);
        if (tn_says(m->by, "process") || !tn_says(m->leads_to, i->r->path.v) || own)
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
