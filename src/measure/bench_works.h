/* bench_works.h - the works beside the matrix product (bench/bench.h says their shapes), as far as both sides share
 * them: where what lies, and whether what came out is right.
 *
 * Each part is compared with sums of its own inputs as they were, so that a bound stays that of one part. */
#ifndef TN_MEASURE_BENCH_WORKS_H
#define TN_MEASURE_BENCH_WORKS_H

#include "measure/bench_run.h"
#include "measure/blas_cpu.h"

/* ---- bench_conv.c: images and results NCHW, filters OIHW */

enum { TN_CONV_IMAGE, TN_CONV_FILTERS, TN_CONV_RESULT, TN_CONV_BUFFERS };
uint64_t tn_bench_conv_count(unsigned buffer, uint64_t batch); /* numbers */
void tn_bench_conv_fill(float *const v[TN_CONV_BUFFERS], uint64_t batch);
/* transformed: it was not computed by the sums themselves (reference.h). */
bool tn_bench_conv_check(float *const v[TN_CONV_BUFFERS], uint64_t batch, bool transformed, struct tn_bench_sums *s);

/* ---- bench_step.c: all row by row, a row for each token */

enum {
    TN_STEP_X,
    TN_STEP_W_QKV,
    TN_STEP_W_OUT,
    TN_STEP_W_UP,
    TN_STEP_W_DOWN,
    TN_STEP_GIVEN, /* the ones so far are */
    TN_STEP_QKV = TN_STEP_GIVEN,
    TN_STEP_SCORES, /* head, sequence, token, token */
    TN_STEP_SHARES, /* their softmax */
    TN_STEP_VALUES,
    TN_STEP_OUT,
    TN_STEP_UP,
    TN_STEP_DOWN,
    TN_STEP_BUFFERS
};
uint64_t tn_bench_step_count(unsigned buffer, uint64_t batch);
void tn_bench_step_fill(float *const v[TN_STEP_BUFFERS], uint64_t batch);
bool tn_bench_step_check(float *const v[TN_STEP_BUFFERS], uint64_t batch, struct tn_bench_sums *s);

/* Its six products in order, the softmax behind TN_STEP_SCORES. Those of attention are done `times` a head, each moved
 * on by these steps (numbers); v: where the buffers begin, on whichever side. */
struct tn_bench_part {
    const char *name;
    struct tn_bench_product p; /* of head 0 and sequence 0; a, b, c: NULL */
    unsigned a, b, c;          /* buffers */
    uint64_t a_from, b_from;   /* where in them it begins */
    bool attention;
    uint64_t a_head, b_head, c_head, a_next, b_next, c_next; /* to the next head, sequence */
};
enum { TN_STEP_PARTS = 6, TN_STEP_SOFTMAX_BEHIND = 1 };
void tn_bench_step_parts(uint64_t batch, struct tn_bench_part ret[TN_STEP_PARTS]);

/* ---- bench_works_cpu.c: in the worker of the CPU. 0, 3: failed and told, 4: a wrong result. */
int tn_bench_works_cpu(const struct tn_blas *blas, unsigned works, uint64_t batch, unsigned runs, unsigned budget_ms);

#endif
