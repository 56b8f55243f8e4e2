/* promised.h - the facts that a plan promises, put into a snapshot in the place of the environments that are there.
 * Asks no world: the checks then tell what would still be wrong. */
#ifndef TN_PROBE_PROMISED_H
#define TN_PROBE_PROMISED_H

#include "snapshot/snapshot.h"

struct tn_promise {
    const char *package, *version; /* "torch", "2.14.0+cu126" */
};

/* Takes away what is known of environments, toolkits and loaded files, and adds one judged environment with these
 * distributions, what the tables say of its frameworks, and a library for each name that they open, found. */
void tn_probe_promised(struct tn_snap *s, const char *python, const struct tn_promise *v, size_t n, const char *cuda,
                       const char *cudnn);

#endif
