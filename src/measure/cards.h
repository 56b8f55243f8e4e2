/* cards.h - several cards at work in one child: a context of each, memory on each. */
#ifndef TN_MEASURE_CARDS_H
#define TN_MEASURE_CARDS_H

#include "measure/cuda_api.h"
#include "measure/told.h"

struct tn_cards {
    struct tn_cuda cuda;
    unsigned n;
    int number[TN_CUDA_CARDS]; /* as the driver counts */
    int device[TN_CUDA_CARDS];
    char bus[TN_CUDA_CARDS][32];
    void *context[TN_CUDA_CARDS];
};

/* list: numbers with commas between. Opens the driver, and a context on each card. False: told why. */
bool tn_cards_open(struct tn_cards *c, const char *cuda, const char *list);
bool tn_cards_close(struct tn_cards *c);
/* Card i's context is current, and what follows is told of it; peer: with card `peer`, or -1. */
bool tn_cards_on(struct tn_cards *c, const char *what, unsigned i, int peer);

#endif
