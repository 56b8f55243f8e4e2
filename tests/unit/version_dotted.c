/* version_dotted.c - dotted numbers and NVIDIA's packed version integers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "version/dotted.h"

static void form(void **state)
{
    static const char *const good[] = {"12.4", "535.183.01", "2", "2.36-9+deb12u4", "535.183.01-server", "0", "12 x"};
    static const char *const bad[] = {"", "x", ".1", "12.", "12..4", "12.x", "-1"};
    (void)state;
    for (size_t i = 0; i < TN_LEN(good); i++)
        assert_true(tn_version_dotted_ok(good[i]));
    for (size_t i = 0; i < TN_LEN(bad); i++)
        assert_false(tn_version_dotted_ok(bad[i]));
}

static void order(void **state)
{
    static const struct {
        const char *a, *b;
        int want;
    } rows[] = {{"535.183.01", "535.183.1", 0},
                {"535.183.01", "535.54.03", 1},
                {"9.2", "10.0", -1},
                {"12", "12.0.0", 0},
                {"12", "12.0.1", -1},
                {"2.36-9", "2.36", 0},
                {"", "0", 0},
                {"", "0.1", -1},
                {"99999999999999999999999", "18446744073709551615", 0},
                {"12.4.1", "12.4.x", 1},
                {"12.4-1.5", "12.4-1.6", 0},
                {"1..2", "1..3", 0},
                {"10.1", "1.1", 1},
                {"12.41", "12.4", 1},
                {"2.9", "2.28", -1}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_version_dotted_cmp(rows[i].a, rows[i].b), rows[i].want);
        assert_int_equal(tn_version_dotted_cmp(rows[i].b, rows[i].a), -rows[i].want);
    }
    assert_int_equal(tn_version_dotted_cmp_parts("535.183.01", "535.54", 1), 0);
    assert_int_equal(tn_version_dotted_cmp_parts("12.4.1", "12.5", 2), -1);
}

static void parts(void **state)
{
    uint64_t v = 77;
    char buf[TN_DOTTED_TEXT] = "-";
    (void)state;
    assert_true(tn_version_dotted_part("535.183.01-x", 2, &v));
    assert_int_equal(v, 1);
    assert_false(tn_version_dotted_part("535.183.01", 3, &v));
    assert_int_equal(v, 1);
    assert_int_equal(tn_version_dotted_count("31.0.15.4601"), 4);
    assert_int_equal(tn_version_dotted_count("x"), 0);
    assert_int_equal(tn_version_dotted_major("535.1"), 535);
    assert_true(tn_version_dotted_head("12.04.1", 2, buf, sizeof buf));
    assert_string_equal(buf, "12.4");
    assert_false(tn_version_dotted_head("12", 2, buf, sizeof buf));
    assert_false(tn_version_dotted_head("12.4", 2, buf, 4));
    assert_string_equal(buf, "12.4");
}

typedef bool (*conversion)(int64_t code, char *buf);

static void packed(void **state)
{
    static const struct {
        conversion f;
        int64_t code;
        const char *want; /* NULL: refused */
    } rows[] = {
        {tn_version_cuda_text, 12040, "12.4"},    {tn_version_cuda_text, 11080, "11.8"},
        {tn_version_cuda_text, 13000, "13.0"},    {tn_version_cuda_text, 6050, "6.5"},
        {tn_version_cuda_text, 0, NULL},          {tn_version_cuda_text, -1, NULL},
        {tn_version_cudnn_text, 90100, "9.1.0"},  {tn_version_cudnn_text, 8907, "8.9.7"},
        {tn_version_cudnn_text, 91900, "9.19.0"}, {tn_version_cudnn_text, 7605, "7.6.5"},
        {tn_version_cudnn_text, 5110, "5.1.10"},  {tn_version_cudnn_text, 9100, NULL},
        {tn_version_cudnn_text, INT64_MAX, NULL}, {tn_version_nccl_text, 22809, "2.28.9"},
        {tn_version_nccl_text, 2708, "2.7.8"},    {tn_version_nccl_text, 2803, "2.8.3"},
        {tn_version_nccl_text, 20906, "2.9.6"},   {tn_version_nccl_text, 3000, NULL},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        char buf[TN_DOTTED_TEXT] = "-";
        assert_int_equal(rows[i].f(rows[i].code, buf), rows[i].want != NULL);
        assert_string_equal(buf, rows[i].want ? rows[i].want : "-");
    }
}

static void windows(void **state)
{
    char buf[TN_DOTTED_TEXT];
    (void)state;
    assert_true(tn_version_windows_driver("31.0.15.4601", buf));
    assert_string_equal(buf, "546.01");
    assert_true(tn_version_windows_driver("32.0.15.6094", buf));
    assert_string_equal(buf, "560.94");
    assert_true(tn_version_windows_driver("9.18.13.0697", buf));
    assert_string_equal(buf, "306.97");
    assert_false(tn_version_windows_driver("31.0.15", buf));
    assert_false(tn_version_windows_driver("31.0.15.46011", buf));
    assert_true(tn_version_windows_cudart("6.14.11.12090", buf));
    assert_string_equal(buf, "12.9");
    assert_true(tn_version_windows_cudart("6.14.11.8000", buf));
    assert_string_equal(buf, "8.0");
    assert_false(tn_version_windows_cudart("12.0.0.0", buf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(form), cmocka_unit_test(order), cmocka_unit_test(parts),
                                       cmocka_unit_test(packed), cmocka_unit_test(windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
