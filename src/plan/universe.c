/* universe.c - the wishes, the machine and the tables as variables and clauses of src/solve.
 *
 * Variables, in the order of the preference: a build of each framework, Python, the CUDA run time and the cuDNN that
 * those builds share, Python packages that some release binds. What excludes a build by itself is one clause for each
 * reason; what binds two choices is one clause for each distinct bound. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "facts/cudnn.h"
#include "facts/gpu.h"
#include "plan/index.h"
#include "plan/inner.h"
#include "version/dotted.h"
#include "version/pep440.h"

uint32_t tn_plan_reason_of(struct tn_plan_universe *u, enum tn_plan_reason_kind kind, unsigned package,
                           enum tn_plan_aspect aspect)
{
    for (size_t i = 0; i < u->n_reason; i++) {
        const struct tn_plan_reason *r = &u->reason[i];
        if (r->kind == kind && r->package == package && r->aspect == aspect)
            return (uint32_t)i;
    }
    if (u->n_reason == u->cap_reason)
        u->reason = tn_arena_grow(u->mem, u->reason, u->n_reason, &u->cap_reason, sizeof *u->reason);
    u->reason[u->n_reason++] = (struct tn_plan_reason){kind, package, aspect};
    return tn_solve_reason(u->solve);
}

void tn_plan_add_value(struct tn_plan_universe *u, struct tn_plan_var *v, const char *value)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (tn_str_eq(v->value[i], value))
            return;
    if (v->n == v->cap) {
        size_t cap = v->cap;
        v->value = tn_arena_grow(u->mem, v->value, v->n, &cap, sizeof *v->value);
        v->cap = (uint32_t)cap;
    }
    v->value[v->n++] = value;
}

static int newest_first(const void *a, const void *b)
{
    return tn_version_dotted_cmp(*(const char *const *)b, *(const char *const *)a);
}

static void sort_values(struct tn_plan_var *v)
{
    if (v->n)
        qsort(v->value, v->n, sizeof *v->value, newest_first);
}

/* --- sets of values --- */

bool tn_plan_in_range(void *ctx, uint32_t value)
{
    const struct tn_plan_range *r = ctx;
    const char *v = r->v->value[value];
    return (!*r->min || tn_version_dotted_cmp_parts(v, r->min, 2) >= 0) &&
           (!*r->max || tn_version_dotted_cmp_parts(v, r->max, 2) <= 0);
}

static void parse_values(struct tn_arena *mem, struct tn_plan_var *v)
{
    struct tn_err err;
    if (v->n_parsed == v->n)
        return;
    v->parsed = tn_arena_array(mem, v->n, sizeof *v->parsed);
    v->n_parsed = v->n;
    for (uint32_t i = 0; i < v->n; i++)
        if (tn_version_pep440_parse(tn_span_str(v->value[i]), &v->parsed[i], &err) != 0)
            v->parsed[i] = (struct tn_pep440){0};
}

bool tn_plan_in_spec(void *ctx, uint32_t value)
{
    struct tn_plan_range *r = ctx;
    if (r->set_of != r->spec) {
        r->set = tn_version_pep440_set(r->mem, r->spec, &r->n_set);
        r->set_of = r->spec;
        parse_values(r->mem, r->v);
    }
    const struct tn_pep440 *v = value < r->v->n_parsed ? &r->v->parsed[value] : NULL;
    return r->set && v && v->n_release ? tn_version_pep440_set_takes(r->set, r->n_set, v)
                                       : tn_plan_meets(r->v->value[value], r->spec);
}

struct group {
    const struct tn_plan_builds *b;
    const char *(*key)(const struct tn_plan_build *b);
    const char *is, *is2;
    const char *(*key2)(const struct tn_plan_build *b);
};

static bool in_group(void *ctx, uint32_t value)
{
    const struct group *g = ctx;
    const struct tn_plan_build *b = &g->b->v[value];
    return tn_str_eq(g->key(b), g->is) && (!g->key2 || tn_str_eq(g->key2(b), g->is2));
}

static const char *python_min(const struct tn_plan_build *b)
{
    return b->python_min;
}

static const char *python_max(const struct tn_plan_build *b)
{
    return b->python_max;
}

const char *tn_plan_cuda_spec(const struct tn_plan_build *b)
{
    return b->gpu ? b->cuda_spec : "";
}

