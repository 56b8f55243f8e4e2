/* kernel_timeout.c - the system ended a kernel of our own work (proved.h), or Windows reset the driver lately.
 *
 * Windows resets a display driver that does not answer within TdrDelay seconds, two when nobody has set it (Microsoft,
 * "Timeout Detection and Recovery"); what ran on the card is lost. Said of a day: an older reset is past. It is a
 * warning, since nobody knows whose work it was: a game, or an unstable card. */
#include "check/proved.h"

#define LATELY_S (24 * 3600)

static void resets(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t newest = s->event.n;
    int64_t times = 0;
    for (size_t i = 0; i < s->event.n; i++) {
        const struct tn_rec_event *e = &s->event.v[i];
        bool reset = tn_says(e->kind, "tdr") || tn_says(e->kind, "bugcheck");
        if (!reset || e->age_s.k != TN_KNOWN || e->age_s.v > LATELY_S)
            continue;
        times += e->count.k == TN_KNOWN ? e->count.v : 1;
        if (newest == s->event.n || e->age_s.v < s->event.v[newest].age_s.v)
            newest = i;
    }
    if (newest == s->event.n)
        return;
    const struct tn_rec_event *e = &s->event.v[newest];
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(event, newest, text));
    bool crash = tn_says(e->kind, "bugcheck");
    f->variant = crash ? "crash" : "reset";
    f->severity = TN_WARNING;
    tn_find_arg(out, f, "code", crash ? "0x%llx" : "%llu", (unsigned long long)e->code.v);
    tn_find_arg(out, f, "count", "%lld", (long long)times);
    tn_find_evidence(f, TN_REF(event, newest, text));
    tn_find_evidence(f, TN_REF(event, newest, age_s));
    tn_find_remedy(out, f, "see-kernel-log", NULL);
    tn_find_remedy(out, f, "allow-longer-kernels", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "kernel-timeout");
    if (f)
        tn_find_remedy(out, f, "allow-longer-kernels", NULL);
    else
        resets(j, out);
}

TN_CHECK(kernel_timeout, "kernel-timeout", run, .needs = TN_HAS(measurement) | TN_HAS(event));
