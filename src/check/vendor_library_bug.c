/* vendor_library_bug.c - a CUDA library loads, and computes wrongly, crashes or hangs over a driver that works
 * (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "vendor-library-bug");
    if (f)
        tn_find_remedy(out, f, "plan", NULL);
}

TN_CHECK(vendor_library_bug, "vendor-library-bug", run, .needs = TN_HAS(measurement));
