/* bench_gpu.h - the GPU side of the benchmark, in its worker: one card through the driver, with events as its clock.
 *
 * Invariant: what is allocated on the card is freed before the context is given back, however the work ended. */
#ifndef TN_MEASURE_BENCH_GPU_H
#define TN_MEASURE_BENCH_GPU_H

#include "measure/bench_run.h"
#include "measure/cuda_api.h"

/* What only measuring needs of the driver. Source: cuda.h of CUDA 11.0 to 13.0. */
#define TN_BENCH_GPU_API(X)                                                                                            \
    X(cuEventCreate, (void **ret, unsigned flags))                                                                     \
    X(cuEventDestroy_v2, (void *event))                                                                                \
    X(cuEventRecord, (void *event, void *stream))                                                                      \
    X(cuEventSynchronize, (void *event))                                                                               \
    X(cuEventElapsedTime, (float *ret_ms, void *from, void *to))                                                       \
    X(cuMemHostAlloc, (void **ret, size_t bytes, unsigned flags))                                                      \
    X(cuMemFreeHost, (void *p))                                                                                        \
    X(cuMemcpyDtoD_v2, (uint64_t to, uint64_t from, size_t bytes))

struct tn_bench_gpu {
    struct tn_cuda cuda;
#define TN_BENCH_GPU_MEMBER(name, args) int(*name) args;
    TN_BENCH_GPU_API(TN_BENCH_GPU_MEMBER)
#undef TN_BENCH_GPU_MEMBER
    int device;
    void *from, *to; /* events */
};

/* True: the driver's answer was 0; else it is told. */
bool tn_bench_gpu_worked(const struct tn_bench_gpu *g, const char *call, int result);
/* Microseconds on the card of what work does, calls times; 0: failed, and told. */
double tn_bench_gpu_timed(const struct tn_bench_gpu *g, bool (*work)(void *ctx), void *ctx, unsigned calls);

/* bench_gpu_link.c: tells launch latency, and how fast bytes go to the card, back, and inside it. */
bool tn_bench_gpu_launch(const struct tn_bench_gpu *g, void *function);
bool tn_bench_gpu_link(const struct tn_bench_gpu *g);

/* bench_gpu_blas.c: cuBLAS. */
struct tn_bench_cublas {
    void *library, *handle;
    int (*create)(void **ret);
    int (*destroy)(void *handle);
    int (*property)(int which, int *ret);
    int (*math)(void *handle, int mode);
    void *gemm[TN_BENCH_N_PRECISION], *batched;
};
bool tn_bench_cublas_open(struct tn_bench_cublas *l, const char *path);
bool tn_bench_cublas_close(struct tn_bench_cublas *l);
/* Sizes one after the other; 0, 3: failed and told, 4: a wrong result. */
int tn_bench_gpu_multiply(const struct tn_bench_gpu *g, const struct tn_bench_cublas *l, enum tn_bench_precision p,
                          uint64_t n, unsigned runs, unsigned budget_ms);

/* A product of row-by-row matrices on the card, `times` times, each moved on by so many numbers; p's own pointers are
 * not looked at. */
struct tn_bench_card_product {
    struct tn_bench_product p;
    uint64_t times, a_next, b_next, c_next;
    uint64_t a, b, c;
};
bool tn_bench_cublas_product(const struct tn_bench_cublas *l, const struct tn_bench_card_product *c);

/* bench_gpu_works.c: convolution (by cuDNN; blas may be NULL), step (by both). 0, 3: failed and told, 4: wrong. */
struct tn_bench_cudnn;
int tn_bench_gpu_work(const struct tn_bench_gpu *g, const struct tn_bench_cublas *blas,
                      const struct tn_bench_cudnn *dnn, enum tn_bench_op op, uint64_t batch, unsigned runs,
                      unsigned budget_ms);

/* bench_gpu_state.c: clock, power, temperature and why it is held back, by the NVML that lies beside the driver's
 * library; told as "WORD MHZ WATTS CELSIUS REASONS". Nothing where NVML does not answer. */
struct tn_bench_nvml {
    void *card;
    int (*clock)(void *card, unsigned which, unsigned *ret);
    int (*clock_max)(void *card, unsigned which, unsigned *ret);
    int (*power)(void *card, unsigned *ret);
    int (*temperature)(void *card, unsigned which, unsigned *ret);
    int (*reasons)(void *card, unsigned long long *ret);
};
void tn_bench_nvml_open(struct tn_bench_nvml *l, const char *cuda, const char *bus);
void tn_bench_nvml_tell(const struct tn_bench_nvml *l, const char *word);

#endif
