/* elf_version.c - see elf_version.h: which evidence for which library. The search in .rodata is in version_text.c. */
#include "image/elf_version.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/code.h"
#include "image/version_text.h"
#include "version/dotted.h"

/* SHORT_SCAN: of .rodata, where code has told the release and only its last part is wanted. */
enum { SHORT_SCAN = 128 << 10, CODE_BYTES = 1024, CALLEE_BYTES = 64, MAX_CALLS = 16 };

/* What a stored number means. */
enum form { FORM_CUDA, FORM_THOUSANDS, FORM_BLAS, FORM_NCCL, FORM_CUDNN, FORM_CUPTI };

struct source {
    const char *stem;
    const char *symbol; /* the function that stores the number */
    enum form form;
    bool calls; /* look into what it calls too */
};

static const struct source sources[] = {
    {"libcudart", "cudaRuntimeGetVersion", FORM_CUDA, true},
    {"libcublasLt", "cublasLtGetVersion", FORM_BLAS, false},
    {"libcublas", "cublasGetVersion_v2", FORM_BLAS, false},
    {"libcufft", "cufftGetVersion", FORM_THOUSANDS, false},
    {"libcurand", "curandGetVersion", FORM_THOUSANDS, false},
    {"libcusolver", "cusolverGetVersion", FORM_THOUSANDS, false},
    {"libcusparse", "cusparseGetVersion", FORM_THOUSANDS, false},
    {"libcupti", "cuptiGetVersion", FORM_CUPTI, false},
    {"libnccl", "ncclGetVersion", FORM_NCCL, false},
    {"libnvinfer", "getInferLibVersion", FORM_BLAS, false},
    {"libnvinfer_lean", "getInferLibVersion", FORM_BLAS, false},
    {"libnvinfer_dispatch", "getInferLibVersion", FORM_BLAS, false},
    {"libnvonnxparser", "getNvOnnxParserVersion", FORM_BLAS, false},
    {"libcudnn", "cudnnGetVersion", FORM_CUDNN, false},
    {"libcudnn_graph", "cudnnGetVersion", FORM_CUDNN, false},
    {"libcudnn_cnn", "cudnnCnnVersionCheck", FORM_CUDNN, false},
    {"libcudnn_ops", "cudnnOpsVersionCheck", FORM_CUDNN, false},
    {"libcudnn_adv", "cudnnAdvVersionCheck", FORM_CUDNN, false},
};

struct search {
    const struct tn_elf *e;
    const struct tn_view *v;
    struct tn_arena *a;
    uint64_t major; /* of DT_SONAME */
    char found[TN_DOTTED_TEXT];
    bool conflict;
};

/* 1000 * major + 100 * minor + patch, or 10000 * major + ... */
static bool decimal(uint32_t code, uint32_t unit, char *buf)
{
    if (code < unit || code / unit > 999)
        return false;
    snprintf(buf, TN_DOTTED_TEXT, "%u.%u.%u", code / unit, code % unit / 100, code % 100);
    return true;
}

static bool decode(enum form form, uint32_t code, char *buf)
{
    switch (form) {
    case FORM_CUDA: return code % 10 == 0 && tn_version_cuda_text(code, buf);
    case FORM_THOUSANDS: return decimal(code, 1000, buf);
    /* cuBLAS 11 and later use four digits below the major version, 10.x and older three; TensorRT from 10 on likewise
     * (NvInferVersion.h, NV_TENSORRT_VERSION). */
    case FORM_BLAS: return code >= 100000 ? decimal(code, 10000, buf) : decimal(code, 1000, buf);
    case FORM_NCCL: return tn_version_nccl_text(code, buf);
    case FORM_CUDNN: return tn_version_cudnn_text(code, buf);
    case FORM_CUPTI: /* CUPTI_API_VERSION was a plain counter before CUDA 12.8; the patch part counts its headers */
        if (code < 120000 || code > 999999)
            return false;
        snprintf(buf, TN_DOTTED_TEXT, "%u.%u", code / 10000, code % 10000 / 100);
        return true;
    default: return false;
    }
}

static void try_code(struct search *s, enum form form, struct tn_span code)
{
    uint32_t n;
    char text[TN_DOTTED_TEXT];
    for (size_t at = 0; tn_image_code_next_constant(s->e->machine, code, &at, &n);) {
        if (!decode(form, n, text) || tn_version_dotted_major(text) != s->major)
            continue;
        if (s->found[0] && strcmp(s->found, text) != 0)
            s->conflict = true;
        memcpy(s->found, text, strlen(text) + 1);
    }
}

