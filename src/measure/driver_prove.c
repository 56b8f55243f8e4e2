/* driver_prove.c - real work on one GPU through the driver alone: a pattern through its memory, a kernel of our own.
 *
 * The kernel is PTX text, compiled by the driver for the card that is there; ptxas accepts it for every architecture
 * (tests/real/ptx.sh). Its parameters: where to write, how many words, a seed. Word i becomes what mix(i, seed) says,
 * so that neither an untouched nor a zeroed buffer passes. */
#include <stdlib.h>
#include <string.h>

#include "measure/cuda_api.h"
#include "measure/kernel.h"
#include "measure/told.h"
#include "measure/worker.h"

#define PATTERN_BYTES (64u << 20)
#define WORDS (1u << 20)
#define THREADS 256u

/* As the kernel computes it. */
static uint32_t mix(uint32_t i, uint32_t seed)
{
    uint32_t h = i * 2654435761u + seed;
    return h ^ h >> 15;
}

static void tell(const char *what, size_t wrong, size_t first)
{
    tn_tell("result what=%s device=gpu status=%s wrong=%llu first=%llu text=", what, wrong ? "fail" : "pass",
            (unsigned long long)wrong, (unsigned long long)first);
}

static size_t compare(const uint32_t *got, size_t n, uint32_t seed, size_t *ret_first)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        if (got[i] != mix((uint32_t)i, seed) && wrong++ == 0)
            *ret_first = i;
    return wrong;
}

/* Written, read back into a buffer that held something else. */
static bool pattern(const struct tn_cuda *c, uint64_t at, uint32_t *host, size_t n, uint32_t seed)
{
    size_t first = 0;
    for (size_t i = 0; i < n; i++)
        host[i] = mix((uint32_t)i, seed);
    if (!tn_cuda_worked(c, "memory", "cuMemcpyHtoD", c->cuMemcpyHtoD_v2(at, host, n * 4)))
        return false;
    memset(host, 0x5a, n * 4);
    if (!tn_cuda_worked(c, "memory", "cuMemcpyDtoH", c->cuMemcpyDtoH_v2(host, at, n * 4)))
        return false;
    size_t wrong = compare(host, n, seed, &first);
    tell("memory", wrong, first);
    return wrong == 0;
}

static bool launch(const struct tn_cuda *c, void *function, uint64_t at, uint32_t *host, uint32_t seed)
{
    unsigned n = WORDS;
    size_t first = 0;
    void *parameter[] = {&at, &n, &seed};
    if (!tn_cuda_worked(c, "kernel", "cuMemsetD8", c->cuMemsetD8_v2(at, 0xa5, (size_t)n * 4)) ||
        !tn_cuda_worked(c, "kernel", "cuLaunchKernel",
                        c->cuLaunchKernel(function, n / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, parameter, NULL)) ||
        !tn_cuda_worked(c, "kernel", "cuCtxSynchronize", c->cuCtxSynchronize()) ||
        !tn_cuda_worked(c, "kernel", "cuMemcpyDtoH", c->cuMemcpyDtoH_v2(host, at, (size_t)n * 4)))
        return false;
    size_t wrong = compare(host, n, seed, &first);
    tell("kernel", wrong, first);
    return wrong == 0;
}

static bool kernel(const struct tn_cuda *c, uint64_t at, uint32_t *host)
{
    void *module = NULL, *function = NULL;
    if (!tn_cuda_worked(c, "kernel", "cuModuleLoadDataEx",
                        c->cuModuleLoadDataEx(&module, tn_kernel_ptx, 0, NULL, NULL)))
        return false;
    bool ok = tn_cuda_worked(c, "kernel", "cuModuleGetFunction", c->cuModuleGetFunction(&function, module, "mix")) &&
              launch(c, function, at, host, 17) && launch(c, function, at, host, 2654435769u);
    return tn_cuda_worked(c, "kernel", "cuModuleUnload", c->cuModuleUnload(module)) && ok;
}

static bool with_memory(const struct tn_cuda *c, bool full)
{
    size_t available = 0, total = 0, bytes = full ? PATTERN_BYTES : PATTERN_BYTES / 16;
    uint64_t at = 0;
    if (!tn_cuda_worked(c, "memory", "cuMemGetInfo", c->cuMemGetInfo_v2(&available, &total)))
        return false;
    tn_tell("free bytes=%llu of=%llu", (unsigned long long)available, (unsigned long long)total);
    if (!tn_cuda_worked(c, "memory", "cuMemAlloc", c->cuMemAlloc_v2(&at, bytes)))
        return false;
    uint32_t *host = malloc(bytes);
    bool ok = host && pattern(c, at, host, bytes / 4, 1) && pattern(c, at, host, bytes / 4, 0x9e3779b9u);
    if (!host)
        tn_tell_failed("memory", "malloc", "no-memory", "");
    if (ok) {
        tn_step("kernel", 60000); /* the driver compiles first */
        ok = kernel(c, at, host);
    }
    free(host);
    return tn_cuda_worked(c, "memory", "cuMemFree", c->cuMemFree_v2(at)) && ok;
}

bool tn_cuda_prove(struct tn_cuda *c, int gpu, bool full)
{
    int device = 0;
    void *context = NULL;
    tn_step("context", 60000);
    if (!tn_cuda_worked(c, "context", "cuDeviceGet", c->cuDeviceGet(&device, gpu)) ||
        !tn_cuda_tell_on(c, "context", device, NULL) ||
        !tn_cuda_worked(c, "context", "cuDevicePrimaryCtxRetain", c->cuDevicePrimaryCtxRetain(&context, device)))
        return false;
    bool ok = tn_cuda_worked(c, "context", "cuCtxSetCurrent", c->cuCtxSetCurrent(context));
    if (ok) {
        tn_step("memory", 60000);
        ok = with_memory(c, full);
    }
    tn_step("release", 30000);
    c->cuCtxSetCurrent(NULL);
    return tn_cuda_worked(c, "release", "cuDevicePrimaryCtxRelease", c->cuDevicePrimaryCtxRelease_v2(device)) && ok;
}
