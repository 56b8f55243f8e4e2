/* bench_gpu_works.c - convolution and transformer step on the card: products by cuBLAS, convolution and softmax by
 * cuDNN (bench_gpu.h). */
#include <string.h>

#include "base/str.h"
#include "measure/bench_cudnn.h"
#include "measure/bench_gpu.h"
#include "measure/bench_works.h"
#include "os/os.h"

#define TF32_ROUNDED 0x1p-11 /* the environment may have put it in FP32's place: right, and named */
#define MAX_ROOM (1u << 30)  /* of a convolution: what frameworks give */

struct work {
    const struct tn_bench_gpu *g;
    const struct tn_bench_cublas *blas;
    const struct tn_bench_cudnn *dnn;
    enum tn_bench_op op;
    uint64_t batch, room;
    unsigned n, given; /* buffers; those that have their numbers from us */
    float *host[TN_STEP_BUFFERS];
    uint64_t card[TN_STEP_BUFFERS];
    struct tn_bench_cudnn_use use;
};

static uint64_t bytes_of(const struct work *w, unsigned i)
{
    return sizeof(float) *
           (w->op == TN_BENCH_STEP ? tn_bench_step_count(i, w->batch) : tn_bench_conv_count(i, w->batch));
}

/* ---- the work */

static bool convolve(void *ctx)
{
    const struct work *w = ctx;
    return tn_bench_cudnn_convolve(w->dnn, &w->use, w->card[TN_CONV_IMAGE], w->card[TN_CONV_FILTERS],
                                   w->card[TN_CONV_RESULT], w->room);
}

static uint64_t at(const struct work *w, unsigned buffer, uint64_t number)
{
    return w->card[buffer] + number * sizeof(float);
}

static bool part(const struct work *w, const struct tn_bench_part *t)
{
    struct tn_bench_card_product c = {.p = t->p, .times = 1};
    const uint64_t heads = t->attention ? TN_STEP_HEADS : 1;
    if (t->attention)
        c = (struct tn_bench_card_product){t->p, w->batch, t->a_next, t->b_next, t->c_next, 0, 0, 0};
    for (uint64_t h = 0; h < heads; h++) {
        c.a = at(w, t->a, t->a_from + h * t->a_head);
        c.b = at(w, t->b, t->b_from + h * t->b_head);
        c.c = at(w, t->c, h * t->c_head);
        if (!tn_bench_cublas_product(w->blas, &c))
            return false;
    }
    return true;
}

static bool layer(void *ctx)
{
    const struct work *w = ctx;
    struct tn_bench_part all[TN_STEP_PARTS];
    tn_bench_step_parts(w->batch, all);
    for (unsigned i = 0; i < TN_STEP_PARTS; i++) {
        if (!part(w, &all[i]))
            return false;
        if (i == TN_STEP_SOFTMAX_BEHIND &&
            !tn_bench_cudnn_softmax(w->dnn, &w->use, w->card[TN_STEP_SCORES], w->card[TN_STEP_SHARES]))
            return false;
    }
    return true;
}

static double timed(void *ctx, unsigned calls)
{
    const struct work *w = ctx;
    return tn_bench_gpu_timed(w->g, w->op == TN_BENCH_STEP ? layer : convolve, ctx, calls);
}

/* ---- around it */

/* Told before anything is allocated. */
static bool fits(struct work *w)
{
    size_t available = 0, total = 0;
    uint64_t need = 0;
    bool ok = tn_bench_gpu_worked(w->g, "cuMemGetInfo", w->g->cuda.cuMemGetInfo_v2(&available, &total));
    for (unsigned i = 0; i < w->n; i++)
        need += bytes_of(w, i);
    if (!ok)
        return false;
    if (need > available) {
        tn_tell("! toolarge %llu %llu %llu", (unsigned long long)w->batch, (unsigned long long)need,
                (unsigned long long)available);
        return false;
    }
    available = (size_t)(available - need) / 2;
    if (w->op == TN_BENCH_STEP)
        return tn_bench_cudnn_rows(w->dnn, w->batch * TN_STEP_HEADS * TN_STEP_TOKENS, TN_STEP_TOKENS, &w->use);
    return tn_bench_cudnn_conv(w->dnn, w->batch, available < MAX_ROOM ? available : MAX_ROOM, &w->use);
}

