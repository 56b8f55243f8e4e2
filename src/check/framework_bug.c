/* framework_bug.c - a framework computes wrongly or crashes at one product or convolution (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "framework-bug");
    if (f)
        tn_find_remedy(out, f, "plan", NULL);
}

TN_CHECK(framework_bug, "framework-bug", run, .needs = TN_HAS(measurement));
