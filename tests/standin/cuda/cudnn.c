/* cudnn.c - libcudnn for tests: convolutions by the sums that define them: standin.h. */
#include "standin.h"

#define LAYER "cudnn"
AT_LOAD(LAYER)
enum { HANDLE = 1, TENSOR, FILTER, CONV };
#define BAD_PARAM 2000
#define NOT_INITIALIZED 1001
#define EXECUTION_FAILED 5000

struct shape {
    const float *x, *w, *dy;
    long in, out, rows, columns, h, v, pad_h, pad_w;
};

#define PAIR(name, kind)                                                                                               \
    int cudnnCreate##name##Descriptor(void **ret)                                                                      \
    {                                                                                                                  \
        return standin_make(ret, kind);                                                                                \
    }                                                                                                                  \
    int cudnnDestroy##name##Descriptor(void *d)                                                                        \
    {                                                                                                                  \
        return standin_destroy(d, kind, BAD_PARAM);                                                                    \
    }
PAIR(Tensor, TENSOR)
PAIR(Filter, FILTER)
PAIR(Convolution, CONV)

#define CONVOLVE(name)                                                                                                 \
    int cudnnConvolution##name(void *h, const float *alpha, void *ad, uint64_t a, void *bd, uint64_t b, void *conv,    \
                               int alg, uint64_t work, size_t bytes, const float *beta, void *cd, uint64_t c)

size_t cudnnGetVersion(void)
{
    return 90100;
}
/* The part that a copy of 9 without it would lack. */
int cudnnOpsVersionCheck(void)
{
    return standin_fault(LAYER, "part") ? 1002 : 0;
}
int cudnnCreate(void **ret)
{
    standin_trouble(LAYER);
    return standin_has_context() ? standin_make(ret, HANDLE) : NOT_INITIALIZED;
}
int cudnnDestroy(void *h)
{
    return standin_destroy(h, HANDLE, NOT_INITIALIZED);
}

static int set(void *d, int kind, int type, int a, int b, int c, int e)
{
    struct standin_handle *h = d;
    if (!standin_is(d, kind) || type || a < 1 || b < 1 || c < 1 || e < 1)
        return BAD_PARAM;
    h->v[0] = a;
    h->v[1] = b;
    h->v[2] = c;
    h->v[3] = e;
    return 0;
}
int cudnnSetTensor4dDescriptor(void *d, int format, int type, int n, int c, int h, int w)
{
    return format ? BAD_PARAM : set(d, TENSOR, type, n, c, h, w);
}
int cudnnSetFilter4dDescriptor(void *d, int type, int format, int k, int c, int h, int w)
{
    return format ? BAD_PARAM : set(d, FILTER, type, k, c, h, w);
}
int cudnnSetConvolution2dDescriptor(void *d, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type)
{
    if (!standin_is(d, CONV) || sh != 1 || sw != 1 || dh != 1 || dw != 1 || mode != 1 || type || ph < 0 || pw < 0)
        return BAD_PARAM;
    ((struct standin_handle *)d)->v[0] = ph;
    ((struct standin_handle *)d)->v[1] = pw;
    return 0;
}
int cudnnSetConvolutionMathType(void *d, int type)
{
    return standin_is(d, CONV) && type >= 0 && type <= 3 ? 0 : BAD_PARAM;
}
#define SPACE(name)                                                                                                    \
    int cudnnGetConvolution##name##WorkspaceSize(void *h, void *a, void *b, void *c, void *d, int alg, size_t *ret)    \
    {                                                                                                                  \
        (void)a, (void)b, (void)d, (void)alg;                                                                          \
        *ret = 64;                                                                                                     \
        return standin_is(h, HANDLE) && standin_is(c, CONV) ? 0 : BAD_PARAM;                                           \
    }
SPACE(Forward)
SPACE(BackwardData)
SPACE(BackwardFilter)

/* The three descriptors fit one another: the result's size is the image's, padded and cut. */
static int fit(void *h, void *image, void *filter, void *result, void *conv, size_t bytes, struct shape *s)
{
    if (!standin_is(h, HANDLE))
        return NOT_INITIALIZED;
    if (!standin_is(image, TENSOR) || !standin_is(filter, FILTER) || !standin_is(result, TENSOR) ||
        !standin_is(conv, CONV) || bytes < 64)
        return BAD_PARAM;
    const long *i = ((struct standin_handle *)image)->v, *f = ((struct standin_handle *)filter)->v,
               *r = ((struct standin_handle *)result)->v, *c = ((struct standin_handle *)conv)->v;
    *s = (struct shape){
        .in = i[1], .out = f[0], .rows = i[2], .columns = i[3], .h = f[2], .v = f[3], .pad_h = c[0], .pad_w = c[1]};
    if (f[1] != i[1] || r[1] != f[0] || r[2] != i[2] + 2 * c[0] - f[2] + 1 || r[3] != i[3] + 2 * c[1] - f[3] + 1)
        return BAD_PARAM;
    return standin_fault(LAYER, "status") ? EXECUTION_FAILED : 0;
}

