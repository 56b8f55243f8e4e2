/* lib_cudart.c - the CUDA run time: memory of its own, written and read back. Source: cuda_runtime_api.h. */
#include <string.h>

#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(cudaRuntimeGetVersion, (int *ret))                                                                               \
    X(cudaSetDevice, (int device))                                                                                     \
    X(cudaMalloc, (uint64_t * ret, size_t bytes))                                                                      \
    X(cudaFree, (uint64_t at))                                                                                         \
    X(cudaMemcpy, (uint64_t to, uint64_t from, size_t bytes, int kind))                                                \
    X(cudaDeviceSynchronize, (void))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define TO_DEVICE 1 /* cudaMemcpyHostToDevice */
#define TO_HOST 2
#define N 65536u

static bool version(const void *api, char *ret, size_t size)
{
    int v = 0;
    if (!tn_lib_worked("load", "cudaRuntimeGetVersion", ((const struct api *)api)->cudaRuntimeGetVersion(&v)))
        return false;
    tn_version_of(ret, size, v / 1000, v % 1000 / 10, v % 10);
    return true;
}

static bool there_and_back(const struct api *a, struct tn_gpu *g, uint64_t at)
{
    uint32_t *there = tn_arena_array(&g->mem, N, sizeof *there), *back = tn_arena_array(&g->mem, N, sizeof *back);
    size_t wrong = 0, first = 0;
    for (uint32_t i = 0; i < N; i++)
        there[i] = i * 2654435761u + 1;
    memset(back, 0x5a, N * sizeof *back);
    if (!tn_gpu_worked(g, "cudaMemcpy", a->cudaMemcpy(at, (uintptr_t)there, N * sizeof *there, TO_DEVICE)) ||
        !tn_gpu_worked(g, "cudaDeviceSynchronize", a->cudaDeviceSynchronize()) ||
        !tn_gpu_worked(g, "cudaMemcpy", a->cudaMemcpy((uintptr_t)back, at, N * sizeof *back, TO_HOST)))
        return false;
    for (size_t i = 0; i < N; i++)
        if (there[i] != back[i] && wrong++ == 0)
            first = i;
    tn_tell("result what=memory device=gpu status=%s wrong=%llu first=%llu text=", wrong ? "fail" : "pass",
            (unsigned long long)wrong, (unsigned long long)first);
    return wrong == 0;
}

static bool prove(const void *api, struct tn_gpu *g)
{
    const struct api *a = api;
    uint64_t at = 0;
    tn_gpu_step(g, "memory", 60000);
    if (!tn_gpu_worked(g, "cudaSetDevice", a->cudaSetDevice(g->number)) ||
        !tn_gpu_worked(g, "cudaMalloc", a->cudaMalloc(&at, N * 4)))
        return false;
    bool ok = there_and_back(a, g, at);
    return tn_gpu_worked(g, "cudaFree", a->cudaFree(at)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "cudart", .api = names, .n_api = TN_LEN(names), .version = version, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(cudart, "cudart", run);
