/* cublas.c - libcublas, and with -DLT libcublasLt, for tests: standin.h. CUT: without the call that multiplies. */
#include "standin.h"

#ifdef LT
#define LAYER "cublaslt"
#else
#define LAYER "cublas"
#endif
AT_LOAD(LAYER)

enum { HANDLE = 1, DESC, LAYOUT };
#define NOT_INITIALIZED 1
#define INVALID_VALUE 7
#define NOT_SUPPORTED 15

static size_t size_of(int type)
{
    return type == 1 ? 8 : type == 0 || type == 10 ? 4 : type == 2 || type == 14 ? 2 : type == 3 ? 1 : 0;
}

static double half_to(uint16_t b)
{
    int e = b >> 10 & 31, m = b & 1023;
    double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return e == 31 ? (m ? NAN : INFINITY) : b & 0x8000 ? -v : v;
}

static uint16_t half_of(double v)
{
    int e;
    double m = frexp(fabs(v), &e);
    if (v == 0)
        return 0;
    int q = (int)nearbyint(ldexp(m, 11));
    if (q == 2048) {
        q = 1024;
        e++;
    }
    return (uint16_t)((v < 0 ? 0x8000 : 0) | (e + 14) << 10 | (q & 1023));
}

static double get(int type, uint64_t at, size_t i, bool tf32)
{
    const void *p = (const void *)(uintptr_t)at;
    uint32_t bits;
    float f;
    switch (type) {
    case 1: return ((const double *)p)[i];
    case 2: return half_to(((const uint16_t *)p)[i]);
    case 3: return ((const int8_t *)p)[i];
    case 14: bits = (uint32_t)((const uint16_t *)p)[i] << 16; break;
    default: bits = ((const uint32_t *)p)[i] & (tf32 ? 0xffffe000u : 0xffffffffu);
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void put(int type, uint64_t at, size_t i, double v)
{
    void *p = (void *)(uintptr_t)at;
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof f);
    switch (type) {
    case 1: ((double *)p)[i] = v; break;
    case 2: ((uint16_t *)p)[i] = half_of(v); break;
    case 10: ((int32_t *)p)[i] = (int32_t)v; break;
    case 14: ((uint16_t *)p)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); break;
    default: ((float *)p)[i] = f;
    }
}

static void spoil(int type, uint64_t c, size_t n)
{
    if (standin_fault(LAYER, "nan"))
        put(type, c, n / 2, NAN);
    if (standin_fault(LAYER, "wrong"))
        put(type, c, n - 1, get(type, c, n - 1, false) + (type == 1 ? 1e-9 : 1));
    if (standin_fault(LAYER, "bf16") && type == 14) /* right in every other precision */
        put(type, c, n - 1, get(type, c, n - 1, false) + 1);
}

#ifdef CUT
__attribute__((unused))
#endif
/* Column by column, no operand transposed. */
static int
multiply(int m, int n, int k, uint64_t a, int a_type, int a_ld, uint64_t b, int b_ld, uint64_t c, int c_type, int c_ld,
         bool single, bool tf32)
{
    size_t in = size_of(a_type), out = size_of(c_type);
    if (m <= 0 || n <= 0 || k <= 0 || a_ld < m || b_ld < k || c_ld < m || !in || !out)
        return INVALID_VALUE;
    if (a_type == 3 && ((a_ld | b_ld | c_ld | k) & 3))
        return NOT_SUPPORTED;
    if (standin_fault(LAYER, "status"))
        return 13;
    if (!standin_is_device(a, ((size_t)a_ld * (k - 1) + m) * in) ||
        !standin_is_device(b, ((size_t)b_ld * (n - 1) + k) * in) ||
        !standin_is_device(c, ((size_t)c_ld * (n - 1) + m) * out) || !standin_works(LAYER))
        return 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            float s = 0;
            for (int l = 0; l < k; l++) {
                double p = get(a_type, a, (size_t)l * a_ld + i, tf32) * get(a_type, b, (size_t)j * b_ld + l, tf32);
                sum += p;
                s += (float)p;
            }
            put(c_type, c, (size_t)j * c_ld + i, single ? (double)s : sum);
        }
    spoil(c_type, c, (size_t)c_ld * n);
    return 0;
}

