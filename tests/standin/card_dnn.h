/* card_dnn.h - card.c's cuDNN 9.1: one convolution, one softmax, computed on the CPU; whoever leaves a descriptor
 * behind is aborted with the context.
 *
 * TENON_CARD_DO: dnn-handle, dnn-status (a convolution that fails), conv-wrong, conv-nothing, conv-nan, softmax-wrong,
 * softmax-nothing, transformed (the algorithm is Winograd's). */
#define BAD_PARAM 2000
enum { TENSOR = 1, FILTER, CONVOLUTION };
#define ROOM 4096u

static struct desc {
    int kind, v[4];
} desc[16];
static int dnn_handles;

static int dnn_left(void)
{
    int n = dnn_handles;
    for (int i = 0; i < 16; i++)
        n += desc[i].kind != 0;
    return n;
}

struct algorithm {
    int algorithm, status;
    float ms;
    size_t bytes;
    int determinism, math, reserved[3];
};

API size_t cudnnGetVersion(void)
{
    return 90100;
}
API int cudnnCreate(void **ret)
{
    if (ready() || does("dnn-handle"))
        return 1002; /* CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH */
    dnn_handles++;
    *ret = &dnn_handles;
    return 0;
}
API int cudnnDestroy(void *h)
{
    return h == &dnn_handles && dnn_handles-- > 0 ? 0 : BAD_PARAM;
}
static int make(void **ret, int kind)
{
    for (int i = 0; i < 16; i++)
        if (!desc[i].kind) {
            desc[i].kind = kind;
            *ret = &desc[i];
            return 0;
        }
    return BAD_PARAM;
}
static int is(const void *d, int kind)
{
    return d && ((const struct desc *)d)->kind == kind;
}
static int set(void *d, int kind, int a, int b, int c, int e)
{
    if (!is(d, kind) || a < 1 || b < 1 || c < 1 || e < 1)
        return BAD_PARAM;
    *(struct desc *)d = (struct desc){kind, {a, b, c, e}};
    return 0;
}
#define PAIR(NAME, KIND)                                                                                               \
    API int cudnnCreate##NAME##Descriptor(void **ret)                                                                  \
    {                                                                                                                  \
        return make(ret, KIND);                                                                                        \
    }                                                                                                                  \
    API int cudnnDestroy##NAME##Descriptor(void *d)                                                                    \
    {                                                                                                                  \
        if (!is(d, KIND))                                                                                              \
            return BAD_PARAM;                                                                                          \
        ((struct desc *)d)->kind = 0;                                                                                  \
        return 0;                                                                                                      \
    }
PAIR(Tensor, TENSOR)
PAIR(Filter, FILTER)
PAIR(Convolution, CONVOLUTION)
API int cudnnSetTensor4dDescriptor(void *d, int format, int type, int n, int c, int h, int w)
{
    return format || type ? BAD_PARAM : set(d, TENSOR, n, c, h, w);
}
API int cudnnSetFilter4dDescriptor(void *d, int type, int format, int k, int c, int h, int w)
{
    return format || type ? BAD_PARAM : set(d, FILTER, k, c, h, w);
}
API int cudnnSetConvolution2dDescriptor(void *d, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type)
{
    return sh != 1 || sw != 1 || dh != 1 || dw != 1 || mode != 1 || type ? BAD_PARAM
                                                                         : set(d, CONVOLUTION, ph, pw, 1, 1);
}
API int cudnnSetConvolutionMathType(void *d, int type)
{
    return is(d, CONVOLUTION) && type == 3 ? 0 : BAD_PARAM;
}

/* Image, filter and result fit one another. */
static int fit(void *h, void *xd, void *wd, void *cd, void *yd)
{
    if (h != &dnn_handles || !is(xd, TENSOR) || !is(wd, FILTER) || !is(cd, CONVOLUTION) || !is(yd, TENSOR))
        return BAD_PARAM;
    const int *x = ((struct desc *)xd)->v, *w = ((struct desc *)wd)->v, *c = ((struct desc *)cd)->v,
              *y = ((struct desc *)yd)->v;
    return x[0] == y[0] && w[1] == x[1] && w[0] == y[1] && y[2] == x[2] + 2 * c[0] - w[2] + 1 &&
                   y[3] == x[3] + 2 * c[1] - w[3] + 1
               ? 0
               : BAD_PARAM;
}
/* The fastest one needs tensor cores, which FP32 does not take; the next more memory than there is; the next is not for
 * this shape. */
