/* wake.c - does the driver keep the memory of the cards over a suspend, and are its services for that set up?
 *
 * Asked where CUDA did not start (or a whole snapshot is wanted). NVIDIA driver README, "Configuring Power Management
 * Support": module parameter NVreg_PreserveVideoMemoryAllocations, shown in /proc/driver/nvidia/params; services
 * nvidia-suspend and nvidia-resume, enabled by links below systemd-suspend.service. (Behind the probe vendor, which
 * asks CUDA.) */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

#define PARAMS "/proc/driver/nvidia/params"

static void look_params(struct tn_probe_ctx *c, struct tn_rec_driver *d)
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, PARAMS, 16384);
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "read", PARAMS, &a);
    struct tn_span v = tn_probe_pair(tn_probe_whole(a.data), "PreserveVideoMemoryAllocations", ':');
    if (v.n)
        d->preserves = tn_fact_int(src, !tn_span_eq(v, "0"));
    else
        d->preserves = tn_fact_noint(src, a.got == TN_KNOWN ? TN_ABSENT : a.got);
}

/* A unit that is installed: enabled where one of these folders holds its link. */
static void look_unit(struct tn_probe_ctx *c, const char *name)
{
    static const char *const units[] = {"/usr/lib/systemd/system", "/lib/systemd/system", "/etc/systemd/system"};
    static const char *const kinds[] = {"wants", "requires"};
    bool there = false;
    struct tn_answer a = {0};
    for (unsigned i = 0; i < TN_LEN(units); i++) {
        a = tn_world_lstat(c->w, tn_arena_printf(c->tmp, "%s/%s.service", units[i], name));
        there = there || a.got == TN_KNOWN;
        for (unsigned k = 0; k < TN_LEN(kinds); k++) {
            const char *link =
                tn_arena_printf(c->tmp, "%s/systemd-suspend.service.%s/%s.service", units[i], kinds[k], name);
            a = tn_world_lstat(c->w, link);
            if (a.got != TN_KNOWN)
                continue;
            struct tn_rec_service *s = TN_ADD(c->s, service);
            uint32_t src = tn_probe_src(c->s, "stat", link, &a);
            s->name = tn_fact_str(c->s, src, name);
            s->state = tn_fact_str(c->s, src, "enabled");
            return;
        }
    }
    if (!there || a.got != TN_ABSENT)
        return;
    struct tn_rec_service *s = TN_ADD(c->s, service);
    uint32_t src = tn_snap_src(c->s, TN_KNOWN, NULL, "links of %s.service", name);
    s->name = tn_fact_str(c->s, src, name);
    s->state = tn_fact_str(c->s, src, "disabled");
}

static void run(struct tn_probe_ctx *c)
{
    struct tn_rec_driver *d = TN_THE(c->s, driver);
    bool plain = c->want && c->want->plain;
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c) || !tn_is(d->loaded, 1) ||
        (plain && !tn_says(d->cuda_start, "CUDA_ERROR_UNKNOWN")))
        return;
    look_params(c, d);
    look_unit(c, "nvidia-suspend");
    look_unit(c, "nvidia-resume");
}

TN_PROBE(wake, TN_PHASE_LIBRARY, run, "what the driver does in a suspend; from /proc and systemd's folders",
         .gives = TN_HAS(driver) | TN_HAS(service), .reads = TN_HAS(driver));
