/* fabric_manager_down.c - GPUs behind NVSwitch that no fabric manager has joined: CUDA does not start.
 *
 * cuInit gives 802, CUDA_ERROR_SYSTEM_NOT_READY, until nvidia-fabricmanager of the driver's very version has set up the
 * switches (Fabric Manager User Guide, "Error conditions"; nvml.h, NVML_GPU_FABRIC_STATE_*). Its packages carry the
 * branch in their name up to 570, those of rpm a hyphen more (NVIDIA/gpu-driver-container, ubuntu22.04 and
 * rhel8/install.sh). */
#include <stdlib.h>
#include <string.h>

#include "check/look.h"

/* A card that waits for the fabric; gpu.n if there is none. */
static size_t waiting(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_says(g->fabric, "not_started") || tn_says(g->fabric, "in_progress"))
            return row - 1;
    return j->s->gpu.n;
}

static size_t manager(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->service.n; i++)
        if (tn_says(s->service.v[i].name, "nvidia-fabricmanager"))
            return i;
    return s->service.n;
}

/* NVSwitches on the bus, and all processes seen: none is the manager. What CUDA or NVML say outweighs it. */
static bool no_manager(const struct tn_judge *j, size_t service)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_host *h = TN_THE(s, host);
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_says(g->fabric, "completed") || tn_says(g->fabric, "not_supported"))
            return false;
    return h->nvswitches.k == TN_KNOWN && h->nvswitches.v > 0 && service < s->service.n &&
           tn_says(s->service.v[service].state, "stopped") && !tn_known(TN_THE(s, container)->kind) &&
           !tn_known(TN_THE(s, driver)->cuda_start);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    size_t card = waiting(j), service = manager(s);
    bool refused = tn_says(d->cuda_start, "CUDA_ERROR_SYSTEM_NOT_READY");
    bool stopped = !refused && card == s->gpu.n && no_manager(j, service);
    if (!refused && !stopped && (card == s->gpu.n || tn_says(d->cuda_start, "CUDA_SUCCESS")))
        return;
    struct tn_finding *f = tn_find(out, refused ? TN_CONFIRMED : TN_LIKELY,
                                   refused   ? TN_REF(driver, 0, cuda_start)
                                   : stopped ? TN_REF(service, service, state)
                                             : TN_REF(gpu, card, fabric));
    bool other = false;
    if (stopped) {
        f->variant = "stopped";
        tn_find_evidence(f, TN_REF(host, 0, nvswitches));
    }
    tn_find_arg(out, f, "driver", "%s", tn_look_text(d->version, "?"));
    if (refused)
        tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
    if (card < s->gpu.n)
        tn_find_evidence(f, TN_REF(gpu, card, fabric));
    if (service < s->service.n) {
        const struct tn_rec_service *m = &s->service.v[service];
        tn_find_evidence(f, TN_REF(service, service, state));
        if (tn_known(m->version) && tn_known(d->version) && strcmp(m->version.v, d->version.v) != 0) {
            f->variant = stopped ? "stopped-version" : "version";
            tn_find_arg(out, f, "manager", "%s", m->version.v);
            tn_find_evidence(f, TN_REF(service, service, version));
            other = true;
        }
    }
    if (other && !tn_known(TN_THE(s, container)->kind)) {
        struct tn_remedy *r = tn_find_remedy(out, f, "fit-fabric-manager", NULL);
        tn_remedy_arg(out, r, "driver", "%s", d->version.v);
        unsigned branch = (unsigned)strtoul(d->version.v, NULL, 10);
        tn_remedy_arg(out, r, "package", branch < 580 ? "nvidia-fabricmanager-%u" : "nvidia-fabricmanager", branch);
        tn_remedy_arg(out, r, "rpm", "%s", branch < 580 ? "nvidia-fabric-manager" : "nvidia-fabricmanager");
        return;
    }
    struct tn_remedy *r = tn_find_remedy(
        out, f, tn_known(TN_THE(s, container)->kind) ? "fabric-manager-host" : "start-fabric-manager", NULL);
    tn_remedy_arg(out, r, "driver", "%s", tn_look_text(d->version, "?"));
}

TN_CHECK(fabric_manager_down, "fabric-manager-down", run,
         .needs = TN_HAS(driver) | TN_HAS(gpu) | TN_HAS(service) | TN_HAS(container));
