/* judge_library.c - a library that could not be opened: which release it is of, and what the text says is installed.
 *
 * The same words, "libcublas.so.10.0: cannot open shared object file", mean another CUDA where the text states 10.1, a
 * folder that is not searched where it states 10.0, and no CUDA at all where it states none. Names: facts table
 * cuda_libs and mechanics of each release: from CUDA 11 on a component carries its own soname; cudart carries 11.0 for
 * all of 11 and the major from 12 on; before 10.1 all carry x.y. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"

enum kind { NOT_OURS, CUDA, CUDNN, DRIVER, NVML, TENSORRT, ZLIB, MSVC, TORCH, TORCH_SO, WHEEL };

struct asked {
    enum kind kind;
    int major, minor; /* of CUDA or cuDNN; -1: the name does not tell */
    bool sub;         /* a part that cuDNN opens itself */
    bool windows;
};

/* The name without folder, in small letters. */
static void base_of(const char *path, char *buf, size_t size)
{
    const char *base = path;
    size_t n = 0;
    for (const char *p = path; *p; p++)
        if (*p == '/' || *p == '\\')
            base = p + 1;
    for (; base[n] && n + 1 < size; n++)
        buf[n] = tn_lower(base[n]);
    buf[n] = 0;
}

static bool number(const char **p, int *ret)
{
    int n = 0;
    if (!tn_is_digit(**p))
        return false;
    for (; tn_is_digit(**p) && n < 100000; (*p)++)
        n = 10 * n + (**p - '0');
    *ret = n;
    return true;
}

/* ".so.10.0", ".so.11", or "64_110.dll", "64_11.dll". */
static void version_of(const char *rest, struct asked *a)
{
    const char *so = strstr(rest, ".so."), *dll = strstr(rest, "64_");
    a->major = a->minor = -1;
    if (so) {
        so += 4;
        if (number(&so, &a->major) && *so == '.') {
            so++;
            number(&so, &a->minor);
        }
    } else if (dll) {
        int n;
        dll += 3;
        a->windows = true;
        if (!number(&dll, &n))
            return;
        a->major = n >= 50 ? n / 10 : n; /* 90, 100, 110 beside 10, 11, 12, and cuDNN's 8 */
        a->minor = n >= 50 ? n % 10 : -1;
    }
}

static struct asked read_name(const char *lib)
{
    /* Sonames of these do not tell the CUDA release: libcusolver.so.11 belongs to 11 and 12. */
    static const char *const own_number[] = {"cusolver", "cusparse", "curand", "cufft",      "nvjitlink",
                                             "cupti",    "npp",      "nvrtc",  "nvtoolsext", NULL};
    static const char *const msvc[] = {"msvcp", "vcruntime", "vcomp140", "concrt", "libomp140", NULL};
    static const char *const torch[] = {
        "c10.dll",    "c10_cuda.dll", "torch_cpu.dll", "torch_cuda.dll", "torch_python.dll",
        "fbgemm.dll", "shm.dll",      "asmjit.dll",    "caffe2_",        NULL};
    /* No toolkit has them (NCCL, cuSPARSELt, NVSHMEM) or only some do (cuFile): they come as wheels. */
    static const char *const wheel[] = {"nccl", "cusparselt", "cufile", "nvshmem", NULL};
    struct asked a = {NOT_OURS, -1, -1, false, false};
    char name[96];
    base_of(lib, name, sizeof name);
    const char *stem = tn_str_starts(name, "lib") ? name + 3 : name;
    a.windows = strstr(name, ".dll") != NULL;
    if (!a.windows && !strstr(name, ".so")) /* "Unable to load cudart library ...": no file's name */
        return a;
    for (unsigned i = 0; msvc[i]; i++)
        if (tn_str_starts(name, msvc[i]))
            a.kind = MSVC;
    for (unsigned i = 0; torch[i]; i++)
        if (tn_str_starts(name, torch[i]))
            a.kind = TORCH;
    if (tn_str_starts(stem, "zlibwapi"))
        a.kind = ZLIB;
    else if (tn_str_starts(stem, "cudnn")) {
        a.kind = CUDNN;
        a.sub = stem[5] == '_';
        version_of(stem, &a);
    } else if (tn_str_starts(stem, "cudart") || tn_str_starts(stem, "cublas")) {
        a.kind = CUDA;
        version_of(stem, &a);
        if (tn_str_starts(stem, "cudart") && a.major >= 11)
            a.minor = -1;
    } else if (strcmp(stem, "cuda.so") == 0 || tn_str_starts(stem, "cuda.so.1") || tn_str_starts(stem, "nvcuda"))
        a.kind = DRIVER;
    else if (tn_str_starts(stem, "nvidia-ml.so") || tn_str_starts(stem, "nvml.dll"))
        a.kind = NVML;
    else if (tn_str_starts(stem, "nvinfer"))
        a.kind = TENSORRT;
    for (unsigned i = 0; wheel[i]; i++)
        if (tn_str_starts(stem, wheel[i]))
            a.kind = WHEEL;
    if (tn_str_starts(name, "libtorch") || tn_str_starts(name, "libc10"))
        a.kind = TORCH_SO;
    for (unsigned i = 0; own_number[i] && a.kind == NOT_OURS; i++)
        if (tn_str_starts(stem, own_number[i])) {
            a.kind = CUDA;
            version_of(stem, &a);
            if (!(a.major >= 0 && a.major <= 9) && a.minor < 0)
                a.major = -1;
        }
    if (a.kind == CUDA && a.major == 10 && a.minor == 0 && strstr(stem, ".so.10.0") == NULL && !a.windows)
        a.minor = -1;
    return a;
}

