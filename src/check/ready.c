/* ready.c - see ready.h. */
#include "check/ready.h"

#include <string.h>

#include "finding/catalogue.h"

static void run_scope(const struct tn_judge *j, const char *scope, struct tn_sink *out)
{
    out->env = j->env && tn_known(j->env->id) ? j->env->id.v : NULL;
    for (unsigned i = 0; i < tn_n_checks; i++) {
        const struct tn_cause *c = tn_cause_find(tn_checks[i]->cause);
        if (!c || strcmp(c->scope, scope) != 0)
            continue;
        out->cause = tn_checks[i]->cause;
        tn_checks[i]->run(j, out);
    }
    tn_findings_merge(out);
}

/* The verdict of these findings alone; what the verdict points to lives in the sink. */
static enum tn_ready_how add_up(const struct tn_judge *j, const struct tn_sink *found, const struct tn_finding **reason)
{
    struct tn_verdict v;
    v.others = v.others_not_ready = 0;
    tn_verdict_make(j, found, &v);
    *reason = v.status == TN_VERDICT_PROBLEM ? v.first : v.status == TN_VERDICT_UNKNOWN ? v.open : NULL;
    return v.status == TN_VERDICT_PROBLEM   ? TN_READY_NO
           : v.status == TN_VERDICT_UNKNOWN ? TN_READY_UNKNOWN
                                            : TN_READY_YES;
}

static struct tn_ready judge_env(const struct tn_judge *j, struct tn_arena *mem)
{
    struct tn_sink found;
    struct tn_ready r = {.how = TN_READY_YES};
    tn_sink_init(&found, mem);
    run_scope(j, "env", &found);
    r.how = add_up(j, &found, &r.reason);
    return r;
}

/* Environments that were judged last: most of a machine's are alike. */
#define KINDS 64u
struct kind {
    struct tn_judge j;
    struct tn_ready ready;
};

static struct tn_ready judge_once(const struct tn_judge *j, struct kind *kind, unsigned *n, struct tn_arena *mem)
{
    unsigned have = *n < KINDS ? *n : KINDS;
    for (unsigned i = 0; i < have; i++)
        if (tn_check_alike(&kind[i].j, j))
            return kind[i].ready;
    struct tn_ready r = judge_env(j, mem);
    kind[(*n)++ % KINDS] = (struct kind){*j, r};
    return r;
}

/* A problem of the machine outweighs what is well or open in an environment, but no fault of its own. */
static struct tn_ready with_machine(struct tn_ready r, enum tn_ready_how machine, const struct tn_finding *why)
{
    if (r.how == TN_READY_NO || machine == TN_READY_YES || (machine == TN_READY_UNKNOWN && r.how == TN_READY_UNKNOWN))
        return r;
    return (struct tn_ready){machine, why, true};
}

void tn_check_ready(const struct tn_judge *judged, struct tn_arena *mem, struct tn_readiness *ret)
{
    struct kind *kind = tn_arena_array(mem, KINDS, sizeof *kind);
    const struct tn_snap *s = judged->s;
    const struct tn_judge_rows *rows = tn_judge_index(s, mem);
    struct tn_judge m = *judged;
    struct tn_sink found;
    unsigned n = 0;
    const struct tn_finding *why;
    m.expect = TN_EXPECT_GPU;
    tn_sink_init(&found, mem);
    run_scope(&m, "machine", &found);
    enum tn_ready_how machine = add_up(&m, &found, &why);
    *ret = (struct tn_readiness){tn_arena_array(mem, s->env.n, sizeof *ret->env), s->env.n, NULL};
    if (machine == TN_READY_NO)
        ret->machine = why;
    for (size_t i = 0; i < s->env.n; i++) {
        struct tn_judge j = m;
        size_t row = 0;
        j.env = &s->env.v[i];
        j.env_row = i;
        j.rows = &rows[i];
        if (tn_judge_framework(&j, &row))
            ret->env[i] = with_machine(judge_once(&j, kind, &n, mem), machine, why);
    }
}
