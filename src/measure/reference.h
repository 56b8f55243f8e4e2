/* reference.h - what a matrix product and a convolution must come to, and how far a right result may be from it.
 *
 * Inputs are made by a rule that every language can repeat exactly (tn_ref_value), so that a framework's own Python
 * computes from the same numbers. The reference is summed in long double. A result is right when every element lies
 * within its own bound: the error analysis of a sum of products in any order (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., section 3.1):
 *
 *     |computed - exact| <= gamma(k) * sum |a||b|,   gamma(k) = k u / (1 - k u),   u the unit roundoff
 *
 * plus the rounding of inputs and of the stored result to a shorter type. NaN is in no bound. */
#ifndef TN_MEASURE_REFERENCE_H
#define TN_MEASURE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inputs are exact in each type: they have 24 significant bits (FP32, FP64, TF32), 11 (FP16), 8 (BF16), or are whole
 * numbers of -127 to 127 (INT8). */
enum tn_precision { TN_FP64, TN_FP32, TN_TF32, TN_FP16, TN_BF16, TN_INT8, TN_PRECISIONS };
const char *tn_precision_word(enum tn_precision p); /* "fp64" ... */
/* The precision of that word, or TN_PRECISIONS. */
enum tn_precision tn_precision_of(const char *word, size_t n);

/* Value i of the input number `seed`, in [-1, 1). The rule, with 32-bit arithmetic that wraps:
 *     h = i * 2654435761 + seed * 40503;  h ^= h >> 15;  h *= 2246822519;  h ^= h >> 13
 *     ((h >> 8) - 2^23) / 2^23
 * cut (towards zero) to the precision's significant bits as a multiple of 2^-10 (FP16), 2^-7 (BF16, INT8: times 127).
 */
double tn_ref_value(enum tn_precision p, uint32_t seed, uint32_t i);

/* The same value in the type's bits: 8, 4, 2 or 1 bytes each. p FP32 for TF32. */
void tn_ref_fill(enum tn_precision p, uint32_t seed, size_t n, void *ret);
size_t tn_ref_size(enum tn_precision p);     /* of an input in bytes */
size_t tn_ref_out_size(enum tn_precision p); /* of a result: INT8 gives 32-bit integers */

/* m x k times k x n, all row by row; a from seed, b from seed + 1. */
struct tn_ref_matmul {
    unsigned m, n, k;
    uint32_t seed;
};
/* Filters of h x w over an image of `rows` x `columns` with `in` channels to `out` channels; stride 1, as many zeros at
 * the borders as keep the size (for an even filter one more behind). Image from seed, filters from seed + 1. Order:
 * image row, column, channel (NHWC) and filter row, column, in, out (HWIO); with channels_first NCHW and OIHW. */
struct tn_ref_conv {
    unsigned rows, columns, in, out, h, w;
    uint32_t seed;
    bool channels_first;
    bool direct; /* known to be computed by the sums themselves: each element has its own, smaller bound */
};

struct tn_ref_verdict {
    bool right;
    double worst;        /* the largest error in units of its own bound: at most 1 when right; INFINITY for NaN */
    double off;          /* the largest error, in the result's own units */
    double bound;        /* largest bound, likewise */
    size_t wrong, first; /* how many elements are outside, and the first of them */
};

/* Factor of sum |a||b| in the bound of k products. */
double tn_ref_factor(enum tn_precision p, unsigned k);
/* cos and sin of 2 pi k / n, to the last bits of a long double. Our own, as the root: a program that needs libm would
 * end where a libm of another kind lies on LD_LIBRARY_PATH, and is the one that is to say so. */
void tn_ref_wave(unsigned k, unsigned n, long double *cosine, long double *sine);
double tn_ref_root(double x); /* 0 for what is not above 0 */
/* One element: got, where want is exact and bound the most that it may be off. A verdict begins as {.right = true}. */
void tn_ref_judge(struct tn_ref_verdict *v, double got, long double want, double bound, size_t i);

/* result: the elements in the type's bits, row by row (out_size each). */
void tn_ref_check_matmul(const struct tn_ref_matmul *r, enum tn_precision p, const void *result,
                         struct tn_ref_verdict *ret);
/* Libraries may transform (Winograd, FFT), which spreads rounding over the tile: the bound is the largest of all
 * elements, times TN_REF_TRANSFORMED (F(4x4,3x3) amplifies by less: Lavin, Gray 2016; Barabasz et al. 2020). */
#define TN_REF_TRANSFORMED 16.0
void tn_ref_check_conv(const struct tn_ref_conv *r, enum tn_precision p, const void *result,
                       struct tn_ref_verdict *ret);

#endif
