/* load.c - what each framework of the judged environment would open, and which file it would get.
 *
 * The requests are loader/asks.h's, the answers loader/loader.h's, over the machine itself: nothing is loaded or run. A
 * framework alone in its process first; where the environment holds two, then each after the other, as one program may
 * import them (rows differ only where another file comes of it). The files, folders and cache entries that were looked
 * at become rows of image, dir and cached, so that a snapshot alone gives the same answers. */
#include <string.h>

#include "base/keys.h"
#include "base/str.h"
#include "loader/asks_run.h"
#include "probe/loader_disk.h"
#include "probe/promised.h"
#include "probe/probe.h"

#define MAX_FRAMEWORKS 8u

struct view {
    struct tn_probe_ctx *c;
    const struct tn_rec_env *env;
    const struct tn_disk *disk;
    uint32_t src;
    struct tn_keys framework; /* env.id: rows */
};

static const char *fault_of(const struct tn_load *v)
{
    if (v->outcome != TN_OUTCOME_STOPS || !v->error)
        return NULL;
    if (v->lacks)
        return "version";
    if (v->culprit_outcome == TN_OUTCOME_MISSING)
        return "missing";
    return v->damaged ? "damaged" : "other";
}

static const struct tn_rec_library *library_at(const struct tn_snap *s, const char *real)
{
    for (size_t i = 0; real && i < s->library.n; i++)
        if (tn_known(s->library.v[i].path) && tn_path_same(tn_snap_style(s), s->library.v[i].path.v, real))
            return &s->library.v[i];
    return NULL;
}

/* The environment's own copy of a name, of another file than the one that is loaded: when that lies in the environment
 * itself, one that it hides (conda's beside a wheel's). */
static const struct tn_rec_library *own_copy(const struct view *w, const struct tn_load *v, const char *real)
{
    const struct tn_snap *s = w->c->s;
    enum tn_path_style st = tn_snap_style(s);
    const struct tn_rec_library *loaded = library_at(s, real);
    bool inside = loaded && tn_known(loaded->env) && tn_says(loaded->env, w->env->id.v);
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        bool hidden = false;
        if (l == loaded || !tn_says(l->soname, v->name) || !tn_says(l->env, w->env->id.v) || !tn_known(l->path) ||
            tn_is(l->bits, 32) || tn_says(l->kind, "empty") || tn_says(l->kind, "stub"))
            continue;
        for (size_t k = 0; k < v->n_shadowed && !hidden; k++)
            hidden = tn_path_same(st, tn_path_norm(w->c->tmp, st, v->shadowed[k]), l->path.v);
        if (!inside || hidden)
            return l;
    }
    return NULL;
}

static struct tn_str toolkit_of(const struct tn_snap *s, const char *real, uint32_t src)
{
    for (size_t i = 0; real && i < s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        if (tn_known(t->path) && !tn_says(t->kind, "system") && tn_path_under(tn_snap_style(s), real, t->path.v))
            return t->version;
    }
    return tn_fact_nostr(src, TN_ABSENT);
}

static void describe(const struct view *w, struct tn_rec_load *r, const struct tn_load *v, const char *real)
{
    struct tn_snap *s = w->c->s;
    const struct tn_rec_library *l = library_at(s, real), *own = own_copy(w, v, real);
    r->version = l ? l->version : tn_fact_nostr(w->src, TN_UNASKED);
    r->place = l ? l->place : tn_fact_nostr(w->src, TN_ABSENT);
    r->kind = l ? l->kind : tn_fact_nostr(w->src, TN_ABSENT);
    r->toolkit = toolkit_of(s, real, w->src);
    r->own = tn_fact_int(w->src, own != NULL);
    r->own_version = own ? own->version : tn_fact_nostr(w->src, TN_ABSENT);
    r->own_path = own ? own->path : tn_fact_nostr(w->src, TN_ABSENT);
}

