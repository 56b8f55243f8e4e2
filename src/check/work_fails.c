/* work_fails.c - real work failed, and no rule says why: never silence (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "unknown");
    if (f)
        tn_find_remedy(out, f, "see-kernel-log", NULL);
}

TN_CHECK(work_fails, "unknown", run, .needs = TN_HAS(measurement) | TN_HAS(driver));
