/* others.c - how many of the environments that are not judged would not see the GPU.
 *
 * Invariant: they are counted, never told one by one: they do not alarm (design 6.1). */
#include <string.h>

#include "check/check.h"
#include "finding/catalogue.h"

/* Faults of the machine are told once, with the judged environment. A grave finding is enough: if others explain it,
 * the last of them is as grave. */
static bool is_ready(const struct tn_judge *j, struct tn_sink *out)
{
    out->n = 0;
    out->env = tn_known(j->env->id) ? j->env->id.v : NULL;
    for (unsigned i = 0; i < tn_n_checks; i++) {
        const struct tn_cause *c = tn_cause_find(tn_checks[i]->cause);
        if (!c || strcmp(c->scope, "env") != 0)
            continue;
        out->cause = tn_checks[i]->cause;
        tn_checks[i]->run(j, out);
        for (size_t k = 0; k < out->n; k++)
            if (out->v[k].severity == TN_ERROR && out->v[k].status <= TN_LIKELY)
                return false;
    }
    return true;
}

/* Environments that were judged last: most of a machine's are alike. */
#define KINDS 16u
struct kind {
    struct tn_judge j;
    bool ready;
};

static bool is_ready_once(const struct tn_judge *j, struct kind *kind, unsigned *n, struct tn_sink *out)
{
    unsigned have = *n < KINDS ? *n : KINDS;
    for (unsigned i = 0; i < have; i++)
        if (tn_check_alike(&kind[i].j, j))
            return kind[i].ready;
    bool ready = is_ready(j, out);
    kind[(*n)++ % KINDS] = (struct kind){*j, ready};
    return ready;
}

void tn_check_others(const struct tn_judge *judged, struct tn_verdict *ret)
{
    struct tn_arena mem;
    struct tn_sink found;
    struct kind kind[KINDS];
    unsigned n = 0;
    tn_arena_init(&mem);
    tn_sink_init(&found, &mem);
    const struct tn_judge_rows *rows = tn_judge_index(judged->s, &mem);
    ret->others = ret->others_not_ready = 0;
    for (size_t i = 0; i < judged->s->env.n; i++) {
        struct tn_judge j = *judged;
        size_t row = 0;
        j.env = &judged->s->env.v[i];
        j.env_row = i;
        j.rows = &rows[i];
        j.expect = TN_EXPECT_GPU;
        if (j.env == judged->env || tn_judge_framework(&j, &row) == NULL)
            continue;
        ret->others++;
        ret->others_not_ready += !is_ready_once(&j, kind, &n, &found);
    }
    tn_arena_deinit(&mem);
}
