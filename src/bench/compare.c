/* compare.c - are two runs different, or is it noise?
 *
 * Each series is cut into at most ten blocks of neighbours, so that a busy moment counts once; the medians of the
 * blocks are compared by Wilcoxon's exact rank sum test, its level shared among the sizes (Bonferroni). A difference is
 * called one only when that test says so, it is large enough to matter, and it is larger than what either run changed
 * within itself. What no outcome could have shown is said to be unknown, not equal. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bench/bench.h"

static double distance(double ratio)
{
    return ratio > 1 ? ratio - 1 : ratio > 0 ? 1 / ratio - 1 : 0;
}

/* How far the first half of the series is from the second. */
static double drift(const struct tn_bench_result *r)
{
    struct tn_stat a, b;
    if (r->n_sample < 2)
        return 0;
    tn_stat_of(r->sample, r->n_sample / 2, &a);
    tn_stat_of(r->sample + r->n_sample / 2, r->n_sample - r->n_sample / 2, &b);
    return distance(b.median / a.median);
}

/* The estimate that belongs to the rank sum test (Hodges and Lehmann): the median of all pairs. */
static double ratio_of(const double *a, size_t n, const double *b, size_t m)
{
    double all[TN_STAT_BLOCKS * TN_STAT_BLOCKS];
    struct tn_stat s;
    for (size_t i = 0; i < n * m; i++)
        all[i] = b[i % m] / a[i / m];
    tn_stat_of(all, n * m, &s);
    return s.median;
}

/* The least that the test can say of so many: of all ways to choose n of n + m, two are the outermost. */
static double least_p(size_t n, size_t m)
{
    double ways = 1;
    for (size_t i = 1; i <= n; i++)
        ways = ways * (double)(m + i) / (double)i;
    return 2 / ways;
}

static void judge(struct tn_bench_compared *c, double level)
{
    double a[TN_STAT_BLOCKS], b[TN_STAT_BLOCKS];
    size_t n = tn_stat_blocks(c->ra->sample, c->ra->n_sample, a), m = tn_stat_blocks(c->rb->sample, c->rb->n_sample, b);
    double da = drift(c->ra), db = drift(c->rb);
    c->ratio = ratio_of(a, n, b, m);
    c->p = tn_stat_rank_sum(a, n, b, m);
    c->drift = da > db ? da : db;
    c->verdict = TN_BENCH_NO_DIFFERENCE;
    if (least_p(n, m) > level)
        c->verdict = TN_BENCH_FEW;
    else if (c->p <= level && distance(c->ratio) > TN_BENCH_MATTERS && distance(c->ratio) > c->drift)
        c->verdict = c->ratio < 1 ? TN_BENCH_FASTER : TN_BENCH_SLOWER;
}

static size_t pairs(const struct tn_bench_side *a, const struct tn_bench_side *b, struct tn_bench_compared *ret,
                    size_t n, size_t max)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n && n < max; k++)
            if (a->r[i].op == b->r[k].op && a->r[i].n == b->r[k].n && a->r[i].n_sample && b->r[k].n_sample) {
                ret[n++] = (struct tn_bench_compared){.a = a, .b = b, .ra = &a->r[i], .rb = &b->r[k]};
                break;
            }
    return n;
}

size_t tn_bench_compare(const struct tn_bench *a, const struct tn_bench *b, struct tn_bench_compared *ret, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (tn_str_eq(a->side[i].device, b->side[k].device) &&
                tn_str_eq(a->side[i].precision, b->side[k].precision) &&
                tn_str_eq(a->side[i].framework, b->side[k].framework)) {
                n = pairs(&a->side[i], &b->side[k], ret, n, max);
                break;
            }
    for (size_t i = 0; i < n; i++)
        judge(&ret[i], TN_BENCH_ALPHA / (double)n);
    return n;
}
