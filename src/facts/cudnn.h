/* cudnn.h - what belongs to a full cuDNN of a version, and what it asks for.
 *
 * Invariant: file names are a table's cells. Knows nothing of folders or of the files that are there. */
#ifndef TN_FACTS_CUDNN_H
#define TN_FACTS_CUDNN_H

#include "facts/table.h"

struct tn_facts_cudnn {
    const char *version;     /* the row: "8.1.1.33" */
    bool exact;              /* the row is the asked version as far as both go */
    const char *files;       /* the full set on this platform, words: 1 file up to 7, 7 in 8.x, 8 and more in 9.x */
    const char *min_cc;      /* lowest compute capability; "" if not established */
    const char *cuda_majors; /* majors seen, "11 12"; below 9 a missing one proves nothing */
    bool needs_zlibwapi;     /* Windows: loads zlibwapi.dll at run time (8.3 to 9.1) */
    struct tn_cite cite;
};

/* By version ("8", "8.1", "8.1.0.77"). Of the same major the newest row not above the asked version stands in for a
 * missing one. NEWER: above the newest row; outputs are those of the newest row of this major if there is one,
 * else untouched. Source: table cudnn_support. */
enum tn_found tn_facts_cudnn(const char *version, enum tn_platform platform, struct tn_facts_cudnn *ret);

/* The newest major of compute capabilities that a cuDNN serves; 0: that and what comes later, or not known.
 * "Hardware forward compatibility", cuDNN documentation: added in 9.0.0, and only in builds for CUDA 12 or newer; prior
 * ones run on what they hold machine code for. Those are the cards of their days (support matrices of 7.6, 8.4 and
 * 8.9.6; 8.5 was made with CUDA 11.7, which knows nothing of 9.0): 7 up to 7.x, 8.0 to 8.5 up to 8.x, 8.6 to 8.9 up to
 * 9.0. */
unsigned tn_facts_cudnn_newest_major(const char *version);

/* Major of a cuDNN file name: "libcudnn.so.9", "libcudnn_ops_infer.so.8", "cudnn64_8.dll"; 0 if it is none. The
 * name is the same for 8.0 to 8.9: it proves the major only. */
unsigned tn_facts_cudnn_major(const char *file);

#endif
