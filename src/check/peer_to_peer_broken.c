/* peer_to_peer_broken.c - a copy from one card to another failed or came out wrong (proved.h). */
#include "check/proved.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    struct tn_finding *f = tn_proved_report(j, out, "peer-to-peer-broken");
    if (f)
        tn_find_remedy(out, f, "nccl-without-p2p", NULL);
}

TN_CHECK(peer_to_peer_broken, "peer-to-peer-broken", run, .needs = TN_HAS(measurement));