static void add(const struct view *w, const struct tn_load *v, const struct tn_rec_framework *f, const char *after)
{
    struct tn_snap *s = w->c->s;
    struct tn_str framework = f->name;
    const char *fault = fault_of(v);
    struct tn_rec_load *r = TN_ADD(s, load);
    r->env = w->env->id;
    r->framework = framework;
    r->name = tn_fact_str(s, w->src, v->name);
    r->how = tn_fact_str(s, w->src, v->need ? "need" : tn_ask_how_word(v->ask->how));
    r->from = tn_fact_str(s, w->src, v->from);
    r->class = tn_fact_str(s, w->src, tn_ask_class_word(v->ask->is));
    r->part = tn_fact_str(s, w->src, v->ask->part);
    r->after = tn_fact_str(s, w->src, after);
    r->outcome = tn_fact_str(s, w->src, tn_outcome_word(v->outcome));
    r->path = tn_fact_str(s, w->src, v->path);
    r->real = tn_fact_str(s, w->src, v->real);
    r->by = tn_fact_str(s, w->src, v->path ? tn_rule_word(v->rule) : NULL);
    r->tag = tn_fact_str(s, w->src, v->tag);
    r->culprit = tn_fact_str(s, w->src, v->culprit);
    r->fault = tn_fact_str(s, w->src, fault);
    r->culprit_path = tn_fact_str(s, w->src, v->culprit_path);
    r->lacks = tn_fact_str(s, w->src, v->lacks);
    r->error = tn_fact_str(s, w->src, v->error);
    r->shadows = tn_fact_list(s, w->src, v->shadowed, v->n_shadowed);
    describe(w, r, v, v->real ? v->real : v->path);
}

/* Rows of what a framework got alone, or of what differs when another came first. */
static void rows(const struct view *w, const struct tn_loads *l, unsigned from, const struct tn_rec_framework *f,
                 const char *after, size_t alone_from, size_t alone_to)
{
    for (unsigned i = from; i < l->n; i++) {
        const struct tn_load *v = &l->v[i];
        bool same = false;
        for (size_t k = alone_from; after && k < alone_to && !same; k++) {
            const struct tn_rec_load *r = &w->c->s->load.v[k];
            same = tn_says(r->name, v->name) && tn_says(r->outcome, tn_outcome_word(v->outcome)) &&
                   tn_str_eq(tn_known(r->path) ? r->path.v : NULL, v->path);
        }
        if (!after || (!same && v->ask->how != TN_ASK_PRELOAD && !v->need))
            add(w, v, f, after);
    }
}

struct pair {
    struct tn_asks asks;
    const struct tn_rec_framework *f; /* row by number: rows move */
    size_t row, from, to;             /* its rows of load */
};

static bool run_alone(const struct view *w, struct pair *p, struct tn_arena *mem)
{
    struct tn_loads l;
    if (!tn_loads_start(&l, w->c->s, w->env, w->disk, mem))
        return false;
    tn_loads_make(&l, &p->asks);
    p->from = w->c->s->load.n;
    rows(w, &l, 0, p->f, NULL, 0, 0);
    p->to = w->c->s->load.n;
    return true;
}

/* What a program gets that calls the framework's own function for it. */
static void run_call(const struct view *w, const struct pair *p, const char *call, struct tn_arena *mem)
{
    struct tn_asks asks;
    struct tn_loads l;
    if (!tn_asks_make_call(&asks, mem, w->c->s, p->f, call) || !tn_loads_start(&l, w->c->s, w->env, w->disk, mem))
        return;
    tn_loads_make(&l, &asks);
    rows(w, &l, 0, p->f, call, p->from, p->to);
}

static void run_after(const struct view *w, const struct pair *first, const struct pair *second, struct tn_arena *mem)
{
    struct tn_loads l;
    if (!tn_loads_start(&l, w->c->s, w->env, w->disk, mem))
        return;
    tn_loads_make(&l, &first->asks);
    unsigned from = l.n;
    tn_loads_make(&l, &second->asks);
    rows(w, &l, from, second->f, first->f->name.v, second->from, second->to);
}

