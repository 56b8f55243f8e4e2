/* framework_tensorflow.c - TensorFlow by its own files: build_info.py, cuda_config.h, version.h.
 *
 * Sources, read in the wheels 1.12 to 2.21: build_info.py holds assignments (to 2.2), a dict literal (2.3) or an
 * OrderedDict (2.4 on); cuda_config.h lies below include/third_party/gpus (2.12 on) and below
 * include/external/local_config_cuda (2.10, 2.15); the package is tensorflow_core in 1.15 to 2.1. Which names are
 * opened: tensorflow stream_executor dso_loader and tsl's TryDlopenCUDALibraries (cuBLASLt from 2.4, no cuRAND from
 * 2.14). On Windows 2.11 to 2.18.0 are a shell around tensorflow-intel. */
#include <string.h>

#include "base/str.h"
#include "probe/framework.h"
#include "version/dotted.h"
#include "version/soname.h"

/* Who brings the folder, the more special first: a shell ("tensorflow") stands beside its content. */
static const char *const packages[] = {"tensorflow-intel",    "tensorflow-macos", "tensorflow-cpu-aws",
                                       "tensorflow-aarch64",  "intel-tensorflow", "intel-tensorflow-avx512",
                                       "nvidia-tensorflow",   "tf-nightly-intel", "tensorflow-rocm",
                                       "tensorflow-directml", "tensorflow-cpu",   "tensorflow-gpu",
                                       "tf-nightly-gpu",      "tf-nightly-cpu",   "tf-nightly",
                                       "tensorflow",          "tensorflow-base",  NULL};

struct component {
    const char *column; /* as the tables call it */
    const char *macro;  /* of cuda_config.h */
    const char *stem;
    const char *since, *until; /* of TensorFlow; NULL: always */
};

static const struct component components[] = {
    {"cudart", "TF_CUDART_VERSION", "libcudart", NULL, NULL},
    {"cublas", "TF_CUBLAS_VERSION", "libcublas", NULL, NULL},
    {"cublaslt", "TF_CUBLAS_VERSION", "libcublasLt", "2.4", NULL},
    {"cufft", "TF_CUFFT_VERSION", "libcufft", NULL, NULL},
    {"curand", "TF_CURAND_VERSION", "libcurand", NULL, "2.13"},
    {"cusolver", "TF_CUSOLVER_VERSION", "libcusolver", NULL, NULL},
    {"cusparse", "TF_CUSPARSE_VERSION", "libcusparse", "1.13", NULL},
    {"cudnn", "TF_CUDNN_VERSION", "libcudnn", NULL, NULL},
};

static bool opened(const struct component *c, const char *version)
{
    if (!version) /* what every release opens */
        return !c->since && !c->until;
    return (!c->since || tn_version_dotted_cmp_parts(version, c->since, 2) >= 0) &&
           (!c->until || tn_version_dotted_cmp_parts(version, c->until, 2) <= 0);
}

/* "64_112" -> "11.2", "64_8" -> "8" (Windows), others as they are; NULL when it is no version. */
static const char *plain_version(struct tn_pyfw *f, const char *v)
{
    char text[64];
    if (strncmp(v, "64_", 3) == 0)
        v = tn_version_dll_token(v + 3, text, sizeof text) ? tn_arena_strdup(f->p->mem, text) : v + 3;
    return tn_version_dotted_ok(v) ? v : NULL;
}

static void set_version(struct tn_pyfw *f, struct tn_str *fact, struct tn_span text, uint32_t src, const char *key,
                        const char *older)
{
    struct tn_pyvalue v;
    if (!tn_pyfw_value(f->p->mem, text, key, &v) && !tn_pyfw_value(f->p->mem, text, older, &v))
        return;
    if (v.kind == TN_PYVALUE_STR && (v.text = plain_version(f, v.text)) != NULL)
        *fact = tn_fact_str(f->p->s, src, v.text);
}

