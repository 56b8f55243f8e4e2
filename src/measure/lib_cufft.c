/* lib_cufft.c - cuFFT: transforms there, compared with the sum that defines them, and back. Source: cufft.h.
 *
 * The error of a transform of n values is bounded in the 2-norm (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., theorem 24.2): at most log2(n) e / (1 - log2(n) e) of the result's, e = u + gamma(4) (sqrt(2) +
 * u) with twiddle factors right to u. Every element lies within that; factors of other radices than 2 have no more
 * stages. */
#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(cufftGetVersion, (int *ret))                                                                                     \
    X(cufftPlan1d, (int *ret, int n, int type, int batch))                                                             \
    X(cufftExecC2C, (int plan, uint64_t from, uint64_t to, int direction))                                             \
    X(cufftExecZ2Z, (int plan, uint64_t from, uint64_t to, int direction))                                             \
    X(cufftDestroy, (int plan))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define C2C 0x29 /* cufftType */
#define Z2Z 0x69
#define FORWARD (-1)

/* 11400: 11.4.0; 12.0's is 12000. */
static bool version(const void *api, char *ret, size_t size)
{
    int v = 0;
    if (!tn_lib_worked("load", "cufftGetVersion", ((const struct api *)api)->cufftGetVersion(&v)))
        return false;
    tn_version_of(ret, size, v / 1000, v / 100 % 10, v % 100);
    return true;
}

static double bound_of(enum tn_precision p, unsigned n, long double norm)
{
    double u = p == TN_FP64 ? 0x1p-53 : 0x1p-24, gamma = 4 * u / (1 - 4 * u);
    unsigned stages = 0;
    while (1u << stages < n)
        stages++;
    double e = (u + gamma * (tn_ref_root(2) + u)) * stages;
    return e / (1 - e) * (double)norm;
}

/* Element k of the transform of n values of which value i is (tn_ref_value(2 i), tn_ref_value(2 i + 1)). */
static void sum(enum tn_precision p, unsigned n, unsigned k, const long double *wave, long double *re, long double *im)
{
    *re = *im = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned w = (unsigned)((uint64_t)i * k % n);
        long double a = (long double)tn_ref_value(p, 5, 2 * i), b = (long double)tn_ref_value(p, 5, 2 * i + 1);
        *re += a * wave[2 * w] - b * wave[2 * w + 1];
        *im += a * wave[2 * w + 1] + b * wave[2 * w];
    }
}

static double at(enum tn_precision p, const void *v, size_t i)
{
    return p == TN_FP64 ? ((const double *)v)[i] : (double)((const float *)v)[i];
}

static bool judge(struct tn_gpu *g, enum tn_precision p, unsigned n, const void *got)
{
    struct tn_ref_verdict v = {.right = true};
    long double *wave = tn_arena_array(&g->mem, 2 * (size_t)n, sizeof *wave), norm = 0, re, im;
    for (unsigned i = 0; i < n; i++) /* backwards: exp(-2 pi i k / n) */
        tn_ref_wave(n - i, n, &wave[2 * i], &wave[2 * i + 1]);
    for (unsigned i = 0; i < 2 * n; i++)
        norm += (long double)tn_ref_value(p, 5, i) * (long double)tn_ref_value(p, 5, i);
    double bound = bound_of(p, n, (long double)tn_ref_root((double)(norm * n))); /* Parseval: the result's norm */
    for (unsigned k = 0; k < n; k++) {
        sum(p, n, k, wave, &re, &im);
        tn_ref_judge(&v, at(p, got, 2 * (size_t)k), re, bound, k);
        tn_ref_judge(&v, at(p, got, 2 * (size_t)k + 1), im, bound, k);
    }
    return tn_tell_verdict("fft", p, &v, "gpu", NULL);
}

static bool transform(const struct api *a, struct tn_gpu *g, enum tn_precision p, unsigned n)
{
    size_t bytes = 2 * (size_t)n * tn_ref_size(p);
    void *host = tn_arena_alloc(&g->mem, bytes);
    int plan = 0;
    tn_ref_fill(p, 5, 2 * (size_t)n, host);
    uint64_t from = tn_gpu_put(g, host, bytes), to = from ? tn_gpu_put(g, NULL, bytes) : 0;
    if (!to || !tn_gpu_worked(g, "cufftPlan1d", a->cufftPlan1d(&plan, (int)n, p == TN_FP64 ? Z2Z : C2C, 1)))
        return false;
    bool ok = (p == TN_FP64 ? tn_gpu_worked(g, "cufftExecZ2Z", a->cufftExecZ2Z(plan, from, to, FORWARD))
                            : tn_gpu_worked(g, "cufftExecC2C", a->cufftExecC2C(plan, from, to, FORWARD))) &&
              tn_gpu_take(g, host, to, bytes) && judge(g, p, n, host);
    return tn_gpu_worked(g, "cufftDestroy", a->cufftDestroy(plan)) && ok;
}

/* A power of two, and with --level full a length of other factors (2, 3, 5, 7). */
static bool prove(const void *api, struct tn_gpu *g)
{
    tn_gpu_step(g, "fft", 120000);
    bool ok = transform(api, g, TN_FP32, 512) && transform(api, g, TN_FP64, 512);
    if (ok && g->full)
        ok = transform(api, g, TN_FP32, 1260) && transform(api, g, TN_FP64, 1260);
    return ok;
}

static const struct tn_gpulib lib = {
    .layer = "cufft", .api = names, .n_api = TN_LEN(names), .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cufft, "cufft", run);