/* Up to max bytes at a virtual address; empty if they are not in the file. */
static struct tn_span bytes_at(struct search *s, uint64_t vaddr, size_t max)
{
    struct tn_span code = {(const unsigned char *)"", 0};
    uint64_t off;
    while (max > 8 && !tn_image_elf_offset(s->e, vaddr, max, &off))
        max /= 2;
    if (tn_image_elf_offset(s->e, vaddr, max, &off) && off <= s->v->size && max <= s->v->size - off)
        tn_view_at(s->v, off, max, &code, NULL);
    return code;
}

static void try_function(struct search *s, const struct source *src)
{
    struct tn_elf_symbol sym;
    uint64_t target;
    if (tn_image_elf_symbol(s->e, s->v, src->symbol, &sym, NULL))
        return;
    size_t n = sym.size && sym.size < CODE_BYTES ? (size_t)sym.size : sym.size ? CODE_BYTES : CALLEE_BYTES;
    struct tn_span code = bytes_at(s, sym.value, n);
    try_code(s, src->form, code);
    if (s->found[0] || !src->calls)
        return;
    size_t at = 0;
    for (unsigned i = 0; i < MAX_CALLS && tn_image_code_next_call(s->e->machine, code, sym.value, &at, &target); i++)
        try_code(s, src->form, bytes_at(s, target, CALLEE_BYTES));
}

static int answer(struct search *s, const char *how, const char *what, const char **ret_version, const char **ret_how)
{
    *ret_version = tn_arena_strdup(s->a, s->found);
    *ret_how = tn_arena_printf(s->a, "%s %s", how, what);
    return 0;
}

/* cuDNN 9 keeps {patch, minor, major, 0} in a data symbol of most parts. */
static bool cudnn_data(struct search *s, const char *stem, char *symbol, size_t size)
{
    static const char *const forms[] = {"%s_version", "%s_infer_version"};
    struct tn_span b;
    for (size_t i = 0; i < TN_LEN(forms); i++) {
        snprintf(symbol, size, i ? "%s_infer_version" : "%s_version", stem + 3);
        if (tn_image_elf_symbol_bytes(s->e, s->v, symbol, 4, &b, NULL) || b.n < 4 || b.p[3] != 0 || b.p[2] != s->major)
            continue;
        snprintf(s->found, sizeof s->found, "%u.%u.%u", b.p[2], b.p[1], b.p[0]);
        return true;
    }
    return false;
}

/* nvrtcVersion(int *major, int *minor) stores two constants: the first one that is the major version of DT_SONAME
 * and the next one; "13.0". */
static bool pair_of(struct search *s, const char *symbol, char *buf)
{
    struct tn_span code;
    uint32_t n;
    bool have_major = false;
    if (tn_image_elf_symbol_bytes(s->e, s->v, symbol, CALLEE_BYTES, &code, NULL))
        return false;
    for (size_t at = 0; tn_image_code_next_constant(s->e->machine, code, &at, &n);) {
        if (have_major && n < 100) {
            snprintf(buf, TN_DOTTED_TEXT, "%u.%u", (unsigned)s->major, n);
            return true;
        }
        have_major = have_major || n == s->major;
    }
    return false;
}

static int compiler_version(struct search *s, const char *symbol, const char **ret_version, const char **ret_how,
                            struct tn_err *err)
{
    char pair[TN_DOTTED_TEXT] = "", text[TN_MAX_VERSION_TEXT];
    bool have_pair = symbol && pair_of(s, symbol, pair);
    int r = tn_image_text_release(s->e, s->v, have_pair ? SHORT_SCAN : TN_MAX_VERSION_SCAN, text, err);
    if (r == 0 && (!have_pair || tn_version_dotted_cmp_parts(text, pair, 2) == 0)) {
        *ret_version = tn_arena_strdup(s->a, text);
        *ret_how = "release text in .rodata";
        return 0;
    }
    if (!have_pair)
        return r ? r : tn_err_set(err, TN_E_NOTFOUND, NULL, "the library does not state its version");
    memcpy(s->found, pair, strlen(pair) + 1);
    return answer(s, "code of", symbol, ret_version, ret_how);
}

static uint64_t soname_major(const struct tn_elf *e)
{
    const char *so = e->soname ? strstr(e->soname, ".so.") : NULL;
    return so ? tn_version_dotted_major(so + 4) : 0;
}

