/* ready.h - which environments would see the GPU, and the first reason why not; for all of them, not the judged alone.
 *
 * Each environment is judged from its own rows, as if a GPU were expected of it. A fault of the machine stops all of
 * them and is told once; an environment with a fault of its own is told by that. */
#ifndef TN_CHECK_READY_H
#define TN_CHECK_READY_H

#include "check/check.h"

enum tn_ready_how {
    TN_READY_NONE, /* it holds no framework */
    TN_READY_YES,
    TN_READY_NO,
    TN_READY_UNKNOWN /* a question that decides has no answer */
};

struct tn_ready {
    enum tn_ready_how how;
    const struct tn_finding *reason; /* of no, or the open question of unknown; NULL: none */
    bool of_machine;                 /* nothing is wrong with the environment itself */
};

struct tn_readiness {
    struct tn_ready *env; /* in the order of the rows of env */
    size_t n;
    const struct tn_finding *machine; /* what stops all; NULL: nothing that is known */
};

/* judged: of the machine, whatever its environment. ret lives in mem. */
void tn_check_ready(const struct tn_judge *judged, struct tn_arena *mem, struct tn_readiness *ret);

#endif
