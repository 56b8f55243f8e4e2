/* container_capability_missing.c - the GPU's nodes are in this container, but not the libraries of the capability.
 *
 * NVIDIA_DRIVER_CAPABILITIES chooses what is mounted: compute brings libcuda, utility brings NVML and nvidia-smi;
 * unset, the toolkit gives utility and compute (NVIDIA Container Toolkit, "Driver Capabilities"). Without compute, CUDA
 * finds no libcuda though nvidia-smi works, and shows N/A for CUDA. TensorFlow 2.21 asks NVML before it counts cards,
 * and says nothing when it is not there (measured: mechanics of the loaders). */
#include "check/container_gpu.h"

static bool gives(struct tn_list c, const char *what)
{
    return tn_list_has(c, what) || tn_list_has(c, "all");
}

static bool has_nvml(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_says(s->library.v[i].stem, "libnvidia-ml") && !tn_says(s->library.v[i].kind, "stub"))
            return true;
    return false;
}

static void report(const struct tn_judge *j, struct tn_sink *out, enum tn_status status, const char *variant,
                   const char *library)
{
    struct tn_finding *f = tn_find(out, status, TN_REF(container, 0, capabilities));
    f->variant = variant;
    tn_find_arg(out, f, "library", "%s", library);
    tn_find_evidence(f, TN_REF(container, 0, capabilities));
    tn_find_evidence(f, TN_REF_REC(node));
    tn_find_evidence(f, TN_REF(driver, 0, library_version));
    tn_find_remedy(out, f, "driver-capabilities", tn_says(TN_THE(j->s, container)->kind, "docker") ? "docker" : NULL);
}

/* The first framework of the environment that counts cards with NVML: TensorFlow from 2.21 on. */
static bool needs_nvml(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row));)
        if (tn_says(fw->name, "tensorflow") && tn_is(fw->gpu_build, 1) && tn_list_has(fw->asks, "libnvidia-ml.so.1"))
            return true;
    return false;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_container *r = TN_THE(j->s, container);
    struct tn_container_gpu c;
    tn_look_container_gpu(j, &c);
    if (!c.inside || !c.nodes || !c.library_known)
        return;
    if (!c.library && c.host_dev)
        return; /* container-gpu-not-requested tells it */
    if (!c.library) {
        bool asked = r->capabilities.k == TN_KNOWN && gives(r->capabilities, "compute");
        report(j, out, asked || r->capabilities.k != TN_KNOWN ? TN_LIKELY : TN_CONFIRMED, asked ? "asked" : NULL,
               "libcuda.so.1");
    } else if (r->capabilities.k == TN_KNOWN && !gives(r->capabilities, "utility") && !has_nvml(j->s) &&
               needs_nvml(j)) {
        report(j, out, TN_CONFIRMED, "utility", "libnvidia-ml.so.1");
    }
}

TN_CHECK(container_capability_missing, "container-capability-missing", run,
         .needs = TN_HAS(container) | TN_HAS(node) | TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(library) |
                  TN_HAS(framework));
