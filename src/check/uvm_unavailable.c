/* uvm_unavailable.c - the driver answers, but CUDA does not start: nvidia_uvm, its module for memory, is not usable.
 *
 * cuInit then gives 999 while NVML works (reports: after suspend with a CUDA program running; LXC without the node).
 * Where the kernel's log has a suspend since nvidia_uvm was loaded, that is the reason; where it has none, it is not.
 * Kernels that place memory at random may leave nvidia_uvm no addresses to put the cards' memory at: then CUDA does not
 * start, with which error is not said (CUDA 13 release notes, known issues: "Certain Linux kernels with KASLR enabled
 * have a known issue in HMM initialization"; the line of the log and the way around are from there).
 * A module that is just not loaded is no fault on a bare machine: the driver loads it on demand. In a container nobody
 * can: there the missing node is the finding. */
#include <string.h>

#include "check/look.h"

/* Row of the newest event of a kind; event.n if there is none. */
static size_t newest(const struct tn_snap *s, const char *kind)
{
    size_t i = 0;
    while (i < s->event.n && !tn_says(s->event.v[i].kind, kind))
        i++;
    return i;
}

/* Did a happen after b? By the log's clock; by ages where a snapshot has no more. */
static bool is_newer(const struct tn_rec_event *a, const struct tn_rec_event *b)
{
    if (a->at_ms.k == TN_KNOWN && b->at_ms.k == TN_KNOWN)
        return a->at_ms.v > b->at_ms.v;
    return a->age_s.k == TN_KNOWN && b->age_s.k == TN_KNOWN && a->age_s.v < b->age_s.v;
}

/* A suspend of this boot that nvidia_uvm was loaded before. A time that is not known: the module is older. */
static size_t slept(const struct tn_snap *s)
{
    size_t suspend = newest(s, "suspend"), uvm = newest(s, "uvm_loaded");
    bool since = suspend < s->event.n && uvm < s->event.n && is_newer(&s->event.v[uvm], &s->event.v[suspend]);
    return since ? s->event.n : suspend;
}

static void after_suspend(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f)
{
    const struct tn_snap *s = j->s;
    size_t suspend = slept(s);
    if (suspend == s->event.n) {
        if (s->event.listed == TN_KNOWN)
            f->variant = "awake";
        return;
    }
    f->variant = "suspended";
    tn_find_evidence(f, TN_REF(event, suspend, kind));
    if (!tn_is(TN_THE(s, driver)->preserves, 0))
        return;
    tn_find_evidence(f, TN_REF(driver, 0, preserves));
    tn_find_remedy(out, f, "keep-video-memory", NULL);
}

/* nvidia_uvm found no addresses, and has not been loaded anew since; every program can write such a line. */
static bool no_region(const struct tn_snap *s, size_t *ret)
{
    size_t uvm = newest(s, "uvm_loaded");
    *ret = newest(s, "uvm_region");
    return *ret < s->event.n && (uvm == s->event.n || !is_newer(&s->event.v[uvm], &s->event.v[*ret]));
}

static bool cuda_fails(const struct tn_rec_driver *d)
{
    return tn_known(d->cuda_start) && strncmp(d->cuda_start.v, "CUDA_ERROR_", 11) == 0 &&
           !tn_says(d->cuda_start, "CUDA_ERROR_NO_DEVICE");
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    bool container = tn_known(TN_THE(s, container)->kind);
    if (tn_look_wsl(s) || tn_look_platform(s) == TN_PLATFORM_WINDOWS || !tn_is(d->loaded, 1))
        return;
    size_t region;
    if (cuda_fails(d) && tn_says(d->nvml, "NVML_SUCCESS") && no_region(s, &region)) {
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(driver, 0, cuda_start));
        f->variant = "region";
        tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
        tn_find_evidence(f, TN_REF(event, region, kind));
        tn_find_arg(out, f, "error", "%s", d->cuda_start.v);
        if (!container)
            tn_find_remedy(out, f, "without-hmm", NULL);
        else
            tn_find_remedy(out, f, "uvm-on-host", NULL);
        return;
    }
    if (tn_says(d->cuda_start, "CUDA_ERROR_UNKNOWN") && tn_says(d->nvml, "NVML_SUCCESS")) {
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(driver, 0, cuda_start));
        tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
        tn_find_evidence(f, TN_REF(driver, 0, nvml));
        tn_find_remedy(out, f, container ? "uvm-on-host" : "reload-uvm", NULL);
        if (!container)
            after_suspend(j, out, f);
        return;
    }
    if (container && s->node.listed == TN_KNOWN && tn_judge_node(s, "/dev/nvidiactl") &&
        !tn_judge_node(s, "/dev/nvidia-uvm")) {
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF_REC(node));
        f->variant = "container";
        tn_find_evidence(f, TN_REF_REC(node));
        tn_find_evidence(f, TN_REF(container, 0, kind));
        tn_find_remedy(out, f, "uvm-on-host", NULL);
    }
}

TN_CHECK(uvm_unavailable, "uvm-unavailable", run,
         .needs = TN_HAS(driver) | TN_HAS(node) | TN_HAS(container) | TN_HAS(event));
