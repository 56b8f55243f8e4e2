/* asks_cupy.c - CuPy: extension modules that need CUDA's libraries by DT_NEEDED.
 *
 * Source: cupy/cupy install/cupy_builder/_features.py and cupy/_environment.py: each module of cupy_backends links what
 * it needs; libraries below CUPY_CUDA_LIB_PATH and, from 14 on, cuda.pathfinder's finds are opened before. Those finds
 * are not imitated: where a module needs a name that the loader does not find, it is said to be not known. */
#include "loader/asks.h"

static void run(struct tn_asks *a)
{
    static const char *const module[] = {"api/runtime",   "libs/cublas", "libs/cusolver",
                                         "libs/cusparse", "libs/curand", NULL};
    for (unsigned i = 0; module[i]; i++)
        tn_asks_module(a, TN_ASK_OPTIONAL, "import",
                       tn_asks_path(a, tn_arena_printf(a->mem, "cupy_backends/cuda/%s", module[i])));
}

TN_ASKS(cupy, "cupy", run);
