/* lib_cusparse.c - cuSPARSE: a sparse matrix times a vector, by the generic interface. Source: cusparse.h of CUDA 11.0
 * to 13.0 (before that it has other names: then that is told). Rows of three: gamma(3) |A||x|. */
#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(cusparseGetProperty, (int which, int *ret))                                                                      \
    X(cusparseCreate, (void **ret))                                                                                    \
    X(cusparseDestroy, (void *handle))                                                                                 \
    X(cusparseCreateCsr, (void **ret, int64_t rows, int64_t columns, int64_t entries, uint64_t offset,                 \
                          uint64_t column, uint64_t value, int offset_type, int column_type, int base, int type))      \
    X(cusparseDestroySpMat, (void *matrix))                                                                            \
    X(cusparseCreateDnVec, (void **ret, int64_t n, uint64_t value, int type))                                          \
    X(cusparseDestroyDnVec, (void *vector))                                                                            \
    X(cusparseSpMV_bufferSize, (void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y,  \
                                int type, int algorithm, size_t *ret))                                                 \
    X(cusparseSpMV, (void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y, int type,   \
                     int algorithm, uint64_t work))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define INDEX_32I 2
#define R_64F 1
#define N 1000u

struct made {
    void *handle, *a, *x, *y;
    uint64_t offset, column, value, in, out;
};

static bool version(const void *api, char *ret, size_t size)
{
    const struct api *a = api;
    int v[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        if (!tn_lib_worked("load", "cusparseGetProperty", a->cusparseGetProperty(i, &v[i])))
            return false;
    tn_version_of(ret, size, v[0], v[1], v[2]);
    return true;
}

/* Row i holds columns i, 7 i + 1 and 13 i + 5 of N in ascending order, one entry fewer where two are the same. */
static unsigned row(unsigned i, int ret[3])
{
    const int c[3] = {(int)i, (int)((7 * i + 1) % N), (int)((13 * i + 5) % N)};
    unsigned n = 0;
    for (unsigned k = 0; k < 3; k++) {
        unsigned at = 0;
        while (at < n && ret[at] < c[k])
            at++;
        if (at < n && ret[at] == c[k])
            continue;
        for (unsigned m = n++; m > at; m--)
            ret[m] = ret[m - 1];
        ret[at] = c[k];
    }
    return n;
}

static bool put(struct tn_gpu *g, struct made *m, int *offset, int *column)
{
    double *value = tn_arena_array(&g->mem, 3 * N, sizeof *value), *x = tn_arena_array(&g->mem, N, sizeof *x);
    int n = 0;
    for (unsigned i = 0; i < N; i++) {
        offset[i] = n;
        n += (int)row(i, column + n);
    }
    offset[N] = n;
    tn_ref_fill(TN_FP64, 41, (size_t)n, value);
    tn_ref_fill(TN_FP64, 42, N, x);
    m->offset = tn_gpu_put(g, offset, (N + 1) * sizeof *offset);
    m->column = m->offset ? tn_gpu_put(g, column, (size_t)n * sizeof *column) : 0;
    m->value = m->column ? tn_gpu_put(g, value, (size_t)n * sizeof *value) : 0;
    m->in = m->value ? tn_gpu_put(g, x, N * sizeof *x) : 0;
    m->out = m->in ? tn_gpu_put(g, NULL, N * sizeof *x) : 0;
    return m->out != 0;
}

static bool multiply(const struct api *a, struct tn_gpu *g, struct made *m, int entries)
{
    const double one = 1, zero = 0;
    size_t bytes = 0;
    if (!tn_gpu_worked(g, "cusparseCreateCsr",
                       a->cusparseCreateCsr(&m->a, N, N, entries, m->offset, m->column, m->value, INDEX_32I, INDEX_32I,
                                            0, R_64F)) ||
        !tn_gpu_worked(g, "cusparseCreateDnVec", a->cusparseCreateDnVec(&m->x, N, m->in, R_64F)) ||
        !tn_gpu_worked(g, "cusparseCreateDnVec", a->cusparseCreateDnVec(&m->y, N, m->out, R_64F)) ||
        !tn_gpu_worked(g, "cusparseSpMV_bufferSize",
                       a->cusparseSpMV_bufferSize(m->handle, 0, &one, m->a, m->x, &zero, m->y, R_64F, 0, &bytes)))
        return false;
    uint64_t work = tn_gpu_put(g, NULL, bytes ? bytes : 1);
    return work && tn_gpu_worked(g, "cusparseSpMV",
                                 a->cusparseSpMV(m->handle, 0, &one, m->a, m->x, &zero, m->y, R_64F, 0, work));
}

static bool judge(const double *got, const int *offset, const int *column)
{
    struct tn_ref_verdict v = {.right = true};
    double u = 1.0 / 9007199254740992.0, gamma = 3 * u / (1 - 3 * u);
    for (unsigned i = 0; i < N; i++) {
        long double sum = 0, size = 0;
        for (int k = offset[i]; k < offset[i + 1]; k++) {
            long double p = (long double)tn_ref_value(TN_FP64, 41, (uint32_t)k) *
                            (long double)tn_ref_value(TN_FP64, 42, (uint32_t)column[k]);
            sum += p;
            size += p < 0 ? -p : p;
        }
        tn_ref_judge(&v, got[i], sum, gamma * (double)size, i);
    }
    return tn_tell_verdict("spmv", TN_FP64, &v, "gpu", NULL);
}

static bool with_handle(const struct api *a, struct tn_gpu *g, struct made *m)
{
    int *offset = tn_arena_array(&g->mem, N + 1, sizeof *offset),
        *column = tn_arena_array(&g->mem, 3 * N, sizeof *column);
    double *got = tn_arena_array(&g->mem, N, sizeof *got);
    tn_gpu_step(g, "spmv", 60000);
    bool ok = put(g, m, offset, column) && multiply(a, g, m, offset[N]) &&
              tn_gpu_take(g, got, m->out, N * sizeof *got) && judge(got, offset, column);
    if (m->a)
        a->cusparseDestroySpMat(m->a);
    if (m->x)
        a->cusparseDestroyDnVec(m->x);
    if (m->y)
        a->cusparseDestroyDnVec(m->y);
    return ok;
}

static bool prove(const void *api, struct tn_gpu *g)
{
    const struct api *a = api;
    struct made m = {0};
    tn_gpu_step(g, "handle", 60000);
    if (!tn_gpu_worked(g, "cusparseCreate", a->cusparseCreate(&m.handle)))
        return false;
    bool ok = with_handle(a, g, &m);
    tn_gpu_step(g, "release", 60000);
    return tn_gpu_worked(g, "cusparseDestroy", a->cusparseDestroy(m.handle)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "cusparse", .api = names, .n_api = TN_LEN(names), .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cusparse, "cusparse", run);
