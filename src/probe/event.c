/* event.c - what the kernel's log of this boot says of GPUs; only root may read it in many systems.
 *
 * Asked where an NVIDIA card or driver is: nobody else's log matters. */
#include <stdlib.h>

#include "probe/ask.h"
#include "probe/event_text.h"

static bool is_of_interest(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->gpu.n; i++)
        if (tn_says(s->gpu.v[i].vendor, "nvidia"))
            return true;
    return tn_is(TN_THE(s, driver)->loaded, 1);
}

static void run(struct tn_probe_ctx *c)
{
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c) || !tn_probe_running(c) || !is_of_interest(c->s))
        return;
    struct tn_answer a = tn_world_sys(c->w, c->tmp, "log"), up;
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "sys", "log", &a);
    c->s->event.listed = a.got;
    c->s->event.src = src;
    if (a.got != TN_KNOWN)
        return;
    const char *uptime = tn_probe_line(c, "/proc/uptime", &up);
    tn_event_read(c->s, a.data, uptime ? strtod(uptime, NULL) : -1, src);
}

TN_PROBE(event, TN_PHASE_DRIVER, run, "faults and refusals in the kernel's log", .gives = TN_HAS(event),
         .reads = TN_HAS(gpu) | TN_HAS(driver));
