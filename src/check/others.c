/* others.c - how many of the environments that are not judged would not see the GPU.
 *
 * Invariant: they are counted, never told one by one: they do not alarm (design 6.1). */
#include <string.h>

#include "check/check.h"
#include "finding/catalogue.h"

/* Faults of the machine are told once, with the judged environment. */
static void run_env_checks(const struct tn_judge *j, struct tn_sink *out)
{
    out->env = tn_known(j->env->id) ? j->env->id.v : NULL;
    for (unsigned i = 0; i < tn_n_checks; i++) {
        const struct tn_cause *c = tn_cause_find(tn_checks[i]->cause);
        if (c && strcmp(c->scope, "env") == 0) {
            out->cause = tn_checks[i]->cause;
            tn_checks[i]->run(j, out);
        }
    }
    tn_findings_merge(out);
}

static bool is_ready(const struct tn_judge *j, struct tn_arena *mem)
{
    struct tn_sink found;
    struct tn_verdict v;
    tn_sink_init(&found, mem);
    memset(&v, 0, sizeof v);
    run_env_checks(j, &found);
    tn_verdict_make(j, &found, &v);
    return v.first == NULL;
}

void tn_check_others(const struct tn_judge *judged, struct tn_verdict *ret)
{
    struct tn_arena mem;
    tn_arena_init(&mem);
    ret->others = ret->others_not_ready = 0;
    for (size_t i = 0; i < judged->s->env.n; i++) {
        struct tn_judge j = *judged;
        size_t row = 0;
        j.env = &judged->s->env.v[i];
        j.env_row = i;
        j.expect = TN_EXPECT_GPU;
        if (j.env == judged->env || tn_judge_framework(&j, &row) == NULL)
            continue;
        ret->others++;
        ret->others_not_ready += !is_ready(&j, &mem);
    }
    tn_arena_deinit(&mem);
}
