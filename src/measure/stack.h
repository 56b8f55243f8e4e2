/* stack.h - the layers of one card at work, one after another in one child, so that the driver's context is made once;
 * a layer that fails ends its child, and the next one begins in a new child: nobody inherits a fault.
 *
 * In one child a library finds those already loaded that an earlier layer opened by path, as in a framework's process.
 * Whoever wants each alone hands in one layer at a time. */
#ifndef TN_MEASURE_STACK_H
#define TN_MEASURE_STACK_H

#include "measure/worker.h"

struct tn_stack_layer {
    const struct tn_work *work;
    const char *file;
};

struct tn_stack {
    const struct tn_stack_layer *layer;
    unsigned n; /* at most TN_STACK_LAYERS */
    const char *level, *cuda;
    int gpu;
    bool list;                                           /* the driver lists the devices */
    bool free;                                           /* worker.h */
    unsigned deadline_ms;                                /* of each layer */
    void (*begin)(void *ctx, unsigned i);                /* layer i begins */
    void (*told)(void *ctx, struct tn_span line);        /* a line of the layer that is at work */
    void (*ended)(void *ctx, const struct tn_worked *w); /* the child ended in that layer */
    void *ctx;
};
#define TN_STACK_LAYERS 12

/* Works from the first layer on. Returns how many were begun: all of them, or up to the one that failed; 0: no child
 * could be started, *err says why. */
unsigned tn_stack_run(const struct tn_stack *s, struct tn_err *err);

#endif
