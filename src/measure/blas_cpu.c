/* blas_cpu.c - see blas_cpu.h.
 *
 * The names: reference CBLAS (cblas_sgemm); OpenBLAS built with INTERFACE64 and SYMBOLSUFFIX=64_ has cblas_sgemm64_
 * with 64-bit integers; scipy-openblas, which NumPy's wheels hold since 1.26, puts "scipy_" before both. libmkl_rt has
 * the reference names with 32-bit integers. */
#include "measure/blas_cpu.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "measure/bench_run.h"
#include "os/os.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 }; /* CBLAS_ORDER, CBLAS_TRANSPOSE */

typedef void sgemm32(int, int, int, int32_t, int32_t, int32_t, float, const float *, int32_t, const float *, int32_t,
                     float, float *, int32_t);
typedef void sgemm64(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t,
                     float, float *, int64_t);
typedef void dgemm32(int, int, int, int32_t, int32_t, int32_t, double, const double *, int32_t, const double *, int32_t,
                     double, double *, int32_t);
typedef void dgemm64(int, int, int, int64_t, int64_t, int64_t, double, const double *, int64_t, const double *, int64_t,
                     double, double *, int64_t);

static const struct {
    const char *before, *behind;
    bool wide;
} spellings[] = {{"", "", false}, {"", "64_", true}, {"scipy_", "", false}, {"scipy_", "64_", true}};

static void *find(const struct tn_blas *l, unsigned spelling, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "%s%s%s", spellings[spelling].before, name, spellings[spelling].behind);
    return tn_os_dl_find(l->library, full);
}

static void call_number(void *f, unsigned *ret)
{
    int (*get)(void);
    memcpy(&get, &f, sizeof get);
    int n = get();
    *ret = n > 0 && n < 1000000 ? (unsigned)n : 0;
}

static void call_text(void *f, char *ret, size_t size)
{
    const char *(*get)(void);
    memcpy(&get, &f, sizeof get);
    const char *s = get();
    snprintf(ret, size, "%s", s ? s : "");
    for (size_t n = strlen(ret); n && ret[n - 1] == ' ';)
        ret[--n] = 0;
}

/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": name and version, then how it was built. */
static void ask_openblas(struct tn_blas *l, unsigned spelling, unsigned threads)
{
    void *config = find(l, spelling, "openblas_get_config"), *core = find(l, spelling, "openblas_get_corename"),
         *set = find(l, spelling, "openblas_set_num_threads"), *get = find(l, spelling, "openblas_get_num_threads");
    void (*set_threads)(int);
    snprintf(l->name, sizeof l->name, "OpenBLAS");
    if (config) {
        call_text(config, l->config, sizeof l->config);
        const char *version = strchr(l->config, ' ');
        size_t n = version ? strcspn(version + 1, " ") : 0;
        if (tn_str_starts(l->config, "OpenBLAS ") && n < 60)
            snprintf(l->name, sizeof l->name, "OpenBLAS %.*s", (int)n, version + 1);
    }
    if (core)
        call_text(core, l->core, sizeof l->core);
    if (threads && set) {
        memcpy(&set_threads, &set, sizeof set_threads);
        set_threads((int)threads);
    }
    if (get)
        call_number(get, &l->threads);
}

static bool ask_mkl(struct tn_blas *l, unsigned threads)
{
    void *version = tn_os_dl_find(l->library, "mkl_get_version_string"),
         *get = tn_os_dl_find(l->library, "MKL_Get_Max_Threads"),
         *set = tn_os_dl_find(l->library, "MKL_Set_Num_Threads");
    void (*ask)(char *, int), (*set_threads)(int);
    if (!get)
        return false;
    snprintf(l->name, sizeof l->name, "Intel MKL");
    if (version) {
        memcpy(&ask, &version, sizeof ask);
        ask(l->config, (int)sizeof l->config - 1);
        snprintf(l->name, sizeof l->name, "%.100s", *l->config ? l->config : "Intel MKL");
    }
    if (threads && set) {
        memcpy(&set_threads, &set, sizeof set_threads);
        set_threads((int)threads);
    }
    call_number(get, &l->threads);
    return true;
}

static bool is_beside(const void *ctx, const char *name)
{
    return tn_str_starts(name, ctx);
}

/* Of a wheel it needs libraries from its own folder, which it finds through the module of NumPy that loads it: opened
 * first, those that others need before the ones that need them. */
