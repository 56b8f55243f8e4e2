/* cpu_only_build.c - a GPU is expected, but the installed framework was built without CUDA.
 *
 * The build says so itself (build_info.py, version.py), not its name. Beside a GPU build of another framework in the
 * same environment it is a warning: many keep one framework for its data tools only. */
#include "check/look.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    bool beside = tn_look_has_gpu_build(j);
    if (j->expect == TN_EXPECT_CPU)
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));) {
        if (fw->gpu_build.k != TN_KNOWN)
            tn_untestable(out, TN_REF(framework, row - 1, gpu_build));
        if (!tn_is(fw->gpu_build, 0))
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row - 1, gpu_build));
        tn_look_name(out, f, j, row - 1);
        tn_find_evidence(f, TN_REF(framework, row - 1, gpu_build));
        tn_find_evidence(f, TN_REF(framework, row - 1, package));
        if (beside)
            f->severity = TN_WARNING;
        tn_look_remedy_gpu_build(j, out, f, fw);
    }
}

TN_CHECK(cpu_only_build, "cpu-only-build", run, .needs = TN_NEEDS_FIT);
