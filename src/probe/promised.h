/* promised.h - the facts that a plan promises, put into a snapshot in the place of the environments that are there.
 * Asks no world: the checks then tell what would still be wrong. */
#ifndef TN_PROBE_PROMISED_H
#define TN_PROBE_PROMISED_H

#include "snapshot/snapshot.h"

struct tn_promise {
    const char *package, *version; /* "torch", "2.14.0+cu126" */
    bool stays;                    /* it is there already, and nothing touches it */
};

/* Takes away what is known of environments, toolkits and loaded files, and adds one judged environment with these
 * distributions, what the tables say of its frameworks, and a library for each name that they open, found. */
void tn_probe_promised(struct tn_snap *s, const char *python, const struct tn_promise *v, size_t n, const char *cuda,
                       const char *cudnn);

/* What the frameworks would load after a change of variables or of files' rows: worked out again from the rows of
 * files, folders and the cache alone. What was never looked at makes an answer unknown. */
void tn_probe_load_again(struct tn_snap *s, struct tn_arena *mem);

/* The same environment with other distributions: what tn_probe_promised forgets of it (where it lies, what made it,
 * packages that stay as they are, files that hide packages) is kept; keep: its libraries and the toolkits as well. */
void tn_probe_promised_inside(struct tn_snap *s, const struct tn_promise *v, size_t n, bool keep);

/* A library for each name that the frameworks of the environment open, of this CUDA ("": none), and the files of this
 * cuDNN ("": none), found. */
void tn_probe_promised_libraries(struct tn_snap *s, const char *cuda, const char *cudnn);

#endif
