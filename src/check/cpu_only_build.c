/* cpu_only_build.c - a GPU is expected, but the installed framework was built without CUDA.
 *
 * The build says so itself (build_info.py, version.py), not its name. Beside a GPU build of another framework in the
 * same environment it is a warning: many keep one framework for its data tools only. A build that reaches the GPU by
 * DirectML (onnxruntime-directml; TensorFlow's plug-in: windows-native-unsupported speaks of it) needs no CUDA: nothing
 * is wrong. One for AMD or Intel GPUs is told as that: torch's local version (2.9.0+rocm6.4, +xpu), packages' names. */
#include <string.h>

#include "check/look.h"

/* NULL: for the CPU alone. */
static const char *other_gpu(const struct tn_rec_framework *fw)
{
    const char *package = tn_look_package(fw), *version = tn_look_text(fw->version, "");
    if (strstr(package, "directml"))
        return "DirectML";
    if (strstr(package, "rocm") || strstr(package, "migraphx") || strstr(version, "+rocm"))
        return "ROCm (AMD)";
    if (strstr(package, "openvino") || strstr(version, "+xpu"))
        return strstr(version, "+xpu") ? "XPU (Intel)" : "OpenVINO (Intel)";
    return NULL;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    bool beside = tn_look_has_gpu_build(j);
    if (j->expect == TN_EXPECT_CPU)
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));) {
        if (fw->gpu_build.k != TN_KNOWN)
            tn_untestable(out, TN_REF(framework, row - 1, gpu_build));
        const char *other = other_gpu(fw);
        if (!tn_is(fw->gpu_build, 0) || (other && strcmp(other, "DirectML") == 0))
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row - 1, gpu_build));
        f->variant = other ? "other" : NULL;
        if (other)
            tn_find_arg(out, f, "backend", "%s", other);
        tn_look_name(out, f, j, row - 1);
        tn_find_evidence(f, TN_REF(framework, row - 1, gpu_build));
        tn_find_evidence(f, TN_REF(framework, row - 1, package));
        if (beside)
            f->severity = TN_WARNING;
        tn_look_remedy_gpu_build(j, out, f, fw);
    }
}

TN_CHECK(cpu_only_build, "cpu-only-build", run, .needs = TN_NEEDS_FIT);
