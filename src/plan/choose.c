/* choose.c - values of the solver's variables back as a choice: builds, Python, run time, pins. */
#include <string.h>

#include "base/str.h"
#include "facts/gpu.h"
#include "plan/inner.h"
#include "version/dotted.h"

static bool all_take(const struct tn_plan_choice *c, const char *value,
                     const char *(*spec)(const struct tn_plan_build *))
{
    for (unsigned i = 0; i < c->n; i++)
        if (*spec(c->build[i]) && !tn_plan_meets(value, spec(c->build[i])))
            return false;
    return true;
}

/* The one that the first GPU build was made with, where all take it and it is not older than the cards, and serves
 * them; else the newest that all take. */
static const char *shared(const struct tn_plan_choice *c, const struct tn_plan_var *v, const char *built,
                          const char *(*spec)(const struct tn_plan_build *), const char *least, const char **majors,
                          const bool *serves, const char *cuda)
{
    char major[TN_DOTTED_TEXT] = "";
    tn_version_dotted_head(cuda, 1, major, sizeof major);
    const char *newest = "";
    unsigned parts = tn_version_dotted_cmp(built, least) < 0 ? 0 : tn_version_dotted_count(built);
    for (uint32_t i = 0; i < v->n; i++) {
        if (!all_take(c, v->value[i], spec) || (serves && !serves[i]) ||
            (majors && *majors[i] && !tn_facts_list_has(majors[i], major)))
            continue;
        if (parts && tn_version_dotted_cmp_parts(v->value[i], built, parts > 2 ? 2 : parts) == 0)
            return v->value[i];
        if (!*newest)
            newest = v->value[i];
    }
    return newest;
}

/* The first CUDA whose libraries hold code for every card; "" if none is known. */
static const char *first_cuda(const struct tn_plan_machine *m)
{
    const char *first = "";
    for (unsigned i = 0; i < m->n_card; i++) {
        struct tn_facts_capability c;
        if (*m->card[i].capability && tn_facts_capability(m->card[i].capability, &c) == TN_ANSWER_YES &&
            tn_version_dotted_cmp(c.first_cuda, first) > 0)
            first = c.first_cuda;
    }
    return first;
}

static void choose_runtime(struct tn_plan_universe *u, struct tn_plan_choice *c)
{
    const struct tn_plan_build *first = NULL;
    c->cuda = c->cudnn = "";
    for (unsigned i = c->n; i-- > 0;) { /* the first that shares one, else one that brings its own inside */
        const struct tn_plan_build *b = c->build[i];
        if (b->gpu && (!first || !(b->mark & TN_PLAN_BUNDLED) || first->mark & TN_PLAN_BUNDLED))
            first = b;
    }
    if (!first)
        return;
    if (first->mark & TN_PLAN_BUNDLED) {
        c->cuda = first->cuda;
        c->cudnn = first->cudnn;
        return;
    }
    bool tested = *first->cudnn != '\0'; /* else its makers name lower bounds alone */
    c->cuda = shared(c, &u->cuda, tested ? first->cuda : "", tn_plan_cuda_spec, first_cuda(u->m), NULL, NULL, "");
    c->cudnn = shared(c, &u->cudnn, first->cudnn, tn_plan_cudnn_spec, "", u->cudnn_majors, u->cudnn_serves, c->cuda);
    for (unsigned i = 0; i < c->n; i++) {
        const struct tn_plan_build *b = c->build[i];
        bool other = b->gpu && *b->cuda && *b->cuda_spec && tn_version_dotted_cmp_parts(b->cuda, c->cuda, 2) != 0;
        if (other && c->quality == TN_PLAN_TESTED)
            c->quality = TN_PLAN_DOCUMENTED;
    }
}

static bool is_upper(const char *spec)
{
    return spec[0] == '<' && tn_is_digit(spec[1]) && !strchr(spec, ',');
}

/* "<2" and "<1.24" are "<1.24". */
static const char *join(struct tn_arena *mem, const char *a, const char *b)
{
    if (!*a || tn_str_eq(a, b))
        return b;
    if (is_upper(a) && is_upper(b))
        return tn_version_dotted_cmp(a + 1, b + 1) < 0 ? a : b;
    return tn_arena_printf(mem, "%s,%s", a, b);
}

static bool holds(const struct tn_plan_bound *b, const char *python)
{
    return (!*b->python_min || tn_version_dotted_cmp_parts(python, b->python_min, 2) >= 0) &&
           (!*b->python_max || tn_version_dotted_cmp_parts(python, b->python_max, 2) <= 0);
}

static bool is_bound(const struct tn_plan_choice *c, const char *name)
{
    for (unsigned i = 0; i < c->n; i++)
        for (unsigned k = 0; k < c->build[i]->n_bound; k++)
            if (tn_str_eq(c->build[i]->bound[k].name, name))
                return true;
    return false;
}

static void choose_pins(struct tn_plan_universe *u, const uint32_t *value, uint32_t var, struct tn_plan_choice *c)
{
    for (unsigned p = 0; p < u->n_pin; p++) {
        struct tn_plan_pin pin = {.name = u->pin_name[p], .spec = "", .version = ""};
        if (u->pin[p].n)
            pin.version = u->pin[p].value[value[var++]];
        for (unsigned i = 0; i < c->n; i++)
            for (unsigned k = 0; k < c->build[i]->n_bound; k++) {
                const struct tn_plan_bound *b = &c->build[i]->bound[k];
                if (!tn_str_eq(b->name, pin.name) || !holds(b, c->python))
                    continue;
                pin.needed = pin.needed || !b->known_to_pip;
                if (b->known_to_pip && *pin.spec)
                    continue;
                pin.spec = b->known_to_pip ? pin.spec : join(u->mem, pin.spec, b->spec);
                pin.cite = b->known_to_pip ? pin.cite : b->cite;
            }
        if ((pin.needed || is_bound(c, pin.name)) && c->n_pin < TN_LEN(c->pin))
            c->pin[c->n_pin++] = pin;
    }
}

void tn_plan_choose(struct tn_plan_universe *u, const uint32_t *value, struct tn_plan_choice *ret)
{
    *ret = (struct tn_plan_choice){.n = u->w->n, .quality = TN_PLAN_TESTED};
    for (unsigned i = 0; i < u->w->n; i++) {
        ret->build[i] = &u->builds[i].v[value[u->build_var[i]]];
        if (ret->build[i]->quality > ret->quality)
            ret->quality = ret->build[i]->quality;
    }
    uint32_t python = u->w->n; /* variables stand in the order of their making */
    ret->python = u->python.value[value[python]];
    choose_runtime(u, ret);
    choose_pins(u, value, python + 3, ret);
}
