/* bench_cudnn.h - cuDNN as far as the benchmark uses it: one convolution, one softmax; in the worker of the GPU. */
#ifndef TN_MEASURE_BENCH_CUDNN_H
#define TN_MEASURE_BENCH_CUDNN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What cudnnGetConvolutionForwardAlgorithm_v7 says of each algorithm, the fastest first. Source: cudnn.h of 7 to 9. */
struct tn_cudnn_algorithm {
    int algorithm, status;
    float ms;
    size_t bytes;
    int determinism, math, reserved[3];
};

#define TN_BENCH_CUDNN_API(X)                                                                                          \
    X(cudnnGetVersion, (void))                                                                                         \
    X(cudnnCreate, (void **ret))                                                                                       \
    X(cudnnDestroy, (void *handle))                                                                                    \
    X(cudnnCreateTensorDescriptor, (void **ret))                                                                       \
    X(cudnnDestroyTensorDescriptor, (void *desc))                                                                      \
    X(cudnnSetTensor4dDescriptor, (void *desc, int format, int type, int n, int c, int h, int w))                      \
    X(cudnnCreateFilterDescriptor, (void **ret))                                                                       \
    X(cudnnDestroyFilterDescriptor, (void *desc))                                                                      \
    X(cudnnSetFilter4dDescriptor, (void *desc, int type, int format, int k, int c, int h, int w))                      \
    X(cudnnCreateConvolutionDescriptor, (void **ret))                                                                  \
    X(cudnnDestroyConvolutionDescriptor, (void *desc))                                                                 \
    X(cudnnSetConvolution2dDescriptor,                                                                                 \
      (void *desc, int pad_h, int pad_w, int step_h, int step_w, int dilation_h, int dilation_w, int mode, int type))  \
    X(cudnnSetConvolutionMathType, (void *desc, int type))                                                             \
    X(cudnnGetConvolutionForwardAlgorithm_v7,                                                                          \
      (void *handle, void *x, void *w, void *conv, void *y, int asked, int *ret_n, struct tn_cudnn_algorithm *ret))    \
    X(cudnnGetConvolutionForwardWorkspaceSize,                                                                         \
      (void *handle, void *x, void *w, void *conv, void *y, int algorithm, size_t *ret))                               \
    X(cudnnConvolutionForward,                                                                                         \
      (void *handle, const void *alpha, void *x_desc, uint64_t x, void *w_desc, uint64_t w, void *conv, int algorithm, \
       uint64_t work, size_t bytes, const void *beta, void *y_desc, uint64_t y))                                       \
    X(cudnnSoftmaxForward, (void *handle, int algorithm, int mode, const void *alpha, void *x_desc, uint64_t x,        \
                            const void *beta, void *y_desc, uint64_t y))

struct tn_bench_cudnn {
    void *library, *handle;
    char version[32];
#define TN_BENCH_CUDNN_MEMBER(name, args) int(*name) args;
    TN_BENCH_CUDNN_API(TN_BENCH_CUDNN_MEMBER)
#undef TN_BENCH_CUDNN_MEMBER
    const char *layer; /* whose numbers its errors are: bench_run.h */
    int major;
};
bool tn_bench_cudnn_open(struct tn_bench_cudnn *l, const char *path);
bool tn_bench_cudnn_close(struct tn_bench_cudnn *l);

/* The convolution of bench/bench.h, or the rows of a softmax. */
struct tn_bench_cudnn_use {
    void *x, *y, *filter, *conv; /* descriptors */
    int algorithm;
    size_t bytes;     /* of the room that it needs on the card */
    bool transformed; /* not by the sums themselves */
};
/* False: failed and told; what was made is forgotten by tn_bench_cudnn_forget in any case. */
bool tn_bench_cudnn_conv(const struct tn_bench_cudnn *l, uint64_t batch, size_t most_bytes,
                         struct tn_bench_cudnn_use *ret);
bool tn_bench_cudnn_rows(const struct tn_bench_cudnn *l, uint64_t rows, uint64_t columns,
                         struct tn_bench_cudnn_use *ret);
bool tn_bench_cudnn_forget(const struct tn_bench_cudnn *l, struct tn_bench_cudnn_use *u);
bool tn_bench_cudnn_convolve(const struct tn_bench_cudnn *l, const struct tn_bench_cudnn_use *u, uint64_t x, uint64_t w,
                             uint64_t y, uint64_t room);
bool tn_bench_cudnn_softmax(const struct tn_bench_cudnn *l, const struct tn_bench_cudnn_use *u, uint64_t x, uint64_t y);
/* As cudnn.h calls it. */
const char *tn_bench_cudnn_algorithm(const struct tn_bench_cudnn_use *u);

#endif
