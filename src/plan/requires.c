/* requires.c - bounds on Python packages that the releases of frameworks need.
 *
 * What the metadata of a release says (facts/requires.h) and what it should have said (facts/pins.h). Only the packages
 * over which frameworks fall out with each other or with Python: the others are the resolver's work. */
#include "facts/requires.h"

#include "base/str.h"
#include "facts/pins.h"
#include "plan/inner.h"
#include "version/dotted.h"

static const char *const watched[] = {"numpy", "protobuf", "keras", "ml-dtypes", "typing-extensions", NULL};

struct bounds {
    struct tn_arena *mem;
    struct tn_plan_bound *v;
    size_t n, cap;
};

static void add(struct bounds *b, struct tn_plan_bound bound)
{
    if (b->n == b->cap)
        b->v = tn_arena_grow(b->mem, b->v, b->n, &b->cap, sizeof *b->v);
    b->v[b->n++] = bound;
}

/* Where the rows of a package are: its builds stand together. */
struct place {
    const char *package;
    bool known;
    struct tn_facts_requires_it it;
};

static bool begin(struct place *p, const char *package, const char *version)
{
    if (p->package && tn_str_eq(p->package, package) && p->known)
        return tn_facts_requires_again(version, &p->it);
    p->package = package;
    p->known = tn_facts_requires_begin(package, version, &p->it);
    return p->known;
}

static void read_bounds(struct bounds *b, const struct tn_plan_machine *m, const struct tn_plan_build *build,
                        struct place *place)
{
    struct tn_facts_place where = {m->platform, m->arch, NULL};
    struct tn_facts_require r;
    struct tn_facts_pin pin;
    const char *package = tn_str_eq(build->variant, "cpu") || build->kind == TN_PLAN_TORCH ? "torch" : build->package;
    bool known = begin(place, package, build->version);
    while (known && tn_facts_requires_step(&place->it, build->version, &where, &r))
        if (!*r.extra && *r.spec && tn_str_in(r.needs, watched))
            add(b, (struct tn_plan_bound){r.needs, r.spec, r.python_min, r.python_max, true, r.cite});
    const struct tn_facts_numpy2 *numpy2 =
        tn_facts_numpy2_since(build->kind == TN_PLAN_JAX ? "jaxlib" : package); /* jax and jaxlib come together */
    if (numpy2 && tn_version_dotted_cmp(build->version, numpy2->first) < 0)
        add(b, (struct tn_plan_bound){"numpy", "<2", "", "", false, numpy2->cite});
    for (uint32_t row = 0; tn_facts_pin_next(tn_plan_kind_word(build->kind), build->version, &row, &pin);)
        if (!tn_str_eq(pin.breaks, "nothing")) /* a bound that only metadata draws */
            add(b, (struct tn_plan_bound){pin.needs, pin.spec, "", "", false, pin.cite});
}

/* Variants of a release stand together before they are sorted, and ask for the same. */
void tn_plan_take_bounds(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_plan_builds *all)
{
    struct place place = {0};
    for (size_t i = 0; i < all->n; i++) {
        struct tn_plan_build *b = &all->v[i], *last = i ? &all->v[i - 1] : NULL;
        if (last && tn_str_eq(last->version, b->version) && tn_str_eq(last->package, b->package)) {
            b->bound = last->bound;
            b->n_bound = last->n_bound;
            continue;
        }
        struct bounds r = {.mem = mem};
        read_bounds(&r, m, b, &place);
        b->bound = r.v;
        b->n_bound = (unsigned)r.n;
    }
}
