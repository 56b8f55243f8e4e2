/* asks_tensorrt.c - TensorRT's Python package opens its libraries by path, then its extension module.
 *
 * Source: NVIDIA/TensorRT python/packaging: bindings_wheel/tensorrt/__init__.py and libs_wheel (tensorrt_libs); wheels
 * of tensorrt-cu12-bindings and -libs. */
#include "loader/asks.h"

static void run(struct tn_asks *a)
{
    static const char *const dir[] = {"tensorrt_libs", NULL};
    static const char *const name[] = {"libnvinfer.so.*", "libnvinfer_plugin.so.*", "libnvonnxparser.so.*", NULL};
    for (unsigned i = 0; name[i]; i++)
        tn_asks_preload(a, TN_ASK_HARMLESS, "import", name[i], dir);
    tn_asks_module(a, TN_ASK_REQUIRED, "import", tn_asks_own(a, "tensorrt"));
}

TN_ASKS(tensorrt, "tensorrt", run);
