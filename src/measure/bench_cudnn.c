/* bench_cudnn.c - see bench_cudnn.h. Source: cudnn.h of 7.0 to 8.9, cudnn_ops.h and cudnn_cnn.h of 9.
 *
 * The algorithm is the one that cuDNN itself names as the fastest, as frameworks ask it; FP32 stays FP32: no tensor
 * cores (CUDNN_FMA_MATH from 8 on, the default before). */
#include "measure/bench_cudnn.h"

#include <string.h>

#include "base/str.h"
#include "bench/bench.h"
#include "measure/bench_run.h"
#include "measure/gpulib.h"
#include "os/os.h"

enum {
    NCHW = 0,
    FLOAT = 0,
    CROSS_CORRELATION = 1,
    DEFAULT_MATH = 0,
    FMA_MATH = 3,
    ACCURATE = 1, /* cudnnSoftmaxAlgorithm_t: the largest is subtracted first */
    INSTANCE = 0  /* cudnnSoftmaxMode_t: over all but n */
};
#define MAX_ALGORITHMS 16

static const char *const algorithms[] = {
    "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"};
#define FIRST_TRANSFORMED 4

static bool worked(const struct tn_bench_cudnn *l, const char *call, int status)
{
    return tn_bench_failed(l->layer, call, status);
}

