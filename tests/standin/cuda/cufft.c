/* cufft.c - libcufft for tests: a recursive transform in the type itself: standin.h. */
#include <complex.h>

#include "standin.h"

#define LAYER "cufft"
AT_LOAD(LAYER)
#define INVALID_PLAN 1

static void *plan;

int cufftGetVersion(int *ret)
{
    *ret = 11203;
    return 0;
}
int cufftPlan1d(int *ret, int n, int type, int batch)
{
    standin_trouble(LAYER);
    if (n < 1 || batch != 1 || (type != 0x29 && type != 0x69))
        return 8; /* CUFFT_INVALID_SIZE */
    if (standin_fault(LAYER, "status"))
        return 5;
    standin_make(&plan, 1);
    ((struct standin_handle *)plan)->v[0] = n;
    ((struct standin_handle *)plan)->v[1] = type;
    *ret = 7;
    return 0;
}

/* Of n values, a step apart: its smallest prime factor's transforms, joined. Mixed radix: at most log2(n) stages. */
#define TRANSFORM(name, real, complexity, expo)                                                                        \
    static void name(const real complexity *from, size_t step, real complexity *to, size_t n)                          \
    {                                                                                                                  \
        size_t f = 2;                                                                                                  \
        while (n > 1 && n % f)                                                                                         \
            f++;                                                                                                       \
        if (n <= 1) {                                                                                                  \
            to[0] = from[0];                                                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        size_t m = n / f;                                                                                              \
        real complexity *part = malloc(n * sizeof *part);                                                              \
        for (size_t i = 0; i < f; i++)                                                                                 \
            name(from + i * step, step * f, part + i * m, m);                                                          \
        for (size_t k = 0; k < n; k++) {                                                                               \
            real complexity sum = 0;                                                                                   \
            for (size_t i = 0; i < f; i++)                                                                             \
                sum += part[i * m + k % m] *                                                                           \
                       (real complexity)cexp(-2 * 3.14159265358979323846 * I * (double)(i * k % n) / (double)n);       \
            to[k] = sum;                                                                                               \
        }                                                                                                              \
        free(part);                                                                                                    \
    }
TRANSFORM(single, float, complex, cexpf)
TRANSFORM(twice, double, complex, cexp)

static int check(int p, int type, uint64_t from, uint64_t to, int direction, size_t size)
{
    const struct standin_handle *h = plan;
    if (p != 7 || !standin_is(plan, 1) || h->v[1] != type)
        return INVALID_PLAN;
    if (direction != -1)
        return 4;
    size_t bytes = (size_t)h->v[0] * size;
    return standin_is_device(from, bytes) && standin_is_device(to, bytes) && standin_works(LAYER) ? 0 : -1;
}
int cufftExecC2C(int p, uint64_t from, uint64_t to, int direction)
{
    int rc = check(p, 0x29, from, to, direction, sizeof(float complex));
    if (rc)
        return rc < 0 ? 0 : rc;
    size_t n = (size_t)((struct standin_handle *)plan)->v[0];
    single((const float complex *)(uintptr_t)from, 1, (float complex *)(uintptr_t)to, n);
    standin_spoil_float(LAYER, (float *)(uintptr_t)to, 2 * n);
    return 0;
}
int cufftExecZ2Z(int p, uint64_t from, uint64_t to, int direction)
{
    int rc = check(p, 0x69, from, to, direction, sizeof(double complex));
    if (rc)
        return rc < 0 ? 0 : rc;
    size_t n = (size_t)((struct standin_handle *)plan)->v[0];
    twice((const double complex *)(uintptr_t)from, 1, (double complex *)(uintptr_t)to, n);
    standin_spoil_double(LAYER, (double *)(uintptr_t)to, 2 * n);
    return 0;
}
int cufftDestroy(int p)
{
    void *old = plan;
    plan = NULL;
    return p == 7 ? standin_destroy(old, 1, INVALID_PLAN) : INVALID_PLAN;
}
