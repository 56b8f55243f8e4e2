/* bench_step.c - the transformer layer's products: where what lies, and whether it is right (bench_works.h). */
#include "measure/bench_works.h"
#include "measure/reference.h"

enum {
    TOKENS = TN_STEP_TOKENS,
    WIDTH = TN_STEP_WIDTH,
    HEADS = TN_STEP_HEADS,
    INNER = TN_STEP_INNER,
    HEAD = WIDTH / HEADS,
    SQUARE = TOKENS * TOKENS
};

uint64_t tn_bench_step_count(unsigned buffer, uint64_t batch)
{
    const uint64_t rows = batch * TOKENS;
    switch (buffer) {
    case TN_STEP_W_QKV: return (uint64_t)WIDTH * 3 * WIDTH;
    case TN_STEP_W_OUT: return (uint64_t)WIDTH * WIDTH;
    case TN_STEP_W_UP:
    case TN_STEP_W_DOWN: return (uint64_t)WIDTH * INNER;
    case TN_STEP_QKV: return rows * 3 * WIDTH;
    case TN_STEP_SCORES:
    case TN_STEP_SHARES: return batch * HEADS * SQUARE;
    case TN_STEP_UP: return rows * INNER;
    default: return rows * WIDTH;
    }
}

/* Weights of a quarter's size keep the scores where a softmax has something to weigh. */
void tn_bench_step_fill(float *const v[TN_STEP_BUFFERS], uint64_t batch)
{
    for (unsigned i = 0; i < TN_STEP_GIVEN; i++) {
        const uint64_t n = tn_bench_step_count(i, batch);
        tn_bench_fill(v[i], n, TN_BENCH_FP32, 41 + i);
        for (uint64_t k = 0; i != TN_STEP_X && k < n; k++)
            v[i][k] *= 0.25F;
    }
}

static struct tn_bench_part dense(const char *name, unsigned a, unsigned b, unsigned c, uint64_t rows, uint64_t k,
                                  uint64_t n)
{
    return (struct tn_bench_part){.name = name,
                                  .p = {.m = rows, .n = n, .k = k, .alpha = 1, .lda = k, .ldb = n, .ldc = n},
                                  .a = a,
                                  .b = b,
                                  .c = c};
}

void tn_bench_step_parts(uint64_t batch, struct tn_bench_part ret[TN_STEP_PARTS])
{
    const uint64_t rows = batch * TOKENS, next = (uint64_t)TOKENS * 3 * WIDTH;
    ret[0] = dense("queries, keys and values", TN_STEP_X, TN_STEP_W_QKV, TN_STEP_QKV, rows, WIDTH, 3 * WIDTH);
    ret[1] = (struct tn_bench_part){
        .name = "scores",
        .p = {TOKENS, TOKENS, HEAD, 0.125F, NULL, NULL, NULL, 3 * WIDTH, 3 * WIDTH, TOKENS, true}, /* 1 / sqrt(64) */
        .a = TN_STEP_QKV,
        .b = TN_STEP_QKV,
        .c = TN_STEP_SCORES,
        .b_from = WIDTH,
        .attention = true,
        .a_head = HEAD,
        .b_head = HEAD,
        .c_head = batch * SQUARE,
        .a_next = next,
        .b_next = next,
        .c_next = SQUARE};
    ret[2] = (struct tn_bench_part){.name = "weighted values",
                                    .p = {TOKENS, HEAD, TOKENS, 1, NULL, NULL, NULL, TOKENS, 3 * WIDTH, WIDTH, false},
                                    .a = TN_STEP_SHARES,
                                    .b = TN_STEP_QKV,
                                    .c = TN_STEP_VALUES,
                                    .b_from = 2 * WIDTH,
                                    .attention = true,
                                    .a_head = batch * SQUARE,
                                    .b_head = HEAD,
                                    .c_head = HEAD,
                                    .a_next = SQUARE,
                                    .b_next = next,
                                    .c_next = (uint64_t)TOKENS * WIDTH};
    ret[3] = dense("output", TN_STEP_VALUES, TN_STEP_W_OUT, TN_STEP_OUT, rows, WIDTH, WIDTH);
    ret[4] = dense("up", TN_STEP_OUT, TN_STEP_W_UP, TN_STEP_UP, rows, WIDTH, INNER);
    ret[5] = dense("down", TN_STEP_UP, TN_STEP_W_DOWN, TN_STEP_DOWN, rows, INNER, WIDTH);
}

/* e to the x; x from -700 to 0. 2 to the n by halving, the rest by its series. */
static double power(double x)
{
    const double ln2 = 0.693147180559945309417;
    double term = 1, sum = 1;
    unsigned halves = (unsigned)(-x / ln2);
    x += halves * ln2;
    for (unsigned i = 1; i < 24; i++) {
        term *= x / i;
        sum += term;
    }
    for (; halves; halves--)
        sum /= 2;
    return sum;
}

/* A row of shares is the softmax of the row of scores as it is. The error of an exponential's argument, of the
 * exponential (CUDA's fast one: 2 and 1.17 |x| last places), of the sum and of the quotient. */
static bool check_softmax(const float *score, const float *share, uint64_t row)
{
    double most = (double)score[0], sum = 0;
    for (unsigned i = 1; i < TOKENS; i++)
        most = (double)score[i] > most ? (double)score[i] : most;
    for (unsigned i = 0; i < TOKENS; i++)
        sum += power((double)score[i] - most > -700 ? (double)score[i] - most : -700);
    for (unsigned i = 0; i < TOKENS; i++) {
        double x = (double)score[i] - most, want = power(x > -700 ? x : -700) / sum,
               off = (double)share[i] > want ? (double)share[i] - want : want - (double)share[i];
        if (!(off <= want * (TOKENS - 4 * x + 16) * 0x1p-23 + 0x1p-126)) { /* a NaN fails, too */
            tn_tell("! wrong softmax: element %llu, %u is %g and not %g", (unsigned long long)row, i, (double)share[i],
                    want);
            return false;
        }
    }
    return true;
}

/* Of attention the first head of the first sequence and the last of the last. */
static bool check_part(float *const v[TN_STEP_BUFFERS], const struct tn_bench_part *t, uint64_t batch, unsigned last,
                       struct tn_bench_sums *s)
{
    struct tn_bench_product p = t->p;
    const uint64_t head = last ? HEADS - 1 : 0, next = last ? batch - 1 : 0;
    p.a = v[t->a] + t->a_from + head * t->a_head + next * t->a_next;
    p.b = v[t->b] + t->b_from + head * t->b_head + next * t->b_next;
    p.c = v[t->c] + head * t->c_head + next * t->c_next;
    return tn_bench_check_product(&p, t->name, s);
}

bool tn_bench_step_check(float *const v[TN_STEP_BUFFERS], uint64_t batch, struct tn_bench_sums *s)
{
    struct tn_bench_part part[TN_STEP_PARTS];
    const uint64_t rows = batch * HEADS * TOKENS;
    tn_bench_step_parts(batch, part);
    for (unsigned i = 0; i < TN_STEP_PARTS; i++)
        for (unsigned last = 0; last <= part[i].attention; last++)
            if (!check_part(v, &part[i], batch, last, s))
                return false;
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t row = i * (rows - 1) / 7;
        if (!check_softmax(v[TN_STEP_SCORES] + row * TOKENS, v[TN_STEP_SHARES] + row * TOKENS, row))
            return false;
    }
    return true;
}