/* What a person asks about: the rows that are looked at stay; the answer is made of them again (cmd/why.c). */
static void run_asked(const struct view *w)
{
    const struct tn_want *want = w->c->want;
    struct tn_loads l;
    if (want && (want->load_file || want->load_name))
        tn_loads_file(&l, w->c->s, w->env, w->disk, w->c->tmp, want->load_file, want->load_name);
}

/* The frameworks of one environment; true: what they load is known. */
static bool run_env(const struct view *w, bool only)
{
    struct tn_probe_ctx *c = w->c;
    struct tn_snap *s = c->s;
    struct pair pair[MAX_FRAMEWORKS];
    const struct tn_rec_env *env = w->env;
    const struct tn_key *key;
    unsigned n = 0;
    for (size_t left = tn_keys_find(&w->framework, env->id.v, &key); left && n < MAX_FRAMEWORKS; left--, key++) {
        pair[n].f = &s->framework.v[key->row];
        n += tn_asks_make(&pair[n].asks, c->tmp, s, pair[n].f);
    }
    bool known = n > 0;
    for (unsigned i = 0; i < n; i++)
        known &= run_alone(w, &pair[i], c->tmp);
    for (unsigned i = 0; i < n; i++)
        run_call(w, &pair[i], "preload_dlls", c->tmp);
    for (unsigned i = 0; i < n && !only; i++)
        for (unsigned k = 0; k < n; k++)
            if (i != k)
                run_after(w, &pair[i], &pair[k], c->tmp);
    return known;
}

static void look(struct tn_probe_ctx *c, const struct tn_disk *disk, uint32_t src)
{
    struct tn_snap *s = c->s;
    const struct tn_rec_env *env = tn_snap_judged(s);
    struct view w = {c, env, disk, src, {0}};
    bool only = c->want && c->want->loads_only, one = only && c->want->load_file, all = c->want && c->want->clean;
    for (size_t i = 0; i < s->framework.n; i++)
        if (tn_known(s->framework.v[i].env))
            tn_keys_add(&w.framework, c->tmp, s->framework.v[i].env.v, i);
    tn_keys_sort(&w.framework);
    run_asked(&w);
    for (size_t i = 0; all && i < s->env.n; i++) { /* whose each file is */
        struct view other = w;
        other.env = &s->env.v[i];
        if (other.env != env && tn_known(other.env->id))
            run_env(&other, false);
    }
    if (!env || !tn_known(env->id) || one)
        return;
    if (run_env(&w, only)) {
        s->load.listed = TN_KNOWN;
        s->load.src = w.src;
    }
}

static void run(struct tn_probe_ctx *c)
{
    struct tn_disk disk;
    tn_disk_world(&disk, c->w, c->s, c->tmp);
    look(c, &disk, tn_snap_src(c->s, TN_KNOWN, NULL, "loader"));
}

void tn_probe_load_again(struct tn_snap *s, struct tn_arena *mem)
{
    struct tn_disk disk;
    struct tn_want want = {.plain = true};
    struct tn_probe_ctx c = {.s = s, .tmp = mem, .want = &want};
    if (s->load.listed != TN_KNOWN) /* nobody has worked it out before */
        return;
    s->load.n = 0;
    s->load.listed = TN_UNASKED;
    tn_disk_snapshot(&disk, s, mem);
    look(&c, &disk, tn_snap_src(s, TN_KNOWN, NULL, "the plan"));
}

TN_PROBE(load, TN_PHASE_LOAD, run, "what the frameworks of the judged environment would load",
         .gives = TN_HAS(load) | TN_HAS(image) | TN_HAS(cached) | TN_HAS(dir),
         .reads = TN_HAS(env) | TN_HAS(dist) | TN_HAS(framework) | TN_HAS(library) | TN_HAS(toolkit) | TN_HAS(search) |
                  TN_HAS(variable) | TN_HAS(cpu));
