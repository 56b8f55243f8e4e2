/* gpulib.h - one CUDA library at work, in a child of its own (worker.h): opened by the path that was predicted for it,
 * asked for its version, then, where there is a GPU, made to compute something whose right result we know.
 *
 * A library is one page, lib_NAME.c: the calls that it needs as a table, its version, its work. Which context a library
 * computes in: the primary one of the chosen GPU, made current by the driver before the library is first called; the
 * CUDA run time inside a library takes it over (CUDA C++ Programming Guide, "Interoperability between Runtime and
 * Driver APIs").
 *
 * Invariant: memory for a result holds NaN (all bits set) before the library is called, so that no work is no result.
 */
#ifndef TN_MEASURE_GPULIB_H
#define TN_MEASURE_GPULIB_H

#include "base/arena.h"
#include "measure/cuda_api.h"
#include "measure/told.h"
#include "measure/worker.h"

/* The calls of a library: API(X) lists X(name, (arguments)); all return an int but those that the page casts. */
struct tn_api_name {
    char name[56]; /* in place: a pointer would be a relocation at every start */
    size_t at;     /* of its pointer in the page's struct api */
};
#define TN_API_MEMBER(name, args) int(*name) args;
#define TN_API_NAME(name, args) {#name, offsetof(struct api, name)},

#define TN_GPU_BUFFERS 24

struct tn_gpu {
    struct tn_cuda cuda;
    struct tn_arena mem; /* of the host's side */
    int number, device;  /* as the driver counts; its handle */
    unsigned capability; /* 86: 8.6 */
    bool full;           /* the full level */
    const char *what;    /* at work now: "matmul" */
    unsigned major;      /* of the library's version */
    uint64_t at[TN_GPU_BUFFERS];
    unsigned n;
};

struct tn_gpulib {
    const char *layer;
    const struct tn_api_name *api;
    unsigned n_api;
    /* Calls int(void) that open and check a part of the library that is a file of its own: those that are there are
     * made, which needs no GPU. NULL at the end; NULL: none. */
    const char *const *part;
    /* All in the child; api is the page's filled table. */
    bool (*version)(const void *api, char *ret, size_t size);
    bool (*host)(const void *api);                    /* what it does without a GPU; NULL: nothing */
    bool (*prove)(const void *api, struct tn_gpu *g); /* false: something failed, and was told */
    unsigned since; /* the major version that brought these calls, 0: any; the first call tells the version */
};

/* The work of a page. words: path of the library, level (load: no GPU is used; quick; full), path of libcuda, number of
 * the GPU. */
int tn_gpulib_run(const struct tn_gpulib *lib, const char *const *argv);

/* "12.4.1" of three numbers. */
void tn_version_of(char *ret, size_t size, int major, int minor, int patch);

/* What follows is named so, and may take ms. */
void tn_gpu_step(struct tn_gpu *g, const char *what, unsigned ms);
/* Was a library's answer 0? Else it is told by its number, which the reader of the rows names (probe/measured.c). */
bool tn_lib_worked(const char *what, const char *call, int result);
bool tn_gpu_worked(const struct tn_gpu *g, const char *call, int result);

/* Bit for bit. */
bool tn_same_bits(const void *a, const void *b, size_t bytes);

/* Memory on the GPU with a copy of these bytes; host NULL: with all bits set. 0: told why. */
uint64_t tn_gpu_put(struct tn_gpu *g, const void *host, size_t bytes);
/* All work done (errors of asynchronous work come out here), then copied back. */
bool tn_gpu_take(struct tn_gpu *g, void *host, uint64_t from, size_t bytes);
/* Frees what was put. */
bool tn_gpu_drop(struct tn_gpu *g);

#endif
