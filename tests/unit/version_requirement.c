/* version_requirement.c - lines of Requires-Dist, as real wheels have them, and markers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "version/requirement.h"

static const struct tn_marker_env linux_env = {
    "3.11", "3.11.9", "posix", "linux", "Linux", "x86_64", "cpython", "",
};

static void parts(void **state)
{
    static const struct {
        const char *text, *name, *extras, *spec, *marker;
    } rows[] = {
        {"numpy (<2.0,>=1.14.5)", "numpy", "", "(<2.0,>=1.14.5)", ""}, /* METADATA of TensorFlow 2.1 */
        {"nvidia-cudnn-cu12==9.1.0.70; platform_system == \"Linux\" and platform_machine == \"x86_64\"",
         "nvidia-cudnn-cu12", "", "==9.1.0.70", "platform_system == \"Linux\" and platform_machine == \"x86_64\""},
        {"cuda-toolkit[cublas,cudart,NVTX] ==13.0.2; sys_platform == 'linux'", "cuda-toolkit", "cublas cudart nvtx",
         "==13.0.2", "sys_platform == 'linux'"},
        {"Keras_Preprocessing<1.2,>=1.1.1", "keras-preprocessing", "", "<1.2,>=1.1.1", ""},
        {"typing-extensions", "typing-extensions", "", "", ""},
        {"torch @ https://example.org/torch.whl ; python_version < '3'", "torch", "", "", "python_version < '3'"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_requirement q;
        char marker[256];
        assert_int_equal(tn_version_requirement_parse(rows[i].text, &q, NULL), 0);
        assert_string_equal(q.name, rows[i].name);
        assert_string_equal(q.extras, rows[i].extras);
        assert_string_equal(q.spec, rows[i].spec);
        snprintf(marker, sizeof marker, "%.*s", (int)q.marker.n, (const char *)q.marker.p);
        assert_string_equal(marker, rows[i].marker);
    }
}

static void no_requirements(void **state)
{
    static const char *const rows[] = {
        "", " ", "==1.0", "cudatoolkit >=11.2,<12.0a0|>=13", "a[b", "a[=]", "python 3.9.*", "__cuda ?", "a ==1.*b"};
    struct tn_requirement q;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        if (tn_version_requirement_parse(rows[i], &q, NULL) == 0)
            fail_msg("%s is a requirement", rows[i]);
}

static void markers(void **state)
{
    static const struct {
        const char *text;
        enum tn_marker_truth truth;
    } rows[] = {
        {"", TN_MARKER_YES},
        {"platform_system == \"Linux\" and platform_machine == \"x86_64\"", TN_MARKER_YES},
        {"platform_system == 'Windows'", TN_MARKER_NO},
        {"python_version < \"3.12\"", TN_MARKER_YES},
        {"python_version >= '3.9' and python_version < '3.11'", TN_MARKER_NO},
        {"'3.8' <= python_version", TN_MARKER_YES},
        {"python_version == '3.1'", TN_MARKER_NO}, /* numbers, not texts */
        {"extra == 'and-cuda'", TN_MARKER_NO},
        {"extra == 'and_cuda' or sys_platform == 'linux'", TN_MARKER_YES},
        {"(platform_machine != 'arm64' or platform_system != 'Darwin') and extra == 'x'", TN_MARKER_NO},
        {"platform_release >= '6'", TN_MARKER_UNKNOWN},
        {"platform_release >= '6' and sys_platform == 'win32'", TN_MARKER_NO},
        {"platform_release >= '6' or sys_platform == 'linux'", TN_MARKER_YES},
        {"'linux' in sys_platform", TN_MARKER_YES},
        {"sys_platform not in 'win32 darwin'", TN_MARKER_YES},
        {"platform_machine == 'x86_64' platform_machine", TN_MARKER_UNKNOWN},
        {"python_version <", TN_MARKER_UNKNOWN},
        {"colour == 'red'", TN_MARKER_UNKNOWN},
        {"(((((((((((((((((((os_name == 'posix')))))))))))))))))))", TN_MARKER_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        if (tn_version_marker(tn_span_str(rows[i].text), &linux_env) != rows[i].truth)
            fail_msg("%s is not %d", rows[i].text, rows[i].truth);
    struct tn_marker_env e = linux_env;
    e.extra = "and-cuda";
    assert_int_equal(tn_version_marker(tn_span_str("extra == \"and_cuda\""), &e), TN_MARKER_YES);
    e.platform_machine = NULL;
    assert_int_equal(tn_version_marker(tn_span_str("platform_machine == 'x86_64'"), &e), TN_MARKER_UNKNOWN);
    assert_true(tn_version_marker_ok(tn_span_str("python_version < '3' and (extra == 'x' or os_name != 'nt')")));
    assert_false(tn_version_marker_ok(tn_span_str("((python_version < '3'")));
    assert_false(tn_version_marker_ok(tn_span_str("bogus == '3'")));
    assert_false(tn_version_marker_ok(tn_span_str("python_version < '3' rm -rf /")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts), cmocka_unit_test(no_requirements),
                                       cmocka_unit_test(markers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
