/* asks_windows.c - what the frameworks ask the loader of Windows for.
 *
 * Sources:
 * - TensorFlow to 2.10: tensorflow/stream_executor/platform/default/dso_loader.cc and core/platform/windows/
 *   load_library.cc: each name of framework.asks by LoadLibraryExW(name, LOAD_WITH_ALTERED_SEARCH_PATH), which for a
 *   bare name is the standard order, PATH included; all or nothing. Releases 1.x: python/platform/self_check.py opens
 *   cudart, cudnn and nvcuda by ctypes before the import
 * - torch/__init__.py of the wheels 2.4.1 to 2.12.0 (_load_dll_libraries): os.add_dll_directory of those that are there
 *   of torch\lib, Library\bin of the prefix and of its base, NvToolsExt, from 2.8.0 on the prefix's bin, and only
 *   where no cudart64*.dll lies in the prefixes' folders %CUDA_PATH_Vx_y%\bin; then every DLL of torch\lib by its path,
 *   flags 0x1100; what is not found that way (126) is opened once more with all that put before PATH. Any that fails is
 *   the end of the import
 * - onnxruntime/__init__.py of the wheels 1.21.1 and 1.31.1 (preload_dlls); core/platform/windows/env.cc: a provider by
 *   its path, with LOAD_WITH_ALTERED_SEARCH_PATH: PATH counts for what a provider needs
 * - cupy/_environment.py of the wheel 13.6.0 (_setup_win32_dll_directory): os.add_dll_directory of %CUDA_PATH%\bin,
 * else of the folder of the nvcc that PATH leads to, of x64 below it and of cupy\.data\lib. From 14 on cuda.pathfinder
 *   opens each library before the module that needs it: not imitated, those modules are not here
 * - cuDNN 8.9.4, 9.1.0 and 9.5.1, seen under wine (+module): the main DLL opens its parts by bare names in the standard
 *   order, from PATH and never from its own folder (asks_cudnn.c). */
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
    const char *cudnn = tn_asks_named(a, "cudnn");
    if (cudnn)
        tn_asks_cudnn_parts(a, cudnn);
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

/* Names of DLLs in the order in which a folder of NTFS is listed, each once. */
struct names {
    const char *v[48];
    unsigned n;
};

static bool is_before(const char *a, const char *b)
{
    while (*a && tn_lower(*a) == tn_lower(*b))
        a++, b++;
    return tn_lower(*a) < tn_lower(*b);
}

static void put(struct names *s, const char *name)
{
    unsigned i = 0;
    while (i < s->n && is_before(s->v[i], name))
        i++;
    if (s->n == TN_LEN(s->v) || (i < s->n && tn_str_ieq(s->v[i], name)))
        return;
    memmove(s->v + i + 1, s->v + i, (s->n - i) * sizeof s->v[0]);
    s->v[i] = name;
    s->n++;
}

/* Its own DLLs by name, the others as they were found. */
static void torch_dlls(struct tn_asks *a, const char *own)
{
    static const char *const torchs[] = {
        "asmjit.dll",         "c10.dll",           "c10_cuda.dll",     "caffe2_nvrtc.dll",      "fbgemm.dll",
        "libiomp5md.dll",     "shm.dll",           "torch.dll",        "torch_cpu.dll",         "torch_cuda.dll",
        "torch_cuda_cpp.dll", "torch_cuda_cu.dll", "torch_python.dll", "torch_global_deps.dll", "uv.dll"};
    const struct tn_snap *s = a->s;
    struct names all = {.n = 0};
    for (unsigned i = 0; i < TN_LEN(torchs); i++)
        put(&all, torchs[i]);
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_str *path = &s->library.v[i].path;
        if (tn_known(*path) && tn_path_same(TN_PATH_WINDOWS, tn_path_dir(a->mem, TN_PATH_WINDOWS, path->v), own))
            put(&all, tn_path_base(TN_PATH_WINDOWS, path->v));
    }
    for (unsigned i = 0; i < all.n; i++) {
        struct tn_ask *r =
            tn_asks_file(a, TN_ASK_REQUIRED, "import", tn_path_join(a->mem, TN_PATH_WINDOWS, own, all.v[i]));
        r->flags = TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR;
        r->if_there = r->then_path = true;
    }
}

static void torch(struct tn_asks *a)
{
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
    if (tn_asks_release(a) >= 208 && tn_known(prefix[0]))
        tn_asks_add(a, tn_path_join(a->mem, TN_PATH_WINDOWS, prefix[0].v, "bin"));
    tn_asks_add(a, "C:\\Program Files\\NVIDIA Corporation\\NvToolsExt\\bin\\x64");
    if (!have && toolkit)
        tn_asks_add(a, toolkit);
    torch_dlls(a, own);
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
    const char *cudnn = tn_asks_named(a, "cudnn");
    if (cudnn)
        tn_asks_cudnn_parts(a, cudnn);
}

TN_ASKS(windows_onnxruntime, "onnxruntime", onnxruntime, .windows = true);

