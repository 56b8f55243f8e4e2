/* out_of_memory.c - real work found no memory on the card (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "out-of-memory");
    if (f)
        tn_find_remedy(out, f, "see-processes", NULL);
}

TN_CHECK(out_of_memory, "out-of-memory", run, .needs = TN_HAS(measurement));
