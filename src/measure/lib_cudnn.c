/* lib_cudnn.c - cuDNN: a convolution and both its gradients, by the interface that releases 7 to 9 have in common.
 * Source: cudnn.h of 7.0 to 8.9, cudnn_ops.h and cudnn_cnn.h of 9.
 *
 * The algorithms are those that every card has and that sum the products themselves: implicit GEMM (0) forward, 1 for
 * the gradients. From 8.0 on the default may be TF32 in FP32's place; here it may not. */
#include "base/str.h"
#include "measure/conv_back.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
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
    X(cudnnGetConvolutionForwardWorkspaceSize,                                                                         \
      (void *handle, void *x, void *w, void *conv, void *y, int algorithm, size_t *ret))                               \
    X(cudnnGetConvolutionBackwardDataWorkspaceSize,                                                                    \
      (void *handle, void *w, void *dy, void *conv, void *dx, int algorithm, size_t *ret))                             \
    X(cudnnGetConvolutionBackwardFilterWorkspaceSize,                                                                  \
      (void *handle, void *x, void *dy, void *conv, void *dw, int algorithm, size_t *ret))                             \
    X(cudnnConvolutionForward,                                                                                         \
      (void *handle, const void *alpha, void *x_desc, uint64_t x, void *w_desc, uint64_t w, void *conv, int algorithm, \
       uint64_t work, size_t bytes, const void *beta, void *y_desc, uint64_t y))                                       \
    X(cudnnConvolutionBackwardData,                                                                                    \
      (void *handle, const void *alpha, void *w_desc, uint64_t w, void *dy_desc, uint64_t dy, void *conv,              \
       int algorithm, uint64_t work, size_t bytes, const void *beta, void *dx_desc, uint64_t dx))                      \
    X(cudnnConvolutionBackwardFilter,                                                                                  \
      (void *handle, const void *alpha, void *x_desc, uint64_t x, void *dy_desc, uint64_t dy, void *conv,              \
       int algorithm, uint64_t work, size_t bytes, const void *beta, void *dw_desc, uint64_t dw))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define NCHW 0              /* cudnnTensorFormat_t */
#define FLOAT 0             /* cudnnDataType_t */
#define CROSS_CORRELATION 1 /* cudnnConvolutionMode_t: the filter is not mirrored, as in every framework */
#define FMA_MATH 3          /* cudnnMathType_t, from 8.0 on */

/* 8907: 8.9.7; from 9 on 91900: 9.19.0. It returns size_t, of which an int holds all. */
static bool version(const void *api, char *ret, size_t size)
{
    int v = ((const struct api *)api)->cudnnGetVersion(), unit = v < 90000 ? 1000 : 10000;
    tn_version_of(ret, size, v / unit, v % unit / 100, v % 100);
    return true;
}

/* Of 9 and of 8: each library of the set. */
static const char *const parts[] = {"cudnnGraphVersionCheck",
                                    "cudnnOpsVersionCheck",
                                    "cudnnCnnVersionCheck",
                                    "cudnnAdvVersionCheck",
                                    "cudnnOpsInferVersionCheck",
                                    "cudnnOpsTrainVersionCheck",
                                    "cudnnCnnInferVersionCheck",
                                    "cudnnCnnTrainVersionCheck",
                                    "cudnnAdvInferVersionCheck",
                                    "cudnnAdvTrainVersionCheck",
                                    NULL};

struct conv {
    const struct api *a;
    struct tn_gpu *g;
    struct tn_ref_conv shape;
    size_t n_image, n_filter, n_result;
    void *handle, *image, *result, *filter, *conv;
    uint64_t x, w, dy;
};

static const float one = 1, zero = 0;

static bool worked(const struct conv *c, const char *call, int result)
{
    return tn_gpu_worked(c->g, call, result);
}

static bool describe(struct conv *c)
{
    const struct api *a = c->a;
    const struct tn_ref_conv *s = &c->shape;
    int rows = (int)s->rows, columns = (int)s->columns, in = (int)s->in, out = (int)s->out, h = (int)s->h,
        w = (int)s->w;
    return worked(c, "cudnnCreateTensorDescriptor", a->cudnnCreateTensorDescriptor(&c->image)) &&
           worked(c, "cudnnCreateTensorDescriptor", a->cudnnCreateTensorDescriptor(&c->result)) &&
           worked(c, "cudnnCreateFilterDescriptor", a->cudnnCreateFilterDescriptor(&c->filter)) &&
           worked(c, "cudnnCreateConvolutionDescriptor", a->cudnnCreateConvolutionDescriptor(&c->conv)) &&
           worked(c, "cudnnSetTensor4dDescriptor",
                  a->cudnnSetTensor4dDescriptor(c->image, NCHW, FLOAT, 1, in, rows, columns)) &&
           worked(c, "cudnnSetTensor4dDescriptor",
                  a->cudnnSetTensor4dDescriptor(c->result, NCHW, FLOAT, 1, out, rows, columns)) &&
           worked(c, "cudnnSetFilter4dDescriptor",
                  a->cudnnSetFilter4dDescriptor(c->filter, FLOAT, NCHW, out, in, h, w)) &&
           worked(c, "cudnnSetConvolution2dDescriptor",
                  a->cudnnSetConvolution2dDescriptor(c->conv, (h - 1) / 2, (w - 1) / 2, 1, 1, 1, 1, CROSS_CORRELATION,
                                                     FLOAT)) &&
           (c->g->major < 8 ||
            worked(c, "cudnnSetConvolutionMathType", a->cudnnSetConvolutionMathType(c->conv, FMA_MATH)));
}

