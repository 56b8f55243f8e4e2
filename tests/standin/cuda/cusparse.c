/* cusparse.c - libcusparse for tests: a matrix of compressed rows times a vector: standin.h. */
#include "standin.h"

#define LAYER "cusparse"
AT_LOAD(LAYER)
enum { HANDLE = 1, MATRIX, VECTOR };
#define NOT_INITIALIZED 1
#define INVALID_VALUE 3

int cusparseGetProperty(int which, int *ret)
{
    const int v[] = {12, 3, 1};
    *ret = v[which];
    return 0;
}
int cusparseCreate(void **ret)
{
    standin_trouble(LAYER);
    return standin_has_context() ? standin_make(ret, HANDLE) : NOT_INITIALIZED;
}
int cusparseDestroy(void *h)
{
    return standin_destroy(h, HANDLE, NOT_INITIALIZED);
}
int cusparseCreateCsr(void **ret, int64_t rows, int64_t columns, int64_t n, uint64_t offset, uint64_t column,
                      uint64_t value, int offset_type, int column_type, int base, int type)
{
    if (offset_type != 2 || column_type != 2 || base || type != 1 || rows < 1 || n < 0)
        return INVALID_VALUE;
    standin_make(ret, MATRIX);
    struct standin_handle *h = *ret;
    h->v[0] = (long)rows;
    h->v[1] = (long)columns;
    h->v[2] = (long)n;
    h->at[0] = offset;
    h->at[1] = column;
    h->at[2] = value;
    return 0;
}
int cusparseDestroySpMat(void *m)
{
    return standin_destroy(m, MATRIX, INVALID_VALUE);
}
int cusparseCreateDnVec(void **ret, int64_t n, uint64_t value, int type)
{
    if (type != 1 || n < 1)
        return INVALID_VALUE;
    standin_make(ret, VECTOR);
    ((struct standin_handle *)*ret)->v[0] = (long)n;
    ((struct standin_handle *)*ret)->at[0] = value;
    return 0;
}
int cusparseDestroyDnVec(void *v)
{
    return standin_destroy(v, VECTOR, INVALID_VALUE);
}
int cusparseSpMV_bufferSize(void *h, int op, const double *alpha, void *a, void *x, const double *beta, void *y,
                            int type, int algorithm, size_t *ret)
{
    (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)type, (void)algorithm;
    *ret = 128;
    return standin_is(h, HANDLE) ? 0 : NOT_INITIALIZED;
}
int cusparseSpMV(void *h, int op, const double *alpha, void *a, void *x, const double *beta, void *y, int type,
                 int algorithm, uint64_t work)
{
    const struct standin_handle *m = a, *in = x, *out = y;
    if (!standin_is(h, HANDLE))
        return NOT_INITIALIZED;
    if (op || *alpha != 1 || *beta != 0 || type != 1 || algorithm || !standin_is(a, MATRIX) || !standin_is(x, VECTOR) ||
        !standin_is(y, VECTOR) || in->v[0] != m->v[1] || out->v[0] != m->v[0])
        return INVALID_VALUE;
    if (standin_fault(LAYER, "status"))
        return 6;
    if (!standin_is_device(m->at[0], (size_t)(m->v[0] + 1) * 4) || !standin_is_device(m->at[1], (size_t)m->v[2] * 4) ||
        !standin_is_device(m->at[2], (size_t)m->v[2] * 8) || !standin_is_device(in->at[0], (size_t)in->v[0] * 8) ||
        !standin_is_device(out->at[0], (size_t)out->v[0] * 8) || !standin_is_device(work, 128) || !standin_works(LAYER))
        return 0;
    const int *offset = (const int *)(uintptr_t)m->at[0], *column = (const int *)(uintptr_t)m->at[1];
    const double *value = (const double *)(uintptr_t)m->at[2], *from = (const double *)(uintptr_t)in->at[0];
    double *to = (double *)(uintptr_t)out->at[0];
    for (long i = 0; i < m->v[0]; i++) {
        to[i] = 0;
        for (int k = offset[i]; k < offset[i + 1]; k++)
            to[i] += value[k] * from[column[k]];
    }
    standin_spoil_double(LAYER, to, (size_t)m->v[0]);
    return 0;
}
