/* bench.c - see bench.h. */
#include "bench/bench.h"

const struct tn_bench_kind tn_bench_kinds[TN_BENCH_N_PRECISION] = {{"fp32", 4}, {"fp64", 8}};

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

struct tn_bench_result *tn_bench_add_size(struct tn_bench *b, struct tn_bench_side *s, uint64_t n)
{
    s->r = tn_arena_grow(b->mem, s->r, s->n, &s->cap, sizeof *s->r);
    s->r[s->n] = (struct tn_bench_result){.n = n, .calls = 1};
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
    const double n = (double)r->n;
    r->gflops = r->stat.median > 0 ? 2 * n * n * n / r->stat.median / 1e9 : 0;
}

uint64_t tn_bench_bytes(uint64_t n, enum tn_bench_precision p)
{
    return 3 * n * n * tn_bench_kinds[p].bytes;
}