static bool create(struct work *w)
{
    const struct tn_cuda *c = &w->g->cuda;
    uint64_t from = tn_os_monotonic_us();
    for (unsigned i = 0; i < w->n; i++) {
        if (!(w->host[i] = tn_os_block(bytes_of(w, i)))) {
            tn_tell("! memory %llu", (unsigned long long)bytes_of(w, i));
            return false;
        }
        if (!tn_bench_gpu_worked(w->g, "cuMemAlloc", c->cuMemAlloc_v2(&w->card[i], (size_t)bytes_of(w, i))))
            return false;
    }
    if (w->use.bytes && !tn_bench_gpu_worked(w->g, "cuMemAlloc", c->cuMemAlloc_v2(&w->room, w->use.bytes)))
        return false;
    tn_tell("allocate %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    from = tn_os_monotonic_us();
    if (w->op == TN_BENCH_STEP)
        tn_bench_step_fill(w->host, w->batch);
    else
        tn_bench_conv_fill(w->host, w->batch);
    tn_tell("create %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    return true;
}

/* The given ones; the others hold NaN: what is not written shows. */
static bool send(const struct work *w)
{
    const struct tn_cuda *c = &w->g->cuda;
    uint64_t from = tn_os_monotonic_us();
    for (unsigned i = 0; i < w->given; i++)
        if (!tn_bench_gpu_worked(w->g, "cuMemcpyHtoD",
                                 c->cuMemcpyHtoD_v2(w->card[i], w->host[i], (size_t)bytes_of(w, i))))
            return false;
    tn_tell("sent %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    for (unsigned i = w->given; i < w->n; i++)
        if (!tn_bench_gpu_worked(w->g, "cuMemsetD8", c->cuMemsetD8_v2(w->card[i], 0xff, (size_t)bytes_of(w, i))))
            return false;
    return true;
}

/* Told as the time to fetch: the last buffer alone, which is the result. */
static bool fetch(const struct work *w)
{
    for (unsigned i = w->given; i < w->n; i++) {
        uint64_t from = tn_os_monotonic_us();
        if (!tn_bench_gpu_worked(w->g, "cuMemcpyDtoH",
                                 w->g->cuda.cuMemcpyDtoH_v2(w->host[i], w->card[i], (size_t)bytes_of(w, i))))
            return false;
        if (i == w->n - 1)
            tn_tell("fetched %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    }
    return true;
}

static int check(const struct work *w)
{
    struct tn_bench_sums s = {TF32_ROUNDED, 0};
    tn_step("check", 600000);
    if (!fetch(w))
        return 3;
    bool right = w->op == TN_BENCH_STEP ? tn_bench_step_check(w->host, w->batch, &s)
                                        : tn_bench_conv_check(w->host, w->batch, w->use.transformed, &s);
    if (!right)
        return 4;
    tn_tell("fine %.3g", s.fine);
    tn_tell("checked");
    return 0;
}

static bool release(struct work *w)
{
    bool ok = true;
    tn_step("release", 60000);
    for (unsigned i = 0; i < w->n; i++) {
        tn_os_block_free(w->host[i], bytes_of(w, i));
        if (w->card[i])
            ok = tn_bench_gpu_worked(w->g, "cuMemFree", w->g->cuda.cuMemFree_v2(w->card[i])) && ok;
    }
    if (w->room)
        ok = tn_bench_gpu_worked(w->g, "cuMemFree", w->g->cuda.cuMemFree_v2(w->room)) && ok;
    return tn_bench_cudnn_forget(w->dnn, &w->use) && ok;
}

int tn_bench_gpu_work(const struct tn_bench_gpu *g, const struct tn_bench_cublas *blas,
                      const struct tn_bench_cudnn *dnn, enum tn_bench_op op, uint64_t batch, unsigned runs,
                      unsigned budget_ms)
{
    const bool step = op == TN_BENCH_STEP;
    struct work w = {.g = g,
                     .blas = blas,
                     .dnn = dnn,
                     .op = op,
                     .batch = batch,
                     .n = step ? TN_STEP_BUFFERS : TN_CONV_BUFFERS,
                     .given = step ? TN_STEP_GIVEN : TN_CONV_RESULT};
    const struct tn_bench_clock clock = {
        .ctx = &w, .step = tn_bench_ops[op], .timed = timed, .runs = runs, .budget_ms = budget_ms};
    tn_tell("work %s %llu", tn_bench_ops[op], (unsigned long long)batch);
    tn_step("create", 600000);
    int rc = fits(&w) && create(&w) && send(&w) ? 0 : 3;
    if (rc == 0) {
        tn_tell("how cuDNN %s%s%s", dnn->version, step ? "" : " ", step ? "" : tn_bench_cudnn_algorithm(&w.use));
        rc = tn_bench_clock(&clock, tn_bench_operations(op, batch)) ? check(&w) : 3;
    }
    return release(&w) || rc ? rc : 3;
}
