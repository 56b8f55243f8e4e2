/* bench_conv.c - the convolution: its numbers, and whether its result is one (bench_works.h). */
#include "measure/bench_works.h"
#include "measure/reference.h"

enum { C = TN_CONV_CHANNELS, SIDE = TN_CONV_SIDE, F = TN_CONV_FILTER, AREA = SIDE * SIDE };

uint64_t tn_bench_conv_count(unsigned buffer, uint64_t batch)
{
    return buffer == TN_CONV_FILTERS ? (uint64_t)C * C * F * F : batch * C * AREA;
}

void tn_bench_conv_fill(float *const v[TN_CONV_BUFFERS], uint64_t batch)
{
    for (unsigned i = 0; i < TN_CONV_RESULT; i++)
        tn_bench_fill(v[i], tn_bench_conv_count(i, batch), TN_BENCH_FP32, 31 + i);
}

struct sums {
    double sum, size, squares;
};

static void add(struct sums *s, double image, double filter)
{
    double v = image * filter;
    s->sum += v;
    s->size += v < 0 ? -v : v;
    s->squares += v * v;
}

static struct sums element(float *const v[TN_CONV_BUFFERS], uint64_t image, unsigned out, unsigned row, unsigned column)
{
    struct sums s = {0, 0, 0};
    for (unsigned in = 0; in < C; in++)
        for (unsigned y = 0; y < F; y++)
            for (unsigned x = 0; x < F; x++) {
                unsigned r = row + y - F / 2, c = column + x - F / 2; /* outside: above the size */
                if (r < SIDE && c < SIDE)
                    add(&s, (double)v[TN_CONV_IMAGE][((image * C + in) * SIDE + r) * SIDE + c],
                        (double)v[TN_CONV_FILTERS][((out * C + in) * F + y) * F + x]);
            }
    return s;
}

#define CHECKED 32u /* the corners of the first image and of the last, and others */

bool tn_bench_conv_check(float *const v[TN_CONV_BUFFERS], uint64_t batch, bool transformed, struct tn_bench_sums *s)
{
    double fine = 0;
    for (unsigned i = 0; i < CHECKED; i++) {
        uint64_t image = i & 1 ? batch - 1 : i * 7 % batch;
        unsigned out = i < 8 ? (i & 2 ? C - 1 : 0) : i * 29 % C, row = i < 8 ? (i & 4 ? SIDE - 1 : 0) : i * 13 % SIDE,
                 column = i < 8 ? (i & 1 ? SIDE - 1 : 0) : i * 31 % SIDE;
        struct sums e = element(v, image, out, row, column);
        double got = (double)v[TN_CONV_RESULT][((image * C + out) * SIDE + row) * SIDE + column];
        if (!tn_bench_check_element("convolution", image * C + out, (uint64_t)row * SIDE + column, got, e.sum,
                                    transformed ? e.size * TN_REF_TRANSFORMED : e.size, C * F * F, s))
            return false;
        fine += (got - e.sum) * (got - e.sum) / e.squares / CHECKED;
    }
    fine = tn_ref_root(fine);
    s->fine = fine > s->fine ? fine : s->fine;
    return true;
}
