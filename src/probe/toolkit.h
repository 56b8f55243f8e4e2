/* toolkit.h - shared by toolkit.c and toolkit_version.c: what a toolkit's own files say of its version.
 *
 * Invariant: evidence is tried from the strongest to the weakest, and the fact names the one that spoke. */
#ifndef TN_PROBE_TOOLKIT_H
#define TN_PROBE_TOOLKIT_H

#include "probe/ask.h"

struct tn_probe_toolkit {
    const char *root;    /* links resolved */
    const char *include; /* folder of cuda.h */
    const char *lib;     /* folder of libcudart */
    const char *nvcc;    /* the program's file, or NULL */
};

/* CUDA release and version of the compiler; unasked or absent when nothing tells. */
void tn_probe_toolkit_versions(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t, struct tn_str *ret_cuda,
                               struct tn_str *ret_nvcc);

/* The number behind "#define NAME" in a text; false if there is none. */
bool tn_probe_define(struct tn_span text, const char *name, uint64_t *ret);

#endif