static void open_beside(const char *path)
{
    static const char *const needed[] = {"libgcc_s", "libquadmath", "libgfortran"};
    const char *slash = strrchr(path, '/'), *why;
    struct tn_arena mem;
    tn_arena_init(&mem);
    const char *folder = tn_arena_strndup(&mem, path, slash ? (size_t)(slash - path) : 0);
    for (unsigned i = 0; slash && i < TN_LEN(needed); i++) {
        struct tn_os_entry *e;
        size_t n;
        if (tn_os_list_some(NULL, folder, is_beside, needed[i], &mem, &e, &n, NULL) == 0)
            for (size_t k = 0; k < n; k++)
                tn_os_dl_open(tn_arena_printf(&mem, "%s/%s", folder, e[k].name), &why);
    }
    tn_arena_deinit(&mem);
}

bool tn_blas_open(const char *path, unsigned threads, struct tn_blas *ret, const char **ret_why)
{
    unsigned i = 0;
    memset(ret, 0, sizeof *ret);
    ret->library = tn_os_dl_open(path, ret_why);
    if (!ret->library) {
        open_beside(path);
        ret->library = tn_os_dl_open(path, ret_why);
    }
    if (!ret->library)
        return false;
    while (i < TN_LEN(spellings) && !find(ret, i, "cblas_sgemm"))
        i++;
    *ret_why = "no cblas_sgemm in it";
    if (i == TN_LEN(spellings))
        return false;
    ret->wide = spellings[i].wide;
    ret->gemm[TN_BENCH_FP32] = find(ret, i, "cblas_sgemm");
    ret->gemm[TN_BENCH_FP64] = find(ret, i, "cblas_dgemm");
    snprintf(ret->symbol, sizeof ret->symbol, "%scblas_sgemm%s", spellings[i].before, spellings[i].behind);
    if (find(ret, i, "openblas_get_num_threads"))
        ask_openblas(ret, i, threads);
    else if (!ask_mkl(ret, threads))
        snprintf(ret->name, sizeof ret->name, "CBLAS");
    return true;
}

static void multiply32(const struct tn_blas *l, size_t n, const float *a, const float *b, float *c)
{
    sgemm32 *f32;
    sgemm64 *f64;
    const int32_t k = (int32_t)n;
    const int64_t w = (int64_t)n;
    memcpy(&f32, &l->gemm[TN_BENCH_FP32], sizeof f32);
    memcpy(&f64, &l->gemm[TN_BENCH_FP32], sizeof f64);
    if (l->wide)
        f64(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, w, w, w, 1, a, w, b, w, 0, c, w);
    else
        f32(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, k, k, k, 1, a, k, b, k, 0, c, k);
}

static void multiply64(const struct tn_blas *l, size_t n, const double *a, const double *b, double *c)
{
    dgemm32 *f32;
    dgemm64 *f64;
    const int32_t k = (int32_t)n;
    const int64_t w = (int64_t)n;
    memcpy(&f32, &l->gemm[TN_BENCH_FP64], sizeof f32);
    memcpy(&f64, &l->gemm[TN_BENCH_FP64], sizeof f64);
    if (l->wide)
        f64(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, w, w, w, 1, a, w, b, w, 0, c, w);
    else
        f32(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, k, k, k, 1, a, k, b, k, 0, c, k);
}

void tn_blas_multiply(const struct tn_blas *l, enum tn_bench_precision p, size_t n, const void *a, const void *b,
                      void *c)
{
    if (p == TN_BENCH_FP64)
        multiply64(l, n, a, b, c);
    else
        multiply32(l, n, a, b, c);
}

void tn_blas_product(const struct tn_blas *l, const struct tn_bench_product *p)
{
    sgemm32 *f32;
    sgemm64 *f64;
    const int turned = p->turned ? TRANSPOSE : NO_TRANSPOSE;
    memcpy(&f32, &l->gemm[TN_BENCH_FP32], sizeof f32);
    memcpy(&f64, &l->gemm[TN_BENCH_FP32], sizeof f64);
    if (l->wide)
        f64(ROW_MAJOR, NO_TRANSPOSE, turned, (int64_t)p->m, (int64_t)p->n, (int64_t)p->k, p->alpha, p->a,
            (int64_t)p->lda, p->b, (int64_t)p->ldb, 0, p->c, (int64_t)p->ldc);
    else
        f32(ROW_MAJOR, NO_TRANSPOSE, turned, (int32_t)p->m, (int32_t)p->n, (int32_t)p->k, p->alpha, p->a,
            (int32_t)p->lda, p->b, (int32_t)p->ldb, 0, p->c, (int32_t)p->ldc);
}
