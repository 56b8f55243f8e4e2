/* pins.c - Python packages that the releases of frameworks bind, as variables of the universe. */
#include <string.h>

#include "base/str.h"
#include "plan/inner.h"

static unsigned pin_of(struct tn_plan_universe *u, const char *name)
{
    unsigned i = 0;
    while (i < u->n_pin && !tn_str_eq(u->pin_name[i], name))
        i++;
    return i;
}

void tn_plan_list_pins(struct tn_plan_universe *u)
{
    for (unsigned i = 0; i < u->w->n; i++)
        for (size_t k = 0; k < u->builds[i].n; k++)
            for (unsigned n = 0; n < u->builds[i].v[k].n_bound; n++) {
                const char *name = u->builds[i].v[k].bound[n].name;
                if (pin_of(u, name) == u->n_pin && u->n_pin < TN_PLAN_MAX_PINS)
                    u->pin_name[u->n_pin++] = name;
            }
    for (unsigned p = 0; p < u->n_pin; p++) {
        struct tn_plan_wheels it;
        struct tn_plan_wheel w;
        tn_plan_wheels_of(&it, u->pin_name[p], tn_plan_wheel_platform(u->m), u->m->arch);
        while (tn_plan_wheels_next(&it, &w))
            tn_plan_add_value(u, &u->pin[p], w.version);
        if (!u->pin[p].n)
            continue;
        tn_plan_add_value(u, &u->pin[p], "");          /* not installed at all */
        for (unsigned i = 0; i < u->w->n_other; i++) { /* one that the tables do not know may be there all the same */
            const char *spec = u->w->other[i].spec;
            if (tn_str_eq(u->w->other[i].name, u->pin_name[p]) && tn_str_starts(spec, "==") && !strpbrk(spec, ",*+"))
                tn_plan_add_value(u, &u->pin[p], spec + 2);
        }
    }
}

struct pin_python {
    const struct tn_plan_var *pin;
    const char *min, *max;
    const struct tn_plan_wheel *wheel;
    size_t n;
};

static bool has_python(void *ctx, uint32_t value)
{
    const struct pin_python *p = ctx;
    return value < p->n && tn_str_eq(p->wheel[value].python_min, p->min) &&
           tn_str_eq(p->wheel[value].python_max, p->max);
}

/* Releases of a pinned package take a range of Pythons, too. */
void tn_plan_bind_pin_python(struct tn_plan_universe *u, unsigned p, uint32_t pin_var, uint32_t python_var)
{
    struct tn_plan_wheels it;
    struct tn_plan_wheel w, *all = tn_arena_array(u->mem, u->pin[p].n, sizeof *all);
    size_t n = 0;
    tn_plan_wheels_of(&it, u->pin_name[p], tn_plan_wheel_platform(u->m), u->m->arch);
    while (n < u->pin[p].n && tn_plan_wheels_next(&it, &w))
        if (tn_str_eq(w.version, u->pin[p].value[n]))
            all[n++] = w;
    for (size_t i = 0; i < n; i++) {
        struct pin_python ctx = {&u->pin[p], all[i].python_min, all[i].python_max, all, n};
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = !has_python(&ctx, (uint32_t)k);
        if (!first || (!*ctx.min && !*ctx.max))
            continue;
        struct tn_plan_range r = {.v = &u->python, .min = ctx.min, .max = ctx.max};
        tn_solve_clause(u->solve, tn_plan_reason_of(u, TN_REASON_PIN_PYTHON, p, 0));
        tn_solve_where(u->solve, pin_var, has_python, &ctx, false);
        tn_solve_where(u->solve, python_var, tn_plan_in_range, &r, true);
    }
}

/* What was asked for beside the frameworks. */
void tn_plan_bind_asked(struct tn_plan_universe *u, unsigned p, uint32_t pin_var)
{
    for (unsigned i = 0; i < u->w->n_other; i++) {
        struct tn_plan_range r = {.v = &u->pin[p], .spec = u->w->other[i].spec, .mem = u->mem};
        if (!*r.spec || !tn_str_eq(u->w->other[i].name, u->pin_name[p]))
            continue;
        tn_solve_clause(u->solve, tn_plan_reason_of(u, TN_REASON_OTHER, i, 0));
        tn_solve_where(u->solve, pin_var, tn_plan_in_spec, &r, true);
    }
}

struct bound_group {
    const struct tn_plan_builds *b;
    const struct tn_plan_bound *is;
};

static bool same_bound(const struct tn_plan_bound *a, const struct tn_plan_bound *b)
{
    return tn_str_eq(a->name, b->name) && tn_str_eq(a->spec, b->spec) && tn_str_eq(a->python_min, b->python_min) &&
           tn_str_eq(a->python_max, b->python_max);
}

static bool has_bound(void *ctx, uint32_t value)
{
    const struct bound_group *g = ctx;
    const struct tn_plan_build *b = &g->b->v[value];
    for (unsigned i = 0; i < b->n_bound; i++)
        if (same_bound(&b->bound[i], g->is))
            return true;
    return false;
}

struct bound_list {
    const struct tn_plan_bound **v;
    size_t n, cap;
};

static void list_bounds(struct tn_plan_universe *u, const struct tn_plan_builds *b, const char *name,
                        struct bound_list *ret)
{
    for (size_t k = 0; k < b->n; k++)
        for (unsigned i = 0; i < b->v[k].n_bound; i++) {
            const struct tn_plan_bound *bound = &b->v[k].bound[i];
            bool seen = !tn_str_eq(bound->name, name);
            for (size_t n = 0; n < ret->n && !seen; n++)
                seen = same_bound(ret->v[n], bound);
            if (seen)
                continue;
            if (ret->n == ret->cap)
                ret->v = tn_arena_grow(u->mem, ret->v, ret->n, &ret->cap, sizeof *ret->v);
            ret->v[ret->n++] = bound;
        }
}

/* Each distinct bound of a package's builds on a pin: "none of these builds, another Python, or a release that serves".
 */
void tn_plan_bind_pin(struct tn_plan_universe *u, unsigned package, unsigned p, uint32_t pin_var, uint32_t python_var)
{
    struct bound_list all = {0};
    list_bounds(u, &u->builds[package], u->pin_name[p], &all);
    for (size_t i = 0; i < all.n; i++) {
        const struct tn_plan_bound *bound = all.v[i];
        struct bound_group g = {&u->builds[package], bound};
        struct tn_plan_range r = {.v = &u->pin[p], .spec = bound->spec, .mem = u->mem};
        struct tn_plan_range python = {.v = &u->python, .min = bound->python_min, .max = bound->python_max};
        tn_solve_clause(u->solve, tn_plan_reason_of(u, TN_REASON_BUILD, package, TN_ASPECT_PIN));
        tn_solve_where(u->solve, u->build_var[package], has_bound, &g, false);
        if (*bound->python_min || *bound->python_max)
            tn_solve_where(u->solve, python_var, tn_plan_in_range, &python, false);
        tn_solve_where(u->solve, pin_var, tn_plan_in_spec, &r, true);
    }
}
