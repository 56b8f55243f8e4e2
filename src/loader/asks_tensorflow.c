/* asks_tensorflow.c - TensorFlow of every generation.
 *
 * Sources: tensorflow/stream_executor/dso_loader.cc, tsl/platform/default/dso_loader.cc and dlopen_checker.cc;
 * DT_NEEDED and DT_RUNPATH read in the wheels 1.0 to 2.21; tsl's own check called over wheel-shaped folders.
 * - to 1.0: opens names itself; 1.0.1 needs libcudart.so.8.0 by DT_NEEDED
 * - 1.1 to 1.13: everything is DT_NEEDED of the extension module, the driver's libcuda.so.1 included (through
 *   libtensorflow_framework.so from 1.4 on): the import fails
 * - 1.14 on: names are opened from libtensorflow_framework; its own run path alone counts. All or nothing: one name of
 *   framework.asks that is missing, and no GPU is registered; from 2.12 on the name is not printed
 *
 * Beside those: NVML (2.21: without it no GPU is counted, and nothing is said), CUPTI for profiling (tried twice) and
 * NCCL. The run path of the framework library names CUPTI's folder from 2.20 on and NCCL's in 2.21; from which object
 * earlier releases open them, and which libnvinfer.so.N TF-TRT opens, is not established: not here. */
#include <string.h>

#include "base/str.h"
#include "loader/asks.h"

static void names(struct tn_asks *a, const char *from)
{
    for (uint32_t i = 0; a->f->asks.k == TN_KNOWN && i < a->f->asks.n; i++)
        tn_asks_name(a, TN_ASK_REQUIRED, "gpu", from, a->f->asks.v[i]);
    const char *cudnn = tn_asks_named(a, "libcudnn");
    if (cudnn)
        tn_asks_cudnn_parts(a, cudnn);
}

/* CUPTI's name: its major from CUDA 12 on, the whole release before (libcupti.so.11.2). */
static void cupti(struct tn_asks *a, const char *from)
{
    unsigned cuda = tn_asks_cuda(a);
    if (cuda < 12)
        return;
    struct tn_ask *r =
        tn_asks_name(a, TN_ASK_OPTIONAL, "profiler", from, tn_arena_printf(a->mem, "libcupti.so.%u", cuda));
    r->or_name = "libcupti.so";
}

static void run(struct tn_asks *a)
{
    unsigned release = tn_asks_release(a);
    if (release == 0)
        return;
    if (release <= 113) {
        const char *module =
            tn_asks_own(a, release <= 100 ? "python/_pywrap_tensorflow" : "python/_pywrap_tensorflow_internal");
        tn_asks_module(a, TN_ASK_REQUIRED, "import", module);
        if (release <= 100)
            names(a, tn_arena_printf(a->mem, "%s.so", module));
        return;
    }
    const char *from = tn_asks_own(a, release < 200 ? "libtensorflow_framework.so.1" : "libtensorflow_framework.so.2");
    tn_asks_file(a, TN_ASK_REQUIRED, "import", from);
    tn_asks_driver(a, from);
    if (release >= 221)
        tn_asks_name(a, TN_ASK_REQUIRED, "gpu", from, "libnvidia-ml.so.1");
    names(a, from);
    if (release >= 220)
        cupti(a, from);
    if (release >= 221)
        tn_asks_name(a, TN_ASK_OPTIONAL, "multi-gpu", from, "libnccl.so.2");
}

TN_ASKS(tensorflow, "tensorflow", run);
