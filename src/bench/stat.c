/* stat.c - see stat.h. */
#include "bench/stat.h"

#include <string.h>

#include "base/arena.h"
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of sorted values; share from 0 to 1, between neighbours by proportion. */
static double quantile(const double *v, size_t n, double share)
{
    double at = share * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

size_t tn_stat_rank(size_t n, double confidence)
{
    double p = 1, below = 0; /* P(B = k) and P(B < k) of a binomial distribution with n and 1/2 */
    size_t k = 0;
    if (n == 0 || n > TN_STAT_MAX) /* 2^-1000 is still a double */
        return 0;
    for (size_t i = 0; i < n; i++)
        p /= 2;
    while (k < n / 2 && 1 - 2 * (below + p) >= confidence) {
        below += p;
        p *= (double)(n - k) / (double)(k + 1);
        k++;
    }
    return k;
}

void tn_stat_of(const double *v, size_t n, struct tn_stat *ret)
{
    double *s = tn_xmalloc(n * sizeof *s);
    memcpy(s, v, n * sizeof *s);
    qsort(s, n, sizeof *s, by_value);
    size_t k = tn_stat_rank(n, TN_STAT_CONFIDENCE);
    *ret = (struct tn_stat){.n = n,
                            .min = s[0],
                            .max = s[n - 1],
                            .median = quantile(s, n, 0.5),
                            .q1 = quantile(s, n, 0.25),
                            .q3 = quantile(s, n, 0.75),
                            .bounded = k > 0,
                            .low = k ? s[k - 1] : 0,
                            .high = k ? s[n - k] : 0};
    free(s);
}

double tn_stat_uncertainty(const struct tn_stat *s)
{
    return s->bounded && s->median > 0 ? (s->high - s->low) / 2 / s->median : 1;
}

/* ---- ranks */

struct pooled {
    double value;
    unsigned twice; /* its rank doubled, so that a mid-rank is whole */
    bool first;     /* of the first series */
};

static int by_pooled(const void *a, const void *b)
{
    return by_value(&((const struct pooled *)a)->value, &((const struct pooled *)b)->value);
}

static void rank(struct pooled *p, size_t n)
{
    qsort(p, n, sizeof *p, by_pooled);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && p[end].value <= p[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            p[k].twice = (unsigned)(i + 1 + end); /* ranks i + 1 to end */
    }
}

#define MAX_SUM (2 * 2 * TN_STAT_RANKED * (2 * TN_STAT_RANKED + 1) / 2)

double tn_stat_rank_sum(const double *a, size_t n, const double *b, size_t m)
{
    struct pooled p[2 * TN_STAT_RANKED];
    /* ways[k][s]: how many choices of k of the values have the (doubled) sum of ranks s */
    double(*ways)[MAX_SUM + 1] = tn_xmalloc((n + 1) * sizeof *ways);
    unsigned got = 0;
    memset(ways, 0, (n + 1) * sizeof *ways);
    for (size_t i = 0; i < n + m; i++)
        p[i] = (struct pooled){.value = i < n ? a[i] : b[i - n], .first = i < n};
    rank(p, n + m);
    ways[0][0] = 1;
    for (size_t i = 0; i < n + m; i++) {
        got += p[i].first ? p[i].twice : 0;
        for (size_t k = n; k > 0; k--)
            for (unsigned s = MAX_SUM; s >= p[i].twice; s--)
                ways[k][s] += ways[k - 1][s - p[i].twice];
    }
    const double middle = (double)n * (double)(n + m + 1), far = got > middle ? got - middle : middle - got;
    double all = 0, beyond = 0;
    for (unsigned s = 0; s <= MAX_SUM; s++) {
        double d = s > middle ? s - middle : middle - s;
        all += ways[n][s];
        beyond += d >= far ? ways[n][s] : 0;
    }
    free(ways);
    return beyond / all;
}

size_t tn_stat_blocks(const double *v, size_t n, double ret[TN_STAT_BLOCKS])
{
    size_t blocks = n < TN_STAT_BLOCKS ? n : TN_STAT_BLOCKS;
    for (size_t i = 0; i < blocks; i++) {
        struct tn_stat s;
        size_t from = i * n / blocks, to = (i + 1) * n / blocks;
        tn_stat_of(v + from, to - from, &s);
        ret[i] = s.median;
    }
    return blocks;
}

bool tn_stat_steady(const double *v, size_t n, double share)
{
    struct tn_stat before, last;
    if (n < 6)
        return false;
    tn_stat_of(v + n - 6, 3, &before);
    tn_stat_of(v + n - 3, 3, &last);
    double d = last.median - before.median;
    return (d < 0 ? -d : d) <= share * last.median;
}
