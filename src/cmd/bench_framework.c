/* bench_framework.c - see bench_framework.h. */
#include "cmd/bench_framework.h"

#include <string.h>

#include "cmd/bench_gpu.h"
#include "cmd/verify_frameworks.h"
#include "finding/verdict.h"
#include "os/change.h"
#include "os/os.h"
#include "strings.gen.h"

static void measure(struct tn_cmd_ctx *c, const struct tn_verify_framework *f, const struct tn_bench_job *job,
                    struct tn_bench *b)
{
    const bool torch = strcmp(f->name, "torch") == 0, tensorflow = strcmp(f->name, "tensorflow") == 0;
    struct tn_bench_fault fault;
    struct tn_bench_job own = *job;
    struct tn_err err;
    if (!torch && !tensorflow)
        return;
    struct tn_bench_side *s = tn_bench_add(b, "cpu");
    s->framework = f->name;
    s->precision = tn_bench_kinds[job->precision].name;
    s->why = TN_S_bench_why_framework;
    if (f->why || (tensorflow && !f->library))
        return;
    s->why = NULL;
    own.path = torch ? f->interpreter : f->file;
    int rc =
        torch ? tn_bench_torch(&own, b, s, &fault, &err) : tn_bench_tensorflow(&own, f->library, b, s, &fault, &err);
    if (rc)
        tn_cmd_bench_blame(c, s, &fault, rc);
}

void tn_cmd_bench_frameworks(struct tn_cmd_ctx *c, const struct tn_snap *snap, const struct tn_bench_job *job,
                             struct tn_bench *b)
{
    struct tn_verify_framework list[TN_VERIFY_FRAMEWORKS];
    struct tn_judge j;
    struct tn_err err;
    if (tn_judge_init(&j, snap, NULL, &err) || !j.env || !job->n_sizes)
        return;
    tn_judge_narrow(&j, c->mem);
    unsigned n = tn_verify_frameworks(c, &j, list);
    for (unsigned i = 0; i < n && !tn_os_interrupted(); i++)
        measure(c, &list[i], job, b);
}