static int make(void **ret)
{
    standin_trouble(LAYER);
    return standin_has_context() ? standin_make(ret, HANDLE) : NOT_INITIALIZED;
}

#ifndef LT

int cublasGetProperty(int which, int *ret)
{
    const int v[] = {12, 4, 5};
    if (standin_fault(LAYER, "version"))
        return INVALID_VALUE;
    *ret = v[which];
    return 0;
}
int cublasCreate_v2(void **ret)
{
    return make(ret);
}
int cublasDestroy_v2(void *h)
{
    return standin_destroy(h, HANDLE, NOT_INITIALIZED);
}
#ifndef CUT
int cublasGemmEx(void *h, int a_op, int b_op, int m, int n, int k, const void *alpha, uint64_t a, int a_type, int a_ld,
                 uint64_t b, int b_type, int b_ld, const void *beta, uint64_t c, int c_type, int c_ld, int compute,
                 int algorithm)
{
    bool one = c_type == 1    ? *(const double *)alpha == 1 && *(const double *)beta == 0
               : c_type == 10 ? *(const int *)alpha == 1 && *(const int *)beta == 0
                              : *(const float *)alpha == 1 && *(const float *)beta == 0;
    if (!standin_is(h, HANDLE))
        return NOT_INITIALIZED;
    if (!one || a_op || b_op || a_type != b_type || algorithm != -1)
        return INVALID_VALUE;
    return multiply(m, n, k, a, a_type, a_ld, b, b_ld, c, c_type, c_ld, compute == 68 || compute == 77, compute == 77);
}
#endif
#else

size_t cublasLtGetVersion(void)
{
    return 120405;
}
int cublasLtCreate(void **ret)
{
    return make(ret);
}
int cublasLtDestroy(void *h)
{
    return standin_destroy(h, HANDLE, NOT_INITIALIZED);
}
int cublasLtMatmulDescCreate(void **ret, int compute, int scale)
{
    standin_make(ret, DESC);
    ((struct standin_handle *)*ret)->v[0] = compute;
    return scale == (compute == 70 ? 1 : 0) ? 0 : INVALID_VALUE;
}
int cublasLtMatmulDescDestroy(void *d)
{
    return standin_destroy(d, DESC, INVALID_VALUE);
}
int cublasLtMatrixLayoutCreate(void **ret, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    standin_make(ret, LAYOUT);
    long *v = ((struct standin_handle *)*ret)->v;
    v[0] = type;
    v[1] = (long)rows;
    v[2] = (long)columns;
    v[3] = (long)ld;
    return 0;
}
int cublasLtMatrixLayoutDestroy(void *l)
{
    return standin_destroy(l, LAYOUT, INVALID_VALUE);
}
int cublasLtMatmul(void *h, void *desc, const void *alpha, uint64_t a, void *al, uint64_t b, void *bl, const void *beta,
                   uint64_t c, void *cl, uint64_t d, void *dl, const void *algorithm, uint64_t work, size_t bytes,
                   void *stream)
{
    (void)alpha, (void)beta, (void)algorithm, (void)work, (void)bytes, (void)stream, (void)c;
    if (!standin_is(h, HANDLE))
        return NOT_INITIALIZED;
    if (!standin_is(desc, DESC) || !standin_is(al, LAYOUT) || !standin_is(bl, LAYOUT) || !standin_is(cl, LAYOUT) ||
        cl != dl)
        return INVALID_VALUE;
    const long *x = ((struct standin_handle *)al)->v, *y = ((struct standin_handle *)bl)->v,
               *z = ((struct standin_handle *)dl)->v, compute = ((struct standin_handle *)desc)->v[0];
    if (x[2] != y[1] || z[1] != x[1] || z[2] != y[2] || x[0] != y[0])
        return INVALID_VALUE;
    return multiply((int)x[1], (int)y[2], (int)x[2], a, (int)x[0], (int)x[3], b, (int)y[3], d, (int)z[0], (int)z[3],
                    compute == 68 || compute == 77, compute == 77);
}
#endif
