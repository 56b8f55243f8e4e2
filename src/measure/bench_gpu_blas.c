/* bench_gpu_blas.c - matrix multiplication by cuBLAS (bench_gpu.h). Source: cublas_api.h of CUDA 11 to 13.
 *
 * cuBLAS counts column by column: what is A B row by row is B A to it. The math mode is the default one, which keeps
 * FP32; whether the result has that many bits is measured (bench_data.c), since the environment can override it. */
#include <string.h>

#include "measure/bench_gpu.h"
#include "os/os.h"

enum { NO_TRANSPOSE = 0, TRANSPOSE = 1, DEFAULT_MATH = 0 };
#define TF32_ROUNDED 0x1p-11 /* 10 bits of fraction: a result of that is right, and named */

typedef int sgemm(void *, int, int, int, int, int, const float *, uint64_t, int, uint64_t, int, const float *, uint64_t,
                  int);
typedef int dgemm(void *, int, int, int, int, int, const double *, uint64_t, int, uint64_t, int, const double *,
                  uint64_t, int);

typedef int batched(void *, int, int, int, int, int, const float *, uint64_t, int, long long, uint64_t, int, long long,
                    const float *, uint64_t, int, long long, int);

static bool worked(const char *call, int status)
{
    return tn_bench_failed("cublas", call, status);
}

bool tn_bench_cublas_open(struct tn_bench_cublas *l, const char *path)
{
    const char *why = "";
    int v[3] = {0, 0, 0};
    memset(l, 0, sizeof *l);
    tn_tell("path %s", path);
    l->library = tn_os_dl_open(path, &why);
    if (!l->library) {
        tn_tell("! open %s", tn_os_dl_refused() ? tn_os_dl_refused() : why);
        return false;
    }
    const struct {
        const char *name;
        void *at;
    } all[] = {{"cublasCreate_v2", &l->create},           {"cublasDestroy_v2", &l->destroy},
               {"cublasGetProperty", &l->property},       {"cublasSetMathMode", &l->math},
               {"cublasSgemm_v2", &l->gemm[0]},           {"cublasDgemm_v2", &l->gemm[1]},
               {"cublasSgemmStridedBatched", &l->batched}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        void *f = tn_os_dl_find(l->library, all[i].name);
        if (!f) {
            tn_tell("! open no %s in it", all[i].name);
            return false;
        }
        memcpy(all[i].at, &f, sizeof f);
    }
    for (int i = 0; i < 3; i++)
        if (!worked("cublasGetProperty", l->property(i, &v[i])))
            return false;
    if (!worked("cublasCreate", l->create(&l->handle)))
        return false;
    tn_tell("library cuBLAS %d.%d.%d", v[0], v[1], v[2]);
    return worked("cublasSetMathMode", l->math(l->handle, DEFAULT_MATH)) || (tn_bench_cublas_close(l), false);
}

bool tn_bench_cublas_close(struct tn_bench_cublas *l)
{
    bool ok = !l->handle || worked("cublasDestroy", l->destroy(l->handle));
    l->handle = NULL;
    return ok;
}

/* What is A B row by row is B A column by column; a B that is given turned is turned there, too. */
bool tn_bench_cublas_product(const struct tn_bench_cublas *l, const struct tn_bench_card_product *c)
{
    static const float zero = 0;
    const struct tn_bench_product *p = &c->p;
    const int turned = p->turned ? TRANSPOSE : NO_TRANSPOSE, m = (int)p->m, n = (int)p->n, k = (int)p->k;
    sgemm *s;
    batched *b;
    memcpy(&s, &l->gemm[TN_BENCH_FP32], sizeof s);
    memcpy(&b, &l->batched, sizeof b);
    if (c->times == 1)
        return worked("cublasSgemm", s(l->handle, turned, NO_TRANSPOSE, n, m, k, &p->alpha, c->b, (int)p->ldb, c->a,
                                       (int)p->lda, &zero, c->c, (int)p->ldc));
    return worked("cublasSgemmStridedBatched",
                  b(l->handle, turned, NO_TRANSPOSE, n, m, k, &p->alpha, c->b, (int)p->ldb, (long long)c->b_next, c->a,
                    (int)p->lda, (long long)c->a_next, &zero, c->c, (int)p->ldc, (long long)c->c_next, (int)c->times));
}

struct product {
    const struct tn_bench_gpu *g;
    const struct tn_bench_cublas *l;
    enum tn_bench_precision precision;
    uint64_t n, bytes;
    void *host[3]; /* A, B, C */
    uint64_t card[3];
};

