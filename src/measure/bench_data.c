/* bench_data.c - the matrices of a measurement, and whether a product is one (bench_run.h). */
#include "measure/bench_run.h"

/* SplitMix64 (Steele, Lea, Flood 2014): any seed gives a good sequence. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void tn_bench_fill(void *p, uint64_t count, enum tn_bench_precision precision, uint64_t seed)
{
    float *f = p;
    double *d = p;
    for (uint64_t i = 0; i < count; i++) {
        double v = (double)(int64_t)next(&seed) * 0x1p-63;
        if (precision == TN_BENCH_FP64)
            d[i] = v;
        else
            f[i] = (float)v;
    }
}

static double at(const void *p, enum tn_bench_precision precision, uint64_t i)
{
    return precision == TN_BENCH_FP64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static double magnitude(double v)
{
    return v < 0 ? -v : v;
}

/* Newton's method; no library is needed for one figure. */
static double root(double v)
{
    double r = v > 1 ? v : 1;
    for (unsigned i = 0; i < 200 && v > 0; i++)
        r = (r + v / r) / 2;
    return v > 0 ? r : 0;
}

static double square(double v)
{
    return v * v;
}

#define CHECKED 24u /* elements: the corners, and others at random */

bool tn_bench_check(uint64_t n, enum tn_bench_precision precision, double rounded, const void *a, const void *b,
                    const void *c)
{
    const double u = precision == TN_BENCH_FP64 ? 0x1p-53 : 0x1p-24, nu = ((double)n + 1) * u;
    uint64_t seed = n;
    double fine = 0;
    for (unsigned k = 0; k < CHECKED; k++) {
        uint64_t i = k < 4 ? (k & 1 ? n - 1 : 0) : next(&seed) % n, j = k < 4 ? (k & 2 ? n - 1 : 0) : next(&seed) % n;
        double sum = 0, size = 0, squares = 0, got = at(c, precision, i * n + j);
        for (uint64_t l = 0; l < n; l++) {
            double v = at(a, precision, i * n + l) * at(b, precision, l * n + j);
            sum += v;
            size += magnitude(v);
            squares += v * v;
        }
        if (!(magnitude(got - sum) <= (nu / (1 - nu) + 3 * rounded) * size)) { /* a NaN fails, too */
            tn_tell("! wrong element %llu, %llu of %llu x %llu is %g and not %g", (unsigned long long)i,
                    (unsigned long long)j, (unsigned long long)n, (unsigned long long)n, got, sum);
            return false;
        }
        fine += squares > 0 ? (got - sum) * (got - sum) / squares / CHECKED : 0;
    }
    tn_tell("fine %.3g", root(fine));
    return true;
}

/* The scale of alpha costs one rounding more. */
bool tn_bench_check_element(const char *what, uint64_t row, uint64_t column, double got, double sum, double size,
                            uint64_t k, const struct tn_bench_sums *s)
{
    const double ku = ((double)k + 2) * 0x1p-24;
    if (magnitude(got - sum) <= (ku / (1 - ku) + 3 * s->rounded) * size)
        return true;
    tn_tell("! wrong %s: element %llu, %llu is %g and not %g", what, (unsigned long long)row,
            (unsigned long long)column, got, sum);
    return false;
}

bool tn_bench_check_product(const struct tn_bench_product *p, const char *what, struct tn_bench_sums *s)
{
    uint64_t seed = p->m + p->n;
    double fine = 0;
    for (unsigned t = 0; t < CHECKED; t++) {
        uint64_t i = t < 4 ? (t & 1 ? p->m - 1 : 0) : next(&seed) % p->m,
                 j = t < 4 ? (t & 2 ? p->n - 1 : 0) : next(&seed) % p->n;
        double sum = 0, size = 0, squares = 0, got = (double)p->c[i * p->ldc + j], alpha = (double)p->alpha;
        for (uint64_t l = 0; l < p->k; l++) {
            double v = (double)p->a[i * p->lda + l] * (double)p->b[p->turned ? j * p->ldb + l : l * p->ldb + j];
            sum += v;
            size += magnitude(v);
            squares += v * v;
        }
        if (!tn_bench_check_element(what, i, j, got, alpha * sum, alpha * size, p->k, s))
            return false;
        fine += squares > 0 ? square(got - alpha * sum) / square(alpha) / squares / CHECKED : 0;
    }
    fine = root(fine);
    s->fine = fine > s->fine ? fine : s->fine;
    return true;
}
