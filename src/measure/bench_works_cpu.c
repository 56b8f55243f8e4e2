/* bench_works_cpu.c - convolution and transformer step on the CPU, their products by the BLAS that was opened; what no
 * BLAS does (rows laid out for a product, softmax) by our own code on as many threads, and in the time. */
#include <string.h>

#include "measure/bench_works.h"
#include "os/os.h"

enum {
    SIDE = TN_CONV_SIDE,
    AREA = SIDE * SIDE,
    DEPTH = TN_CONV_CHANNELS * TN_CONV_FILTER * TN_CONV_FILTER,
    MAX_BUFFERS = TN_STEP_BUFFERS
};

struct work {
    const struct tn_blas *blas;
    uint64_t batch;
    unsigned threads;
    float *v[MAX_BUFFERS], *laid_out;
    const float *image; /* that is laid out now */
};

/* ---- convolution: each image's neighbourhoods become the columns of a matrix, which the filters are multiplied with
 */

/* One row of it: a place of the filter over one channel. */
static void lay_out_row(const float *channel, float *to, unsigned y, unsigned x)
{
    for (unsigned row = 0; row < SIDE; row++, to += SIDE) {
        unsigned r = row + y - TN_CONV_FILTER / 2;
        if (r >= SIDE) {
            memset(to, 0, SIDE * sizeof *to);
            continue;
        }
        for (unsigned c = 0; c < SIDE; c++) {
            unsigned at = c + x - TN_CONV_FILTER / 2;
            to[c] = at < SIDE ? channel[r * SIDE + at] : 0;
        }
    }
}

static void lay_out(void *ctx, unsigned thread)
{
    const struct work *w = ctx;
    for (unsigned row = thread; row < DEPTH; row += w->threads) {
        unsigned place = row % (TN_CONV_FILTER * TN_CONV_FILTER);
        lay_out_row(w->image + (uint64_t)(row / (TN_CONV_FILTER * TN_CONV_FILTER)) * AREA,
                    w->laid_out + (uint64_t)row * AREA, place / TN_CONV_FILTER, place % TN_CONV_FILTER);
    }
}

static void convolve(struct work *w)
{
    const uint64_t planes = (uint64_t)TN_CONV_CHANNELS * AREA;
    for (uint64_t i = 0; i < w->batch; i++) {
        w->image = w->v[TN_CONV_IMAGE] + i * planes;
        tn_os_parallel(w->threads, lay_out, w);
        const struct tn_bench_product p = {.m = TN_CONV_CHANNELS,
                                           .n = AREA,
                                           .k = DEPTH,
                                           .alpha = 1,
                                           .a = w->v[TN_CONV_FILTERS],
                                           .b = w->laid_out,
                                           .c = w->v[TN_CONV_RESULT] + i * planes,
                                           .lda = DEPTH,
                                           .ldb = AREA,
                                           .ldc = AREA};
        tn_blas_product(w->blas, &p);
    }
}

/* ---- step */

/* e to the x for x up to 0: 2 to the n by the exponent's bits, the rest by a polynomial (Taylor, to 2^-24 of it). */
static float power(float x)
{
    x = x > -87 ? x : -87;
    int n = (int)(x * 1.44269504F - 0.5F);
    float r = x - (float)n * 0.693145752F - (float)n * 1.42860677e-6F, scale;
    float e = 1 + r * (1 + r * (0.5F + r * (1 / 6.0F + r * (1 / 24.0F + r * (1 / 120.0F + r * (1 / 720.0F))))));
    int bits = (n + 127) * (1 << 23);
    memcpy(&scale, &bits, sizeof scale);
    return e * scale;
}

static void softmax_row(const float *score, float *share)
{
    float most = score[0], sum = 0;
    for (unsigned i = 1; i < TN_STEP_TOKENS; i++)
        most = score[i] > most ? score[i] : most;
    for (unsigned i = 0; i < TN_STEP_TOKENS; i++)
        share[i] = power(score[i] - most);
    for (unsigned i = 0; i < TN_STEP_TOKENS; i++)
        sum += share[i];
    for (unsigned i = 0; i < TN_STEP_TOKENS; i++)
        share[i] /= sum;
}

static void softmax(void *ctx, unsigned thread)
{
    const struct work *w = ctx;
    const uint64_t rows = w->batch * TN_STEP_HEADS * TN_STEP_TOKENS, each = (rows + w->threads - 1) / w->threads;
    for (uint64_t i = thread * each; i < rows && i < (thread + 1) * each; i++)
        softmax_row(w->v[TN_STEP_SCORES] + i * TN_STEP_TOKENS, w->v[TN_STEP_SHARES] + i * TN_STEP_TOKENS);
}

