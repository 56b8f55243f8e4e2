/* lib_nccl.c - NCCL: the sum over one card is what the card put in. Source: nccl.h 2.0 to 2.28. */
#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(ncclGetVersion, (int *ret))                                                                                      \
    X(ncclCommInitAll, (void **ret, int n, const int *device))                                                         \
    X(ncclCommDestroy, (void *communicator))                                                                           \
    X(ncclAllReduce, (uint64_t from, uint64_t to, size_t n, int type, int op, void *communicator, void *stream))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define FLOAT32 7
#define SUM 0
#define N 10000u

/* 22809: 2.28.9; up to 2.8 the minor had one digit less: 2708 is 2.7.8. */
static bool version(const void *api, char *ret, size_t size)
{
    int v = 0;
    if (!tn_lib_worked("load", "ncclGetVersion", ((const struct api *)api)->ncclGetVersion(&v)))
        return false;
    int unit = v < 10000 ? 1000 : 10000;
    tn_version_of(ret, size, v / unit, v % unit / 100, v % 100);
    return true;
}

static bool reduce(const struct api *a, struct tn_gpu *g, void *communicator)
{
    float *in = tn_arena_array(&g->mem, N, sizeof *in), *out = tn_arena_array(&g->mem, N, sizeof *out);
    tn_ref_fill(TN_FP32, 51, N, in);
    uint64_t from = tn_gpu_put(g, in, N * sizeof *in), to = from ? tn_gpu_put(g, NULL, N * sizeof *in) : 0;
    if (!to || !tn_gpu_worked(g, "ncclAllReduce", a->ncclAllReduce(from, to, N, FLOAT32, SUM, communicator, NULL)) ||
        !tn_gpu_take(g, out, to, N * sizeof *out))
        return false;
    bool same = tn_same_bits(in, out, N * sizeof *in);
    tn_tell("result what=allreduce precision=fp32 device=gpu status=%s text=", same ? "pass" : "fail");
    return same;
}

static bool prove(const void *api, struct tn_gpu *g)
{
    const struct api *a = api;
    void *communicator = NULL;
    tn_gpu_step(g, "handle", 120000);
    if (!tn_gpu_worked(g, "ncclCommInitAll", a->ncclCommInitAll(&communicator, 1, &g->number)))
        return false;
    tn_gpu_step(g, "allreduce", 60000);
    bool ok = reduce(a, g, communicator);
    tn_gpu_step(g, "release", 60000);
    return tn_gpu_worked(g, "ncclCommDestroy", a->ncclCommDestroy(communicator)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "nccl", .api = names, .n_api = TN_LEN(names), .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(nccl, "nccl", run);
