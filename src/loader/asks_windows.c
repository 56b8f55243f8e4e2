/* asks_windows.c - what the frameworks ask the loader of Windows for.
 *
 * Sources:
 * - TensorFlow to 2.10: tensorflow/stream_executor/platform/default/dso_loader.cc and core/platform/windows/
 *   load_library.cc: each name of framework.asks by LoadLibraryExW(name, LOAD_WITH_ALTERED_SEARCH_PATH), which for a
 *   bare name is the standard order, PATH included; all or nothing. Releases 1.x: python/platform/self_check.py opens
 *   cudart, cudnn and nvcuda by ctypes before the import
 * - torch/__init__.py (_load_dll_libraries): os.add_dll_directory of torch\lib, Library\bin of the prefixes, and only
 *   where none of them holds a cudart64*.dll, %CUDA_PATH_Vx_y%\bin; then each DLL of torch\lib by its path; what is not
 *   found that way is opened once more with all that put before PATH
 * - onnxruntime/__init__.py (preload_dlls), core/platform/windows/env.cc (a provider by its path, with
 *   LOAD_WITH_ALTERED_SEARCH_PATH): PATH counts for what a provider needs
 * - cupy/_environment.py (_setup_win32_dll_directory): os.add_dll_directory of %CUDA_PATH%\bin and cupy\.data\lib
 *
 * How cuDNN's main DLL opens its parts is not established: they are not here. */
#include <string.h>

#include "base/str.h"
#include "loader/asks.h"
#include "loader/loader.h"
#include "version/dotted.h"

static void plain_name(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *from, const char *name,
                       unsigned flags)
{
    tn_asks_name(a, is, part, from, name)->flags = flags;
}

static void tensorflow(struct tn_asks *a)
{
    unsigned release = tn_asks_release(a);
    bool imports = release < 114; /* by import tables; from 1.14 on when a GPU is looked for */
    const char *from = tn_asks_own(a, "python\\_pywrap_tensorflow_internal.pyd");
    if (release == 0 || release > 210)
        return;
    for (uint32_t i = 0; imports && a->f->asks.k == TN_KNOWN && i < a->f->asks.n; i++)
        if (tn_str_starts(a->f->asks.v[i], "cudart") || tn_str_starts(a->f->asks.v[i], "cudnn"))
            plain_name(a, TN_ASK_REQUIRED, "import", NULL, a->f->asks.v[i], tn_asks_ctypes_flags(a, false));
    tn_asks_file(a, TN_ASK_REQUIRED, "import", from);
    plain_name(a, TN_ASK_REQUIRED, "driver", from, "nvcuda.dll", TN_LOAD_ALTERED);
    for (uint32_t i = 0; !imports && a->f->asks.k == TN_KNOWN && i < a->f->asks.n; i++)
        plain_name(a, TN_ASK_REQUIRED, "gpu", from, a->f->asks.v[i], TN_LOAD_ALTERED);
}

TN_ASKS(windows_tensorflow, "tensorflow", tensorflow, .windows = true);

/* Is a file cudart64*.dll known to lie in the folder? */
static bool holds_cudart(const struct tn_asks *a, const char *folder)
{
    const struct tn_snap *s = a->s;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (tn_known(l->path) && tn_known(l->stem) && strcmp(l->stem.v, "cudart") == 0 && !tn_is(l->bits, 32) &&
            tn_path_same(TN_PATH_WINDOWS, tn_path_dir(a->mem, TN_PATH_WINDOWS, l->path.v), folder))
            return true;
    }
    return false;
}

/* %CUDA_PATH_V12_4%\bin, else the folder where NVIDIA's installer puts it. */
static const char *toolkit_of(struct tn_asks *a)
{
    char two[TN_DOTTED_TEXT];
    if (!tn_known(a->f->cuda) || !tn_version_dotted_head(a->f->cuda.v, 2, two, sizeof two))
        return NULL;
    char *under = tn_arena_strdup(a->mem, two);
    for (char *p = under; *p; p++)
        *p = *p == '.' ? '_' : *p;
    const char *root = tn_asks_variable(a, tn_arena_printf(a->mem, "CUDA_PATH_V%s", under));
    if (!root)
        root = tn_arena_printf(a->mem, "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v%s", two);
    return tn_path_join(a->mem, TN_PATH_WINDOWS, root, "bin");
}