const char *tn_plan_cudnn_spec(const struct tn_plan_build *b)
{
    return b->gpu ? b->cudnn_spec : "";
}

/* Is it the first build with this key? */
static bool is_first(const struct group *g, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        const struct tn_plan_build *a = &g->b->v[k], *b = &g->b->v[i];
        if (tn_str_eq(g->key(a), g->key(b)) && (!g->key2 || tn_str_eq(g->key2(a), g->key2(b))))
            return false;
    }
    return true;
}

/* For each distinct key of the builds of a package: "no build of this key, or a value that its bound takes". */
static void bind(struct tn_plan_universe *u, unsigned package, enum tn_plan_aspect aspect, struct group g,
                 struct tn_plan_range r, uint32_t var, bool (*takes)(void *, uint32_t))
{
    for (size_t i = 0; i < g.b->n; i++) {
        const struct tn_plan_build *b = &g.b->v[i];
        g.is = g.key(b);
        g.is2 = g.key2 ? g.key2(b) : NULL;
        if ((!*g.is && (!g.is2 || !*g.is2)) || !is_first(&g, i))
            continue;
        if (g.key2) {
            r.min = g.is;
            r.max = g.is2;
        } else {
            r.spec = g.is;
        }
        tn_solve_clause(u->solve, tn_plan_reason_of(u, TN_REASON_BUILD, package, aspect));
        tn_solve_where(u->solve, u->build_var[package], in_group, &g, false);
        tn_solve_where(u->solve, var, takes, &r, true);
    }
}

struct unexcluded {
    const struct tn_plan_builds *b;
    enum tn_plan_aspect aspect;
};

static bool is_excluded(void *ctx, uint32_t value)
{
    const struct unexcluded *x = ctx;
    return tn_plan_excluded(&x->b->v[value], x->aspect);
}

static void add_exclusions(struct tn_plan_universe *u, unsigned package)
{
    const struct tn_plan_builds *b = &u->builds[package];
    for (unsigned a = 0; a < TN_ASPECT_PYTHON; a++) {
        bool any = false;
        for (size_t i = 0; i < b->n; i++)
            any = any || tn_plan_excluded(&b->v[i], a);
        if (!any)
            continue;
        struct unexcluded x = {b, a};
        tn_solve_clause(u->solve, tn_plan_reason_of(u, TN_REASON_BUILD, package, a));
        tn_solve_where(u->solve, u->build_var[package], is_excluded, &x, false);
    }
}

/* Is a GPU build wanted, and why? */
static void decide_gpu(struct tn_plan_universe *u)
{
    bool none = u->m->cards_known && u->m->n_card == 0;
    u->gpu_why = u->cpu_why = "";
    if (u->w->cpu)
        u->cpu_why = "pl_why_cpu_wish";
    else if (u->w->gpu)
        u->gpu_why = "pl_why_gpu_wish";
    else if (u->m->macos)
        u->cpu_why = "pl_why_cpu_macos";
    else if (none)
        u->cpu_why = "pl_why_cpu_none";
    else if (!u->m->weak)
        u->gpu_why = u->m->n_card ? "pl_why_gpu_card" : "pl_why_gpu_unknown";
    u->gpu = *u->gpu_why != '\0';
}

/* --- variables --- */

static const tn_plan_lister listers[] = {
    [TN_PLAN_TENSORFLOW] = tn_plan_list_tensorflow,
    [TN_PLAN_TORCH] = tn_plan_list_torch,
    [TN_PLAN_JAX] = tn_plan_list_jax,
    [TN_PLAN_ORT] = tn_plan_list_ort,
};

static void list_builds(struct tn_plan_universe *u)
{
    for (unsigned i = 0; i < u->w->n; i++) {
        bool conda = u->method == TN_METHOD_CONDA; /* its packages say themselves what they ask for */
        struct tn_plan_builds wheels = {0};
        listers[u->w->v[i].kind](u->mem, u->m, conda ? TN_METHOD_PIP : u->method, conda ? &wheels : &u->builds[i]);
        if (conda)
            tn_plan_list_conda(u->mem, u->m, u->w->v[i].kind, &wheels, &u->builds[i]);
        else
            tn_plan_take_bounds(u->mem, u->m, &u->builds[i]);
        tn_plan_sort(&u->builds[i], u->gpu || u->w->v[i].gpu);
        tn_plan_exclude_unwished(u, i);
        if (u->w->index)
            tn_index_exclude(u->mem, u->w->index, u->m, &u->builds[i]);
        u->build_var[i] = tn_solve_var(u->solve, (uint32_t)u->builds[i].n);
    }
}