/* torch\lib, where the package torch is built for the same CUDA and says so ("2.4.0+cu121"); else NULL. */
static const char *torch_for(struct tn_asks *a, unsigned cuda)
{
    const char *mark = tn_arena_printf(a->mem, "+cu%u", cuda);
    for (size_t i = 0; i < a->s->framework.n; i++) {
        const struct tn_rec_framework *f = &a->s->framework.v[i];
        if (tn_says(f->name, "torch") && tn_known(f->env) && tn_says(a->f->env, f->env.v) && tn_known(f->version) &&
            strstr(f->version.v, mark) && tn_known(f->path))
            return tn_path_join(a->mem, TN_PATH_WINDOWS, f->path.v, "lib");
    }
    return NULL;
}

/* By its path in the folder; what is not there as ctypes finds it: not on PATH. */
static void preload(struct tn_asks *a, const char *name, const char *folder)
{
    struct tn_ask *r = tn_asks_preload_in(a, TN_ASK_HARMLESS, "gpu", name, folder);
    r->flags = tn_asks_ctypes_flags(a, true);
    r->or_name = name;
}

/* preload_dlls, CUDA 12 and later: what torch\lib holds where torch is one for the same CUDA, else the wheels' own. */
static void onnxruntime_preloaded(struct tn_asks *a)
{
    static const char *const below[][2] = {
        {"cublas", "cublasLt"}, {"cublas", "cublas"}, {"cufft", "cufft"}, {"cuda_runtime", "cudart"}};
    static const char *const cudnn[] = {"cudnn_engines_runtime_compiled64_9.dll",
                                        "cudnn_engines_precompiled64_9.dll",
                                        "cudnn_heuristic64_9.dll",
                                        "cudnn_ops64_9.dll",
                                        "cudnn_adv64_9.dll",
                                        "cudnn_graph64_9.dll",
                                        "cudnn64_9.dll"};
    unsigned cuda = tn_asks_cuda(a);
    if (tn_asks_release(a) < 121 || cuda < 12)
        return;
    const char *torch = torch_for(a, cuda);
    for (unsigned i = 0; i < TN_LEN(below); i++) { /* cuFFT's number is one behind CUDA's */
        const char *own = cuda >= 13 ? tn_arena_printf(a->mem, "nvidia\\cu%u\\bin\\x86_64", cuda)
                                     : tn_arena_printf(a->mem, "nvidia\\%s\\bin", below[i][0]);
        preload(a, tn_arena_printf(a->mem, "%s64_%u.dll", below[i][1], i == 2 ? cuda - 1 : cuda),
                torch ? torch : tn_asks_path(a, own));
    }
    for (unsigned i = 0; i < TN_LEN(cudnn); i++)
        preload(a, cudnn[i], torch ? torch : tn_asks_path(a, "nvidia\\cudnn\\bin"));
    onnxruntime(a);
}

TN_ASKS(windows_onnxruntime_preload, "onnxruntime", onnxruntime_preloaded, "preload_dlls", .windows = true);

/* %CUDA_PATH%\bin if that is there, else the folder of PATH that holds a toolkit's nvcc: NULL where neither is. */
static const char *cuda_bin(struct tn_asks *a)
{
    const char *cuda = tn_asks_variable(a, "CUDA_PATH");
    if (cuda && *cuda)
        return tn_path_join(a->mem, TN_PATH_WINDOWS, cuda, "bin");
    for (size_t i = 0; i < a->s->search.n; i++) {
        const struct tn_rec_search *p = &a->s->search.v[i];
        for (size_t k = 0; tn_says(p->by, "PATH") && tn_known(p->path) && k < a->s->toolkit.n; k++) {
            const struct tn_str *t = &a->s->toolkit.v[k].path;
            if (tn_known(*t) && tn_path_same(TN_PATH_WINDOWS, tn_path_dir(a->mem, TN_PATH_WINDOWS, p->path.v), t->v))
                return p->path.v;
        }
    }
    return NULL;
}

static void cupy(struct tn_asks *a)
{
    static const char *const module[] = {"cupy_backends\\cuda\\api\\runtime",   "cupy_backends\\cuda\\libs\\cublas",
                                         "cupy_backends\\cuda\\libs\\cusolver", "cupy_backends\\cuda\\libs\\cusparse",
                                         "cupy_backends\\cuda\\libs\\curand",   "cupy\\cuda\\cufft"};
    const char *bin = cuda_bin(a);
    if (bin) {
        tn_asks_add(a, bin);
        tn_asks_add(a, tn_path_join(a->mem, TN_PATH_WINDOWS, bin, "x64"));
    }
    tn_asks_add(a, tn_asks_path(a, "cupy\\.data\\lib"));
    for (unsigned i = 0; i < TN_LEN(module) && (i == 0 || tn_asks_release(a) < 1400); i++)
        tn_asks_module(a, TN_ASK_OPTIONAL, "import", tn_asks_path(a, module[i]));
}

TN_ASKS(windows_cupy, "cupy", cupy, .windows = true);
