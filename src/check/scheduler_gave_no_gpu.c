/* scheduler_gave_no_gpu.c - this runs in a batch job that was given no GPU.
 *
 * Slurm sets SLURM_JOB_GPUS or SLURM_STEP_GPUS for a job with GPUs and CUDA_VISIBLE_DEVICES to them; without a request
 * neither is set, or the latter is empty or NoDevFiles (slurm.conf, gres.conf(5), "CUDA_VISIBLE_DEVICES"). A site that
 * hides nothing gives the cards to every job: then CUDA counts them, and this is no finding. */
#include "base/str.h"
#include "check/look.h"

static bool hides(const char *value)
{
    return !*value || tn_str_eq(value, "NoDevFiles") || tn_str_eq(value, "-1");
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_scheduler *r = TN_THE(s, scheduler);
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t visible = tn_look_variable(s, "CUDA_VISIBLE_DEVICES"), row = 0;
    bool set = visible < s->variable.n;
    if (!tn_known(r->kind) || tn_says(r->kind, "kubernetes") || j->expect == TN_EXPECT_CPU)
        return;
    if (d->cuda_devices.k == TN_KNOWN && d->cuda_devices.v > 0)
        return;
    bool given = tn_known(r->gpus) && !hides(r->gpus.v); /* LSF and PBS say it in CUDA_VISIBLE_DEVICES itself */
    bool hidden = set && hides(s->variable.v[visible].value.v);
    bool node_has_gpu = tn_judge_gpu(j, &row) != NULL || tn_is(d->loaded, 1);
    if (given || (!hidden && (set || r->gpus.k != TN_ABSENT || !node_has_gpu)))
        return;
    /* Without a variable that hides them, devices may still be open to all jobs. */
    struct tn_finding *f =
        tn_find(out, hidden || d->cuda_devices.k == TN_KNOWN ? TN_CONFIRMED : TN_LIKELY, TN_REF(scheduler, 0, gpus));
    tn_find_arg(out, f, "kind", "%s", r->kind.v);
    tn_find_evidence(f, TN_REF(scheduler, 0, kind));
    tn_find_evidence(f, TN_REF(scheduler, 0, gpus));
    if (hidden)
        tn_find_evidence(f, TN_REF(variable, visible, value));
    static const char *const known[] = {"slurm", "pbs", "lsf", "sge", NULL};
    tn_find_remedy(out, f, "request-job-gpu", tn_str_in(r->kind.v, known) ? r->kind.v : "slurm");
}

TN_CHECK(scheduler_gave_no_gpu, "scheduler-gave-no-gpu", run,
         .needs = TN_HAS(scheduler) | TN_HAS(driver) | TN_HAS(variable) | TN_HAS(gpu));