/* Interpreters that are there first, then the newest. */
static void list_pythons(struct tn_plan_universe *u)
{
    struct tn_plan_var all = {0};
    for (unsigned i = 0; i < u->w->n; i++)
        for (size_t k = 0; k < u->builds[i].n; k++) {
            const struct tn_plan_build *b = &u->builds[i].v[k];
            if (*b->python_min)
                tn_plan_add_value(u, &all, b->python_min);
            if (*b->python_max)
                tn_plan_add_value(u, &all, b->python_max);
        }
    for (unsigned minor = 5; minor < 40; minor++) { /* what lies between */
        const char *v = tn_arena_printf(u->mem, "3.%u", minor);
        bool above = false, below = false;
        for (uint32_t i = 0; i < all.n; i++) {
            above = above || tn_version_dotted_cmp(all.value[i], v) > 0;
            below = below || tn_version_dotted_cmp(all.value[i], v) < 0;
        }
        if (above && below)
            tn_plan_add_value(u, &all, v);
    }
    sort_values(&all);
    for (unsigned i = 0; i < u->m->n_python; i++)
        tn_plan_add_value(u, &u->python, u->m->python[i]);
    for (uint32_t i = 0; i < all.n; i++)
        tn_plan_add_value(u, &u->python, all.value[i]);
}

static void list_runtimes(struct tn_plan_universe *u)
{
    const struct tn_table *t = tn_facts_find("cuda_driver_min"), *c = tn_facts_find("cudnn_support");
    int release = t ? tn_facts_column(t, "cuda_release") : -1;
    char minor[TN_DOTTED_TEXT];
    for (uint32_t r = 0; release >= 0 && r < t->nrows; r++)
        if (tn_version_dotted_head(tn_facts_cell(t, r, (uint32_t)release), 2, minor, sizeof minor))
            tn_plan_add_value(u, &u->cuda, tn_arena_strdup(u->mem, minor));
    bool wheels = tn_plan_method_is_wheels(u->method);
    bool conda = u->method == TN_METHOD_MIXED || u->method == TN_METHOD_CONDA;
    if (conda)
        tn_plan_conda_cudnns(u);
    for (uint32_t r = 0; !wheels && !conda && c && r < c->nrows; r++)
        tn_plan_add_value(u, &u->cudnn, tn_facts_get(c, r, "cudnn_version"));
    for (unsigned major = 11; wheels && major <= 13; major++) { /* those that NVIDIA's wheels bring */
        struct tn_plan_wheels it;
        struct tn_plan_wheel w;
        tn_plan_wheels_of(&it, tn_arena_printf(u->mem, "nvidia-cudnn-cu%u", major), tn_plan_wheel_platform(u->m),
                          u->m->arch);
        while (tn_plan_wheels_next(&it, &w))
            tn_plan_add_value(u, &u->cudnn, w.version);
    }
    for (unsigned i = 0; i < u->w->n; i++)
        for (size_t k = 0; k < u->builds[i].n; k++) {
            const struct tn_plan_build *b = &u->builds[i].v[k];
            if (tn_version_dotted_head(b->cuda, 2, minor, sizeof minor))
                tn_plan_add_value(u, &u->cuda, tn_arena_strdup(u->mem, minor));
            if (tn_str_starts(b->cudnn_spec, "==") && !strpbrk(b->cudnn_spec, ",*"))
                tn_plan_add_value(u, &u->cudnn, b->cudnn_spec + 2);
        }
    if (u->method == TN_METHOD_MIXED)
        tn_plan_conda_cudas(u);
    sort_values(&u->cuda);
    sort_values(&u->cudnn);
}

/* --- cuDNN is made for certain majors of CUDA --- */

static bool has_wheel(const struct tn_plan_universe *u, unsigned major, const char *version)
{
    struct tn_plan_wheels it;
    struct tn_plan_wheel w;
    tn_plan_wheels_of(&it, tn_arena_printf(u->mem, "nvidia-cudnn-cu%u", major), tn_plan_wheel_platform(u->m),
                      u->m->arch);
    while (tn_plan_wheels_next(&it, &w))
        if (tn_str_eq(w.version, version))
            return true;
    return false;
}

