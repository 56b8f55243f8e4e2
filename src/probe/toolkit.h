/* toolkit.h - shared by toolkit*.c: candidates, the places where they hide, and what a toolkit's own files say of its
 * version.
 *
 * Invariant: evidence is tried from the strongest to the weakest, and the fact names the one that spoke. */
#ifndef TN_PROBE_TOOLKIT_H
#define TN_PROBE_TOOLKIT_H

#include "probe/ask.h"

#define TN_MAX_TOOLKITS 64u
#define TN_MAX_TOOLKIT_NAMES 16u

struct tn_probe_cand {
    const char *real;
    const char *name[TN_MAX_TOOLKIT_NAMES];
    unsigned n;
    uint32_t src;
    const char *kind; /* of the place that named it first; NULL: the usual ones */
    bool on_path;
};

struct tn_probe_cands {
    struct tn_probe_ctx *c;
    struct tn_probe_cand v[TN_MAX_TOOLKITS];
    unsigned n;
};

/* Notes a folder, resolved, with the name by which it was reached. Returns NULL when it is none. */
struct tn_probe_cand *tn_probe_toolkit_consider(struct tn_probe_cands *f, const char *path, uint32_t src,
                                                const char *kind);

/* A small script in place of a program ("exec /usr/lib/nvidia-cuda-toolkit/bin/nvcc"): the file that it starts, whose
 * name is slash_name ("/nvcc"); else path. */
const char *tn_probe_behind_script(struct tn_probe_ctx *c, const char *path, const char *slash_name);

/* toolkit_places.c: trees of Spack and Nix, what environment modules name, conda environments with a compiler. */
void tn_probe_toolkit_places(struct tn_probe_cands *f);
/* The folder that a modulefile (Tcl or Lua) sets as the root of CUDA; NULL if it sets none. */
const char *tn_probe_modulefile_root(struct tn_arena *mem, struct tn_span text);

struct tn_probe_toolkit {
    const char *root;    /* links resolved */
    const char *include; /* folder of cuda.h */
    const char *lib;     /* folder of libcudart */
    const char *nvcc;    /* the program's file, or NULL */
    const char *ptxas;   /* likewise */
};

/* CUDA release and versions of the compiler and assembler; unasked or absent when nothing tells. */
void tn_probe_toolkit_versions(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t, struct tn_str *ret_cuda,
                               struct tn_str *ret_nvcc, struct tn_str *ret_ptxas);
/* The release that a program of the toolkit carries ("13.0.88" of "release 13.0, V13.0.88"); unasked if none is found
 * in the first megabytes of its .rodata. */
struct tn_str tn_probe_tool_version(struct tn_probe_ctx *c, const char *file);

/* The version in include/cudnn_version.h, which cuDNN has had since 8.0. */
struct tn_str tn_probe_cudnn_header(struct tn_probe_ctx *c, const struct tn_probe_toolkit *t);

/* The number behind "#define NAME" in a text; false if there is none. */
bool tn_probe_define(struct tn_span text, const char *name, uint64_t *ret);

#endif