static void read_build_info(struct tn_pyfw *f, struct tn_span text, uint32_t src)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_pyvalue v;
    if (!tn_pyfw_value(f->p->mem, text, "is_cuda_build", &v) || v.kind != TN_PYVALUE_BOOL)
        return;
    r->gpu_build = tn_fact_int(src, v.yes);
    r->evidence = tn_fact_str(f->p->s, src, "build_info.py");
    if (!v.yes)
        return;
    set_version(f, &r->cuda, text, src, "cuda_version", "cuda_version_number");
    set_version(f, &r->cudnn, text, src, "cudnn_version", "cudnn_version_number");
    if (tn_pyfw_value(f->p->mem, text, "cuda_compute_capabilities", &v) && v.kind == TN_PYVALUE_LIST)
        tn_pyfw_set_archs(f, v.word, v.n, src);
}

/* Windows: two of the names are written out. */
static void read_dll_names(struct tn_pyfw *f, struct tn_span text, uint32_t src)
{
    const char *own[2];
    size_t n = 0;
    struct tn_pyvalue v;
    if (tn_pyfw_value(f->p->mem, text, "cudart_dll_name", &v) && v.kind == TN_PYVALUE_STR)
        own[n++] = v.text;
    if (tn_pyfw_value(f->p->mem, text, "cudnn_dll_name", &v) && v.kind == TN_PYVALUE_STR)
        own[n++] = v.text;
    if (n)
        tn_pyfw_row(f)->asks = tn_fact_list(f->p->s, src, own, n);
}

static bool read_cuda_config(struct tn_pyfw *f, const char *below)
{
    uint32_t src = 0;
    struct tn_answer a = tn_pyfw_read(f, below, &src);
    struct tn_rec_framework *r = tn_pyfw_row(f);
    const char *name[TN_LEN(components)], *version = r->version.k == TN_KNOWN ? r->version.v : NULL;
    size_t n = 0;
    if (a.got != TN_KNOWN)
        return false;
    for (unsigned i = 0; i < TN_LEN(components); i++) {
        const char *v = tn_pyfw_define(f->p->mem, a.data, components[i].macro);
        if (v && *v && opened(&components[i], version))
            name[n++] = tn_arena_printf(f->p->mem, "%s.so.%s", components[i].stem, v);
    }
    if (n == 0)
        return false;
    r->asks = tn_fact_list(f->p->s, src, name, n);
    const char *cuda = tn_pyfw_define(f->p->mem, a.data, "TF_CUDA_VERSION");
    /* 2.2's build_info says "10" where the header says 10.1 */
    if (cuda && tn_version_dotted_ok(cuda) &&
        (r->cuda.k != TN_KNOWN || tn_version_dotted_count(cuda) > tn_version_dotted_count(r->cuda.v)))
        r->cuda = tn_fact_str(f->p->s, src, cuda);
    return true;
}

/* Without a record: the header of the C API says the release. */
static void read_version(struct tn_pyfw *f)
{
    static const char *const at[] = {"include/tensorflow/core/public/version.h",
                                     "include/tensorflow/core/public/release_version.h"};
    struct tn_rec_framework *r = tn_pyfw_row(f);
    for (unsigned i = 0; i < TN_LEN(at) && f->folder && r->version.k != TN_KNOWN; i++) {
        uint32_t src = 0;
        struct tn_answer a = tn_pyfw_read(f, at[i], &src);
        if (a.got != TN_KNOWN)
            continue;
        const char *major = tn_pyfw_define(f->p->mem, a.data, "TF_MAJOR_VERSION");
        const char *minor = tn_pyfw_define(f->p->mem, a.data, "TF_MINOR_VERSION");
        const char *patch = tn_pyfw_define(f->p->mem, a.data, "TF_PATCH_VERSION");
        const char *text = major && minor && patch ? tn_arena_printf(f->p->mem, "%s.%s.%s", major, minor, patch) : "";
        if (tn_version_dotted_ok(text))
            r->version = tn_fact_str(f->p->s, src, text);
    }
}

