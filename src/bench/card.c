/* card.c - what a card could do at most, and from which size on it is worth its copies (bench.h).
 *
 * Source: CUDA C++ Programming Guide, "Arithmetic Instructions": results per clock cycle and multiprocessor of 32-bit
 * and 64-bit floating-point multiply-add. */
#include <string.h>

#include "base/str.h"
#include "bench/bench.h"

static const struct {
    double capability;
    unsigned fp32, fp64;
} lanes[] = {{3.0, 192, 8}, {3.5, 192, 64}, {3.7, 192, 64},  {5.0, 128, 4}, {5.2, 128, 4},
             {5.3, 128, 4}, {6.0, 64, 32},  {6.1, 128, 4},   {6.2, 128, 4}, {7.0, 64, 32},
             {7.2, 64, 32}, {7.5, 64, 2},   {8.0, 64, 32},   {8.6, 128, 2}, {8.7, 128, 2},
             {8.9, 128, 2}, {9.0, 128, 64}, {10.0, 128, 64}, {12.0, 128, 2}};

double tn_bench_card_peak(const struct tn_bench_card *c, const char *precision, double mhz)
{
    const bool wide = precision && strcmp(precision, "fp64") == 0;
    for (unsigned i = 0; i < TN_LEN(lanes); i++)
        if (lanes[i].capability > c->capability - 0.05 && lanes[i].capability < c->capability + 0.05)
            return 2 * c->multiprocessors * (wide ? lanes[i].fp64 : lanes[i].fp32) * mhz / 1e3;
    return 0;
}

uint64_t tn_bench_worth(const struct tn_bench_side *cpu, const struct tn_bench_side *gpu, bool with_copies)
{
    uint64_t least = 0, lost = 0; /* sizes need not be in order */
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < cpu->n; i++) {
            const struct tn_bench_result *a = &cpu->r[i], *b = tn_bench_find(gpu, TN_BENCH_MATMUL, a->n);
            if (!b || !a->n_sample || a->op != TN_BENCH_MATMUL)
                continue;
            bool won = b->stat.median + (with_copies ? b->sent_s + b->fetched_s : 0) < a->stat.median;
            if (!won && a->n > lost)
                lost = a->n;
            if (pass && won && a->n > lost && (!least || a->n < least))
                least = a->n;
        }
    return least;
}
