/* asks_onnxruntime.c - ONNX Runtime: providers are opened by their paths when a session is made.
 *
 * Source: onnxruntime/__init__.py, core/session/provider_bridge_ort.cc; DT_NEEDED and run path of the providers in the
 * wheel 1.31.1. A provider that cannot be loaded is left out: the session runs on the CPU. They have no run path, so
 * NVIDIA's wheels are found only where something loaded them before: `import torch`, onnxruntime.preload_dlls(). */
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
