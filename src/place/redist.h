/* redist.h - NVIDIA's lists of redistributable archives, and the names of those archives.
 *
 * redistrib_VERSION.json: for each component its version and, by platform (linux-x86_64, windows-x86_64 ...), an
 * archive with relative_path, sha256 and size; with "cuda_variant" one such for each variant ("cuda12"). Source:
 * NVIDIA/ build-system-archive-import-examples, parse_redist.py, and the lists of CUDA and cuDNN as published. Pure. */
#ifndef TN_PLACE_REDIST_H
#define TN_PLACE_REDIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

struct tn_redist {
    const char *component; /* "cudnn", "cuda_nvcc" */
    const char *version;   /* "9.20.0.48" */
    const char *platform;  /* "linux-x86_64" */
    const char *cuda;      /* major of the variant: "12"; "" */
    const char *file;      /* last component of relative_path */
    const char *path;      /* relative_path, from the list's own folder on; "" where that is no plain path */
    const char *sha256;    /* "" when the list has none */
    uint64_t size;         /* 0: not told */
};

struct tn_redist_list {
    struct tn_redist *v;
    size_t n;
    const char *label; /* "13.0.2"; "" */
};

#define TN_MAX_REDIST_BYTES (8u << 20) /* the lists have under 100 KB */

/* A list in NVIDIA's form, or lines as sha256sum(1) writes them. TN_E_FORMAT: neither. */
int tn_redist_read(struct tn_arena *mem, struct tn_span text, struct tn_redist_list *ret, struct tn_err *err);
const struct tn_redist *tn_redist_find(const struct tn_redist_list *l, const char *file);
/* parts.c: the archives of a list that make a toolkit which frameworks run on, or its cuDNN for a major of CUDA, for a
 * platform. TN_E_REFUSED: one is not in the list, so that the set would not be full. */
#define TN_REDIST_PARTS 16u
int tn_redist_toolkit(const struct tn_redist_list *l, const char *platform, const struct tn_redist **ret,
                      unsigned *ret_n, struct tn_err *err);
int tn_redist_cudnn(const struct tn_redist_list *l, const char *platform, const char *cuda,
                    const struct tn_redist **ret, struct tn_err *err);
/* What an archive's name says: "cudnn-linux-x86_64-9.20.0.48_cuda13-archive.tar.xz", and cuDNN's older
 * "cudnn-11.2-linux-x64-v8.1.1.33.tgz", "cudnn-windows-x86_64-8.3.1.22_cuda11.5-archive.zip". false: nothing. */
bool tn_redist_name(struct tn_arena *mem, const char *file, struct tn_redist *ret);

#endif