static void torch(struct tn_asks *a)
{
    static const char *const dll[] = {"c10.dll", "torch_cpu.dll", "c10_cuda.dll", "torch_cuda.dll", "torch_python.dll"};
    const char *own = tn_asks_path(a, "torch\\lib"), *toolkit = toolkit_of(a);
    bool have = holds_cudart(a, own);
    tn_asks_add(a, own);
    const struct tn_str prefix[] = {a->env ? a->env->path : (struct tn_str){0},
                                    a->env ? a->env->base : (struct tn_str){0}};
    for (unsigned i = 0; i < TN_LEN(prefix); i++) {
        if (!tn_known(prefix[i]))
            continue;
        const char *bin = tn_path_join(a->mem, TN_PATH_WINDOWS, prefix[i].v, "Library\\bin");
        have = have || holds_cudart(a, bin);
        tn_asks_add(a, bin);
    }
    if (!have && toolkit)
        tn_asks_add(a, toolkit);
    for (unsigned i = 0; i < TN_LEN(dll); i++) {
        bool cuda = strstr(dll[i], "cuda") != NULL;
        if (cuda && tn_asks_release(a) < 105) /* one torch.dll before */
            continue;
        struct tn_ask *r =
            tn_asks_file(a, TN_ASK_REQUIRED, "import", tn_path_join(a->mem, TN_PATH_WINDOWS, own, dll[i]));
        r->flags = TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR;
        r->then_path = true;
    }
    tn_asks_module(a, TN_ASK_REQUIRED, "import", tn_asks_path(a, "torch\\_C"));
    plain_name(a, TN_ASK_REQUIRED, "driver", NULL, "nvcuda.dll", TN_LOAD_SYSTEM); /* cudart: System32's alone */
}

TN_ASKS(windows_torch, "torch", torch, .windows = true);

static void onnxruntime(struct tn_asks *a)
{
    static const struct {
        const char *name, *part;
        enum tn_ask_class is;
    } of[] = {{"onnxruntime_providers_shared.dll", "gpu", TN_ASK_REQUIRED},
              {"onnxruntime_providers_cuda.dll", "gpu", TN_ASK_REQUIRED},
              {"onnxruntime_providers_tensorrt.dll", "tensorrt", TN_ASK_HARMLESS}};
    tn_asks_module(a, TN_ASK_REQUIRED, "import", tn_asks_path(a, "onnxruntime\\capi\\onnxruntime_pybind11_state"));
    for (unsigned i = 0; i < TN_LEN(of); i++)
        tn_asks_file(a, of[i].is, of[i].part,
                     tn_asks_path(a, tn_arena_printf(a->mem, "onnxruntime\\capi\\%s", of[i].name)))
            ->flags = TN_LOAD_ALTERED;
}

TN_ASKS(windows_onnxruntime, "onnxruntime", onnxruntime, .windows = true);

/* preload_dlls, CUDA 12 and later: with CUDA 12 what torch\lib holds first, else the wheels' own folders. */
static void onnxruntime_preloaded(struct tn_asks *a)
{
    unsigned cuda = tn_asks_cuda(a);
    if (tn_asks_release(a) < 121 || cuda < 12)
        return;
    static const char *const below[][2] = {
        {"cublas", "cublasLt"}, {"cublas", "cublas"}, {"cufft", "cufft"}, {"cuda_runtime", "cudart"}};
    for (unsigned i = 0; i < TN_LEN(below); i++) { /* cuFFT's number is one behind CUDA's */
        const char *name = tn_arena_printf(a->mem, "%s64_%u.dll", below[i][1], i == 2 ? cuda - 1 : cuda);
        const char *bin = tn_arena_printf(a->mem, "nvidia\\%s\\bin", below[i][0]);
        const char *const dir[] = {cuda == 12 ? "torch\\lib" : bin, bin, NULL};
        tn_asks_preload(a, TN_ASK_HARMLESS, "gpu", name, dir)->flags = TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR;
    }
    static const char *const cudnn[] = {"cudnn_engines_runtime_compiled64_9.dll",
                                        "cudnn_engines_precompiled64_9.dll",
                                        "cudnn_heuristic64_9.dll",
                                        "cudnn_ops64_9.dll",
                                        "cudnn_adv64_9.dll",
                                        "cudnn_graph64_9.dll",
                                        "cudnn64_9.dll"};
    const char *const dir[] = {cuda == 12 ? "torch\\lib" : "nvidia\\cudnn\\bin", "nvidia\\cudnn\\bin", NULL};
    for (unsigned i = 0; i < TN_LEN(cudnn); i++)
        tn_asks_preload(a, TN_ASK_HARMLESS, "gpu", cudnn[i], dir)->flags = TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR;
    onnxruntime(a);
}

TN_ASKS(windows_onnxruntime_preload, "onnxruntime", onnxruntime_preloaded, "preload_dlls", .windows = true);

static void cupy(struct tn_asks *a)
{
    static const char *const module[] = {"api\\runtime",   "libs\\cublas", "libs\\cusolver",
                                         "libs\\cusparse", "libs\\curand", NULL};
    const char *cuda = tn_asks_variable(a, "CUDA_PATH");
    if (cuda)
        tn_asks_add(a, tn_path_join(a->mem, TN_PATH_WINDOWS, cuda, "bin"));
    tn_asks_add(a, tn_asks_path(a, "cupy\\.data\\lib"));
    for (unsigned i = 0; module[i]; i++)
        tn_asks_module(a, TN_ASK_OPTIONAL, "import",
                       tn_asks_path(a, tn_arena_printf(a->mem, "cupy_backends\\cuda\\%s", module[i])));
}

TN_ASKS(windows_cupy, "cupy", cupy, .windows = true);