/* "12 13": those for which there is a wheel, else those that its makers name. "" if not known. */
static const char *majors_of(const struct tn_plan_universe *u, const char *cudnn)
{
    struct tn_facts_cudnn f = {0};
    const char *all = "";
    bool wheels = tn_plan_method_is_wheels(u->method);
    if (u->method == TN_METHOD_MIXED || u->method == TN_METHOD_CONDA)
        return tn_plan_conda_cudnn_majors(u, cudnn);
    for (unsigned major = 11; wheels && major <= 13; major++)
        if (has_wheel(u, major, cudnn))
            all = tn_arena_printf(u->mem, "%s%s%u", all, *all ? " " : "", major);
    if (*all)
        return all;
    if (tn_version_dotted_major(cudnn) < 9 || tn_facts_cudnn(cudnn, TN_PLATFORM_LINUX, &f) != TN_ANSWER_YES)
        return "";
    return f.cuda_majors ? f.cuda_majors : "";
}

struct majors {
    const struct tn_plan_var *v;
    const char **of; /* of each cuDNN */
    const char *list;
};

static bool in_majors(void *ctx, uint32_t value)
{
    const struct majors *m = ctx;
    char major[TN_DOTTED_TEXT];
    return tn_version_dotted_head(m->v->value[value], 1, major, sizeof major) && tn_facts_list_has(m->list, major);
}

static bool has_majors(void *ctx, uint32_t value)
{
    const struct majors *m = ctx;
    return tn_str_eq(m->of[value], m->list);
}

static void bind_cudnn(struct tn_plan_universe *u, uint32_t cuda_var, uint32_t cudnn_var)
{
    struct tn_plan_var lists = {0};
    u->cudnn_majors = tn_arena_array(u->mem, u->cudnn.n + 1, sizeof *u->cudnn_majors);
    for (uint32_t i = 0; i < u->cudnn.n; i++) {
        u->cudnn_majors[i] = majors_of(u, u->cudnn.value[i]);
        if (*u->cudnn_majors[i])
            tn_plan_add_value(u, &lists, u->cudnn_majors[i]);
    }
    for (uint32_t i = 0; i < lists.n; i++) {
        struct majors have = {&u->cudnn, u->cudnn_majors, lists.value[i]}, take = {&u->cuda, NULL, lists.value[i]};
        tn_solve_clause(u->solve, tn_plan_reason_of(u, TN_REASON_CUDNN_LINE, 0, 0));
        tn_solve_where(u->solve, cudnn_var, has_majors, &have, false);
        tn_solve_where(u->solve, cuda_var, in_majors, &take, true);
    }
}

static bool holds(void *ctx, uint32_t value)
{
    return ((const bool *)ctx)[value];
}

/* One clause where some cuDNN does not serve. */
static void must_serve(struct tn_plan_universe *u, enum tn_plan_reason_kind reason, uint32_t cudnn_var, bool *serves)
{
    bool all = true;
    for (uint32_t i = 0; i < u->cudnn.n; i++)
        all = all && serves[i];
    if (all)
        return;
    tn_solve_clause(u->solve, tn_plan_reason_of(u, reason, 0, 0));
    tn_solve_where(u->solve, cudnn_var, holds, serves, true);
}

/* cuDNN drops old cards in the middle of a major: 9.11 begins with 7.5 (NVIDIA's support matrix, table cudnn_support);
 * before 9.0 it does not run on cards that came after it (tn_facts_cudnn_newest_major). */
