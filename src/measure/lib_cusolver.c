/* lib_cusolver.c - cuSOLVER: a system of equations by LU factors; judged by what is left over. Source: cusolverDn.h.
 *
 * The matrix is diagonally dominant by columns, so that partial pivoting exchanges no rows and |L||U| is at most
 * (2 n - 1) |A| in the maximum norm (Higham, 2nd ed., theorem 9.13); then |b - A x| <= gamma(3 n) (2 n - 1) |A| |x|
 * (theorem 9.4). */
#include <stdio.h>

#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(cusolverGetProperty, (int which, int *ret))                                                                      \
    X(cusolverDnCreate, (void **ret))                                                                                  \
    X(cusolverDnDestroy, (void *handle))                                                                               \
    X(cusolverDnDgetrf_bufferSize, (void *handle, int m, int n, uint64_t a, int ld, int *ret))                         \
    X(cusolverDnDgetrf,                                                                                                \
      (void *handle, int m, int n, uint64_t a, int ld, uint64_t work, uint64_t pivot, uint64_t info))                  \
    X(cusolverDnDgetrs, (void *handle, int op, int n, int n_right, uint64_t a, int ld, uint64_t pivot, uint64_t b,     \
                         int b_ld, uint64_t info))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

struct system {
    unsigned n;
    double *a, *b, *x; /* a column by column */
    uint64_t on_a, on_b, pivot, info;
};

static bool version(const void *api, char *ret, size_t size)
{
    const struct api *a = api;
    int v[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        if (!tn_lib_worked("load", "cusolverGetProperty", a->cusolverGetProperty(i, &v[i])))
            return false;
    tn_version_of(ret, size, v[0], v[1], v[2]);
    return true;
}

static bool make(struct tn_gpu *g, struct system *s)
{
    size_t n = s->n;
    s->a = tn_arena_array(&g->mem, n * n, sizeof *s->a);
    s->b = tn_arena_array(&g->mem, n, sizeof *s->b);
    s->x = tn_arena_array(&g->mem, n, sizeof *s->x);
    tn_ref_fill(TN_FP64, 31, n * n, s->a);
    tn_ref_fill(TN_FP64, 32, n, s->b);
    for (size_t i = 0; i < n; i++)
        s->a[i * n + i] = (double)n; /* the others of its column are below 1 each */
    s->on_a = tn_gpu_put(g, s->a, n * n * sizeof *s->a);
    s->on_b = s->on_a ? tn_gpu_put(g, s->b, n * sizeof *s->b) : 0;
    s->pivot = s->on_b ? tn_gpu_put(g, NULL, n * sizeof(int)) : 0;
    s->info = s->pivot ? tn_gpu_put(g, NULL, sizeof(int)) : 0;
    return s->info != 0;
}

/* The result says where the factors have a zero on their diagonal, which this matrix has nowhere. */
static bool is_regular(const struct tn_gpu *g, int info)
{
    char word[32];
    snprintf(word, sizeof word, "singular-%d", info < 0 ? -info : info);
    if (info)
        tn_tell_failed(g->what, "cusolverDnDgetrf", word, "");
    return info == 0;
}

static bool solve(const struct api *a, struct tn_gpu *g, void *handle, const struct system *s)
{
    int n = (int)s->n, size = 0, info = -1;
    if (!tn_gpu_worked(g, "cusolverDnDgetrf_bufferSize",
                       a->cusolverDnDgetrf_bufferSize(handle, n, n, s->on_a, n, &size)))
        return false;
    uint64_t work = tn_gpu_put(g, NULL, (size_t)(size > 0 ? size : 1) * sizeof(double));
    if (!work ||
        !tn_gpu_worked(g, "cusolverDnDgetrf", a->cusolverDnDgetrf(handle, n, n, s->on_a, n, work, s->pivot, s->info)) ||
        !tn_gpu_take(g, &info, s->info, sizeof info) || !is_regular(g, info))
        return false;
    return tn_gpu_worked(g, "cusolverDnDgetrs",
                         a->cusolverDnDgetrs(handle, 0, n, 1, s->on_a, n, s->pivot, s->on_b, n, s->info)) &&
           tn_gpu_take(g, s->x, s->on_b, (size_t)n * sizeof *s->x);
}

static bool judge(const struct system *s)
{
    struct tn_ref_verdict v = {.right = true};
    double u = 1.0 / 9007199254740992.0, gamma = 3 * s->n * u / (1 - 3 * s->n * u), x = 0;
    for (unsigned i = 0; i < s->n; i++) {
        double size = s->x[i] < 0 ? -s->x[i] : s->x[i];
        x = size > x || !(size <= size) ? size : x;
    }
    double bound = gamma * (2.0 * s->n - 1) * (2.0 * s->n) * x; /* |A| < 2 n: the diagonal and n others below 1 */
    for (unsigned i = 0; i < s->n; i++) {
        long double sum = 0;
        for (unsigned j = 0; j < s->n; j++)
            sum += (long double)s->a[(size_t)j * s->n + i] * (long double)s->x[j];
        tn_ref_judge(&v, s->b[i], sum, bound, i);
    }
    return tn_tell_verdict("solve", TN_FP64, &v, "gpu", NULL);
}

static bool prove(const void *api, struct tn_gpu *g)
{
    const struct api *a = api;
    struct system s = {.n = g->full ? 400 : 96};
    void *handle = NULL;
    tn_gpu_step(g, "handle", 60000);
    if (!tn_gpu_worked(g, "cusolverDnCreate", a->cusolverDnCreate(&handle)))
        return false;
    tn_gpu_step(g, "solve", 120000);
    bool ok = make(g, &s) && solve(a, g, handle, &s) && judge(&s);
    tn_gpu_step(g, "release", 60000);
    return tn_gpu_worked(g, "cusolverDnDestroy", a->cusolverDnDestroy(handle)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "cusolver", .api = names, .n_api = TN_LEN(names), .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cusolver, "cusolver", run);
