/* driver.c - a libcuda that tells of cards as ../standin.c does and computes on the CPU: contexts, memory, and the two
 * kernels that tenon brings. It keeps the rules: cuInit first, a current context, sizes inside what was given out, and
 * nothing left allocated when the context goes.
 *
 * TENON_STANDIN_FAULT: driver: init (CUDA_ERROR_UNKNOWN), memory (none is left), half (the card's is nearly full),
 * readback (a bit comes back changed), nothing (kernels do no work), late (a launch fails, which the next wait tells),
 * ecc (told in the middle), lost (from the tenth call on every call says 999, as when a card falls off the bus), hang,
 * crash, quit (in cuInit), jit (the kernel's PTX is not taken). */
#define CUDA
#include "../standin.c"

#include "standin.h"

#define LAYER "driver"
#define MAX_BLOCKS 256

static struct {
    uint64_t at;
    size_t n;
} block[MAX_BLOCKS];
static bool started, retained, current;
static int sticky;
static unsigned calls;

static bool fault(const char *what)
{
    return standin_fault(LAYER, what);
}

/* 0, or what every call says by now. */
static int state(void)
{
    if (!started)
        return 3; /* CUDA_ERROR_NOT_INITIALIZED */
    if (!current)
        return 201; /* CUDA_ERROR_INVALID_CONTEXT */
    if (fault("lost") && ++calls > 10)
        sticky = 999;
    return 0;
}

API bool standin_has_context(void)
{
    return current;
}

API void standin_late(int error)
{
    if (!sticky)
        sticky = error;
}

API bool standin_is_device(uint64_t at, size_t bytes)
{
    for (int i = 0; i < MAX_BLOCKS; i++)
        if (block[i].at && at >= block[i].at && at + bytes <= block[i].at + block[i].n)
            return true;
    standin_late(700);
    return false;
}

API uint64_t standin_alloc(size_t bytes)
{
    for (int i = 0; i < MAX_BLOCKS; i++)
        if (!block[i].at) {
            block[i].at = (uint64_t)(uintptr_t)malloc(bytes ? bytes : 1);
            block[i].n = bytes;
            return block[i].at;
        }
    return 0;
}

API bool standin_free(uint64_t at)
{
    for (int i = 0; i < MAX_BLOCKS; i++)
        if (at && block[i].at == at) {
            free((void *)(uintptr_t)at);
            block[i].at = 0;
            return true;
        }
    return false;
}

API int cuDevicePrimaryCtxRetain(void **ret, int device)
{
    static int context;
    if (device < 0 || device >= n_shown)
        return 101;
    if (fault("init"))
        return 999;
    standin_trouble(LAYER);
    started = retained = true;
    *ret = &context;
    return 0;
}
API int cuDevicePrimaryCtxRelease_v2(int device)
{
    if (!retained || device >= n_shown)
        return 201;
    retained = false;
    for (int i = 0; i < MAX_BLOCKS; i++)
        if (block[i].at) {
            fprintf(stderr, "stand-in: %zu bytes were not given back\n", block[i].n);
            return 1;
        }
    return sticky;
}
API int cuCtxSetCurrent(void *context)
{
    current = context != NULL;
    return 0;
}
API int cuCtxSynchronize(void)
{
    int rc = state();
    if (!rc && fault("ecc"))
        standin_late(214);
    return rc ? rc : sticky;
}
API int cuMemGetInfo_v2(size_t *ret_free, size_t *ret_total)
{
    unsigned long long v[1] = {0};
    int rc = state();
    numbers(shown[0], "memory", v, 1);
    *ret_total = v[0];
    *ret_free = fault("half") ? 1 << 20 : v[0] / 2;
    return rc ? rc : sticky;
}
API int cuMemAlloc_v2(uint64_t *ret, size_t bytes)
{
    int rc = state();
    if (rc || sticky || !bytes)
        return rc ? rc : sticky ? sticky : 1;
    if (fault("memory") || (fault("half") && bytes > 1 << 20))
        return 2;
    *ret = standin_alloc(bytes);
    return *ret ? 0 : 2;
}
API int cuMemFree_v2(uint64_t at)
{
    int rc = state();
    if (!rc && !standin_free(at))
        rc = 1;
    return rc ? rc : sticky;
}
API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    int rc = state();
    if (rc || sticky || !standin_is_device(to, bytes))
        return rc ? rc : sticky == 700 ? 1 : sticky;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}
API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    int rc = state();
    if (rc || sticky || !standin_is_device(from, bytes))
        return rc ? rc : sticky == 700 ? 1 : sticky;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    if (fault("readback"))
        ((unsigned char *)to)[bytes - 1] ^= 4;
    return 0;
}
API int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes)
{
    int rc = state();
    if (rc || sticky || !standin_is_device(to, bytes))
        return rc ? rc : sticky == 700 ? 1 : sticky;
    memset((void *)(uintptr_t)to, value, bytes);
    return 0;
}

/* A module is the number of the kernel in it: 1 mix, 2 twist. */
API int cuModuleLoadDataEx(void **ret, const void *image, unsigned n, int *options, void **values)
{
    int rc = state();
    uintptr_t k = strstr(image, ".entry mix(") ? 1 : strstr(image, ".entry twist(") ? 2 : 0;
    (void)n, (void)options, (void)values;
    if (rc || sticky)
        return rc ? rc : sticky;
    if (!k || fault("jit"))
        return 218; /* CUDA_ERROR_INVALID_PTX */
    *ret = (void *)k;
    return 0;
}
API int cuModuleUnload(void *module)
{
    return module ? sticky : 1;
}
API int cuModuleGetFunction(void **ret, void *module, const char *name)
{
    if (strcmp(name, (uintptr_t)module == 1 ? "mix" : "twist") != 0)
        return 500;
    *ret = module;
    return 0;
}
API int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **parameter, void **extra)
{
    int rc = state();
    uint32_t *at = *(void **)parameter[0];
    unsigned n = *(unsigned *)parameter[1];
    (void)shared, (void)stream, (void)extra;
    if (rc || sticky)
        return rc ? rc : sticky;
    if (!gx || bx > 1024 || gy * gz * by * bz != 1)
        return 1;
    if (fault("late"))
        standin_late(719);
    if (fault("nothing") || !standin_is_device((uint64_t)(uintptr_t)at, (size_t)n * 4))
        return 0;
    for (unsigned i = 0; i < n && i < gx * bx; i++) {
        uint32_t h = i * 2654435761u;
        if ((uintptr_t)f == 1)
            at[i] = (h + *(unsigned *)parameter[2]) ^ (h + *(unsigned *)parameter[2]) >> 15;
        else
            at[i] = i * 40503u ^ 0x9e3779b9u;
    }
    return 0;
}
API int cuGetErrorName(int error, const char **ret)
{
    static const struct {
        int n;
        const char *name;
    } known[] = {
        {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},       {3, "CUDA_ERROR_NOT_INITIALIZED"},
        {201, "CUDA_ERROR_INVALID_CONTEXT"}, {214, "CUDA_ERROR_ECC_UNCORRECTABLE"}, {218, "CUDA_ERROR_INVALID_PTX"},
        {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {719, "CUDA_ERROR_LAUNCH_FAILED"},     {999, "CUDA_ERROR_UNKNOWN"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].n == error) {
            *ret = known[i].name;
            return 0;
        }
    return 1;
}
