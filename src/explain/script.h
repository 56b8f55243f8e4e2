/* script.h - what a Python script says of the figures that it prints. Pure; reads words, runs nothing. */
#ifndef TN_EXPLAIN_SCRIPT_H
#define TN_EXPLAIN_SCRIPT_H

#include <stdbool.h>

#include "base/span.h"

struct tn_script { /* numbers of lines; 0: nothing of the kind */
    bool lists_gpus;
    unsigned number;   /* runs that timeit sums */
    unsigned summed;   /* its result is nowhere divided */
    unsigned data;     /* random or filled tensors are made inside what is timed */
    unsigned unsynced; /* and nothing in it waits for the GPU */
};

void tn_script_read(struct tn_span source, struct tn_script *ret);
/* Does a line of the output end with an empty list? */
bool tn_script_list_is_empty(struct tn_span output);

#endif