/* "11.2.152", "V10.1": its first two numbers. */
static bool release(const char *text, int *major, int *minor)
{
    *minor = -1;
    while (*text && !tn_is_digit(*text))
        text++;
    if (!number(&text, major))
        return false;
    if (*text == '.' && tn_is_digit(text[1])) {
        text++;
        number(&text, minor);
    }
    return true;
}

/* CUDA that is there by the text: stated, or named by a folder on a path. */
static size_t stated_cuda(const struct tn_weigh *w)
{
    static const char *const fact[] = {"toolkit.nvcc", "toolkit.version", "path.cuda"};
    for (unsigned i = 0; i < TN_LEN(fact); i++) {
        size_t row = tn_weigh_told(w, fact[i]);
        if (row != SIZE_MAX)
            return row;
    }
    return SIZE_MAX;
}

static bool fits(const struct asked *a, int major, int minor)
{
    return a->major == major && (a->minor < 0 || minor < 0 || a->minor == minor);
}

/* The same file in a listing of the text (find, locate, where, ls): it is there, and not where it is searched for. */
static bool was_found(const struct tn_weigh *w, size_t row, bool windows)
{
    char asked[96], found[96];
    base_of(tn_weigh_value(w, row), asked, sizeof asked);
    for (size_t i = 0; *asked && i < w->s->observation.n; i++) {
        const struct tn_rec_observation *o = &w->s->observation.v[i];
        if (!tn_says(o->fact, "found.library") || !tn_known(o->value))
            continue;
        base_of(o->value.v, found, sizeof found);
        if (!tn_str_starts(found, asked)) /* libcudnn.so.8 is found as libcudnn.so.8.2.4 */
            continue;
        tn_weigh_add(w, windows ? "dll-search-path" : "cuda-not-on-loader-path", 92, i);
        return true;
    }
    return false;
}

/* TensorFlow up to 2.11 tries libcudart on every start and says itself that a machine without a GPU may ignore it:
 * where the text speaks of no GPU, no driver, no CUDA and no other library, that may be just such a machine. */
static bool may_be_cpu_machine(const struct tn_weigh *w)
{
    static const char *const gpu[] = {"gpu.name", "driver.version", "driver.cuda", "tf.no_gpu", "tf.cuda_build", NULL};
    if (!tn_signs_find(w->signs, "cudart-ignored") || w->s->gpu.n || stated_cuda(w) != SIZE_MAX)
        return false;
    for (unsigned i = 0; gpu[i]; i++)
        if (tn_weigh_told(w, gpu[i]) != SIZE_MAX)
            return false;
    for (size_t i = 0; i < w->s->observation.n; i++)
        if (tn_says(w->s->observation.v[i].fact, "asked.library") && tn_known(w->s->observation.v[i].value) &&
            !strstr(w->s->observation.v[i].value.v, "cudart"))
            return false;
    return true;
}

static void cuda(const struct tn_weigh *w, const struct asked *a, size_t row)
{
    size_t have = stated_cuda(w);
    int major, minor;
    if (may_be_cpu_machine(w)) {
        tn_weigh_add(w, "cuda-runtime-missing", 40, row);
        return;
    }
    bool windows = a->windows || tn_weigh_os(w, "windows");
    size_t companion = tn_weigh_told(w, "companion.loads");
    if (companion !=
        SIZE_MAX) { /* torch brings its CUDA with it: who asks for another was built beside another torch */
        tn_weigh_add(w, "companion-mismatch", 84, row);
        tn_weigh_add(w, "wrong-package-index", 36, companion);
    }
    if (was_found(w, row, windows)) {
        tn_weigh_add(w, "cuda-runtime-missing", 40, row);
        return;
    }
    if (a->major >= 0 && have != SIZE_MAX && release(tn_weigh_value(w, have), &major, &minor)) {
        if (!fits(a, major, minor)) {
            tn_weigh_add(w, "cuda-version-mismatch", 92, have);
            tn_weigh_add(w, "cuda-runtime-missing", 35, row);
            return;
        }
        tn_weigh_add(w, windows ? "dll-search-path" : "cuda-not-on-loader-path", 88, have);
        tn_weigh_add(w, "cuda-runtime-missing", 45, row);
        return;
    }
    tn_weigh_add(w, "cuda-runtime-missing", 78, row);
    tn_weigh_add(w, "cuda-version-mismatch", 48, row);
    tn_weigh_add(w, windows ? "dll-search-path" : "cuda-not-on-loader-path", 40, row);
}

