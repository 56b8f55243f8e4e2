/* card_fails_work.c - the card's memory or a kernel gives wrong results, or the driver tells an error of memory
 * (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "gpu-hardware-fault");
    if (f)
        tn_find_remedy(out, f, "see-memory-errors", NULL);
}

TN_CHECK(card_fails_work, "gpu-hardware-fault", run, .needs = TN_HAS(measurement));