static void part(const struct work *w, const struct tn_bench_part *t)
{
    const uint64_t heads = t->attention ? TN_STEP_HEADS : 1, times = t->attention ? w->batch : 1;
    for (uint64_t h = 0; h < heads; h++)
        for (uint64_t i = 0; i < times; i++) {
            struct tn_bench_product p = t->p;
            p.a = w->v[t->a] + t->a_from + h * t->a_head + i * t->a_next;
            p.b = w->v[t->b] + t->b_from + h * t->b_head + i * t->b_next;
            p.c = w->v[t->c] + h * t->c_head + i * t->c_next;
            tn_blas_product(w->blas, &p);
        }
}

static void layer(struct work *w)
{
    struct tn_bench_part all[TN_STEP_PARTS];
    tn_bench_step_parts(w->batch, all);
    for (unsigned i = 0; i < TN_STEP_PARTS; i++) {
        part(w, &all[i]);
        if (i == TN_STEP_SOFTMAX_BEHIND)
            tn_os_parallel(w->threads, softmax, w);
    }
}

/* ---- both */

struct kind {
    enum tn_bench_op op;
    const char *how;
    unsigned buffers;
    uint64_t (*count)(unsigned buffer, uint64_t batch);
    void (*fill)(float *const *v, uint64_t batch);
    void (*run)(struct work *w);
};
static const struct kind kinds[] = {
    {TN_BENCH_CONVOLUTION, "im2col, cblas_sgemm", TN_CONV_BUFFERS, tn_bench_conv_count, tn_bench_conv_fill, convolve},
    {TN_BENCH_STEP, "cblas_sgemm, own softmax", TN_STEP_BUFFERS, tn_bench_step_count, tn_bench_step_fill, layer}};

struct timed {
    struct work w;
    const struct kind *kind;
};

static bool run(void *ctx, unsigned calls)
{
    struct timed *t = ctx;
    for (unsigned i = 0; i < calls; i++)
        t->kind->run(&t->w);
    return true;
}

static uint64_t bytes_of(const struct timed *t, unsigned buffer)
{
    return t->kind->count(buffer, t->w.batch) * sizeof(float);
}

static bool create(struct timed *t)
{
    uint64_t from = tn_os_monotonic_us();
    for (unsigned i = 0; i < t->kind->buffers; i++) {
        if (!(t->w.v[i] = tn_os_block(bytes_of(t, i)))) {
            tn_tell("! memory %llu", (unsigned long long)bytes_of(t, i));
            return false;
        }
        memset(t->w.v[i], 0xff, (size_t)bytes_of(t, i)); /* NaN: what is not written shows */
    }
    if (!(t->w.laid_out = tn_os_block((uint64_t)DEPTH * AREA * sizeof(float)))) {
        tn_tell("! memory %llu", (unsigned long long)DEPTH * AREA * sizeof(float));
        return false;
    }
    tn_tell("allocate %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    from = tn_os_monotonic_us();
    t->kind->fill(t->w.v, t->w.batch);
    tn_tell("create %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    return true;
}

static int check(const struct timed *t)
{
    struct tn_bench_sums s = {0, 0};
    tn_step("check", 600000);
    bool right = t->kind->op == TN_BENCH_STEP ? tn_bench_step_check(t->w.v, t->w.batch, &s)
                                              : tn_bench_conv_check(t->w.v, t->w.batch, false, &s);
    if (!right)
        return 4;
    tn_tell("fine %.3g", s.fine);
    tn_tell("checked");
    return 0;
}

static int measure(struct timed *t, unsigned runs, unsigned budget_ms)
{
    const struct tn_bench_clock clock = {
        .ctx = t, .step = tn_bench_ops[t->kind->op], .run = run, .runs = runs, .budget_ms = budget_ms};
    tn_tell("work %s %llu", tn_bench_ops[t->kind->op], (unsigned long long)t->w.batch);
    tn_tell("how %s", t->kind->how);
    tn_step("create", 600000);
    int rc = create(t) && tn_bench_clock(&clock, tn_bench_operations(t->kind->op, t->w.batch)) ? check(t) : 3;
    for (unsigned i = 0; i < t->kind->buffers; i++)
        tn_os_block_free(t->w.v[i], bytes_of(t, i));
    tn_os_block_free(t->w.laid_out, (uint64_t)DEPTH * AREA * sizeof(float));
    return rc;
}

int tn_bench_works_cpu(const struct tn_blas *blas, unsigned works, uint64_t batch, unsigned runs, unsigned budget_ms)
{
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < sizeof kinds / sizeof *kinds; i++) {
        struct timed t = {.w = {.blas = blas, .batch = batch, .threads = blas->threads ? blas->threads : 1},
                          .kind = &kinds[i]};
        if (works & 1U << kinds[i].op)
            rc = measure(&t, runs, budget_ms);
    }
    return rc;
}
