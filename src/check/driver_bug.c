/* driver_bug.c - the kernel's log holds an Xid that NVIDIA's catalogue lays on the driver or its firmware.
 *
 * Table xid: cause_class names the likeliest first; what the catalogue would only watch ("no action; if it repeats
 * ...") counts from the second time on. It is a warning: an Xid ends programs that ran then, not those that start now.
 */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "facts/error.h"

static bool is_xid(const struct tn_rec_event *e, int64_t code)
{
    return tn_says(e->kind, "xid") && e->code.k == TN_KNOWN && e->code.v == code;
}

/* How often the Xid of this row is in the log; 0 where an earlier row has told of it. */
static unsigned times(const struct tn_judge *j, size_t at)
{
    unsigned n = 0;
    for (size_t i = 0; i < j->s->event.n; i++) {
        if (!is_xid(&j->s->event.v[i], j->s->event.v[at].code.v))
            continue;
        if (i < at)
            return 0;
        n++;
    }
    return n;
}

static void look_at(const struct tn_judge *j, struct tn_sink *out, size_t at)
{
    const struct tn_rec_event *e = &j->s->event.v[at];
    struct tn_facts_xid x;
    if (!tn_says(e->kind, "xid") || e->code.k != TN_KNOWN || tn_facts_xid((int)e->code.v, &x) != TN_ANSWER_YES ||
        !tn_str_starts(x.cause_class, "driver"))
        return;
    unsigned n = times(j, at);
    if (n == 0 || (n == 1 && tn_str_starts(x.action, "no action")))
        return;
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(event, at, text));
    f->variant = "xid";
    f->severity = TN_WARNING;
    tn_find_arg(out, f, "bus", "%s", tn_look_text(e->gpu, "?"));
    tn_find_arg(out, f, "xid", "%lld", (long long)e->code.v);
    tn_find_arg(out, f, "meaning", "%s", *x.meaning ? x.meaning : x.mnemonic);
    tn_find_arg(out, f, "driver", "%s", tn_look_text(TN_THE(j->s, driver)->version, "?"));
    tn_find_evidence(f, TN_REF(event, at, text));
    tn_find_evidence(f, TN_REF(event, at, code));
    tn_find_remedy(out, f, "other-driver", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    for (size_t i = 0; i < j->s->event.n; i++)
        look_at(j, out, i);
}

TN_CHECK(driver_bug, "driver-bug", run, .needs = TN_HAS(event) | TN_HAS(driver));
