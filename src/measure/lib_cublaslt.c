/* lib_cublaslt.c - cuBLASLt: matrix products by descriptors. Whole numbers are left to cuBLAS: here they want another
 * layout. Source: cublasLt.h of CUDA 11.0 to 13.0 (10.1 made descriptors with other arguments: only its version). */
#include "base/str.h"
#include "measure/gemm_type.h"

#define API(X)                                                                                                         \
    X(cublasLtGetVersion, (void))                                                                                      \
    X(cublasLtCreate, (void **ret))                                                                                    \
    X(cublasLtDestroy, (void *handle))                                                                                 \
    X(cublasLtMatmulDescCreate, (void **ret, int compute, int scale))                                                  \
    X(cublasLtMatmulDescDestroy, (void *desc))                                                                         \
    X(cublasLtMatrixLayoutCreate, (void **ret, int type, uint64_t rows, uint64_t columns, int64_t ld))                 \
    X(cublasLtMatrixLayoutDestroy, (void *layout))                                                                     \
    X(cublasLtMatmul, (void *handle, void *desc, const void *alpha, uint64_t a, void *a_layout, uint64_t b,            \
                       void *b_layout, const void *beta, uint64_t c, void *c_layout, uint64_t d, void *d_layout,       \
                       const void *algorithm, uint64_t work, size_t work_bytes, void *stream))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

/* 110805: 11.8.5; 130100: 13.1.0. It returns size_t, of which an int holds all. */
static bool version(const void *api, char *ret, size_t size)
{
    const struct api *a = api;
    int v = a->cublasLtGetVersion();
    tn_version_of(ret, size, v / 10000, v / 100 % 100, v % 100);
    return true;
}

struct use {
    const struct api *api;
    void *handle;
};

static bool descriptors(const struct api *a, struct tn_gpu *g, const struct tn_gemm_type *t,
                        const struct tn_gemm_data *d, void *ret[4])
{
    uint64_t m = d->shape.m, n = d->shape.n, k = d->shape.k;
    return tn_gpu_worked(g, "cublasLtMatmulDescCreate", a->cublasLtMatmulDescCreate(&ret[0], t->compute, t->scale)) &&
           tn_gpu_worked(g, "cublasLtMatrixLayoutCreate",
                         a->cublasLtMatrixLayoutCreate(&ret[1], t->in, n, k, (int64_t)n)) &&
           tn_gpu_worked(g, "cublasLtMatrixLayoutCreate",
                         a->cublasLtMatrixLayoutCreate(&ret[2], t->in, k, m, (int64_t)k)) &&
           tn_gpu_worked(g, "cublasLtMatrixLayoutCreate",
                         a->cublasLtMatrixLayoutCreate(&ret[3], t->out, n, m, (int64_t)n));
}

static bool multiply(void *ctx, struct tn_gpu *g, const struct tn_gemm_type *t, const struct tn_gemm_data *d)
{
    const struct use *u = ctx;
    void *made[4] = {NULL, NULL, NULL, NULL};
    bool ok = descriptors(u->api, g, t, d, made) &&
              tn_gpu_worked(g, "cublasLtMatmul",
                            u->api->cublasLtMatmul(u->handle, made[0], tn_gemm_one(t), d->b, made[1], d->a, made[2],
                                                   &tn_gemm_zero, d->c, made[3], d->c, made[3], NULL, 0, 0, NULL));
    for (unsigned i = 1; i < 4; i++)
        if (made[i])
            u->api->cublasLtMatrixLayoutDestroy(made[i]);
    if (made[0])
        u->api->cublasLtMatmulDescDestroy(made[0]);
    return ok;
}

static bool prove(const void *api, struct tn_gpu *g)
{
    struct use u = {.api = api};
    if (g->major < 11) {
        tn_tell("skipped what=matmul device=gpu why=cannot");
        return true;
    }
    tn_gpu_step(g, "handle", 60000);
    if (!tn_gpu_worked(g, "cublasLtCreate", u.api->cublasLtCreate(&u.handle)))
        return false;
    bool ok = tn_gemm_all(g, false, &u, multiply);
    tn_gpu_step(g, "release", 60000);
    return tn_gpu_worked(g, "cublasLtDestroy", u.api->cublasLtDestroy(u.handle)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "cublaslt", .api = names, .n_api = TN_LEN(names), .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cublaslt, "cublaslt", run);
