/* kernel_timeout.c - the system ended a kernel of our own work (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "kernel-timeout");
    if (f)
        tn_find_remedy(out, f, "allow-longer-kernels", NULL);
}

TN_CHECK(kernel_timeout, "kernel-timeout", run, .needs = TN_HAS(measurement));
