/* mig_misconfigured.c - a mode of the card keeps every program, or every second one, from it.
 *
 * MIG on without one MIG device: CUDA sees no device at all (MIG User Guide, "Getting started"). Compute mode
 * "prohibited": no program may make a context; "exclusive process": one at a time (CUDA Programming Guide, "Compute
 * Modes"); the latter is a finding only while some program holds the card. */
#include "check/look.h"

static size_t holder(const struct tn_snap *s, const struct tn_rec_gpu *g)
{
    for (size_t i = 0; i < s->process.n; i++)
        if (tn_known(g->bus) && tn_says(s->process.v[i].gpu, g->bus.v) && tn_says(s->process.v[i].kind, "compute"))
            return i;
    return s->process.n;
}

static const char *variant_of(const struct tn_snap *s, const struct tn_rec_gpu *g)
{
    if (tn_is(g->mig, 1) && tn_is(g->mig_devices, 0))
        return "no-instance";
    if (tn_says(g->compute_mode, "prohibited"))
        return "prohibited";
    if (tn_says(g->compute_mode, "exclusive_process") && holder(s, g) < s->process.n)
        return "exclusive";
    return NULL;
}

/* nvidia-smi -i takes the number or the address (nvidia-smi(1)); "0" for a card of unknown number would be another. */
static const char *id_of(const struct tn_sink *out, const struct tn_rec_gpu *g)
{
    if (g->index.k == TN_KNOWN)
        return tn_arena_printf(out->mem, "%lld", (long long)g->index.v);
    return tn_look_text(g->bus, "0");
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t row = 0, usable = 0, first = s->gpu.n, bad = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        if (!variant_of(s, g)) {
            usable++;
            continue;
        }
        if (!bad++)
            first = row - 1;
    }
    if (!bad || tn_is(TN_THE(s, driver)->cuda_devices, (long long)(usable + bad)))
        return;
    const struct tn_rec_gpu *g = &s->gpu.v[first];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(gpu, first, compute_mode));
    const char *variant = variant_of(s, g);
    f->variant = variant;
    if (usable && j->gpus <= usable)
        f->severity = TN_WARNING; /* another card does the work */
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "index", "%s", id_of(out, g));
    bool mig = variant[0] == 'n';
    tn_find_evidence(f, mig ? TN_REF(gpu, first, mig) : TN_REF(gpu, first, compute_mode));
    if (mig)
        tn_find_evidence(f, TN_REF(gpu, first, mig_devices));
    if (variant[0] == 'e')
        tn_find_evidence(f, TN_REF(process, holder(s, g), gpu));
    struct tn_remedy *r = tn_find_remedy(out, f, mig ? "make-mig-devices" : "default-compute-mode", NULL);
    tn_remedy_arg(out, r, "index", "%s", id_of(out, g));
    if (mig)
        tn_remedy_arg(out, tn_find_remedy(out, f, "leave-mig", NULL), "index", "%s", id_of(out, g));
}

TN_CHECK(mig_misconfigured, "mig-misconfigured", run, .needs = TN_HAS(gpu) | TN_HAS(process) | TN_HAS(driver));
