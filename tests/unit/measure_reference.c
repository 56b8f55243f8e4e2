/* measure_reference.c - right results are right in every precision, and every kind of wrong one is caught. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "measure/reference.h"

static const struct tn_ref_matmul shape = {.m = 33, .n = 29, .k = 64, .seed = 5};
static const struct tn_ref_conv image = {.rows = 9, .columns = 7, .in = 4, .out = 6, .h = 3, .w = 3, .seed = 3};

/* To so many significant bits, to nearest. */
static float cut(float v, int bits)
{
    uint32_t b, drop = 24u - (uint32_t)bits;
    memcpy(&b, &v, sizeof b);
    if (drop)
        b = (b + (1u << (drop - 1))) & ~((1u << drop) - 1);
    memcpy(&v, &b, sizeof b);
    return v;
}

/* As a card computes: inputs in `bits` bits, sums in FP32. */
static void product(const struct tn_ref_matmul *r, int bits, float *c)
{
    for (unsigned i = 0; i < r->m; i++)
        for (unsigned j = 0; j < r->n; j++) {
            float sum = 0;
            for (unsigned l = 0; l < r->k; l++)
                sum += cut((float)tn_ref_value(TN_FP32, r->seed, i * r->k + l), bits) *
                       cut((float)tn_ref_value(TN_FP32, r->seed + 1, l * r->n + j), bits);
            c[i * r->n + j] = sum;
        }
}

static bool right(enum tn_precision p, const void *result)
{
    struct tn_ref_verdict v;
    tn_ref_check_matmul(&shape, p, result, &v);
    assert_int_equal(v.right, v.wrong == 0);
    assert_int_equal(v.right, v.worst <= 1);
    return v.right;
}

static void test_right_ones_pass(void **state)
{
    float c[33 * 29];
    double d[33 * 29];
    int32_t whole[33 * 29];
    (void)state;
    product(&shape, 24, c);
    assert_true(right(TN_FP32, c));
    product(&shape, 11, c);
    assert_true(right(TN_TF32, c));
    for (unsigned i = 0; i < shape.m; i++)
        for (unsigned j = 0; j < shape.n; j++) {
            double sum = 0, units = 0;
            for (unsigned l = 0; l < shape.k; l++) {
                sum += tn_ref_value(TN_FP64, shape.seed, i * shape.k + l) *
                       tn_ref_value(TN_FP64, shape.seed + 1, l * shape.n + j);
                units += tn_ref_value(TN_INT8, shape.seed, i * shape.k + l) *
                         tn_ref_value(TN_INT8, shape.seed + 1, l * shape.n + j);
            }
            d[i * shape.n + j] = sum;
            whole[i * shape.n + j] = (int32_t)units;
        }
    assert_true(right(TN_FP64, d));
    assert_true(right(TN_INT8, whole));
    whole[7]++;
    assert_false(right(TN_INT8, whole));
}

/* BF16 results are the upper half of an FP32; FP16's by way of the inputs, whose sum of one product is exact. */
static void test_short_types(void **state)
{
    static const struct tn_ref_matmul one = {.m = 4, .n = 4, .k = 1, .seed = 9};
    uint16_t bf[33 * 29], half[16], a[4], b[4];
    struct tn_ref_verdict v;
    (void)state;
    for (unsigned i = 0; i < shape.m; i++)
        for (unsigned j = 0; j < shape.n; j++) {
            float sum = 0;
            uint32_t bits;
            for (unsigned l = 0; l < shape.k; l++)
                sum += (float)tn_ref_value(TN_BF16, shape.seed, i * shape.k + l) *
                       (float)tn_ref_value(TN_BF16, shape.seed + 1, l * shape.n + j);
            sum = cut(sum, 8);
            memcpy(&bits, &sum, sizeof bits);
            bf[i * shape.n + j] = (uint16_t)(bits >> 16);
        }
    assert_true(right(TN_BF16, bf));
    bf[100] ^= 0x20;
    assert_false(right(TN_BF16, bf));
    tn_ref_fill(TN_FP16, 9, 4, a);
    tn_ref_fill(TN_FP16, 10, 4, b);
    memset(half, 0, sizeof half);
    tn_ref_check_matmul(&one, TN_FP16, half, &v);
    assert_int_equal(v.wrong, 16);
    half[0] = 0x7e00; /* NaN */
    tn_ref_check_matmul(&one, TN_FP16, half, &v);
    assert_int_equal(v.wrong, 16);
    for (unsigned i = 0; i < 4; i++) { /* the inputs' bits say what the rule says */
        double m = 1 + (a[i] & 1023) / 1024.0, want = tn_ref_value(TN_FP16, 9, i);
        for (int e = a[i] >> 10 & 31; e < 15; e++)
            m /= 2;
        assert_true((a[i] & 0x8000 ? -m : m) == want);
    }
}

