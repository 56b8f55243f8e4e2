/* gpulib.c - see gpulib.h. */
#include "measure/gpulib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "os/os.h"

#define MAX_API_BYTES 512
#define START_MS 60000u

void tn_version_of(char *ret, size_t size, int major, int minor, int patch)
{
    snprintf(ret, size, "%d.%d.%d", major, minor, patch);
}

bool tn_lib_worked(const char *what, const char *call, int result)
{
    char number[24];
    if (result == 0)
        return true;
    snprintf(number, sizeof number, "number-%d", result);
    tn_tell_failed(what, call, number, "");
    return false;
}

bool tn_same_bits(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

bool tn_gpu_worked(const struct tn_gpu *g, const char *call, int result)
{
    return tn_lib_worked(g->what, call, result);
}

void tn_gpu_step(struct tn_gpu *g, const char *what, unsigned ms)
{
    g->what = what;
    tn_step(what, ms);
}

uint64_t tn_gpu_put(struct tn_gpu *g, const void *host, size_t bytes)
{
    uint64_t at = 0;
    if (g->n == TN_GPU_BUFFERS || !tn_cuda_worked(&g->cuda, g->what, "cuMemAlloc", g->cuda.cuMemAlloc_v2(&at, bytes)))
        return 0;
    g->at[g->n++] = at;
    bool ok = host ? tn_cuda_worked(&g->cuda, g->what, "cuMemcpyHtoD", g->cuda.cuMemcpyHtoD_v2(at, host, bytes))
                   : tn_cuda_worked(&g->cuda, g->what, "cuMemsetD8", g->cuda.cuMemsetD8_v2(at, 0xff, bytes));
    return ok ? at : 0;
}

bool tn_gpu_take(struct tn_gpu *g, void *host, uint64_t from, size_t bytes)
{
    return tn_cuda_worked(&g->cuda, g->what, "cuCtxSynchronize", g->cuda.cuCtxSynchronize()) &&
           tn_cuda_worked(&g->cuda, g->what, "cuMemcpyDtoH", g->cuda.cuMemcpyDtoH_v2(host, from, bytes));
}

bool tn_gpu_drop(struct tn_gpu *g)
{
    bool ok = true;
    while (g->n) {
        int rc = g->cuda.cuMemFree_v2(g->at[--g->n]);
        ok = ok && tn_cuda_worked(&g->cuda, g->what, "cuMemFree", rc);
    }
    return ok;
}

static bool start(struct tn_gpu *g)
{
    int major = 0, minor = 0;
    void *context = NULL;
    const struct tn_cuda *c = &g->cuda;
    tn_gpu_step(g, "start", START_MS);
    if (!tn_cuda_worked(c, "start", "cuInit", c->cuInit(0)) ||
        !tn_cuda_worked(c, "start", "cuDeviceGet", c->cuDeviceGet(&g->device, g->number)) ||
        !tn_cuda_worked(c, "start", "cuDeviceGetAttribute", c->cuDeviceGetAttribute(&major, 75, g->device)) ||
        !tn_cuda_worked(c, "start", "cuDeviceGetAttribute", c->cuDeviceGetAttribute(&minor, 76, g->device)) ||
        !tn_cuda_worked(c, "context", "cuDevicePrimaryCtxRetain", c->cuDevicePrimaryCtxRetain(&context, g->device)))
        return false;
    g->capability = (unsigned)(major * 10 + minor);
    return tn_cuda_worked(c, "context", "cuCtxSetCurrent", c->cuCtxSetCurrent(context));
}

static bool stop(struct tn_gpu *g)
{
    tn_gpu_step(g, "release", START_MS);
    bool ok = tn_gpu_drop(g);
    g->cuda.cuCtxSetCurrent(NULL);
    return tn_cuda_worked(&g->cuda, "release", "cuDevicePrimaryCtxRelease",
                          g->cuda.cuDevicePrimaryCtxRelease_v2(g->device)) &&
           ok;
}

/* Every call that the page needs: a library without one of them is another one. */
static bool find(const struct tn_gpulib *lib, void *library, void *api, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        void *f = tn_os_dl_find(library, lib->api[i].name);
        if (!f) {
            tn_tell_failed("load", lib->api[i].name, "missing", "");
            return false;
        }
        memcpy((char *)api + lib->api[i].at, &f, sizeof f);
    }
    return true;
}

static bool parts(const struct tn_gpulib *lib, void *library)
{
    bool ok = true, any = false;
    tn_step("parts", START_MS);
    for (unsigned i = 0; ok && lib->part && lib->part[i]; i++) {
        int (*check)(void) = NULL;
        void *f = tn_os_dl_find(library, lib->part[i]);
        memcpy(&check, &f, sizeof check);
        any = any || f;
        ok = !f || tn_lib_worked("parts", lib->part[i], check());
    }
    if (ok && any)
        tn_tell("result what=parts device=- status=pass text=");
    return ok;
}

static bool load(const struct tn_gpulib *lib, const char *path, void *api, unsigned *ret_major)
{
    const char *why = "";
    char version[64] = "";
    tn_step("load", START_MS);
    void *library = tn_os_dl_open(path, &why);
    if (!library) {
        tn_tell_failed("load", "dlopen", tn_os_dl_refused() ? "refused" : "unloadable", why);
        return false;
    }
    if (!find(lib, library, api, lib->since ? 1 : lib->n_api) || !lib->version(api, version, sizeof version))
        return false;
    tn_tell("version text=%s", version);
    tn_tell("result what=load device=- status=pass text=");
    *ret_major = (unsigned)strtoul(version, NULL, 10);
    if (*ret_major < lib->since)
        return true;
    return find(lib, library, api, lib->n_api) && parts(lib, library);
}

static bool prove(const struct tn_gpulib *lib, const void *api, struct tn_gpu *g)
{
    if (!start(g))
        return false;
    tn_arena_init(&g->mem);
    bool ok = lib->prove(api, g);
    ok = stop(g) && ok;
    tn_arena_deinit(&g->mem);
    return ok;
}

int tn_gpulib_run(const struct tn_gpulib *lib, const char *const *argv)
{
    static struct tn_gpu g;
    static uint64_t api[MAX_API_BYTES / 8];
    uint64_t number = 0;
    if (!argv[0] || !argv[1] || !argv[2] || !argv[3] || !tn_str_u64(argv[3], strlen(argv[3]), 10, &number) ||
        number > 1023)
        return 2;
    memset(&g, 0, sizeof g); /* another library may have worked before (stack.c) */
    bool gpu = strcmp(argv[1], "load") != 0;
    g.number = (int)number;
    g.full = strcmp(argv[1], "full") == 0;
    tn_step("load", START_MS);
    /* The driver first: what a library then wants by the name libcuda.so.1 is this one. */
    if ((gpu && !tn_cuda_open(&g.cuda, argv[2])) || !load(lib, argv[0], api, &g.major))
        return 1;
    if (g.major < lib->since) {
        tn_tell("skipped what=compute device=gpu why=not-on-card");
        return 0;
    }
    bool ok = (!lib->host || lib->host(api)) && (!gpu || prove(lib, api, &g));
    tn_tell_loaded();
    return ok ? 0 : 1;
}
