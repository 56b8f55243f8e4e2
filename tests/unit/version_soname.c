/* version_soname.c - file names of shared libraries, both platforms. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "version/soname.h"

static void names(void **state)
{
    static const struct {
        const char *name, *stem, *version, *copy;
        unsigned bits;
    } rows[] = {
        {"libcudart.so.11.0", "libcudart", "11.0", "", 0},
        {"libcudart.so.11.8.89", "libcudart", "11.8.89", "", 0},
        {"libcuda.so.535.309.01", "libcuda", "535.309.01", "", 0},
        {"libcuda.so", "libcuda", "", "", 0},
        {"libnvrtc.alt.so.13", "libnvrtc.alt", "13", "", 0},
        {"libnvrtc-builtins.so.13.0", "libnvrtc-builtins", "13.0", "", 0},
        {"libcudart-80664282.so.10.2", "libcudart", "10.2", "80664282", 0},
        {"libgomp-a34b3233.so.1", "libgomp", "1", "a34b3233", 0},
        {"libtorch_cuda.so", "libtorch_cuda", "", "", 0},
        {"a.software.so.3", "a.software", "3", "", 0},
        {"cudart64_110.dll", "cudart", "110", "", 64},
        {"cudart32_80.dll", "cudart", "80", "", 32},
        {"CUBLAS64_11.DLL", "cublas", "11", "", 64},
        {"cudnn64_8.dll", "cudnn", "8", "", 64},
        {"cudnn_ops_infer64_8.dll", "cudnn_ops_infer", "8", "", 64},
        {"nvrtc64_112_0.dll", "nvrtc", "112_0", "", 64},
        {"nvrtc64_120_0.alt.dll", "nvrtc.alt", "120_0", "", 64},
        {"cupti64_2022.3.0.dll", "cupti", "2022.3.0", "", 64},
        {"nvJitLink_120_0.dll", "nvjitlink", "120_0", "", 0},
        {"nvinfer_10.dll", "nvinfer", "10", "", 0},
        {"nvcuda.dll", "nvcuda", "", "", 0},
        {"nvcuda64.dll", "nvcuda64", "", "", 0},
        {"zlibwapi.dll", "zlibwapi", "", "", 0},
        {"zlib1-0123456789abcdef0123456789abcdef.dll", "zlib1", "", "0123456789abcdef0123456789abcdef", 0},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_soname v;
        struct tn_err err;
        assert_int_equal(tn_version_soname_parse(rows[i].name, &v, &err), 0);
        assert_string_equal(v.stem, rows[i].stem);
        assert_string_equal(v.version, rows[i].version);
        assert_string_equal(v.copy, rows[i].copy);
        assert_int_equal(v.bits, rows[i].bits);
        assert_int_equal(v.dll, !tn_str_starts(rows[i].name, "lib") && !tn_str_starts(rows[i].name, "a."));
    }
}

static void no_names(void **state)
{
    static const char *const rows[] = {"",
                                       ".so",
                                       ".so.1",
                                       ".dll",
                                       "libcuda",
                                       "libcuda.so.backup",
                                       "/x/libcuda.so",
                                       "x\\nvcuda.dll",
                                       "ld.so.cache",
                                       "libcuda.a",
                                       "_1.dll.exe"};
    char longest[TN_MAX_NAME_BYTES + 2];
    struct tn_soname v;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        if (tn_version_soname_parse(rows[i], &v, NULL) != TN_E_FORMAT)
            fail_msg("%s was taken", rows[i]);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(tn_version_soname_parse(longest, &v, NULL), TN_E_LIMIT);
}

static void tokens(void **state)
{
    static const char *const rows[][2] = {
        {"110", "11.0"},          {"12", "12"}, {"90", "9.0"}, {"101", "10.1"},  {"8", "8"}, {"112_0", "11.2"},
        {"2022.3.0", "2022.3.0"}, {"11", "11"}, {"65", "6.5"}, {"120_0", "12.0"}};
    char buf[16];
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_true(tn_version_dll_token(rows[i][0], buf, sizeof buf));
        assert_string_equal(buf, rows[i][1]);
    }
    assert_false(tn_version_dll_token("", buf, sizeof buf));
    assert_false(tn_version_dll_token("110", buf, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(no_names), cmocka_unit_test(tokens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