int tn_image_elf_product_version(const struct tn_elf *e, const struct tn_view *v, const char *stem, struct tn_arena *a,
                                 const char **ret_version, const char **ret_how, struct tn_err *err)
{
    static const char *const compilers[][2] = {{"libnvrtc", "nvrtcVersion"},
                                               {"libnvrtc.alt", "nvrtcVersion"},
                                               {"libnvJitLink", "nvJitLinkVersion"},
                                               {"libnvvm", NULL}};
    struct search s = {e, v, a, soname_major(e), "", false};
    char symbol[TN_MAX_NAME_BYTES + 32], text[TN_MAX_VERSION_TEXT];
    if (tn_str_starts(stem, "libnvrtc-builtins") && e->soname) {
        const char *so = strstr(e->soname, ".so.");
        if (so && tn_version_dotted_ok(so + 4) && tn_version_dotted_count(so + 4) == 2) {
            *ret_version = tn_arena_strdup(a, so + 4);
            *ret_how = "DT_SONAME";
            return 0;
        }
    }
    for (size_t i = 0; i < TN_LEN(compilers); i++)
        if (strcmp(stem, compilers[i][0]) == 0)
            return compiler_version(&s, compilers[i][1], ret_version, ret_how, err);
    if (strcmp(stem, "libcuda") == 0 || tn_str_starts(stem, "libnvidia-")) {
        int r = tn_image_elf_is_cuda_stub(e, v) ? tn_err_set(err, TN_E_NOTFOUND, NULL, "a stub has no driver version")
                                                : tn_image_text_driver(e, v, strcmp(stem, "libcuda") != 0, text, err);
        if (r)
            return r;
        *ret_version = tn_arena_strdup(a, text);
        *ret_how = "driver version text in .rodata";
        return 0;
    }
    if (s.major && tn_str_starts(stem, "libcudnn_") && strlen(stem) <= TN_MAX_NAME_BYTES &&
        cudnn_data(&s, stem, symbol, sizeof symbol))
        return answer(&s, "data symbol", symbol, ret_version, ret_how);
    for (size_t i = 0; i < TN_LEN(sources) && s.major; i++) {
        if (strcmp(sources[i].stem, stem) != 0)
            continue;
        try_function(&s, &sources[i]);
        if (s.found[0] && !s.conflict)
            return answer(&s, "code of", sources[i].symbol, ret_version, ret_how);
    }
    return tn_err_set(err, TN_E_NOTFOUND, stem, "the library does not state its version");
}

const char *tn_image_elf_version_partner(const char *stem)
{
    static const char *const partners[][2] = {{"libcublas", "libcublasLt"},
                                              {"libnvblas", "libcublasLt"},
                                              {"libcudnn", "libcudnn_graph"},
                                              {"libcudnn_engines_precompiled", "libcudnn_graph"},
                                              {"libcudnn_engines_runtime_compiled", "libcudnn_graph"},
                                              {"libcudnn_heuristic", "libcudnn_graph"},
                                              {"libcufftw", "libcufft"},
                                              {"libcusolverMg", "libcusolver"},
                                              {"libnvinfer_plugin", "libnvinfer"},
                                              {"libnvinfer_vc_plugin", "libnvinfer"}};
    for (size_t i = 0; i < TN_LEN(partners); i++)
        if (strcmp(partners[i][0], stem) == 0)
            return partners[i][1];
    return tn_str_starts(stem, "libnvidia-") ? "libcuda" : NULL;
}

enum tn_cuda_lib tn_image_elf_cuda_lib(const struct tn_elf *e, const struct tn_view *v)
{
    struct tn_elf_section note;
    struct tn_elf_symbol sym;
    struct tn_span code;
    uint32_t n;
    enum { STUB_LIBRARY = 34, STUB_MAX = 32 };
    if (tn_image_elf_symbol(e, v, "cuInit", &sym, NULL))
        return TN_CUDA_LIB_OTHER;
    if (tn_image_elf_section(e, v, ".note.cuda.fwd_compatibility", &note, NULL) == 0)
        return TN_CUDA_LIB_COMPAT;
    if (sym.size <= STUB_MAX && tn_image_elf_symbol_bytes(e, v, "cuInit", STUB_MAX, &code, NULL) == 0)
        for (size_t at = 0; tn_image_code_next_constant(e->machine, code, &at, &n);)
            if (n == STUB_LIBRARY)
                return TN_CUDA_LIB_STUB;
    return TN_CUDA_LIB_DRIVER;
}

bool tn_image_elf_is_cuda_stub(const struct tn_elf *e, const struct tn_view *v)
{
    return tn_image_elf_cuda_lib(e, v) == TN_CUDA_LIB_STUB;
}
