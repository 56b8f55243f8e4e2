/* apply_progress.c - what pip's and uv's own lines tell of a download, and nothing more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "apply/progress.h"

#define S 1000000u

static bool line(struct tn_progress *p, const char *text)
{
    return tn_progress_line(p, tn_span_of(text, strlen(text)));
}

/* Lines of pip 23.2 and 25.3. */
static void test_pip(void **state)
{
    (void)state;
    struct tn_progress p = {0};
    assert_false(line(&p, "Collecting torch==2.4.0"));
    assert_true(line(&p, "  Downloading torch-2.4.0-cp311-cp311-manylinux1_x86_64.whl (797.2 MB)"));
    assert_int_equal(p.of, 797200000);
    assert_string_equal(p.name, "torch-2.4.0-cp311-cp311-manylinux1_x86_64.whl");
    tn_progress_seen(&p, 100 * S, 0);
    assert_int_equal(tn_progress_rate(&p), 0); /* nothing is known yet */
    assert_int_equal(tn_progress_left(&p), 0);
    tn_progress_seen(&p, 101 * S, 10000000);
    assert_int_equal(tn_progress_rate(&p), 0); /* a second tells little */
    tn_progress_seen(&p, 104 * S, 40000000);
    assert_int_equal(p.now, 40000000);
    assert_int_equal(tn_progress_rate(&p), 10000000);
    assert_int_equal(tn_progress_left(&p), 76); /* 757.2 MB */
    tn_progress_seen(&p, 105 * S, 900000000);   /* the size is rounded: never more than all */
    assert_int_equal(p.now, p.of);
    assert_int_equal(tn_progress_left(&p), 0);
    assert_false(line(&p, "Installing collected packages: torch"));
    assert_int_equal(p.of, 0);
    assert_int_equal(tn_progress_rate(&p), 0);
    assert_true(line(&p, "Downloading six-1.17.0-py2.py3-none-any.whl (11 kB)"));
    assert_int_equal(p.of, 11000);
    assert_true(line(&p, "Downloading http://127.0.0.1/x/x-1-py3-none-any.whl.metadata (900 bytes)"));
    assert_int_equal(p.of, 900);
    assert_string_equal(p.name, "x-1-py3-none-any.whl.metadata");
}

/* A rate is that of the last seconds, not of all the time. */
static void test_rate(void **state)
{
    (void)state;
    struct tn_progress p = {0};
    line(&p, "Downloading a-1-py3-none-any.whl (1000.0 MB)");
    for (unsigned i = 0; i <= 20; i++)
        tn_progress_seen(&p, (100 + i) * S, i <= 10 ? i * 10000000u : 100000000u + (i - 10) * 1000000u);
    assert_int_equal(tn_progress_rate(&p), 1000000);
    assert_int_equal(tn_progress_left(&p), 890);
    for (unsigned i = 21; i <= 40; i++)
        tn_progress_seen(&p, (100 + i) * S, 110000000);
    assert_int_equal(tn_progress_rate(&p), 0); /* it stands still: nobody knows when it ends */
    assert_int_equal(tn_progress_left(&p), 0);
}

/* Lines of uv 0.9: many at once. */
static void test_uv(void **state)
{
    (void)state;
    struct tn_progress p = {0};
    assert_true(line(&p, "Downloading torch (760.1MiB)"));
    assert_true(line(&p, "Downloading nvidia-cublas-cu12 (10.0MiB)"));
    assert_int_equal(p.announced, 2);
    assert_int_equal(p.of, 7601ull * (1u << 20) / 10 + 10ull * (1u << 20));
    tn_progress_seen(&p, 100 * S, 12345);
    assert_int_equal(p.now, 0); /* what lies somewhere is no part of it */
    assert_false(line(&p, " Downloaded nvidia-cublas-cu12"));
    assert_false(line(&p, " Downloaded somebody-else"));
    tn_progress_seen(&p, 105 * S, 0);
    assert_int_equal(p.now, 10 * (1u << 20));
    assert_int_equal(tn_progress_rate(&p), 2 * (1u << 20));
    assert_int_equal(tn_progress_left(&p), 381);
    line(&p, "Prepared 2 packages in 3.2s");
    assert_int_equal(p.of, 0);
}

static void test_hostile(void **state)
{
    (void)state;
    struct tn_progress p = {0};
    static const char *const none[] = {"Downloading",
                                       "Downloading ",
                                       "Downloading (",
                                       "Downloading ()",
                                       "Downloading x ()",
                                       "Downloading x (MB)",
                                       "Downloading x (9 pieces)",
                                       "Downloading x (1.2",
                                       "",
                                       "Downloaded ",
                                       "Downloading x (0 bytes)",
                                       "Downloading x (.5 MB)"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(line(&p, none[i]));
        assert_int_equal(p.of, 0);
    }
    char text[5000];
    memset(text, 'a', sizeof text);
    memcpy(text, "Downloading ", 12);
    memcpy(text + sizeof text - 12, " (999999 GB)", 12);
    assert_true(tn_progress_line(&p, tn_span_of(text, sizeof text)));
    assert_int_equal(strlen(p.name), sizeof p.name - 1);
    for (unsigned i = 0; i < 1000; i++)
        line(&p, "Downloading y (1.0MiB)");
    assert_int_equal(p.n_open, TN_PROGRESS_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pip), cmocka_unit_test(test_rate),
                                       cmocka_unit_test(test_uv), cmocka_unit_test(test_hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