static void forget(const struct conv *c)
{
    if (c->conv)
        c->a->cudnnDestroyConvolutionDescriptor(c->conv);
    if (c->filter)
        c->a->cudnnDestroyFilterDescriptor(c->filter);
    if (c->result)
        c->a->cudnnDestroyTensorDescriptor(c->result);
    if (c->image)
        c->a->cudnnDestroyTensorDescriptor(c->image);
}

static uint64_t put(const struct conv *c, uint32_t seed, size_t n)
{
    float *v = tn_arena_array(&c->g->mem, n, sizeof *v);
    tn_ref_fill(TN_FP32, seed, n, v);
    return tn_gpu_put(c->g, v, n * sizeof *v);
}

/* Taken back, compared, told. */
static bool judge(const struct conv *c, const char *what, uint64_t from, size_t n,
                  void (*check)(const struct tn_ref_conv *, enum tn_precision, const void *, struct tn_ref_verdict *))
{
    float *got = tn_arena_array(&c->g->mem, n, sizeof *got);
    struct tn_ref_verdict v;
    if (!tn_gpu_take(c->g, got, from, n * sizeof *got))
        return false;
    check(&c->shape, TN_FP32, got, &v);
    return tn_tell_verdict(what, TN_FP32, &v, "gpu", NULL);
}

static bool forward(const struct conv *c)
{
    size_t bytes = 0;
    uint64_t y = tn_gpu_put(c->g, NULL, c->n_result * sizeof(float));
    if (!y || !worked(c, "cudnnGetConvolutionForwardWorkspaceSize",
                      c->a->cudnnGetConvolutionForwardWorkspaceSize(c->handle, c->image, c->filter, c->conv, c->result,
                                                                    0, &bytes)))
        return false;
    uint64_t work = tn_gpu_put(c->g, NULL, bytes ? bytes : 1);
    return work &&
           worked(c, "cudnnConvolutionForward",
                  c->a->cudnnConvolutionForward(c->handle, &one, c->image, c->x, c->filter, c->w, c->conv, 0, work,
                                                bytes, &zero, c->result, y)) &&
           judge(c, "convolution", y, c->n_result, tn_ref_check_conv);
}

static bool backward_image(const struct conv *c)
{
    size_t bytes = 0;
    uint64_t dx = tn_gpu_put(c->g, NULL, c->n_image * sizeof(float));
    if (!dx || !worked(c, "cudnnGetConvolutionBackwardDataWorkspaceSize",
                       c->a->cudnnGetConvolutionBackwardDataWorkspaceSize(c->handle, c->filter, c->result, c->conv,
                                                                          c->image, 1, &bytes)))
        return false;
    uint64_t work = tn_gpu_put(c->g, NULL, bytes ? bytes : 1);
    return work &&
           worked(c, "cudnnConvolutionBackwardData",
                  c->a->cudnnConvolutionBackwardData(c->handle, &one, c->filter, c->w, c->result, c->dy, c->conv, 1,
                                                     work, bytes, &zero, c->image, dx)) &&
           judge(c, "convolution-image", dx, c->n_image, tn_ref_check_conv_image);
}

static bool backward_filter(const struct conv *c)
{
    size_t bytes = 0;
    uint64_t dw = tn_gpu_put(c->g, NULL, c->n_filter * sizeof(float));
    if (!dw || !worked(c, "cudnnGetConvolutionBackwardFilterWorkspaceSize",
                       c->a->cudnnGetConvolutionBackwardFilterWorkspaceSize(c->handle, c->image, c->result, c->conv,
                                                                            c->filter, 1, &bytes)))
        return false;
    uint64_t work = tn_gpu_put(c->g, NULL, bytes ? bytes : 1);
    return work &&
           worked(c, "cudnnConvolutionBackwardFilter",
                  c->a->cudnnConvolutionBackwardFilter(c->handle, &one, c->image, c->x, c->result, c->dy, c->conv, 1,
                                                       work, bytes, &zero, c->filter, dw)) &&
           judge(c, "convolution-filter", dw, c->n_filter, tn_ref_check_conv_filter);
}

static bool all(struct conv *c)
{
    const struct tn_ref_conv *s = &c->shape;
    c->n_image = (size_t)s->in * s->rows * s->columns;
    c->n_result = (size_t)s->out * s->rows * s->columns;
    c->n_filter = (size_t)s->out * s->in * s->h * s->w;
    tn_gpu_step(c->g, "convolution", 120000);
    bool ok = describe(c) && (c->x = put(c, s->seed, c->n_image)) && (c->w = put(c, s->seed + 1, c->n_filter)) &&
              (c->dy = put(c, s->seed + 2, c->n_result)) && forward(c) && backward_image(c) && backward_filter(c);
    forget(c);
    return ok;
}

static bool prove(const void *api, struct tn_gpu *g)
{
    static const struct tn_ref_conv quick = {14, 12, 8, 16, 3, 3, 61, true, true},
                                    full = {28, 30, 16, 32, 5, 5, 71, true, true};
    struct conv c = {.a = api, .g = g, .shape = g->full ? full : quick};
    tn_gpu_step(g, "handle", 120000);
    if (!worked(&c, "cudnnCreate", c.a->cudnnCreate(&c.handle)))
        return false;
    bool ok = all(&c);
    tn_gpu_step(g, "release", 60000);
    return worked(&c, "cudnnDestroy", c.a->cudnnDestroy(c.handle)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "cudnn", .api = names, .n_api = TN_LEN(names), .part = parts, .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cudnn, "cudnn", run);