/* Every product of an image's element, a filter's and a result's; each of the three sums is made of the same ones. */
static void convolve(const struct shape *s, const float *x, const float *w, const float *dy, float *y, float *dx,
                     float *dw)
{
    for (long o = 0; o < s->out; o++)
        for (long r = 0; r < s->rows; r++)
            for (long c = 0; c < s->columns; c++)
                for (long i = 0; i < s->in; i++)
                    for (long a = 0; a < s->h; a++)
                        for (long b = 0; b < s->v; b++) {
                            long ir = r + a - s->pad_h, ic = c + b - s->pad_w;
                            if (ir < 0 || ic < 0 || ir >= s->rows || ic >= s->columns)
                                continue;
                            size_t at_y = (size_t)((o * s->rows + r) * s->columns + c),
                                   at_x = (size_t)((i * s->rows + ir) * s->columns + ic),
                                   at_w = (size_t)(((o * s->in + i) * s->h + a) * s->v + b);
                            if (y)
                                y[at_y] += x[at_x] * w[at_w];
                            if (dx)
                                dx[at_x] += dy[at_y] * w[at_w];
                            if (dw)
                                dw[at_w] += dy[at_y] * x[at_x];
                        }
}

static float *ready(uint64_t at, size_t n)
{
    float *v = (float *)(uintptr_t)at;
    memset(v, 0, n * sizeof *v);
    return v;
}
#define F(at) ((const float *)(uintptr_t)(at))
#define SIZES(s)                                                                                                       \
    size_t nx = (size_t)(s.in * s.rows * s.columns), nw = (size_t)(s.out * s.in * s.h * s.v),                          \
           ny = (size_t)(s.out * s.rows * s.columns)
#define ON_CARD(p, n) standin_is_device(p, (n) * sizeof(float))

CONVOLVE(Forward)
{
    struct shape s;
    int rc = fit(h, ad, bd, cd, conv, bytes, &s);
    if (rc || *alpha != 1 || *beta != 0 || alg)
        return rc ? rc : BAD_PARAM;
    SIZES(s);
    if (!ON_CARD(a, nx) || !ON_CARD(b, nw) || !ON_CARD(c, ny) || !standin_is_device(work, bytes) ||
        !standin_works(LAYER))
        return 0;
    convolve(&s, F(a), F(b), NULL, ready(c, ny), NULL, NULL);
    standin_spoil_float(LAYER, ready(c, 0), ny);
    return 0;
}
CONVOLVE(BackwardData)
{
    struct shape s;
    int rc = fit(h, cd, ad, bd, conv, bytes, &s);
    if (rc || *alpha != 1 || *beta != 0 || alg != 1)
        return rc ? rc : BAD_PARAM;
    SIZES(s);
    if (!ON_CARD(a, nw) || !ON_CARD(b, ny) || !ON_CARD(c, nx) || !standin_is_device(work, bytes) ||
        standin_fault(LAYER, "no-image"))
        return 0;
    convolve(&s, NULL, F(a), F(b), NULL, ready(c, nx), NULL);
    if (standin_fault(LAYER, "wrong-image"))
        ready(c, 0)[nx / 3] += 0.01f;
    return 0;
}
CONVOLVE(BackwardFilter)
{
    struct shape s;
    int rc = fit(h, ad, cd, bd, conv, bytes, &s);
    if (rc || *alpha != 1 || *beta != 0 || alg != 1)
        return rc ? rc : BAD_PARAM;
    SIZES(s);
    if (!ON_CARD(a, nx) || !ON_CARD(b, ny) || !ON_CARD(c, nw) || !standin_is_device(work, bytes))
        return 0;
    convolve(&s, F(a), NULL, F(b), NULL, NULL, ready(c, nw));
    if (standin_fault(LAYER, "wrong-filter"))
        ready(c, 0)[nw / 3] += 0.1f;
    return 0;
}

#include "cudnn_graph.h"