bool tn_bench_cudnn_open(struct tn_bench_cudnn *l, const char *path)
{
    const char *why = "";
    memset(l, 0, sizeof *l);
    l->library = tn_os_dl_open(path, &why);
    if (!l->library) {
        tn_tell("path %s", path);
        tn_tell("! open %s", tn_os_dl_refused() ? tn_os_dl_refused() : why);
        return false;
    }
#define FIND(name, args)                                                                                               \
    l->name = (int(*) args)(uintptr_t)tn_os_dl_find(l->library, #name);                                                \
    if (!l->name) {                                                                                                    \
        tn_tell("path %s", path);                                                                                      \
        tn_tell("! open no %s in it", #name);                                                                          \
        return false;                                                                                                  \
    }
    TN_BENCH_CUDNN_API(FIND)
#undef FIND
    const int v = l->cudnnGetVersion(), unit = v < 90000 ? 1000 : 10000; /* 8907: 8.9.7; 91900: 9.19.0 */
    l->major = v / unit;
    l->layer = l->major < 9 ? "cudnn-old" : "cudnn";
    tn_version_of(l->version, sizeof l->version, l->major, v % unit / 100, v % 100);
    return worked(l, "cudnnCreate", l->cudnnCreate(&l->handle));
}

bool tn_bench_cudnn_close(struct tn_bench_cudnn *l)
{
    bool ok = !l->handle || worked(l, "cudnnDestroy", l->cudnnDestroy(l->handle));
    l->handle = NULL;
    return ok;
}

static bool tensor(const struct tn_bench_cudnn *l, void **ret, uint64_t n, uint64_t c, uint64_t h, uint64_t w)
{
    return worked(l, "cudnnCreateTensorDescriptor", l->cudnnCreateTensorDescriptor(ret)) &&
           worked(l, "cudnnSetTensor4dDescriptor",
                  l->cudnnSetTensor4dDescriptor(*ret, NCHW, FLOAT, (int)n, (int)c, (int)h, (int)w));
}

static bool describe(const struct tn_bench_cudnn *l, uint64_t batch, struct tn_bench_cudnn_use *u)
{
    const int c = TN_CONV_CHANNELS, f = TN_CONV_FILTER, pad = TN_CONV_FILTER / 2;
    return tensor(l, &u->x, batch, TN_CONV_CHANNELS, TN_CONV_SIDE, TN_CONV_SIDE) &&
           tensor(l, &u->y, batch, TN_CONV_CHANNELS, TN_CONV_SIDE, TN_CONV_SIDE) &&
           worked(l, "cudnnCreateFilterDescriptor", l->cudnnCreateFilterDescriptor(&u->filter)) &&
           worked(l, "cudnnSetFilter4dDescriptor", l->cudnnSetFilter4dDescriptor(u->filter, FLOAT, NCHW, c, c, f, f)) &&
           worked(l, "cudnnCreateConvolutionDescriptor", l->cudnnCreateConvolutionDescriptor(&u->conv)) &&
           worked(l, "cudnnSetConvolution2dDescriptor",
                  l->cudnnSetConvolution2dDescriptor(u->conv, pad, pad, 1, 1, 1, 1, CROSS_CORRELATION, FLOAT)) &&
           worked(l, "cudnnSetConvolutionMathType",
                  l->cudnnSetConvolutionMathType(u->conv, l->major < 8 ? DEFAULT_MATH : FMA_MATH));
}

bool tn_bench_cudnn_conv(const struct tn_bench_cudnn *l, uint64_t batch, size_t most_bytes,
                         struct tn_bench_cudnn_use *ret)
{
    struct tn_cudnn_algorithm a[MAX_ALGORITHMS];
    int n = 0, i = 0;
    memset(a, 0, sizeof a);
    if (!describe(l, batch, ret) ||
        !worked(l, "cudnnGetConvolutionForwardAlgorithm_v7",
                l->cudnnGetConvolutionForwardAlgorithm_v7(l->handle, ret->x, ret->filter, ret->conv, ret->y,
                                                          MAX_ALGORITHMS, &n, a)))
        return false;
    while (i < n && i < MAX_ALGORITHMS &&
           (a[i].status || a[i].bytes > most_bytes || (a[i].math != DEFAULT_MATH && a[i].math != FMA_MATH)))
        i++;
    ret->algorithm = i < n && i < MAX_ALGORITHMS ? a[i].algorithm : 0; /* implicit GEMM: every card has it */
    ret->transformed = ret->algorithm >= FIRST_TRANSFORMED;
    return worked(l, "cudnnGetConvolutionForwardWorkspaceSize",
                  l->cudnnGetConvolutionForwardWorkspaceSize(l->handle, ret->x, ret->filter, ret->conv, ret->y,
                                                             ret->algorithm, &ret->bytes));
}

bool tn_bench_cudnn_rows(const struct tn_bench_cudnn *l, uint64_t rows, uint64_t columns,
                         struct tn_bench_cudnn_use *ret)
{
    return tensor(l, &ret->x, rows, columns, 1, 1);
}

bool tn_bench_cudnn_forget(const struct tn_bench_cudnn *l, struct tn_bench_cudnn_use *u)
{
    bool ok = !u->conv || worked(l, "cudnnDestroyConvolutionDescriptor", l->cudnnDestroyConvolutionDescriptor(u->conv));
    ok = (!u->filter || worked(l, "cudnnDestroyFilterDescriptor", l->cudnnDestroyFilterDescriptor(u->filter))) && ok;
    ok = (!u->y || worked(l, "cudnnDestroyTensorDescriptor", l->cudnnDestroyTensorDescriptor(u->y))) && ok;
    ok = (!u->x || worked(l, "cudnnDestroyTensorDescriptor", l->cudnnDestroyTensorDescriptor(u->x))) && ok;
    memset(u, 0, sizeof *u);
    return ok;
}

static const float one = 1, zero = 0;

bool tn_bench_cudnn_convolve(const struct tn_bench_cudnn *l, const struct tn_bench_cudnn_use *u, uint64_t x, uint64_t w,
                             uint64_t y, uint64_t room)
{
    return worked(l, "cudnnConvolutionForward",
                  l->cudnnConvolutionForward(l->handle, &one, u->x, x, u->filter, w, u->conv, u->algorithm, room,
                                             u->bytes, &zero, u->y, y));
}

bool tn_bench_cudnn_softmax(const struct tn_bench_cudnn *l, const struct tn_bench_cudnn_use *u, uint64_t x, uint64_t y)
{
    return worked(l, "cudnnSoftmaxForward",
                  l->cudnnSoftmaxForward(l->handle, ACCURATE, INSTANCE, &one, u->x, x, &zero, u->x, y));
}

const char *tn_bench_cudnn_algorithm(const struct tn_bench_cudnn_use *u)
{
    return u->algorithm >= 0 && u->algorithm < (int)TN_LEN(algorithms) ? algorithms[u->algorithm] : "?";
}
