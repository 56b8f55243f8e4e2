/* cusolver.c - libcusolver for tests: LU factors with exchange of rows: standin.h. */
#include "standin.h"

#define LAYER "cusolver"
AT_LOAD(LAYER)
#define NOT_INITIALIZED 1
#define INVALID_VALUE 3

int cusolverGetProperty(int which, int *ret)
{
    const int v[] = {11, 6, 1};
    *ret = v[which];
    return 0;
}
int cusolverDnCreate(void **ret)
{
    standin_trouble(LAYER);
    return standin_has_context() ? standin_make(ret, 1) : NOT_INITIALIZED;
}
int cusolverDnDestroy(void *h)
{
    return standin_destroy(h, 1, NOT_INITIALIZED);
}
int cusolverDnDgetrf_bufferSize(void *h, int m, int n, uint64_t a, int ld, int *ret)
{
    *ret = n;
    return !standin_is(h, 1) ? NOT_INITIALIZED : m != n || ld < m || !a ? INVALID_VALUE : 0;
}
int cusolverDnDgetrf(void *h, int m, int n, uint64_t a, int ld, uint64_t work, uint64_t pivot, uint64_t info)
{
    if (!standin_is(h, 1))
        return NOT_INITIALIZED;
    if (standin_fault(LAYER, "status"))
        return 6;
    if (!standin_is_device(a, (size_t)ld * (size_t)n * 8) || !standin_is_device(work, (size_t)n * 8) ||
        !standin_is_device(pivot, (size_t)n * 4) || !standin_is_device(info, 4))
        return 0;
    double *v = (double *)(uintptr_t)a;
    int *p = (int *)(uintptr_t)pivot;
    *(int *)(uintptr_t)info = standin_fault(LAYER, "singular") ? 5 : 0;
    if (!standin_works(LAYER))
        return 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < m; i++)
            if (fabs(v[(size_t)k * ld + i]) > fabs(v[(size_t)k * ld + best]))
                best = i;
        p[k] = best + 1;
        for (int j = 0; j < n; j++) {
            double t = v[(size_t)j * ld + k];
            v[(size_t)j * ld + k] = v[(size_t)j * ld + best];
            v[(size_t)j * ld + best] = t;
        }
        for (int i = k + 1; i < m; i++) {
            double f = v[(size_t)k * ld + i] /= v[(size_t)k * ld + k];
            for (int j = k + 1; j < n; j++)
                v[(size_t)j * ld + i] -= f * v[(size_t)j * ld + k];
        }
    }
    return 0;
}
int cusolverDnDgetrs(void *h, int op, int n, int right, uint64_t a, int ld, uint64_t pivot, uint64_t b, int b_ld,
                     uint64_t info)
{
    if (!standin_is(h, 1))
        return NOT_INITIALIZED;
    if (op || right != 1 || b_ld < n)
        return INVALID_VALUE;
    if (!standin_is_device(a, (size_t)ld * (size_t)n * 8) || !standin_is_device(b, (size_t)n * 8) ||
        !standin_is_device(info, 4) || !standin_works(LAYER))
        return 0;
    const double *v = (const double *)(uintptr_t)a;
    const int *p = (const int *)(uintptr_t)pivot;
    double *x = (double *)(uintptr_t)b;
    for (int k = 0; k < n; k++) {
        double t = x[k];
        x[k] = x[p[k] - 1];
        x[p[k] - 1] = t;
        for (int i = k + 1; i < n; i++)
            x[i] -= v[(size_t)k * ld + i] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= v[(size_t)k * ld + k];
        for (int i = 0; i < k; i++)
            x[i] -= v[(size_t)k * ld + i] * x[k];
    }
    standin_spoil_double(LAYER, x, (size_t)n);
    return 0;
}
