/* explain_failed.c - what a program failed of, what it fell back to, what its script says of its figures, and a log
 * without secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "explain/failed.h"
#include "explain/script.h"
#include "snapshot/redact.h"

static unsigned from(const char *text)
{
    return tn_failed_from(tn_span_str(text), 1);
}

static void test_last_traceback(void **state)
{
    (void)state;
    assert_int_equal(from("nothing\nof the kind\n"), 0);
    assert_int_equal(from("a\nTraceback (most recent call last):\n  x\nKeyError: 'x'\n"), 2);
    assert_int_equal(from("Traceback (most recent call last):\nA\nb\nTraceback (most recent call last):\nB\n"), 4);
    assert_int_equal(from("Traceback (most recent call last):\nA\n\nDuring handling of the above exception, another "
                          "exception occurred:\n\nTraceback (most recent call last):\nB\n"),
                     1);
    assert_int_equal(from("Traceback (most recent call last):\nA\n\nThe above exception was the direct cause of the "
                          "following exception:\n\nTraceback (most recent call last):\nB\nb\n"
                          "Traceback (most recent call last):\nC\n"),
                     9);
}

static void observe(struct tn_snap *s, const char *fact, const char *value, int line)
{
    struct tn_rec_observation *o = TN_ADD(s, observation);
    o->fact = tn_fact_str(s, 0, fact);
    o->value = tn_fact_str(s, 0, value);
    o->line = tn_fact_int(0, line);
}

static void test_rests_on_a_line(void **state)
{
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_sink found;
    (void)state;
    tn_snap_init(&s);
    tn_arena_init(&mem);
    tn_sink_init(&found, &mem);
    observe(&s, "message.x", "too old", 5);
    found.cause = "driver-too-old";
    tn_find_evidence(tn_find(&found, TN_POSSIBLE, TN_REF(observation, 0, value)), TN_REF(observation, 0, value));
    assert_true(tn_failed_by(&s, &found, 0));
    assert_true(tn_failed_by(&s, &found, 5));
    assert_false(tn_failed_by(&s, &found, 6));
    found.v[0].cause = "benign-warning";
    found.v[0].severity = TN_NOTE;
    assert_false(tn_failed_by(&s, &found, 0));
    found.v[0].cause = "driver-too-old";
    found.v[0].severity = TN_ERROR;
    found.v[0].status = TN_RULED_OUT;
    assert_false(tn_failed_by(&s, &found, 0));
    tn_arena_deinit(&mem);
    tn_snap_deinit(&s);
}

static void test_fell_back(void **state)
{
    struct tn_snap s;
    const char *what = NULL;
    (void)state;
    tn_snap_init(&s);
    assert_int_equal(tn_fell_back(&s, &what), TN_FELL_NOT);
    observe(&s, "fallback.always", "tensorflow", 1);
    assert_int_equal(tn_fell_back(&s, &what), TN_FELL_IF_GPU);
    observe(&s, "fallback.asked", "onnxruntime", 2);
    observe(&s, "fallback.always", "jax", 3);
    assert_int_equal(tn_fell_back(&s, &what), TN_FELL_BACK);
    assert_string_equal(what, "onnxruntime");
    tn_snap_deinit(&s);
}

static struct tn_script script(const char *text)
{
    struct tn_script s;
    tn_script_read(tn_span_str(text), &s);
    return s;
}

static void test_script(void **state)
{
    (void)state;
    static const char bad[] = "import timeit\n"
                              "def f():\n"
                              "    a = tf.random.normal([9, 9])\n"
                              "    return tf.matmul(a, a)\n"
                              "print(timeit.timeit(f, number=10))\n";
    struct tn_script s = script(bad);
    assert_int_equal(s.number, 10);
    assert_int_equal(s.summed, 5);
    assert_int_equal(s.data, 3);
    assert_int_equal(s.unsynced, 2);
    assert_false(s.lists_gpus);
    static const char good[] = "import timeit\n"
                               "a = tf.random.normal([9, 9])\n"
                               "def f():\n"
                               "    return tf.matmul(a, a).numpy()\n"
                               "f()\n"
                               "t = timeit.timeit(f, number=10) / 10\n"
                               "print(tf.config.list_physical_devices('GPU'))\n";
    s = script(good);
    assert_int_equal(s.summed, 0);
    assert_int_equal(s.data, 0);
    assert_int_equal(s.unsynced, 0);
    assert_true(s.lists_gpus);
    s = script("from timeit import timeit\n# timeit(f, number=3)\n");
    assert_int_equal(s.summed, 0);
    assert_true(tn_script_list_is_empty(tn_span_str("a\nGPU list: []\r\n")));
    assert_false(tn_script_list_is_empty(tn_span_str("a\n[PhysicalDevice(...)]\n")));
}

static void cut(const char *text, const char *want)
{
    struct tn_buf b;
    bool in_key = false;
    tn_buf_init(&b);
    tn_redact_log(tn_span_str(text), &in_key, &b);
    assert_string_equal(b.n ? b.p : "", want);
    tn_buf_deinit(&b);
}

static void test_log(void **state)
{
    (void)state;
    cut("plain text: a://b, http:/x and 10:30\n", "plain text: a://b, http:/x and 10:30\n");
    cut("get https://me:word@host.example/simple/?token=1#x done\n", "get https://host.example/simple/ done\n");
    cut("\"https://u:p@h/a\" 'ftp://q:r@h'\n", "\"https://h/a\" 'ftp://h'\n");
    cut("key hf_abcdefghijklmnopqrstuvwxyz0123 end\n", "key *** end\n");
    cut("Authorization: Bearer abcdefghijklmnop1234\n", "Authorization: ***\n");
    cut("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n***\nb");
    cut("", "");
}

/* A key may go on in the next piece. */
static void test_log_in_pieces(void **state)
{
    struct tn_buf b;
    bool in_key = false;
    (void)state;
    tn_buf_init(&b);
    tn_redact_log(tn_span_str("-----BEGIN PRIVATE KEY-----\nAAAA\n"), &in_key, &b);
    assert_true(in_key);
    tn_redact_log(tn_span_str("BBBB\n-----END PRIVATE KEY-----\nafter\n"), &in_key, &b);
    assert_false(in_key);
    assert_string_equal(b.p, "***\nafter\n");
    tn_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_traceback),
        cmocka_unit_test(test_rests_on_a_line),
        cmocka_unit_test(test_fell_back),
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
