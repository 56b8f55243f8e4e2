/* event.c - what the kernel's log of this boot says of GPUs (Windows: its System log, of 30 days); only root may read
 * it in many systems.
 *
 * Asked where an NVIDIA card or driver is: nobody else's log matters. */
#include "base/str.h"
#include "probe/ask.h"
#include "probe/event_text.h"

static bool is_of_interest(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->gpu.n; i++)
        if (tn_says(s->gpu.v[i].vendor, "nvidia"))
            return true;
    return tn_is(TN_THE(s, driver)->loaded, 1);
}

/* "1000.25 3000.50": the first number; -1 if there is none. */
static double seconds(struct tn_span text)
{
    uint64_t v;
    size_t n = 0;
    while (n < text.n && tn_is_digit((char)text.p[n]))
        n++;
    return tn_str_u64((const char *)text.p, n, 10, &v) ? (double)v : -1;
}

/* Seconds since 1970; -1: nobody says. */
static int64_t clock_of(struct tn_probe_ctx *c)
{
    uint64_t v;
    struct tn_answer a = tn_world_sys(c->w, c->tmp, "clock");
    return a.got == TN_KNOWN && tn_str_u64((const char *)a.data.p, a.data.n, 10, &v) ? (int64_t)v : -1;
}

static void run(struct tn_probe_ctx *c)
{
    if (tn_probe_is_wsl(c) || !tn_probe_running(c) || !is_of_interest(c->s))
        return;
    struct tn_answer a = tn_world_sys(c->w, c->tmp, "log"), up;
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "sys", "log", &a);
    c->s->event.listed = a.got;
    c->s->event.src = src;
    if (a.got != TN_KNOWN)
        return;
    if (tn_probe_is_windows(c)) {
        tn_event_read_windows(c->s, a.data, clock_of(c), src);
        return;
    }
    struct tn_event_now now = {-1, -1};
    struct tn_answer awake = tn_world_sys(c->w, c->tmp, "awake");
    up = tn_world_read(c->w, c->tmp, "/proc/uptime", 4096);
    if (up.got == TN_KNOWN)
        now.up = seconds(tn_probe_whole(up.data));
    if (awake.got == TN_KNOWN)
        now.awake = seconds(awake.data);
    tn_event_read(c->s, a.data, now, src);
}

TN_PROBE(event, TN_PHASE_DRIVER, run, "faults and refusals in the kernel's log", .gives = TN_HAS(event),
         .reads = TN_HAS(gpu) | TN_HAS(driver));
