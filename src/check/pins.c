/* pins.c - see pins.h. */
#include "check/pins.h"

#include <string.h>

#include "base/str.h"
#include "facts/pins.h"

static const char *family(const char *name)
{
    return tn_needs_is_tensorflow(name) ? "tensorflow" : name;
}

/* The bound of the tables that is not met and breaks most; false if there is none. */
static bool broken_pin(const struct tn_judge *j, size_t who, const char *needs, struct tn_facts_pin *ret)
{
    struct tn_facts_pin p;
    uint32_t row = 0;
    bool any = false;
    size_t have = tn_needs_have(j, needs);
    const char *name = family(j->s->dist.v[who].name.v), *version = tn_needs_version(j, who);
    while (*version && have < j->s->dist.n && tn_facts_pin_next(name, version, &row, &p))
        if (strcmp(p.needs, needs) == 0 && strcmp(p.breaks, "nothing") != 0 &&
            !tn_needs_meets(tn_needs_version(j, have), p.spec) && (!any || strcmp(p.breaks, "part") != 0)) {
            *ret = p;
            any = true;
        }
    return any;
}

/* A bound of the tables, with what the package says of itself: what is installed then must not break the next rule. */
static const char *with_own_bound(const struct tn_judge *j, struct tn_sink *out, size_t who,
                                  const struct tn_facts_pin *p)
{
    struct tn_need n;
    for (struct tn_needs it = tn_needs_of(j, who, ""); tn_needs_next(&it, &n);)
        if (strcmp(n.q.name, p->needs) == 0 && *n.want && strcmp(n.want, p->spec) != 0)
            return tn_arena_printf(out->mem, "%s,%s", p->spec, n.want);
    return p->spec;
}

static void report_pin(const struct tn_judge *j, struct tn_sink *out, size_t who, const struct tn_facts_pin *p)
{
    size_t have = tn_needs_have(j, p->needs);
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(dist, have, version));
    f->variant = p->breaks;
    if (strcmp(p->breaks, "part") == 0)
        f->severity = TN_WARNING;
    tn_needs_say(out, f, j, who, p->needs, have, p->spec);
    tn_needs_remedy(out, f, j, p->needs, with_own_bound(j, out, who, p));
}

static void report_metadata(const struct tn_judge *j, struct tn_sink *out, const struct tn_need *n)
{
    struct tn_finding *f = tn_find(out, TN_POSSIBLE, TN_REF(dist, n->have, version));
    f->variant = "metadata";
    f->severity = TN_WARNING;
    tn_needs_say(out, f, j, n->who, n->q.name, n->have, n->want);
    tn_needs_remedy(out, f, j, n->q.name, n->want);
}

bool tn_pins_break(const struct tn_judge *j, size_t who, const char *needs)
{
    struct tn_facts_pin p;
    return broken_pin(j, who, needs, &p);
}

/* What the tables know needs no metadata. */
static void judge_pins(const struct tn_judge *j, struct tn_sink *out, size_t who, bool (*mine)(const char *needs))
{
    static const char *const needs[] = {"protobuf", "keras", "numpy", "scipy", NULL};
    struct tn_facts_pin p;
    uint32_t row = 0;
    if (!tn_facts_pin_next(family(j->s->dist.v[who].name.v), tn_needs_version(j, who), &row, &p))
        return; /* nobody the tables know */
    for (const char *const *n = needs; *n; n++)
        if (mine(*n) && broken_pin(j, who, *n, &p))
            report_pin(j, out, who, &p);
}

static void judge_metadata(const struct tn_judge *j, struct tn_sink *out, size_t who, bool (*mine)(const char *needs))
{
    struct tn_facts_pin p;
    struct tn_need n;
    for (struct tn_needs it = tn_needs_of(j, who, ""); tn_needs_next(&it, &n);)
        if (mine(n.q.name) && n.have < j->s->dist.n && !n.met && *tn_needs_version(j, n.have) &&
            !broken_pin(j, who, n.q.name, &p) && !(tn_needs_by_conda(j, who) && tn_needs_by_conda(j, n.have)))
            report_metadata(j, out, &n);
}

void tn_pins_judge(const struct tn_judge *j, struct tn_sink *out, bool (*mine)(const char *needs), bool only_frameworks)
{
    static const char *const names[] = {"torch", "jax", "jaxlib", "keras", "tf-keras", NULL};
    size_t row = 0;
    for (const struct tn_rec_dist *d; (d = tn_needs_dist(j, &row));) {
        const char *name = d->name.v;
        bool framework = tn_needs_is_tensorflow(name) || tn_str_in(name, names) || tn_str_starts(name, "onnxruntime");
        judge_pins(j, out, row - 1, mine);
        if ((framework || !only_frameworks) && d->requires.k == TN_KNOWN)
            judge_metadata(j, out, row - 1, mine);
    }
}