static void cudnn(const struct tn_weigh *w, const struct asked *a, size_t row)
{
    size_t have = tn_weigh_told(w, "cudnn.version");
    int major, minor;
    bool windows = a->windows || tn_weigh_os(w, "windows");
    if (was_found(w, row, windows)) {
        tn_weigh_add(w, "cudnn-missing", 40, row);
        return;
    }
    if (a->major >= 0 && have != SIZE_MAX && release(tn_weigh_value(w, have), &major, &minor)) {
        if (major != a->major) {
            tn_weigh_add(w, "cudnn-version-mismatch", 92, have);
            tn_weigh_add(w, "cudnn-missing", 40, row);
            return;
        }
        if (windows) {
            /* cuDNN 8 for Windows wants a zlibwapi.dll that it does not bring; 9 wants none, and its installer puts its
             * DLLs into a folder for each CUDA (bin/12.8), which is on no PATH. */
            tn_weigh_add(w, "dll-search-path", a->major >= 9 ? 65 : 62, have);
            tn_weigh_add(w, "cudnn-incomplete", a->sub && a->major < 9 ? 64 : 40, row);
        } else {
            tn_weigh_add(w, "cuda-not-on-loader-path", 82, have);
            tn_weigh_add(w, "cudnn-incomplete", a->sub ? 60 : 30, row);
        }
        return;
    }
    tn_weigh_add(w, "cudnn-missing", 76, row);
    tn_weigh_add(w, "cudnn-version-mismatch", 50, row);
    tn_weigh_add(w, windows ? "dll-search-path" : "cuda-not-on-loader-path", 36, row);
}

static void driver(const struct tn_weigh *w, const struct asked *a, size_t row)
{
    if (tn_weigh_os(w, "wsl2") || tn_signs_find(w->signs, "cudnn-wants-libcuda")) {
        tn_weigh_add(w, "wsl-libcuda-not-found", tn_weigh_os(w, "wsl2") ? 82 : 60, row);
        tn_weigh_add(w, "wsl-driver", 45, row);
    } else if (tn_weigh_os(w, "docker") && !a->windows) {
        tn_weigh_add(w, "container-toolkit-missing", 62, row);
        bool asked = tn_signs_find(w->signs, "docker-asks-gpu") || !tn_signs_find(w->signs, "docker-run-word");
        tn_weigh_add(w, "container-gpu-not-requested", asked ? 50 : 70, row);
        tn_weigh_add(w, "container-capability-missing", 45, row);
    } else {
        tn_weigh_add(w, "driver-missing", 84, row);
        tn_weigh_add(w, "no-nvidia-gpu", 45, row);
    }
}

/* Libraries of torch itself, which lie beside each other in torch/lib and come and go with its releases
 * (libtorch_cuda_cpp and _cu were 1.9 to 2.0; libtorch_hip is a ROCm build's): who does not find one was built for
 * another torch. */
static void torch_itself(const struct tn_weigh *w, size_t row)
{
    const char *name = tn_weigh_value(w, row);
    tn_weigh_add(w, "companion-mismatch", 82, row);
    if (strstr(name, "cuda") && !strstr(name, "cuda_cpp") && !strstr(name, "cuda_cu"))
        tn_weigh_add(w, "cpu-only-build", 62, row);
    tn_weigh_add(w, "framework-corrupt", 45, row);
}

static void one(const struct tn_weigh *w, size_t row)
{
    struct asked a = read_name(tn_weigh_value(w, row));
    switch (a.kind) {
    case NOT_OURS: break;
    case CUDA: cuda(w, &a, row); break;
    case CUDNN:
        if (!a.sub || !tn_signs_find(w->signs, "cudnn-wants-libcuda"))
            cudnn(w, &a, row);
        break;
    case DRIVER:
    case NVML: driver(w, &a, row); break;
    case TENSORRT: tn_weigh_add(w, "tensorrt-missing", 50, row); break;
    case ZLIB: tn_weigh_add(w, "cudnn-incomplete", 92, row); break;
    case MSVC: tn_weigh_add(w, "msvc-runtime-missing", 92, row); break;
    case WHEEL:
        tn_weigh_add(w, "nvidia-wheels-missing", 62, row);
        tn_weigh_add(w, "cuda-runtime-missing", 44, row);
        break;
    case TORCH_SO: torch_itself(w, row); break;
    case TORCH:
        tn_weigh_add(w, "msvc-runtime-missing", 52, row);
        tn_weigh_add(w, "dll-search-path", 36, row);
        break;
    }
}

void tn_judge_asked_library(const struct tn_weigh *w)
{
    for (size_t i = 0; i < w->s->observation.n; i++)
        if (tn_says(w->s->observation.v[i].fact, "asked.library") && tn_known(w->s->observation.v[i].value))
            one(w, i);
}
