/* os_without_cuda.c - macOS: no NVIDIA driver and no CUDA exist for it.
 *
 * CUDA 10.2 was the last toolkit for macOS (its release notes) and 10.13 the last macOS with a driver. Apple's GPUs are
 * reached through Metal: PyTorch has it built in (device mps), TensorFlow takes Apple's plug-in tensorflow-metal. */
#include "check/look.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (!tn_says(TN_THE(j->s, host)->os, "macos") || j->expect == TN_EXPECT_CPU || tn_look_has_gpu_build(j))
        return;
    const struct tn_rec_dist *metal = tn_judge_dist(j, "tensorflow-metal");
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(host, 0, os));
    f->variant = metal ? "metal" : NULL;
    tn_find_evidence(f, TN_REF(host, 0, os));
    if (metal) {
        tn_find_arg(out, f, "metal", "%s", tn_look_text(metal->version, ""));
        tn_find_evidence(f, TN_REF(dist, metal - j->s->dist.v, version));
    }
    tn_find_remedy(out, f, "expect-cpu", NULL);
}

TN_CHECK(os_without_cuda, "os-without-cuda", run, .needs = TN_NEEDS_EXPECT);