/* Each spoils a right result. */
static void spoil(unsigned how, float *c)
{
    const unsigned n = shape.m * shape.n;
    struct tn_ref_matmul other = shape;
    float t;
    switch (how) {
    case 0: memset(c, 0, n * sizeof *c); break;                /* no work at all */
    case 1: c[n - 1] = 0; break;                               /* the last element untouched */
    case 2: c[17] = 0.0f / (c[17] - c[17]); break;             /* NaN */
    case 3: c[3] = 1e38f * 10; break;                          /* infinite */
    case 4: other.seed = 6, product(&other, 24, c); break;     /* the result of before */
    case 5: product(&shape, 11, c); break;                     /* TF32 where FP32 was asked for */
    case 6: product(&shape, 8, c); break;                      /* BF16 */
    case 7: t = c[1], c[1] = c[2], c[2] = t; break;            /* two exchanged */
    case 8: c[500] = -c[500]; break;                           /* a sign */
    case 9: memset(c + n / 2, 0xff, n / 2 * sizeof *c); break; /* half of it never written */
    case 10: c[40] *= 1.001f; break;                           /* a little off */
    case 11: other.k = 63, product(&other, 24, c); break;      /* one product left out, and others moved */
    case 12: memmove(c + 1, c, (n - 1) * sizeof *c); break;    /* moved by one */
    default: c[0] += 0.001f; break;
    }
}

static void test_wrong_ones_are_caught(void **state)
{
    float c[33 * 29];
    unsigned caught = 0, all = 14;
    (void)state;
    for (unsigned how = 0; how < all; how++) {
        product(&shape, 24, c);
        spoil(how, c);
        bool ok = right(TN_FP32, c);
        if (ok)
            fprintf(stderr, "not caught: %u\n", how);
        caught += !ok;
    }
    printf("wrong results caught: %u of %u\n", caught, all);
    assert_int_equal(caught, all);
}

static void convolve(const struct tn_ref_conv *r, float *out)
{
    for (unsigned y = 0; y < r->rows; y++)
        for (unsigned x = 0; x < r->columns; x++)
            for (unsigned o = 0; o < r->out; o++) {
                float sum = 0;
                for (int fy = -1; fy <= 1; fy++)
                    for (int fx = -1; fx <= 1; fx++)
                        for (unsigned i = 0; i < r->in; i++) {
                            int iy = (int)y + fy, ix = (int)x + fx;
                            if (iy < 0 || ix < 0 || iy >= (int)r->rows || ix >= (int)r->columns)
                                continue;
                            uint32_t a = ((uint32_t)iy * r->columns + (uint32_t)ix) * r->in + i;
                            uint32_t f = ((uint32_t)((fy + 1) * 3 + fx + 1) * r->in + i) * r->out + o;
                            sum +=
                                (float)tn_ref_value(TN_FP32, r->seed, a) * (float)tn_ref_value(TN_FP32, r->seed + 1, f);
                        }
                out[(y * r->columns + x) * r->out + o] = sum;
            }
}

static void test_convolution(void **state)
{
    float out[9 * 7 * 6];
    struct tn_ref_verdict v;
    (void)state;
    convolve(&image, out);
    tn_ref_check_conv(&image, TN_FP32, out, &v);
    assert_true(v.right && v.worst > 0);
    out[100] += 0.01f;
    tn_ref_check_conv(&image, TN_FP32, out, &v);
    assert_int_equal(v.wrong, 1);
    assert_int_equal(v.first, 100);
    memset(out, 0, sizeof out);
    tn_ref_check_conv(&image, TN_FP32, out, &v);
    assert_false(v.right);
    struct tn_ref_conv other = image; /* the same numbers in the other order are another result */
    convolve(&image, out);
    other.channels_first = true;
    tn_ref_check_conv(&other, TN_FP32, out, &v);
    assert_false(v.right);
}

static void test_waves_and_roots(void **state)
{
    static const unsigned lengths[] = {1, 2, 3, 7, 8, 512, 1260};
    static const double squares[] = {2, 1, 0.25, 9, 1e300, 1e-300};
    (void)state;
    for (size_t i = 0; i < TN_LEN(lengths); i++)
        for (unsigned k = 0; k <= lengths[i]; k++) {
            long double c, s, angle = 2 * 3.14159265358979323846264338327950288L * k / lengths[i];
            tn_ref_wave(k, lengths[i], &c, &s);
            assert_true(fabsl(c - cosl(angle)) < 1e-17L && fabsl(s - sinl(angle)) < 1e-17L);
        }
    for (size_t i = 0; i < TN_LEN(squares); i++)
        assert_true(fabs(tn_ref_root(squares[i]) / sqrt(squares[i]) - 1) < 1e-15);
    assert_true(tn_ref_root(0) == 0 && tn_ref_root(-1) == 0 && tn_ref_root((double)NAN) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right_ones_pass), cmocka_unit_test(test_short_types),
                                       cmocka_unit_test(test_wrong_ones_are_caught), cmocka_unit_test(test_convolution),
                                       cmocka_unit_test(test_waves_and_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