static void bind_cudnn_cards(struct tn_plan_universe *u, uint32_t cudnn_var)
{
    const char *weakest = "", *newest = "";
    for (unsigned i = 0; i < u->m->n_card; i++) {
        const char *cc = u->m->card[i].capability;
        if (*cc && (!*weakest || tn_version_dotted_cmp(cc, weakest) < 0))
            weakest = cc;
        if (*cc && (!*newest || tn_version_dotted_cmp(cc, newest) > 0))
            newest = cc;
    }
    bool *kept = tn_arena_array(u->mem, u->cudnn.n + 1, sizeof *kept);
    bool *later = tn_arena_array(u->mem, u->cudnn.n + 1, sizeof *later);
    u->cudnn_serves = tn_arena_array(u->mem, u->cudnn.n + 1, sizeof *u->cudnn_serves);
    for (uint32_t i = 0; i < u->cudnn.n; i++) {
        struct tn_facts_cudnn f = {0};
        unsigned last = *newest ? tn_facts_cudnn_newest_major(u->cudnn.value[i]) : 0;
        enum tn_found found = *weakest ? tn_facts_cudnn(u->cudnn.value[i], TN_PLATFORM_LINUX, &f) : TN_ANSWER_NO;
        bool known = (found == TN_ANSWER_YES || found == TN_ANSWER_NEWER) && f.min_cc && *f.min_cc;
        kept[i] = !known || tn_version_dotted_cmp(weakest, f.min_cc) >= 0;
        later[i] = !last || tn_version_dotted_major(newest) <= last;
        u->cudnn_serves[i] = kept[i] && later[i];
    }
    must_serve(u, TN_REASON_CUDNN_CARD, cudnn_var, kept);
    must_serve(u, TN_REASON_CUDNN_LATER, cudnn_var, later);
}

static void wish_python(struct tn_plan_universe *u, uint32_t var)
{
    const char *w = u->w->python;
    char minor[TN_DOTTED_TEXT];
    if (!*w)
        return;
    bool plain = tn_is_digit(*w);
    if (plain && tn_version_dotted_head(w, 2, minor, sizeof minor))
        w = tn_arena_printf(u->mem, "==%s", minor);
    struct tn_plan_range r = {.v = &u->python, .spec = plain ? w : u->w->python, .mem = u->mem};
    tn_solve_clause(u->solve, tn_plan_reason_of(u, TN_REASON_PYTHON, 0, 0));
    tn_solve_where(u->solve, var, tn_plan_in_spec, &r, true);
}

void tn_plan_universe_make(struct tn_plan_universe *u)
{
    uint32_t pin_var[TN_PLAN_MAX_PINS] = {0};
    char minor[TN_DOTTED_TEXT];
    u->solve = tn_solve_new(u->mem);
    decide_gpu(u);
    list_builds(u);
    if (tn_is_digit(*u->w->python) && tn_version_dotted_head(u->w->python, 2, minor, sizeof minor))
        tn_plan_add_value(u, &u->python, tn_arena_strdup(u->mem, minor));
    list_pythons(u);
    list_runtimes(u);
    tn_plan_list_pins(u);
    uint32_t python = tn_solve_var(u->solve, u->python.n), cuda = tn_solve_var(u->solve, u->cuda.n);
    uint32_t cudnn = tn_solve_var(u->solve, u->cudnn.n);
    for (unsigned p = 0; p < u->n_pin; p++)
        pin_var[p] = u->pin[p].n ? tn_solve_var(u->solve, u->pin[p].n) : TN_SOLVE_NONE;
    wish_python(u, python);
    for (unsigned i = 0; i < u->w->n; i++) {
        struct group python_of = {&u->builds[i], python_min, NULL, NULL, python_max};
        struct group cuda_of = {.b = &u->builds[i], .key = tn_plan_cuda_spec},
                     cudnn_of = {.b = &u->builds[i], .key = tn_plan_cudnn_spec};
        add_exclusions(u, i);
        bind(u, i, TN_ASPECT_PYTHON, python_of, (struct tn_plan_range){.v = &u->python, .mem = u->mem}, python,
             tn_plan_in_range);
        bind(u, i, TN_ASPECT_LINE, cuda_of, (struct tn_plan_range){.v = &u->cuda, .mem = u->mem}, cuda,
             tn_plan_in_spec);
        bind(u, i, TN_ASPECT_CUDNN, cudnn_of, (struct tn_plan_range){.v = &u->cudnn, .mem = u->mem}, cudnn,
             tn_plan_in_spec);
        for (unsigned p = 0; p < u->n_pin; p++)
            if (u->pin[p].n)
                tn_plan_bind_pin(u, i, p, pin_var[p], python);
    }
    bind_cudnn(u, cuda, cudnn);
    bind_cudnn_cards(u, cudnn);
    for (unsigned p = 0; p < u->n_pin; p++)
        if (u->pin[p].n) {
            tn_plan_bind_pin_python(u, p, pin_var[p], python);
            tn_plan_bind_asked(u, p, pin_var[p]);
        }
}
