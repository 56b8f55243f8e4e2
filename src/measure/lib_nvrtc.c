/* lib_nvrtc.c - NVRTC compiles a kernel, which needs no GPU; the driver then runs it. Source: nvrtc.h. */
#include <string.h>

#include "base/str.h"
#include "measure/gpulib.h"

#define API(X)                                                                                                         \
    X(nvrtcVersion, (int *major, int *minor))                                                                          \
    X(nvrtcCreateProgram, (void **ret, const char *source, const char *name, int n_header, const char *const *header,  \
                           const char *const *include))                                                                \
    X(nvrtcDestroyProgram, (void **program))                                                                           \
    X(nvrtcCompileProgram, (void *program, int n_option, const char *const *option))                                   \
    X(nvrtcGetPTXSize, (void *program, size_t *ret))                                                                   \
    X(nvrtcGetPTX, (void *program, char *ret))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define N 4096u
#define THREADS 128u

static const char source[] = "extern \"C\" __global__ void twist(unsigned *to, unsigned n)\n"
                             "{\n"
                             "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        to[i] = i * 40503u ^ 0x9e3779b9u;\n"
                             "}\n";

static bool version(const void *api, char *ret, size_t size)
{
    int major = 0, minor = 0;
    if (!tn_lib_worked("load", "nvrtcVersion", ((const struct api *)api)->nvrtcVersion(&major, &minor)))
        return false;
    tn_version_of(ret, size, major, minor, 0);
    return true;
}

/* PTX in mem, or NULL: told why. */
static char *compile(const struct api *a, struct tn_arena *mem, const char *option)
{
    void *program = NULL;
    size_t n = 0;
    char *ptx = NULL;
    const char *const options[] = {option};
    if (!tn_lib_worked("compile", "nvrtcCreateProgram",
                       a->nvrtcCreateProgram(&program, source, "twist.cu", 0, NULL, NULL)))
        return NULL;
    if (tn_lib_worked("compile", "nvrtcCompileProgram", a->nvrtcCompileProgram(program, option ? 1 : 0, options)) &&
        tn_lib_worked("compile", "nvrtcGetPTXSize", a->nvrtcGetPTXSize(program, &n))) {
        ptx = tn_arena_alloc(mem, n + 1);
        if (!tn_lib_worked("compile", "nvrtcGetPTX", a->nvrtcGetPTX(program, ptx)))
            ptx = NULL;
    }
    a->nvrtcDestroyProgram(&program);
    return ptx;
}

static bool host(const void *api)
{
    struct tn_arena mem;
    tn_step("compile", 120000);
    tn_arena_init(&mem);
    char *ptx = compile(api, &mem, NULL);
    bool whole = ptx && strstr(ptx, ".entry twist");
    if (ptx)
        tn_tell("result what=compile device=cpu status=%s text=", whole ? "pass" : "fail");
    tn_arena_deinit(&mem);
    return whole;
}

static bool launch(struct tn_gpu *g, void *function)
{
    uint32_t *got = tn_arena_array(&g->mem, N, sizeof *got);
    uint64_t at = tn_gpu_put(g, NULL, N * sizeof *got);
    unsigned n = N;
    size_t wrong = 0, first = 0;
    void *parameter[] = {&at, &n};
    if (!at ||
        !tn_cuda_worked(&g->cuda, g->what, "cuLaunchKernel",
                        g->cuda.cuLaunchKernel(function, N / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, parameter, NULL)) ||
        !tn_gpu_take(g, got, at, N * sizeof *got))
        return false;
    for (uint32_t i = 0; i < N; i++)
        if (got[i] != (i * 40503u ^ 0x9e3779b9u) && wrong++ == 0)
            first = i;
    tn_tell("result what=kernel device=gpu status=%s wrong=%llu first=%llu text=", wrong ? "fail" : "pass",
            (unsigned long long)wrong, (unsigned long long)first);
    return wrong == 0;
}

/* Compiled for the card itself where NVRTC knows it; an older one gives PTX that the driver makes fit. */
static bool prove(const void *api, struct tn_gpu *g)
{
    void *module = NULL, *function = NULL;
    tn_gpu_step(g, "compile", 120000);
    char *ptx = compile(api, &g->mem, NULL);
    if (!ptx)
        return false;
    tn_gpu_step(g, "kernel", 60000);
    if (!tn_cuda_worked(&g->cuda, g->what, "cuModuleLoadDataEx",
                        g->cuda.cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL)))
        return false;
    bool ok = tn_cuda_worked(&g->cuda, g->what, "cuModuleGetFunction",
                             g->cuda.cuModuleGetFunction(&function, module, "twist")) &&
              launch(g, function);
    return tn_cuda_worked(&g->cuda, g->what, "cuModuleUnload", g->cuda.cuModuleUnload(module)) && ok;
}

static const struct tn_gpulib lib = {
    .layer = "nvrtc", .api = names, .n_api = TN_LEN(names), .version = version, .host = host, .prove = prove};

static int run(const char *const *argv)
{
    return tn_gpulib_run(&lib, argv);
}

TN_WORK(nvrtc, "nvrtc", run);
