/* scheduler.c - the batch job that tenon runs in, and the GPUs that it was given.
 *
 * Known by the variable that names the job alone. Sources: Slurm sbatch(1) "OUTPUT ENVIRONMENT VARIABLES", PBS qsub,
 * LSF "Environment variables set for job execution" and "NVIDIA GPU access enforcement" (CUDA_VISIBLE_DEVICES), Grid
 * Engine qsub(1), Kubernetes "Containers: environment". */
#include "probe/probe.h"

#include "base/str.h"

struct kind {
    const char *word, *mark;
    const char *gpus[3]; /* variables that say which GPUs, best first */
};

static const struct kind kinds[] = {
    {"slurm", "SLURM_JOB_ID", {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS", NULL}},
    {"pbs", "PBS_JOBID", {"CUDA_VISIBLE_DEVICES", NULL, NULL}},
    {"lsf", "LSB_JOBID", {"CUDA_VISIBLE_DEVICES", NULL, NULL}},
    {"sge", "SGE_TASK_ID", {"SGE_HGR_gpu", NULL, NULL}},
    {"kubernetes", "KUBERNETES_SERVICE_HOST", {"NVIDIA_VISIBLE_DEVICES", NULL, NULL}},
};

static void scheduler_run(struct tn_probe_ctx *c)
{
    struct tn_rec_scheduler *r = TN_THE(c->s, scheduler);
    enum tn_know asked = TN_UNASKED;
    for (unsigned i = 0; i < TN_LEN(kinds); i++) {
        struct tn_answer a = tn_world_env(c->w, c->tmp, kinds[i].mark);
        if (a.got != TN_UNASKED)
            asked = TN_ABSENT;
        if (a.got != TN_KNOWN || a.data.n == 0)
            continue;
        r->kind = tn_fact_str(c->s, tn_probe_src(c->s, "env", kinds[i].mark, &a), kinds[i].word);
        for (unsigned j = 0; j < TN_LEN(kinds[i].gpus) && kinds[i].gpus[j] && r->gpus.k != TN_KNOWN; j++) {
            a = tn_world_env(c->w, c->tmp, kinds[i].gpus[j]);
            uint32_t src = tn_probe_src(c->s, "env", kinds[i].gpus[j], &a);
            r->gpus = a.got == TN_KNOWN ? tn_fact_strn(c->s, src, a.data.p, a.data.n) : tn_fact_nostr(src, a.got);
        }
        return;
    }
    if (asked == TN_UNASKED)
        return;
    uint32_t src = tn_snap_src(c->s, TN_ABSENT, NULL, "variables of batch systems");
    r->kind = tn_fact_nostr(src, TN_ABSENT);
    r->gpus = tn_fact_nostr(src, TN_ABSENT);
}

TN_PROBE(scheduler, TN_PHASE_HOST, scheduler_run, "batch job and its GPUs, by the variables that batch systems set",
         .gives = TN_HAS(scheduler));
