/* verify.h - the order of the works of `verify`, and what became of each as lines of told.h.
 *
 * Which files are opened is handed in: it was predicted from the machine's facts. Nothing here judges; a work that was
 * not done says why, and is never left out. */
#ifndef TN_MEASURE_VERIFY_H
#define TN_MEASURE_VERIFY_H

#include <stdbool.h>

#include "base/buf.h"

struct tn_verify_framework {
    const char *name, *env; /* env.id */
    const char *const
        *library; /* files that the C API is in, in the order of opening (NULL at the end); NULL: by Python */
    const char *interpreter; /* NULL: there is none */
    const char *file;        /* named as what did the work */
    const char *why;         /* not tried, and why: a word of measurement.why; NULL: it can be tried */
    bool gpu_build;
};

/* The CUDA libraries, in the order in which they stand on one another. */
struct tn_work;
struct tn_verify_layer {
    const char *name; /* of the layer: "cublas" */
    const char *stem; /* of the file's name, without "lib": "cublas" */
    const struct tn_work *work;
};
#define TN_VERIFY_LAYERS 11
extern const struct tn_verify_layer tn_verify_layers[TN_VERIFY_LAYERS];

struct tn_verify_library {
    unsigned layer; /* its number among these */
    const char *env, *file;
    const char *why; /* not tried, and why: a word of measurement.why; NULL: it can be tried */
};

struct tn_verify {
    const char *cuda;   /* libcuda.so.1 (nvcuda.dll), as a program would load it; NULL: none */
    const char *no_gpu; /* why nothing can be tried on a GPU: a word of measurement.why; NULL: it can */
    bool full;
    int gpu;   /* number of the GPU; -1: each of them */
    bool free; /* the driver may load its module, as for any program: see worker.h */
    const struct tn_verify_library *library;
    unsigned n_library;
    const struct tn_verify_framework *framework;
    unsigned n_framework;
    unsigned deadline_ms;                        /* of each work, 0: ten minutes; its steps have shorter ones */
    void (*begin)(void *ctx, const char *layer); /* before each part; may be NULL */
    void *ctx;
};

void tn_verify_run(const struct tn_verify *v, struct tn_buf *ret);

#endif