static bool multiply(void *ctx)
{
    const struct product *m = ctx;
    static const float one = 1, zero = 0;
    static const double one_d = 1, zero_d = 0;
    const int n = (int)m->n;
    sgemm *s;
    dgemm *d;
    memcpy(&s, &m->l->gemm[TN_BENCH_FP32], sizeof s);
    memcpy(&d, &m->l->gemm[TN_BENCH_FP64], sizeof d);
    if (m->precision == TN_BENCH_FP64)
        return worked("cublasDgemm", d(m->l->handle, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, &one_d, m->card[1], n,
                                       m->card[0], n, &zero_d, m->card[2], n));
    return worked("cublasSgemm", s(m->l->handle, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, &one, m->card[1], n, m->card[0],
                                   n, &zero, m->card[2], n));
}

static double timed(void *ctx, unsigned calls)
{
    const struct product *m = ctx;
    return tn_bench_gpu_timed(m->g, multiply, ctx, calls);
}

/* Told before anything is allocated. */
static bool fits(const struct product *m)
{
    size_t available = 0, total = 0;
    if (!tn_bench_gpu_worked(m->g, "cuMemGetInfo", m->g->cuda.cuMemGetInfo_v2(&available, &total)))
        return false;
    if (3 * m->bytes <= available)
        return true;
    tn_tell("! toolarge %llu %llu %llu", (unsigned long long)m->n, 3 * (unsigned long long)m->bytes,
            (unsigned long long)available);
    return false;
}

static bool create(struct product *m)
{
    uint64_t from = tn_os_monotonic_us();
    for (unsigned i = 0; i < 3; i++)
        if (!(m->host[i] = tn_os_block(m->bytes))) {
            tn_tell("! memory %llu", 3 * (unsigned long long)m->bytes);
            return false;
        }
    for (unsigned i = 0; i < 3; i++)
        if (!tn_bench_gpu_worked(m->g, "cuMemAlloc", m->g->cuda.cuMemAlloc_v2(&m->card[i], (size_t)m->bytes)))
            return false;
    tn_tell("allocate %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    from = tn_os_monotonic_us();
    tn_bench_fill(m->host[0], m->n * m->n, m->precision, 1);
    tn_bench_fill(m->host[1], m->n * m->n, m->precision, 2);
    tn_tell("create %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    return true;
}

static bool send(const struct product *m)
{
    const struct tn_cuda *c = &m->g->cuda;
    uint64_t from = tn_os_monotonic_us();
    for (unsigned i = 0; i < 2; i++)
        if (!tn_bench_gpu_worked(m->g, "cuMemcpyHtoD", c->cuMemcpyHtoD_v2(m->card[i], m->host[i], (size_t)m->bytes)))
            return false;
    tn_tell("sent %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    return tn_bench_gpu_worked(m->g, "cuMemsetD8", c->cuMemsetD8_v2(m->card[2], 0xff, (size_t)m->bytes));
}

static int check(const struct product *m)
{
    uint64_t from = tn_os_monotonic_us();
    tn_step("check", 600000);
    if (!tn_bench_gpu_worked(m->g, "cuMemcpyDtoH",
                             m->g->cuda.cuMemcpyDtoH_v2(m->host[2], m->card[2], (size_t)m->bytes)))
        return 3;
    tn_tell("fetched %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    const double rounded = m->precision == TN_BENCH_FP32 ? TF32_ROUNDED : 0;
    if (!tn_bench_check(m->n, m->precision, rounded, m->host[0], m->host[1], m->host[2]))
        return 4;
    tn_tell("checked");
    return 0;
}

int tn_bench_gpu_multiply(const struct tn_bench_gpu *g, const struct tn_bench_cublas *l, enum tn_bench_precision p,
                          uint64_t n, unsigned runs, unsigned budget_ms)
{
    struct product m = {.g = g, .l = l, .precision = p, .n = n, .bytes = n * n * tn_bench_kinds[p].bytes};
    const struct tn_bench_clock clock = {
        .ctx = &m, .step = "multiply", .timed = timed, .runs = runs, .budget_ms = budget_ms};
    tn_tell("size %llu", (unsigned long long)n);
    tn_step("create", 600000);
    int rc =
        fits(&m) && create(&m) && send(&m) && tn_bench_clock(&clock, tn_bench_operations(TN_BENCH_MATMUL, n)) ? 0 : 3;
    rc = rc ? rc : check(&m);
    tn_step("release", 60000);
    for (unsigned i = 0; i < 3; i++) {
        tn_os_block_free(m.host[i], m.bytes);
        if (m.card[i] && !tn_bench_gpu_worked(g, "cuMemFree", g->cuda.cuMemFree_v2(m.card[i])))
            rc = rc ? rc : 3;
    }
    return rc;
}
