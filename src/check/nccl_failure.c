/* nccl_failure.c - NCCL failed at real work (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "nccl-failure");
    if (f)
        tn_find_remedy(out, f, "nccl-debug", NULL);
}

TN_CHECK(nccl_failure, "nccl-failure", run, .needs = TN_HAS(measurement));
