/* lib_curand.c - cuRAND: uniform numbers of the Philox generator, which needs no GPU when the generator is the host's.
 * The same seed gives the same numbers, another seed others; all lie in (0, 1] (curand.h, curandGenerateUniform); mean
 * and mean square lie where those of independent uniform numbers do but once in 5e8 (6 standard errors). */

#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(curandGetVersion, (int *ret))                                                                                    \
    X(curandCreateGenerator, (void **ret, int kind))                                                                   \
    X(curandCreateGeneratorHost, (void **ret, int kind))                                                               \
    X(curandDestroyGenerator, (void *generator))                                                                       \
    X(curandSetPseudoRandomGeneratorSeed, (void *generator, unsigned long long seed))                                  \
    X(curandGenerateUniform, (void *generator, uint64_t to, size_t n))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define PHILOX 161 /* CURAND_RNG_PSEUDO_PHILOX4_32_10 */
#define N 65536u

/* 10400: 10.4.0. */
static bool version(const void *api, char *ret, size_t size)
{
    int v = 0;
    if (!tn_lib_worked("load", "curandGetVersion", ((const struct api *)api)->curandGetVersion(&v)))
        return false;
    tn_version_of(ret, size, v / 1000, v / 100 % 10, v % 100);
    return true;
}

static bool generate(const struct api *a, const char *what, bool host, unsigned seed, uint64_t to)
{
    void *generator = NULL;
    bool made = host
                    ? tn_lib_worked(what, "curandCreateGeneratorHost", a->curandCreateGeneratorHost(&generator, PHILOX))
                    : tn_lib_worked(what, "curandCreateGenerator", a->curandCreateGenerator(&generator, PHILOX));
    if (!made)
        return false;
    bool ok = tn_lib_worked(what, "curandSetPseudoRandomGeneratorSeed",
                            a->curandSetPseudoRandomGeneratorSeed(generator, seed)) &&
              tn_lib_worked(what, "curandGenerateUniform", a->curandGenerateUniform(generator, to, N));
    return tn_lib_worked(what, "curandDestroyGenerator", a->curandDestroyGenerator(generator)) && ok;
}

/* Variance of x is 1/12, of x squared 4/45; error of a mean: its root by that of N. */
static bool judge(const float *first, const float *again, const float *other, const char *device)
{
    struct tn_ref_verdict v = {.right = true};
    double mean = 0, square = 0;
    bool inside = true;
    for (unsigned i = 0; i < N; i++) {
        mean += (double)first[i] / N;
        square += (double)first[i] * (double)first[i] / N;
        inside = inside && first[i] > 0 && first[i] <= 1;
    }
    tn_ref_judge(&v, mean, 0.5L, 6 * 0.28868 / 256, 0);
    tn_ref_judge(&v, square, 1 / 3.0L, 6 * 0.29815 / 256, 1);
    if (!inside || !tn_same_bits(first, again, N * sizeof *first) || tn_same_bits(first, other, N * sizeof *first))
        v.right = false;
    return tn_tell_verdict("random", TN_FP32, &v, device, NULL);
}

static bool host(const void *api)
{
    struct tn_arena mem;
    float *v[3];
    bool ok = true;
    tn_step("random", 60000);
    tn_arena_init(&mem);
    for (unsigned i = 0; i < 3; i++) {
        v[i] = tn_arena_array(&mem, N, sizeof *v[i]);
        ok = ok && generate(api, "random", true, i == 2 ? 8 : 7, (uintptr_t)v[i]);
    }
    ok = ok && judge(v[0], v[1], v[2], "cpu");
    tn_arena_deinit(&mem);
    return ok;
}

static bool prove(const void *api, struct tn_gpu *g)
{
    float *v[3];
    bool ok = true;
    tn_gpu_step(g, "random", 60000);
    for (unsigned i = 0; i < 3 && ok; i++) {
        uint64_t at = tn_gpu_put(g, NULL, N * sizeof(float));
        v[i] = tn_arena_array(&g->mem, N, sizeof *v[i]);
        ok = at && generate(api, g->what, false, i == 2 ? 8 : 7, at) && tn_gpu_take(g, v[i], at, N * sizeof(float));
    }
    return ok && judge(v[0], v[1], v[2], "gpu");
}

static const struct tn_gpulib lib = {
    .layer = "curand", .api = names, .n_api = TN_LEN(names), .version = version, .host = host, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(curand, "curand", run);
