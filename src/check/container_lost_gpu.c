/* container_lost_gpu.c - this container had the GPU and lost the right to it.
 *
 * The nodes are there with a mode that allows them, but the kernel forbids opening them: NVML then says 999, "Unknown
 * Error". That is what a systemd daemon-reload (or an update of a container with systemd's cgroup driver) leaves, since
 * it writes the device rules anew without those that the toolkit had added (nvidia-container-toolkit issue 48, notice).
 */
#include "check/container_gpu.h"

static bool forbidden(const struct tn_rec_driver *d)
{
    return tn_says(d->nvml, "NVML_ERROR_UNKNOWN") || tn_says(d->nvml, "NVML_ERROR_OPERATING_SYSTEM") ||
           tn_says(d->cuda_start, "CUDA_ERROR_OPERATING_SYSTEM");
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    struct tn_container_gpu c;
    tn_look_container_gpu(j, &c);
    if (!c.inside || !c.nodes || !c.library || !forbidden(d))
        return;
    for (size_t i = 0; i < s->node.n; i++)
        if (tn_says(s->node.v[i].path, "/dev/nvidiactl") && !tn_is(s->node.v[i].accessible, 1))
            return; /* device-permission tells it */
    bool nvml = tn_known(d->nvml);
    struct tn_finding *f = tn_find(out, TN_LIKELY, nvml ? TN_REF(driver, 0, nvml) : TN_REF(driver, 0, cuda_start));
    if (nvml)
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
    if (tn_known(d->cuda_start))
        tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
    tn_find_evidence(f, TN_REF_REC(node));
    tn_find_remedy(out, f, "recreate-container",
                   tn_says(TN_THE(s, container)->kind, "kubernetes") ? "kubernetes" : NULL);
    tn_find_remedy(out, f, "keep-device-rules", NULL);
}

TN_CHECK(container_lost_gpu, "container-lost-gpu", run,
         .needs = TN_HAS(container) | TN_HAS(node) | TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(library));
