/* asks_onnxruntime.c - ONNX Runtime: providers are opened by their paths when a session is made.
 *
 * Source: onnxruntime/__init__.py, core/session/provider_bridge_ort.cc; DT_NEEDED and run path of the providers in the
 * wheel 1.31.1. A provider that cannot be loaded is left out: the session runs on the CPU. They have no run path, so
 * NVIDIA's wheels are found only where something loaded them before: `import torch`, onnxruntime.preload_dlls(). */
#include "base/str.h"
#include "loader/asks.h"

static void run(struct tn_asks *a)
{
    const char *cudart = tn_asks_named(a, "libcudart"), *cudnn = tn_asks_named(a, "libcudnn");
    tn_asks_file(a, TN_ASK_REQUIRED, "gpu", tn_asks_path(a, "onnxruntime/capi/libonnxruntime_providers_shared.so"));
    tn_asks_file(a, TN_ASK_REQUIRED, "gpu", tn_asks_path(a, "onnxruntime/capi/libonnxruntime_providers_cuda.so"));
    tn_asks_file(a, TN_ASK_HARMLESS, "tensorrt",
                 tn_asks_path(a, "onnxruntime/capi/libonnxruntime_providers_tensorrt.so"));
    if (cudart)
        tn_asks_driver(a, cudart);
    if (cudnn)
        tn_asks_cudnn_parts(a, cudnn);
}

TN_ASKS(onnxruntime, "onnxruntime", run);

/* From 1.21 on, CUDA 12 and later: each file of NVIDIA's packages that is there, by its path; what is not there is
 * opened by its name, which changes nothing for the providers. */
static void run_preloaded(struct tn_asks *a)
{
    static const char *const folder[][2] = {{"libcublasLt.so", "cublas"},  {"libcublas.so", "cublas"},
                                            {"libnvrtc.so", "cuda_nvrtc"}, {"libcurand.so", "curand"},
                                            {"libcufft.so", "cufft"},      {"libcudart.so", "cuda_runtime"}};
    unsigned cuda = tn_asks_cuda(a);
    if (tn_asks_release(a) < 121 || cuda < 12)
        return;
    for (unsigned i = 0; i < TN_LEN(folder); i++) {
        bool own = i == 3 || i == 4; /* cuRAND is 10, cuFFT one behind CUDA */
        unsigned number = !own ? cuda : i == 3 ? 10 : cuda - 1;
        const char *below = cuda >= 13 ? tn_arena_printf(a->mem, "nvidia/cu%u/lib", cuda)
                                       : tn_arena_printf(a->mem, "nvidia/%s/lib", folder[i][1]);
        const char *const dir[] = {below, NULL};
        tn_asks_preload(a, TN_ASK_HARMLESS, "gpu", tn_arena_printf(a->mem, "%s.%u", folder[i][0], number), dir);
    }
    static const char *const cudnn[] = {"nvidia/cudnn/lib", NULL};
    tn_asks_preload(a, TN_ASK_HARMLESS, "gpu", "libcudnn.so.9", cudnn);
    run(a);
}

TN_ASKS(onnxruntime_preload, "onnxruntime", run_preloaded, "preload_dlls");
