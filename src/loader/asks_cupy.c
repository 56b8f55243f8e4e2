/* asks_cupy.c - CuPy: extension modules that need CUDA's libraries by DT_NEEDED, and NVRTC, which compiles its kernels.
 *
 * Sources: cupy/cupy install/cupy_builder/_features.py and cupy/_environment.py: each module of cupy_backends links
 * what it needs; libraries below CUPY_CUDA_LIB_PATH are opened before, which is not imitated: where a module needs a
 * name that the loader does not find, it is said to be not known. From 14 on NVRTC is no longer linked (wheels of
 * cupy-cuda12x and -cuda13x 14.2.0): cuda.pathfinder opens it (load_nvidia_dynamic_lib.py, descriptor_catalog.py of
 * cuda-pathfinder 1.9.1) out of NVIDIA's packages, else by its bare name, else below CUDA_HOME or CUDA_PATH. */
#include "loader/asks.h"

static void nvrtc(struct tn_asks *a)
{
    static const char *const dir[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", NULL};
    unsigned cuda = tn_asks_cuda(a);
    const char *name = tn_arena_printf(a->mem, "libnvrtc.so.%u", cuda);
    if (tn_asks_release(a) < 1400 || cuda < 12 || cuda > 13)
        return;
    tn_asks_preload(a, TN_ASK_OPTIONAL, "jit", name, dir);
    bool further = tn_asks_variable(a, "CUDA_HOME") || tn_asks_variable(a, "CUDA_PATH");
    tn_asks_name(a, further ? TN_ASK_HARMLESS : TN_ASK_OPTIONAL, "jit", NULL, name);
}

static void run(struct tn_asks *a)
{
    static const char *const module[] = {"api/runtime",   "libs/nvrtc",  "libs/cublas", "libs/cusolver",
                                         "libs/cusparse", "libs/curand", NULL};
    for (unsigned i = 0; module[i]; i++)
        tn_asks_module(a, TN_ASK_OPTIONAL, "import",
                       tn_asks_path(a, tn_arena_printf(a->mem, "cupy_backends/cuda/%s", module[i])));
    nvrtc(a);
}

TN_ASKS(cupy, "cupy", run);
