/* lib_cublas.c - cuBLAS: matrix products in every precision. Source: cublas_api.h, cuBLAS documentation,
 * "cublasGemmEx".
 */
#include "base/str.h"
#include "measure/gemm_type.h"

#define API(X)                                                                                                         \
    X(cublasGetProperty, (int which, int *ret))                                                                        \
    X(cublasCreate_v2, (void **ret))                                                                                   \
    X(cublasDestroy_v2, (void *handle))                                                                                \
    X(cublasGemmEx, (void *handle, int a_op, int b_op, int m, int n, int k, const void *alpha, uint64_t a, int a_type, \
                     int a_ld, uint64_t b, int b_type, int b_ld, const void *beta, uint64_t c, int c_type, int c_ld,   \
                     int compute, int algorithm))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

static bool version(const void *api, char *ret, size_t size)
{
    const struct api *a = api;
    int v[3] = {0, 0, 0}; /* MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL of libraryPropertyType */
    for (int i = 0; i < 3; i++)
        if (!tn_lib_worked("load", "cublasGetProperty", a->cublasGetProperty(i, &v[i])))
            return false;
    tn_version_of(ret, size, v[0], v[1], v[2]);
    return true;
}

struct use {
    const struct api *api;
    void *handle;
};

static bool multiply(void *ctx, struct tn_gpu *g, const struct tn_gemm_type *t, const struct tn_gemm_data *d)
{
    const struct use *u = ctx;
    int m = (int)d->shape.m, n = (int)d->shape.n, k = (int)d->shape.k;
    int compute = g->major < 11 ? t->compute10 : t->compute;
    return tn_gpu_worked(g, "cublasGemmEx",
                         u->api->cublasGemmEx(u->handle, 0, 0, n, m, k, tn_gemm_one(t), d->b, t->in, n, d->a, t->in, k,
                                              &tn_gemm_zero, d->c, t->out, n, compute, -1));
}

static bool prove(const void *api, struct tn_gpu *g)
{
    struct use u = {.api = api};
    tn_gpu_step(g, "handle", 60000);
    if (!tn_gpu_worked(g, "cublasCreate_v2", u.api->cublasCreate_v2(&u.handle)))
        return false;
    bool ok = tn_gemm_all(g, true, &u, multiply);
    tn_gpu_step(g, "release", 60000);
    return tn_gpu_worked(g, "cublasDestroy_v2", u.api->cublasDestroy_v2(u.handle)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "cublas", .api = names, .n_api = TN_LEN(names), .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cublas, "cublas", run);