API int cudnnGetConvolutionForwardAlgorithm_v7(void *h, void *x, void *w, void *c, void *y, int asked, int *n,
                                               struct algorithm *ret)
{
    const struct algorithm all[] = {{1, 0, 0.1F, 0, 1, 1, {0}},
                                    {4, 0, 0.2F, (size_t)1 << 40, 1, 3, {0}},
                                    {6, 3000, -1, 0, 1, 3, {0}},
                                    {does("transformed") ? 7 : 1, 0, 0.3F, ROOM, 1, 3, {0}}};
    int rc = fit(h, x, w, c, y);
    *n = asked < 4 ? asked : 4;
    memcpy(ret, all, (size_t)*n * sizeof *all);
    return rc;
}
API int cudnnGetConvolutionForwardWorkspaceSize(void *h, void *x, void *w, void *c, void *y, int algorithm, size_t *ret)
{
    *ret = ROOM;
    return algorithm == 1 || algorithm == 7 ? fit(h, x, w, c, y) : 3000;
}

/* A row of the result takes a row of the image, moved by the filter's place. */
static void add_row(float *y, const float *x, float w, int columns, int by)
{
    int from = by < 0 ? -by : 0, to = by > 0 ? columns - by : columns;
    for (int c = from; c < to; c++)
        y[c] += w * x[c + by];
}
API int cudnnConvolutionForward(void *h, const float *alpha, void *xd, uint64_t x, void *wd, uint64_t w, void *cd,
                                int algorithm, uint64_t room, size_t bytes, const float *beta, void *yd, uint64_t y)
{
    int rc = fit(h, xd, wd, cd, yd);
    if (rc || *alpha != 1 || *beta != 0 || (algorithm != 1 && algorithm != 7) || bytes < ROOM)
        return rc ? rc : BAD_PARAM;
    if (ready() || does("dnn-status"))
        return 5000; /* CUDNN_STATUS_EXECUTION_FAILED */
    const int *i = ((struct desc *)xd)->v, *f = ((struct desc *)wd)->v, area = i[2] * i[3];
    const size_t n = (size_t)i[0] * (size_t)f[0] * (size_t)area;
    float *to = (float *)(uintptr_t)y;
    const float *image = (const float *)(uintptr_t)x, *filter = (const float *)(uintptr_t)w;
    products++;
    if (!inside(x, (size_t)(i[0] * i[1] * area) * 4) || !inside(w, (size_t)(f[0] * f[1] * f[2] * f[3]) * 4) ||
        !inside(y, n * 4) || !inside(room, bytes))
        late = ILLEGAL_ADDRESS;
    if (late || does("conv-nothing"))
        return 0;
    memset(to, 0, n * 4);
    for (int b = 0; b < i[0]; b++)
        for (int o = 0; o < f[0]; o++)
            for (int in = 0; in < f[1] * 9; in++)
                for (int r = 0; r < i[2]; r++) {
                    int row = r + in % 9 / 3 - 1;
                    if (row >= 0 && row < i[2])
                        add_row(to + (b * f[0] + o) * area + r * i[3], image + (b * i[1] + in / 9) * area + row * i[3],
                                filter[o * f[1] * 9 + in], i[3], in % 3 - 1);
                }
    if (does("conv-nan"))
        to[0] = NAN;
    if (does("conv-wrong"))
        to[n - 1] += 1;
    return 0;
}
API int cudnnSoftmaxForward(void *h, int algorithm, int mode, const float *alpha, void *xd, uint64_t x,
                            const float *beta, void *yd, uint64_t y)
{
    if (h != &dnn_handles || !is(xd, TENSOR) || xd != yd || algorithm != 1 || mode != 0 || *alpha != 1 || *beta != 0)
        return BAD_PARAM;
    const int rows = ((struct desc *)xd)->v[0], columns = ((struct desc *)xd)->v[1];
    const size_t n = (size_t)rows * (size_t)columns;
    const float *from = (const float *)(uintptr_t)x;
    float *to = (float *)(uintptr_t)y;
    if (!inside(x, n * 4) || !inside(y, n * 4))
        late = ILLEGAL_ADDRESS;
    for (int r = 0; r < rows && !late && !does("softmax-nothing"); r++, from += columns, to += columns) {
        float most = from[0], sum = 0;
        for (int c = 1; c < columns; c++)
            most = from[c] > most ? from[c] : most;
        for (int c = 0; c < columns; c++)
            sum += to[c] = expf(from[c] - most);
        for (int c = 0; c < columns; c++)
            to[c] /= sum;
    }
    if (does("softmax-wrong"))
        ((float *)(uintptr_t)y)[n - 1] *= 1.01F;
    return 0;
}