static void asks_of_rule(struct tn_pyfw *f)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    const char *column[TN_LEN(components) + 1], *version = r->version.k == TN_KNOWN ? r->version.v : NULL;
    size_t n = 0;
    for (unsigned i = 0; i < TN_LEN(components); i++)
        if (opened(&components[i], version))
            column[n++] = components[i].column;
    column[n] = NULL;
    if (r->cuda.k == TN_KNOWN)
        tn_pyfw_asks_of_rule(f, column, r->cuda.v, r->cudnn.k == TN_KNOWN ? r->cudnn.v : NULL, r->cuda.src);
}

/* Wheels 1.12 and 1.13 have no number, 1.14 and 1.15 have 1, 2.x have 2. */
/* Conda's build string, where no file of the build could be read: "gpu_py39h...", "cuda112py39h...", "mkl_...",
 * "eigen_...", "cpu_..." (Anaconda's and conda-forge's recipes of tensorflow-base). */
static void build_of_conda(struct tn_pyfw *f)
{
    static const char *const names[] = {"tensorflow-base", "tensorflow", NULL};
    static const char *const cpu[] = {"mkl_", "eigen_", "cpu_"};
    struct tn_snap *s = f->p->s;
    for (size_t i = f->p->first_dist; i < s->dist.n && tn_pyfw_row(f)->gpu_build.k != TN_KNOWN; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        if (!tn_str_in(d->name.v, names) || !tn_says(d->installer, "conda") || d->build.k != TN_KNOWN)
            continue;
        int gpu = tn_str_starts(d->build.v, "gpu_") || tn_str_starts(d->build.v, "cuda") ? 1 : -1;
        for (unsigned k = 0; k < TN_LEN(cpu); k++)
            gpu = tn_str_starts(d->build.v, cpu[k]) ? 0 : gpu;
        if (gpu < 0)
            continue;
        tn_pyfw_row(f)->gpu_build = tn_fact_int(d->build.src, gpu);
        tn_pyfw_row(f)->evidence = tn_fact_str(s, d->build.src, "build string");
        tn_pyfw_cuda_of_build(f, d);
    }
}

static void read_dirs(struct tn_pyfw *f)
{
    static const char *const name[] = {"libtensorflow_framework.so.2", "libtensorflow_framework.so.1",
                                       "libtensorflow_framework.so"};
    if (!f->folder) /* a record alone */
        return;
    const char *folder = tn_path_base(f->p->st, f->folder);
    struct tn_str v = tn_pyfw_row(f)->version;
    bool one = tn_known(v) && tn_str_starts(v.v, "1."), two = tn_known(v) && tn_str_starts(v.v, "2.");
    for (unsigned i = one ? 1 : 0; i < (two ? 1u : TN_LEN(name)); i++)
        if (tn_pyfw_elf(f, tn_arena_printf(f->p->mem, "%s/%s", folder, name[i]), false))
            return;
}

static void read_headers(struct tn_pyfw *f)
{
    static const char *const at[] = {"include/third_party/gpus/cuda/cuda_config.h",
                                     "include/external/local_config_cuda/cuda/cuda/cuda_config.h"};
    for (unsigned i = 0; i < TN_LEN(at); i++)
        if (read_cuda_config(f, at[i]))
            return;
}

void tn_pyfw_tensorflow(struct tn_pyfw *f)
{
    uint32_t src = f->site->src;
    bool windows = f->p->st == TN_PATH_WINDOWS;
    tn_pyfw_package(f, packages);
    struct tn_answer a = tn_pyfw_read(f, "python/platform/build_info.py", &src);
    if (a.got == TN_KNOWN)
        read_build_info(f, a.data, src);
    else
        build_of_conda(f);
    read_version(f);
    if (tn_is(tn_pyfw_row(f)->gpu_build, 1) && !windows) {
        read_headers(f);
        read_dirs(f);
    }
    tn_pyfw_tf_of_table(f);
    if (tn_is(tn_pyfw_row(f)->gpu_build, 1) && tn_pyfw_row(f)->asks.k != TN_KNOWN)
        asks_of_rule(f);
    if (windows && a.got == TN_KNOWN && tn_pyfw_row(f)->asks.k != TN_KNOWN)
        read_dll_names(f, a.data, src);
    tn_pyfw_close(f, a.got == TN_KNOWN ? TN_ABSENT : a.got, src);
}
