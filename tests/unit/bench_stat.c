/* bench_stat.c - statistics of timings against values that can be worked out by hand or stand in tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "bench/bench.h"

static void near(double got, double want, double by)
{
    assert_true(got - want <= by && want - got <= by);
}

static void test_median_and_quartiles(void **state)
{
    (void)state;
    const double v[] = {5, 1, 4, 2, 3};
    struct tn_stat s;
    tn_stat_of(v, 5, &s);
    near(s.median, 3, 0);
    near(s.q1, 2, 0);
    near(s.q3, 4, 0);
    near(s.min, 1, 0);
    near(s.max, 5, 0);
    assert_false(s.bounded);
    near(v[0], 5, 0);
    tn_stat_of(v, 2, &s);
    near(s.median, 3, 0);
}

/* Conover's table for the sign test: ranks of the 95 % interval. */
static void test_ranks_of_the_median(void **state)
{
    (void)state;
    static const struct {
        size_t n, k;
    } known[] = {{5, 0}, {6, 1}, {8, 1}, {9, 2}, {10, 2}, {12, 3}, {20, 6}, {30, 10}, {100, 40}};
    for (unsigned i = 0; i < TN_LEN(known); i++)
        assert_int_equal(tn_stat_rank(known[i].n, 0.95), known[i].k);
    assert_int_equal(tn_stat_rank(0, 0.95), 0);
    assert_int_equal(tn_stat_rank(TN_STAT_MAX, 0.95), 469);
}

static void test_rank_sums(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10}, c[] = {1.5, 2.5, 3.5, 4.5, 5.5}, same[] = {1, 1, 1};
    near(tn_stat_rank_sum(a, 5, b, 5), 2.0 / 252, 1e-12); /* the outermost two of C(10,5) */
    near(tn_stat_rank_sum(b, 5, a, 5), 2.0 / 252, 1e-12);
    near(tn_stat_rank_sum(a, 3, b, 3), 0.1, 1e-12);
    near(tn_stat_rank_sum(a, 5, c, 5), 0.6905, 1e-4); /* wilcox.test: W = 10 */
    near(tn_stat_rank_sum(same, 3, same, 3), 1, 1e-12);
}

/* Under one distribution a difference is found as seldom as promised: 400 pairs of noise. */
static void test_noise_is_no_difference(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    unsigned found = 0;
    for (unsigned k = 0; k < 400; k++) {
        double v[20];
        for (unsigned i = 0; i < 20; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            v[i] = (double)(x % 1000) + (x % 97 == 0 ? 5000 : 0);
        }
        found += tn_stat_rank_sum(v, 10, v + 10, 10) <= 0.05;
    }
    assert_in_range(found, 5, 35);
}

static void test_blocks_and_rest(void **state)
{
    (void)state;
    double v[25], b[TN_STAT_BLOCKS];
    for (unsigned i = 0; i < 25; i++)
        v[i] = i;
    assert_int_equal(tn_stat_blocks(v, 25, b), TN_STAT_BLOCKS);
    near(b[0], 0.5, 0);
    near(b[9], 23, 0);
    assert_int_equal(tn_stat_blocks(v, 4, b), 4);
    const double falling[] = {9, 8, 7, 6, 5, 4}, resting[] = {90, 5, 5, 5, 5.01, 5.02, 5};
    assert_false(tn_stat_steady(falling, 6, 0.03));
    assert_true(tn_stat_steady(resting, 7, 0.03));
    assert_false(tn_stat_steady(resting, 5, 0.03));
}

static void test_replayed(void **state)
{
    (void)state;
    static const char *const bad[] = {"",       "s",     "2.3 s / ",     "2.3 s / 0",          "2.3 s / 1.5", "0 s",
                                      "2.3 km", "1e3 s", "2.3 s / 10 x", "1234567890123456 s", NULL};
    struct tn_bench_replay r;
    assert_true(tn_bench_replay("2.3 s / 10", &r));
    near(r.each, 0.23, 1e-12);
    assert_true(tn_bench_replay(" 28s/10 ", &r));
    near(r.each, 2.8, 1e-12);
    assert_true(tn_bench_replay("450 us", &r));
    near(r.each, 4.5e-4, 1e-12);
    for (unsigned i = 0; bad[i]; i++)
        assert_false(tn_bench_replay(bad[i], &r));
}

/* What a worker tells is a foreign library's word. */
static void test_told(void **state)
{
    (void)state;
    static const char *const good[] = {"library OpenBLAS 0.3", "size 64", "sample 12.5", "sample 13",
                                       "warmup 7 1",           "checked"};
    static const char *const bad[] = {"sample nan", "sample -1", "sample", "sample 1 2",
                                      "size x",     "warmup 1",  "sam",    "memory 1 2 3"};
    struct tn_arena mem;
    struct tn_bench b;
    tn_arena_init(&mem);
    tn_bench_init(&b, &mem);
    struct tn_bench_side *s = tn_bench_add(&b, "cpu");
    assert_false(tn_bench_take(&b, s, tn_span_str("sample 1"))); /* of no size */
    for (unsigned i = 0; i < TN_LEN(good); i++)
        assert_true(tn_bench_take(&b, s, tn_span_str(good[i])));
    for (unsigned i = 0; i < TN_LEN(bad); i++)
        assert_false(tn_bench_take(&b, s, tn_span_str(bad[i])));
    assert_true(tn_bench_take(&b, s, tn_span_str("size 99999999999")));
    assert_int_equal(s->n, 1);
    tn_bench_settle(&s->r[0]);
    near(s->r[0].stat.median, 12.75e-6, 1e-12);
    near(s->r[0].gflops, 2 * 64.0 * 64 * 64 / 12.75e-6 / 1e9, 1e-9);
    for (unsigned i = 0; i < 2 * TN_STAT_MAX; i++)
        tn_bench_take(&b, s, tn_span_str("sample 12.5"));
    assert_int_equal(s->r[0].n_sample, TN_STAT_MAX);
    tn_arena_deinit(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_median_and_quartiles),
                                       cmocka_unit_test(test_ranks_of_the_median),
                                       cmocka_unit_test(test_rank_sums),
                                       cmocka_unit_test(test_noise_is_no_difference),
                                       cmocka_unit_test(test_blocks_and_rest),
                                       cmocka_unit_test(test_replayed),
                                       cmocka_unit_test(test_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
