/* driver.c - a libcuda that tells of cards as ../standin.c does and computes on the CPU: contexts, memory, and the two
 * kernels that tenon brings. It keeps the rules: cuInit first, a current context, sizes inside what was given out, and
 * nothing left allocated when the context goes.
 *
 * TENON_STANDIN_FAULT: driver: init (CUDA_ERROR_UNKNOWN), memory (none is left), half (the card's is nearly full),
 * readback (a bit comes back changed), nothing (kernels do no work), late (a launch fails, which the next wait tells),
 * ecc (told in the middle), lost (from the tenth call on every call says 999, as when a card falls off the bus), hang,
 * crash, quit (in cuInit), jit (the kernel's PTX is not taken); at a copy to that card: peer (a bit comes out
 * changed), peer-nothing, peer-late, peer-hang.
 * TENON_STANDIN_COUNT: a pipe by name, to which a byte goes for each context that is made. */
#define CUDA
#include "../standin.c"

#include "standin.h"

#define LAYER "driver"
#define MAX_BLOCKS 256

static struct {
    uint64_t at;
    size_t n;
    int card;
} block[MAX_BLOCKS];
static bool started;
static struct context {
    int held; /* how often it was retained and not released */
    bool peer[64];
} context[64];
static int current = -1; /* the card whose context is current */
static int sticky;
static unsigned calls;

static bool fault(const char *what)
{
    return standin_fault(LAYER, what);
}

static void count_context(void)
{
    const char *path = getenv("TENON_STANDIN_COUNT");
    int fd = path ? open(path, O_WRONLY | O_NONBLOCK) : -1;
    if (fd >= 0 && write(fd, ".", 1) == 1)
        close(fd);
}

/* 0, or what every call says by now. */
static int state(void)
{
    if (!started)
        return 3; /* CUDA_ERROR_NOT_INITIALIZED */
    if (current < 0 || !context[current].held)
        return 201; /* CUDA_ERROR_INVALID_CONTEXT */
    if (fault("lost") && ++calls > 10)
        sticky = 999;
    return 0;
}

API bool standin_has_context(void)
{
    return current >= 0;
}

API int standin_card(void)
{
    return current;
}
API void standin_on_card(int card)
{
    current = card;
}
static bool stuck[64];
API void standin_stuck(int card)
{
    stuck[card] = true;
}
API int standin_cards(void)
{
    return n_shown;
}

API void standin_late(int error)
{
    if (!sticky)
        sticky = error;
}

API bool standin_is_device(uint64_t at, size_t bytes)
{
    for (int i = 0; i < MAX_BLOCKS; i++)
        if (block[i].at && at >= block[i].at && at + bytes <= block[i].at + block[i].n &&
            (block[i].card == current || (current >= 0 && context[current].peer[block[i].card])))
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
            block[i].card = current;
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
    if (device < 0 || device >= n_shown)
        return 101;
    if (fault("init"))
        return 999;
    standin_trouble_on(LAYER, device);
    if (context[device].held == 0)
        count_context();
    started = true;
    context[device].held++;
    *ret = &context[device];
    return 0;
}
API int cuDevicePrimaryCtxRelease_v2(int device)
{
    if (device < 0 || device >= n_shown || !context[device].held)
        return 201;
    if (--context[device].held == 0)
        memset(context[device].peer, 0, sizeof context[device].peer);
    for (int i = 0; i < MAX_BLOCKS; i++)
        if (block[i].at && block[i].card == device) {
            fprintf(stderr, "stand-in: %zu bytes were not given back\n", block[i].n);
            return 1;
        }
    return sticky;
}
API int cuCtxSetCurrent(void *to)
{
    current = to ? (int)((struct context *)to - context) : -1;
    return current < 64 ? 0 : 201;
}
API int cuCtxEnablePeerAccess(void *to, unsigned flags)
{
    int rc = state(), peer = (int)((struct context *)to - context), can = 0;
    if (rc || flags || peer < 0 || peer >= n_shown || !context[peer].held)
        return rc ? rc : 201;
    cuDeviceCanAccessPeer(&can, current, peer);
    if (!can || peer == current)
        return 217; /* CUDA_ERROR_PEER_ACCESS_UNSUPPORTED */
    if (context[current].peer[peer])
        return 704; /* CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED */
    context[current].peer[peer] = true;
    return 0;
}
/* Is that memory this card's? */
static bool is_of(uint64_t at, size_t bytes, int card)
{
    int was = current;
    current = card;
    bool is = standin_is_device(at, bytes);
    current = was;
    return is;
}
API int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes)
{
    int rc = state(), t = (int)((struct context *)to_context - context),
        f = (int)((struct context *)from_context - context);
    if (rc || sticky || !is_of(to, bytes, t) || !is_of(from, bytes, f))
        return rc ? rc : sticky;
    while (standin_fault_on(LAYER, "peer-hang", t))
        pause();
    if (standin_fault_on(LAYER, "peer-nothing", t))
        return 0;
    if (standin_fault_on(LAYER, "peer-late", t))
        standin_late(700);
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    if (standin_fault_on(LAYER, "peer", t))
        ((unsigned char *)(uintptr_t)to)[bytes / 2] ^= 1;
    return 0;
}
/* Stream 0: of the current context. */
API int cuStreamQuery(void *stream)
{
    int rc = state();
    if (rc || sticky || stream)
        return rc ? rc : sticky ? sticky : 1;
    return stuck[current] ? 600 : 0; /* CUDA_ERROR_NOT_READY */
}
API int cuCtxSynchronize(void)
{
    int rc = state();
    while (!rc && stuck[current])
        pause();
    if (!rc && fault("ecc"))
        standin_late(214);
    return rc ? rc : sticky;
}
API int cuMemGetInfo_v2(size_t *ret_free, size_t *ret_total)
{
    unsigned long long v[1] = {0};
    int rc = state();
    numbers(shown[current < 0 ? 0 : current], "memory", v, 1);
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
