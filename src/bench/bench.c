/* bench.c - see bench.h. */
#include "bench/bench.h"

#include <string.h>

const struct tn_bench_kind tn_bench_kinds[TN_BENCH_N_PRECISION] = {{"fp32", 4}, {"fp64", 8}};

const char *const tn_bench_ops[TN_BENCH_N_OP] = {"matmul", "convolution", "step"};

enum tn_bench_op tn_bench_op_of(const char *name)
{
    unsigned i = 0;
    while (i < TN_BENCH_N_OP && strcmp(tn_bench_ops[i], name) != 0)
        i++;
    return (enum tn_bench_op)i;
}

double tn_bench_operations(enum tn_bench_op op, uint64_t n)
{
    const double d = (double)n, rows = d * TN_STEP_TOKENS, width = TN_STEP_WIDTH;
    if (op == TN_BENCH_CONVOLUTION)
        return 2.0 * d * TN_CONV_SIDE * TN_CONV_SIDE * TN_CONV_CHANNELS * TN_CONV_CHANNELS * TN_CONV_FILTER *
               TN_CONV_FILTER;
    if (op == TN_BENCH_STEP) /* queries, keys, values; output; up and down; scores and weighted values */
        return 2 * rows * width * (3 * width + width + 2 * TN_STEP_INNER) + 4 * rows * TN_STEP_TOKENS * width;
    return 2 * d * d * d;
}

void tn_bench_init(struct tn_bench *b, struct tn_arena *mem)
{
    *b = (struct tn_bench){.mem = mem};
}

struct tn_bench_side *tn_bench_add(struct tn_bench *b, const char *device)
{
    b->side = tn_arena_grow(b->mem, b->side, b->n, &b->cap, sizeof *b->side);
    b->side[b->n] = (struct tn_bench_side){.device = device};
    return &b->side[b->n++];
}

struct tn_bench_result *tn_bench_add_size(struct tn_bench *b, struct tn_bench_side *s, enum tn_bench_op op, uint64_t n)
{
    s->r = tn_arena_grow(b->mem, s->r, s->n, &s->cap, sizeof *s->r);
    s->r[s->n] = (struct tn_bench_result){.op = op, .n = n, .calls = 1};
    return &s->r[s->n++];
}

void tn_bench_add_sample(struct tn_bench *b, struct tn_bench_result *r, double seconds)
{
    if (r->n_sample == TN_STAT_MAX)
        return;
    r->sample = tn_arena_grow(b->mem, r->sample, r->n_sample, &r->cap, sizeof *r->sample);
    r->sample[r->n_sample++] = seconds;
}

void tn_bench_settle(struct tn_bench_result *r)
{
    if (!r->n_sample)
        return;
    tn_stat_of(r->sample, r->n_sample, &r->stat);
    r->gflops = r->stat.median > 0 ? tn_bench_operations(r->op, r->n) / r->stat.median / 1e9 : 0;
}

const struct tn_bench_result *tn_bench_find(const struct tn_bench_side *s, enum tn_bench_op op, uint64_t n)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->r[i].op == op && s->r[i].n == n && s->r[i].n_sample)
            return &s->r[i];
    return NULL;
}

uint64_t tn_bench_bytes(uint64_t n, enum tn_bench_precision p)
{
    return 3 * n * n * tn_bench_kinds[p].bytes;
}

uint64_t tn_bench_work_bytes(enum tn_bench_op op, uint64_t n)
{
    const uint64_t images = 2 * (uint64_t)TN_CONV_CHANNELS * TN_CONV_SIDE * TN_CONV_SIDE,
                   rows = (uint64_t)TN_STEP_TOKENS * (7 * TN_STEP_WIDTH + TN_STEP_INNER),
                   scores = 2 * (uint64_t)TN_STEP_HEADS * TN_STEP_TOKENS * TN_STEP_TOKENS;
    return 4 * n * (op == TN_BENCH_STEP ? rows + scores : images);
}
