/* stat.h - what repeated timings say, without assuming how they are distributed.
 *
 * Timings are not normal: they have a hard floor and a long tail. So the middle is a median, its range comes from order
 * statistics, and two runs are compared by ranks. Pure arithmetic; no unit is assumed. */
#ifndef TN_BENCH_STAT_H
#define TN_BENCH_STAT_H

#include <stdbool.h>
#include <stddef.h>

#define TN_STAT_CONFIDENCE 0.95
#define TN_STAT_MAX 1000u /* samples of one series; further ones are not taken */

struct tn_stat {
    size_t n;
    double min, max, median;
    double q1, q3;    /* quartiles: half of the values lie between them */
    bool bounded;     /* low and high are known: from six values on */
    double low, high; /* the median of all runs that could have been is in there with at least TN_STAT_CONFIDENCE */
};

/* n from 1 to TN_STAT_MAX; v is left as it is. */
void tn_stat_of(const double *v, size_t n, struct tn_stat *ret);

/* Half the width of the range over the median; 1 where there is no range yet. */
double tn_stat_uncertainty(const struct tn_stat *s);

/* Rank of the order statistic, from 1, so that the values of ranks k and n + 1 - k enclose the median with at least
 * this confidence; 0: so few values cannot. (Binomial distribution of the number of values below the median; Conover,
 * Practical Nonparametric Statistics, 3.2.) */
size_t tn_stat_rank(size_t n, double confidence);

/* Probability that two series of one and the same distribution lie at least as far apart in their ranks as these, two
 * sided: Wilcoxon's rank sum test, exact with ties counted as mid-ranks. n and m from 1 to TN_STAT_RANKED. */
#define TN_STAT_RANKED 20u
double tn_stat_rank_sum(const double *a, size_t n, const double *b, size_t m);

/* The series cut into at most TN_STAT_RANKED / 2 pieces of neighbours, each by its median: what a busy moment slowed
 * down counts once and not as often as it was sampled. Returns their number. */
#define TN_STAT_BLOCKS (TN_STAT_RANKED / 2)
size_t tn_stat_blocks(const double *v, size_t n, double ret[TN_STAT_BLOCKS]);

/* Has the series come to rest? The medians of its last two threes differ by no more than this share of the latter. */
bool tn_stat_steady(const double *v, size_t n, double share);

#endif
