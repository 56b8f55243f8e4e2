/* cuda_tools_missing.c - XLA of a TensorFlow wheel would find no libdevice, which it compiles kernels with.
 *
 * Rules: from 2.11 on Keras has XLA compile the optimizer's step on a GPU by default (keras
 * optimizers/optimizer_experimental/optimizer.py: jit_compile=True), from 2.16 on whole models (Keras 3,
 * jit_compile="auto"). XLA reads nvvm/libdevice below --xla_gpu_cuda_data_dir of XLA_FLAGS, the toolkit folder of the
 * build, /usr/local/cuda and, from 2.14 on, nvidia/cuda_nvcc beside itself (tsl/platform/default/
 * cuda_libdevice_path.cc, CandidateCudaRoots, which tests/real/xla_libdevice.sh calls); PATH is not asked for
 * it. 2.21.0 searches CUDA_HOME, /opt/cuda and the environment's own prefix as well, and carries no copy of its own
 * (the same function called in its wheel); 2.18 to 2.20, which were not read, are judged as it is: a place too many is
 * no false alarm. Builds of conda search their own prefix. Without ptxas XLA hands PTX to the driver: no fault.
 *
 * Silent for JAX: its plug-in's wheel holds libdevice itself and asks for NVIDIA's wheel with ptxas (jax_plugins/cuda/
 * plugin_setup.py: package_data nvvm/libdevice/libdevice*, extra with-cuda nvidia-cuda-nvcc-cu12; a missing one is
 * nvidia-wheels-missing), and XLA asks for ptxas only where neither libnvptxcompiler nor libnvjitlink serves (xla/
 * stream_executor/cuda/assemble_compilation_provider.cc). Silent for Triton: its wheel brings ptxas and libdevice in
 * triton/backends/nvidia (python/test/unit/test_knobs.py, default_ptxas; third_party/nvidia/backend/compiler.py,
 * default_libdir). */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

/* Does the environment hold NVIDIA's wheel with the compiler's parts? That of CUDA 13 (nvidia-cuda-nvcc) lies
 * elsewhere.
 */
static bool has_wheel(const struct tn_judge *j)
{
    static const char *const name[] = {"nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc-cu11"};
    for (size_t i = 0; i < TN_LEN(name); i++)
        if (tn_judge_dist(j, name[i]))
            return true;
    return false;
}

static bool is_searched(const struct tn_judge *j, const struct tn_rec_toolkit *t, const struct tn_rec_framework *fw)
{
    const struct tn_snap *s = j->s;
    char own[64] = "/usr/local/cuda-";
    if (!tn_version_dotted_head(tn_look_cuda(s, fw), 2, own + strlen(own), 16))
        own[0] = '\0';
    bool more = tn_version_dotted_cmp(tn_look_text(fw->version, ""), "2.18") >= 0;
    size_t home = more ? tn_look_variable(s, "CUDA_HOME") : s->variable.n;
    const struct tn_rec_env *env = more && tn_known(fw->env) ? tn_snap_env(s, fw->env.v) : NULL;
    const char *const place[] = {"/usr/local/cuda", own, more ? "/opt/cuda" : "",
                                 home < s->variable.n ? s->variable.v[home].value.v : "",
                                 env && tn_known(env->path) ? env->path.v : ""};
    for (unsigned i = 0; i < TN_LEN(place); i++)
        if (*place[i] && (tn_says(t->path, place[i]) || (t->names.k == TN_KNOWN && tn_list_has(t->names, place[i]))))
            return true;
    return false;
}

static bool is_conda(const struct tn_judge *j, const struct tn_rec_framework *f)
{
    const struct tn_rec_dist *d = tn_judge_dist(j, tn_look_package(f));
    return d && (tn_says(d->installer, "conda") || tn_says(d->place, "conda"));
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_framework *fw = &s->framework.v[row];
    const char *version = tn_look_text(fw->version, "");
    size_t flags = tn_look_variable(s, "XLA_FLAGS"), other = s->toolkit.n;
    if (!tn_says(fw->name, "tensorflow") || tn_version_dotted_cmp(version, "2.11") < 0 ||
        tn_version_dotted_cmp(version, "2.22") >= 0 || is_conda(j, fw))
        return;
    if (flags < s->variable.n && strstr(s->variable.v[flags].value.v, "--xla_gpu_cuda_data_dir="))
        return; /* somebody saw to it */
    if (tn_version_dotted_cmp(version, "2.14") >= 0 && has_wheel(j))
        return;
    if (s->toolkit.listed != TN_KNOWN) {
        tn_untestable(out, TN_REF_REC(toolkit));
        return;
    }
    for (size_t i = 0; i < s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        if (t->libdevice.k != TN_KNOWN || (t->libdevice.v && is_searched(j, t, fw)))
            return;
        if (t->libdevice.v && (other == s->toolkit.n || tn_is(t->on_path, 1)))
            other = i;
    }
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(framework, row, version));
    tn_look_name(out, f, j, row);
    tn_find_evidence(f, TN_REF_REC(toolkit));
    if (other < s->toolkit.n) {
        f->variant = "elsewhere";
        tn_find_arg(out, f, "dir", "%s", tn_look_text(s->toolkit.v[other].path, "?"));
        tn_find_evidence(f, TN_REF(toolkit, other, libdevice));
        struct tn_remedy *r = tn_find_remedy(out, f, "xla-data-dir", NULL);
        tn_remedy_arg(out, r, "dir", "%s", tn_look_text(s->toolkit.v[other].path, "?"));
    } else if (tn_version_dotted_cmp(version, "2.14") >= 0) {
        struct tn_remedy *r = tn_find_remedy(out, f, "nvcc-wheel", NULL);
        tn_look_env_args(out, r, j);
        tn_remedy_arg(out, r, "major", "%u", (unsigned)tn_version_dotted_major(tn_look_cuda(s, fw)));
    } else {
        tn_look_remedy_builds(j, out, f, fw);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    if (tn_look_platform(j->s) != TN_PLATFORM_LINUX)
        return;
    while (tn_look_gpu_build(j, out, &row))
        judge(j, out, row - 1);
}

TN_CHECK(cuda_tools_missing, "cuda-tools-missing", run,
         .needs = TN_NEEDS_FRAMEWORK | TN_HAS(toolkit) | TN_HAS(variable));
