/* version_wheeltag.c - names of wheels, their tags, PEP 503 names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "version/wheeltag.h"

static void names(void **state)
{
    struct tn_arena a;
    struct tn_wheel w;
    struct tn_err err;
    (void)state;
    tn_arena_init(&a);
    assert_int_equal(tn_version_wheel_parse("numpy-2.0.1-cp38.cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
                                            &a, &w, &err),
                     0);
    assert_string_equal(w.name, "numpy");
    assert_string_equal(w.version, "2.0.1");
    assert_string_equal(w.build, "");
    assert_string_equal(w.python, "cp38.cp39");
    assert_string_equal(w.abi, "abi3");
    assert_true(tn_version_tag_has(w.platform, "manylinux2014_x86_64"));
    assert_false(tn_version_tag_has(w.platform, "manylinux2014"));
    assert_true(tn_version_tag_has(w.python, "cp39"));
    assert_int_equal(tn_version_wheel_parse("torch-2.1.0+cu121-1local-cp311-cp311-linux_x86_64.whl", &a, &w, &err), 0);
    assert_string_equal(w.version, "2.1.0+cu121");
    assert_string_equal(w.build, "1local");
    assert_string_equal(w.platform, "linux_x86_64");
    static const char *const bad[] = {"",
                                      ".whl",
                                      "a-1-b-c.whl",
                                      "a-1-x-py3-none-any.whl",
                                      "a-1-1-py3-none-any-x.whl",
                                      "a--py3-none-any.whl",
                                      "a-1-py3-none-.whl",
                                      "a/b-1-py3-none-any.whl",
                                      "a-1-py3-none-any.zip",
                                      "a-1-py3-none-any\n.whl",
                                      "a-1-py3-none-any-.whl"};
    for (size_t i = 0; i < TN_LEN(bad); i++)
        if (tn_version_wheel_parse(bad[i], &a, &w, &err) != TN_E_FORMAT)
            fail_msg("%s was taken", bad[i]);
    tn_arena_deinit(&a);
}

static void libc_of_tags(void **state)
{
    static const struct {
        const char *tag;
        enum tn_libc kind;
        unsigned major, minor;
        const char *arch;
    } rows[] = {{"manylinux_2_28_x86_64", TN_LIBC_GLIBC, 2, 28, "x86_64"},
                {"manylinux2014_aarch64", TN_LIBC_GLIBC, 2, 17, "aarch64"},
                {"manylinux2010_x86_64", TN_LIBC_GLIBC, 2, 12, "x86_64"},
                {"manylinux1_i686", TN_LIBC_GLIBC, 2, 5, "i686"},
                {"musllinux_1_2_x86_64", TN_LIBC_MUSL, 1, 2, "x86_64"}};
    static const char *const none[] = {"linux_x86_64",
                                       "win_amd64",
                                       "any",
                                       "manylinux_2_x86_64",
                                       "manylinux2014",
                                       "manylinux2014_",
                                       "manylinux_2_9999999999_x",
                                       "macosx_11_0_arm64"};
    struct tn_platform_libc v;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_true(tn_version_platform_libc(tn_span_str(rows[i].tag), &v));
        assert_int_equal(v.kind, rows[i].kind);
        assert_int_equal(v.major, rows[i].major);
        assert_int_equal(v.minor, rows[i].minor);
        assert_true(tn_span_eq(v.arch, rows[i].arch));
    }
    for (size_t i = 0; i < TN_LEN(none); i++)
        assert_false(tn_version_platform_libc(tn_span_str(none[i]), &v));
    assert_true(
        tn_version_wheel_libc("manylinux_2_27_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", TN_LIBC_GLIBC, &v));
    assert_int_equal(v.minor, 17);
    assert_true(tn_version_wheel_libc("manylinux_2_27_x86_64.musllinux_1_1_x86_64", TN_LIBC_MUSL, &v));
    assert_int_equal(v.minor, 1);
    assert_false(tn_version_wheel_libc("win_amd64", TN_LIBC_GLIBC, &v));
}

static void normal_names(void **state)
{
    static const char *const rows[][2] = {
        {"Nvidia_CuDNN.-cu12", "nvidia-cudnn-cu12"}, {"tensorflow", "tensorflow"}, {"a.b", "a-b"}, {"X", "x"}};
    static const char *const bad[] = {"", "-a", "a-", "a b", "a\xc3\xa4", "_"};
    char buf[64];
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_version_normal_name(rows[i][0], buf, sizeof buf, NULL), 0);
        assert_string_equal(buf, rows[i][1]);
    }
    for (size_t i = 0; i < TN_LEN(bad); i++)
        assert_int_equal(tn_version_normal_name(bad[i], buf, sizeof buf, NULL), TN_E_FORMAT);
    assert_int_equal(tn_version_normal_name("abc", buf, 3, NULL), TN_E_LIMIT);
    assert_string_equal(buf, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(libc_of_tags),
                                       cmocka_unit_test(normal_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
