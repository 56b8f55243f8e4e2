/* asks_torch.c - PyTorch: libraries by DT_NEEDED, along the run path of torch/lib, and what torch/__init__.py preloads.
 *
 * Source: pytorch torch/__init__.py (_load_global_deps, _preload_cuda_deps, _get_cuda_dep_paths), ATen/DynamicLibrary.
 * - 1.13 on: when libtorch_global_deps.so cannot be loaded for want of one of NVIDIA's libraries, the wheels' files are
 *   opened by their paths, in the order below (1.13: cuBLAS and cuDNN alone); the first that is not there ends it
 * - 2.6 to 2.9: once libcudart.so of the wheel is loaded: NVRTC and nvJitLink, whatever LD_LIBRARY_PATH says
 * - 2.10 on: once any libcudart is loaded: all of them; the first that is not there ends it, silently
 *
 * CUDA 13's folder nvidia/cu13/lib counts from 2.9 on. libtorch_cuda_linalg.so and libcaffe2_nvrtc.so are opened when
 * they are first used; the latter needs the driver's libcuda.so.1. */
#include "base/str.h"
#include "loader/asks.h"

struct preload {
    const char *folder, *name;
    unsigned since; /* release; 0: from the start */
};

static const struct preload preloads[] = {
    {"cublas", "libcublasLt.so.*", 210},
    {"cublas", "libcublas.so.*", 0},
    {"cudnn", "libcudnn.so.*", 0},
    {"cuda_nvrtc", "libnvrtc.so.*", 0},
    {"cuda_nvrtc", "libnvrtc-builtins.so.*", 210},
    {"cuda_runtime", "libcudart.so.*", 0},
    {"cuda_cupti", "libcupti.so.*", 0},
    {"cufft", "libcufft.so.*", 0},
    {"curand", "libcurand.so.*", 0},
    {"nvjitlink", "libnvJitLink.so.*", 202},
    {"cusparse", "libcusparse.so.*", 0},
    {"cusparselt", "libcusparseLt.so.*", 206},
    {"cusolver", "libcusolver.so.*", 0},
    {"nccl", "libnccl.so.*", 0},
    {"nvshmem", "libnvshmem_host.so.*", 208},
    {"cufile", "libcufile.so.*", 207},
};

static void preload(struct tn_asks *a, const struct preload *p, unsigned release, bool after_failure)
{
    const char *dir[4];
    unsigned n = 0;
    dir[n++] = tn_arena_printf(a->mem, "nvidia/%s/lib", p->folder);
    if (release >= 209 && tn_asks_cuda(a) >= 13)
        dir[n++] = tn_arena_printf(a->mem, "nvidia/cu%u/lib", tn_asks_cuda(a));
    if (release >= 204)
        dir[n++] = tn_arena_printf(a->mem, "%s/lib", p->folder);
    dir[n] = NULL;
    struct tn_ask *r = tn_asks_preload(a, TN_ASK_HARMLESS, "import", p->name, dir);
    r->after_failure = after_failure;
    r->stops_rest = true;
    if (!after_failure)
        r->only_after = release >= 210 ? "libcudart.so" : "nvidia/cuda_runtime/lib/libcudart.so";
}

/* after_failure: what an import that failed tries next. */
static void preload_all(struct tn_asks *a, unsigned release, bool after_failure)
{
    for (unsigned i = 0; i < TN_LEN(preloads); i++) {
        const struct preload *p = &preloads[i];
        bool early = tn_str_eq(p->folder, "cuda_nvrtc") || tn_str_eq(p->folder, "nvjitlink");
        if (release == 113 && !tn_str_eq(p->folder, "cublas") && !tn_str_eq(p->folder, "cudnn"))
            continue;
        bool made = after_failure ? release >= 113 : release >= 210 || (release >= 206 && early);
        if (made && release >= p->since)
            preload(a, p, release, after_failure);
    }
}

static void run(struct tn_asks *a)
{
    unsigned release = tn_asks_release(a);
    const char *cpu = tn_asks_path(a, "torch/lib/libtorch_cpu.so"), *cudart = tn_asks_named(a, "libcudart");
    const char *cudnn = tn_asks_named(a, "libcudnn");
    if (release >= 105) /* global dependencies apart since 1.5 */
        tn_asks_file(a, TN_ASK_REQUIRED, "import", tn_asks_path(a, "torch/lib/libtorch_global_deps.so"));
    preload_all(a, release, true);
    preload_all(a, release, false);
    tn_asks_module(a, TN_ASK_REQUIRED, "import", tn_asks_path(a, "torch/_C"));
    if (cudart)
        tn_asks_driver(a, cudart);
    if (cudnn)
        tn_asks_cudnn_parts(a, cudnn);
    if (release >= 113) {
        tn_asks_name(a, TN_ASK_REQUIRED, "linalg", cpu, "libtorch_cuda_linalg.so");
        tn_asks_name(a, TN_ASK_OPTIONAL, "jit", cpu, "libcaffe2_nvrtc.so");
    }
}

TN_ASKS(torch, "torch", run);
