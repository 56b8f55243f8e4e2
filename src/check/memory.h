/* memory.h - who holds the memory of the cards. Not a check: for gpu-busy, and for explain, which asks it where a text
 * says that memory was not to be had. */
#ifndef TN_CHECK_MEMORY_H
#define TN_CHECK_MEMORY_H

#include "check/look.h"

struct tn_card_memory {
    size_t holder; /* row of the process that holds most of the card; process.n: none is known */
    unsigned n;    /* processes that hold some of it */
    int64_t held;  /* bytes of all of them, so far as NVML tells them */
    bool crowded;  /* that is more than is free */
};
/* False where the card's free memory or its processes are not known. */
bool tn_look_card_memory(const struct tn_judge *j, size_t card, struct tn_card_memory *ret);
/* Another NVIDIA card, which CUDA shows to the looker and which is not crowded, with the most free memory; gpu.n: none.
 */
size_t tn_look_free_card(const struct tn_judge *j, size_t besides);

#endif
