/* run.c - runs the checks of a judge. See check.h.
 *
 * Invariant: where the CPU is expected, a fault of the GPU stack is a note: nobody waits for it. */
#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "finding/catalogue.h"

/* Names are file names: dashes; C identifiers in constants: underscores. */
static bool is_named(const struct tn_check *c, const char *const *glob)
{
    char name[64];
    size_t n = strlen(c->name);
    if (n >= sizeof name)
        n = sizeof name - 1;
    for (size_t i = 0; i < n; i++)
        name[i] = c->name[i] == '_' ? '-' : c->name[i];
    name[n] = '\0';
    for (; *glob; glob++)
        if (tn_str_glob(*glob, name) || tn_str_glob(*glob, c->cause))
            return true;
    return false;
}

static bool is_gpu_stack(const struct tn_cause *c)
{
    static const char *const layer[] = {"hardware",  "driver",   "wsl",     "container", "cuda", "cudnn",
                                        "framework", "gpu-code", "runtime", "build",     NULL};
    static const char *const any_use[] = {"framework-corrupt", "wrong-environment", NULL}; /* not even the CPU works */
    return c && tn_str_in(c->layer, layer) && !tn_str_in(c->slug, any_use);
}

static void lower(struct tn_sink *out, size_t from)
{
    for (size_t i = from; i < out->n; i++)
        if (is_gpu_stack(tn_cause_find(out->v[i].cause)))
            out->v[i].severity = TN_NOTE;
}

static void run_one(const struct tn_judge *j, const struct tn_check *c, struct tn_sink *out)
{
    size_t before = out->n;
    out->cause = c->cause;
    c->run(j, out);
    if (j->expect == TN_EXPECT_CPU)
        lower(out, before);
}

/* What was read of a machine that was not asked to the end is true, but what it lacks may only not have been read: a
 * finding is a hint there, and no verdict. */
static void weaken(struct tn_sink *out)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].status < TN_POSSIBLE)
            out->v[i].status = TN_POSSIBLE;
}

unsigned tn_check_run(const struct tn_judge *j, const char *const *only, const char *const *skip, struct tn_sink *out)
{
    unsigned n = 0;
    out->env = j->env && tn_known(j->env->id) ? j->env->id.v : NULL;
    for (unsigned i = 0; i < tn_n_checks; i++) {
        const struct tn_check *c = tn_checks[i];
        if ((only && !is_named(c, only)) || (skip && is_named(c, skip)))
            continue;
        run_one(j, c, out);
        n++;
    }
    if (tn_is(TN_THE(j->s, host)->late, 1))
        weaken(out);
    return n;
}

tn_record_set tn_check_needs(const char *const *only, const char *const *skip, bool judged)
{
    tn_record_set all = 0;
    for (unsigned i = 0; i < tn_n_checks; i++) {
        const struct tn_check *c = tn_checks[i];
        if ((only && !is_named(c, only)) || (skip && is_named(c, skip)))
            continue;
        if (!c->needs)
            return 0;
        all |= c->needs | (judged && is_gpu_stack(tn_cause_find(c->cause)) ? TN_NEEDS_EXPECT : 0);
    }
    return all;
}

bool tn_check_matches(const struct tn_check *c, const char *glob)
{
    const char *const list[] = {glob, NULL};
    return is_named(c, list);
}
