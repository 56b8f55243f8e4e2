/* container_gpu.h - what of the GPU arrived in this container, for the checks about containers. */
#ifndef TN_CHECK_CONTAINER_GPU_H
#define TN_CHECK_CONTAINER_GPU_H

#include "check/look.h"

/* What a runtime hands in: the nodes, and the driver's libraries as mounted files. */
struct tn_container_gpu {
    bool inside;        /* in a container at all (WSL is none) */
    bool host_has_gpu;  /* the bus or a loaded driver, which the kernel shows inside, too */
    bool nodes_known;   /* /dev was listed */
    bool nodes;         /* /dev/nvidiactl or a card's node */
    bool host_dev;      /* its /dev is the host's, asked or not: nodes there say nothing */
    bool library;       /* a libcuda of the driver that is more than a left-over name */
    bool library_known; /* it was looked for */
    size_t leftover;    /* row of a libcuda without content, or library.n */
};
void tn_look_container_gpu(const struct tn_judge *j, struct tn_container_gpu *ret);

#endif
