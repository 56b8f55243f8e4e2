/* facts_cuda.c - drivers, ceilings and library names of CUDA releases. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"

#define L TN_PLATFORM_LINUX
#define W TN_PLATFORM_WINDOWS

static void floors(void **state)
{
    static const struct {
        const char *cuda, *linux_floor, *windows_floor;
    } rows[] = {
        {"12", "525.60.13", "528.33"},
        {"12.0", "525.60.13", "528.33"},
        {"12.4", "525.60.13", "528.33"},
        {"12.4.1", "525.60.13", "528.33"},
        {"12.9", "525.60.13", "528.33"},
        {"12.1.105", "525.60.13", "528.33"},
        {"11", "450.36.06", "451.22"},
        {"11.0", "450.36.06", "451.22"},
        {"11.0.3", "450.36.06", "451.22"},
        {"11.1", "450.80.02", "452.39"},
        {"11.2", "450.80.02", "452.39"},
        {"11.8", "450.80.02", "452.39"},
        {"11.2.152", "450.80.02", "452.39"},
        {"13.0", "580", "580"},
        {"13.2", "580", "580"},
        {"13.4.1", "580", "580"},
        {"10.2", "440.33", "441.22"},
        {"10.1", "418.39", "418.96"},
        {"10.0", "410.48", "411.31"},
        {"9.2", "396.26", "397.44"},
        {"9.2.148", "396.37", "398.26"},
        {"9.1", "390.46", "391.29"},
        {"9.0", "384.81", "385.54"},
        {"8.0.61", "375.26", "376.51"},
        {"7.5", "352.31", "353.66"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_facts_driver_need need;
        if (tn_facts_cuda_driver(rows[i].cuda, L, &need) != TN_ANSWER_YES ||
            strcmp(need.floor, rows[i].linux_floor) != 0)
            fail_msg("CUDA %s on Linux", rows[i].cuda);
        assert_int_equal(need.compat, rows[i].cuda[0] == '1' && rows[i].cuda[1] >= '1');
        assert_true(*need.cite.source && *need.cite.date);
        if (tn_facts_cuda_driver(rows[i].cuda, W, &need) != TN_ANSWER_YES ||
            strcmp(need.floor, rows[i].windows_floor) != 0)
            fail_msg("CUDA %s on Windows", rows[i].cuda);
    }
}

static void development_drivers(void **state)
{
    static const struct {
        const char *cuda;
        enum tn_platform platform;
        const char *developed, *installer;
    } rows[] = {
        {"11.7.1", W, "516.31", "516.94"},       {"11.7.1", L, "515.48.07", "515.65.01"},
        {"12.4", L, "550.54.14", "550.54.14"},   {"12.6.3", L, "560.35.05", "560.35.05"},
        {"12.8.0", L, "570.26", "570.86.10"},    {"13.0", L, "580.65.06", "580.65.06"},
        {"13.3", L, "610.43.02", "610.43.02"},   {"11.8", W, "520.06", "522.06"},
        {"11.2.0", L, "460.27.03", "460.27.04"}, {"12.0.0", W, "527.41", "527.41"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_facts_driver_need need;
        assert_int_equal(tn_facts_cuda_driver(rows[i].cuda, rows[i].platform, &need), TN_ANSWER_YES);
        assert_string_equal(need.developed, rows[i].developed);
        assert_string_equal(need.installer, rows[i].installer);
    }
}

static void no_such_release(void **state)
{
    struct tn_facts_driver_need need;
    (void)state;
    assert_int_equal(tn_facts_cuda_driver("12.7", L, &need), TN_ANSWER_NO);
    assert_int_equal(tn_facts_cuda_driver("6.5", L, &need), TN_ANSWER_NO);
    assert_int_equal(tn_facts_cuda_driver("cuda", L, &need), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_cuda_driver("", L, &need), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_cuda_driver("13.9", L, &need), TN_ANSWER_NEWER);
    assert_string_equal(need.floor, "580");
    assert_string_equal(need.developed, "");
    assert_int_equal(tn_facts_cuda_driver("14.0", L, &need), TN_ANSWER_NEWER);
    assert_string_equal(need.floor, "");
    const char *oldest, *newest;
    tn_facts_cuda_range(&oldest, &newest);
    assert_string_equal(oldest, "7.0.28");
    assert_string_equal(newest, "13.5");
}

/* The Windows floors that other documents print are kept beside the one in use. */
static void rival_floors(void **state)
{
    static const char *const rows[][2] = {{"11.2.0", "456.38"}, {"12.4.0", "527.41"}, {"12.0.0", "527.41"}};
    const struct tn_table *t = tn_facts_find("cuda_driver_min");
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        const struct tn_filter f[] = {{"cuda_release", TN_FILTER_EQ, rows[i][0]},
                                      {"minor_version_compat_windows_min", TN_FILTER_EQ, rows[i][1]}};
        uint32_t r = tn_facts_next(t, 0, f, 2);
        assert_true(r < t->nrows && tn_facts_rank(t, r) > 1);
    }
}

/* Story 4 and peer mistakes 1, 18. */
static void driver_runs(void **state)
{
    static const struct {
        const char *driver, *cuda;
        enum tn_platform platform;
        bool want;
    } rows[] = {
        {"451.67", "11.2", W, false},     {"452.39", "11.2", W, true},     {"516.94", "11.2", W, true},
        {"450.80.02", "11.2", L, true},   {"450.51.06", "11.2", L, false}, {"450.51.06", "11.0", L, true},
        {"535.183.01", "12.4", L, true},  {"525.60.13", "12.4", L, true},  {"525.60.11", "12.4", L, false},
        {"525.60", "12.4", L, false},     {"528.33", "12.4", W, true},     {"527.41", "12.4", W, false},
        {"535.183.01", "13.0", L, false}, {"580.65.06", "13.0", L, true},  {"472.12", "11.8", W, true},
        {"610.43.02", "11.0", L, true},   {"418.87.00", "10.1", L, true},  {"418.87.00", "10.2", L, false},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        bool runs = !rows[i].want;
        assert_int_equal(tn_facts_driver_runs(rows[i].driver, rows[i].cuda, rows[i].platform, &runs), TN_ANSWER_YES);
        if (runs != rows[i].want)
            fail_msg("driver %s, CUDA %s", rows[i].driver, rows[i].cuda);
    }
}

static void ceilings(void **state)
{
    static const char *const rows[][3] = {
        {"535.183.01", "12.2", "535"}, {"472.12", "11.4", "470"},    {"516.94", "11.7", "515"},
        {"450.80.02", "11.0", "450"},  {"560.94", "12.6", "560"},    {"560", "12.6", "560"},
        {"580.65.06", "13.0", "580"},  {"610.43.02", "13.3", "610"}, {"451.67", "11.0", "450"},
        {"528.33", "12.0", "525"},     {"525.60.13", "12.0", "525"}, {"418.87.00", "10.1", "418"},
        {"390.157", "9.1", "390"},     {"595.58.03", "13.2", "595"}, {"551.78", "12.4", "550"},
        {"522.06", "11.8", "520"},     {"566.36", "12.7", "565"},    {"375.26", "8.0", "375"},
        {"384.111", "9.0", "384"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_facts_branch b;
        if (tn_facts_driver_branch(rows[i][0], &b) != TN_ANSWER_YES)
            fail_msg("driver %s", rows[i][0]);
        assert_string_equal(b.max_cuda, rows[i][1]);
        assert_string_equal(b.at_least, rows[i][1]);
        assert_string_equal(b.branch, rows[i][2]);
        assert_false(tn_facts_driver_is_newer(rows[i][0]));
    }
}

static void ceilings_not_known(void **state)
{
    struct tn_facts_branch b;
    (void)state;
    assert_int_equal(tn_facts_driver_branch("620.10", &b), TN_ANSWER_OPEN);
    assert_string_equal(b.max_cuda, "");
    assert_string_equal(b.at_least, "13.3");
    assert_string_equal(b.eol, "2029-09");
    assert_int_equal(tn_facts_driver_branch("640.22", &b), TN_ANSWER_NEWER);
    assert_string_equal(b.max_cuda, "");
    assert_string_equal(b.at_least, "13.3");
    assert_true(tn_facts_driver_is_newer("640.22"));
    assert_false(tn_facts_driver_is_newer("620.999"));
    assert_int_equal(tn_facts_driver_branch("331.20", &b), TN_ANSWER_NO);
    assert_int_equal(tn_facts_driver_branch("N/A", &b), TN_ANSWER_BAD);
}

static void libraries(void **state)
{
    static const struct {
        const char *cuda, *component;
        enum tn_platform platform;
        const char *file;
    } rows[] = {
        {"11.2", "cudart", W, "cudart64_110.dll"},    {"12.0", "cudart", W, "cudart64_12.dll"},
        {"11.8.0", "cudart", L, "libcudart.so.11.0"}, {"10.1", "cudart", L, "libcudart.so.10.1"},
        {"10.1", "cublas", L, "libcublas.so.10"},     {"10.0", "cublas", L, "libcublas.so.10.0"},
        {"12.4.1", "cublas", L, "libcublas.so.12"},   {"12.4", "cublaslt", L, "libcublasLt.so.12"},
        {"12.4", "cufft", L, "libcufft.so.11"},       {"12.4", "cusolver", W, "cusolver64_11.dll"},
        {"11.0", "cusolver", L, "libcusolver.so.10"}, {"13.0", "cusparse", L, "libcusparse.so.12"},
        {"13.0", "cudart", L, "libcudart.so.13"},     {"12.9", "nvjitlink", L, "libnvJitLink.so.12"},
        {"11.8", "nvrtc", L, "libnvrtc.so.11.2"},
    };
    const char *file = NULL;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_facts_cuda_lib(rows[i].cuda, rows[i].component, rows[i].platform, &file), TN_ANSWER_YES);
        assert_string_equal(file, rows[i].file);
    }
    assert_int_equal(tn_facts_cuda_lib("11.2", "cufft", L, &file), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_cuda_lib("14.1", "cudart", L, &file), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_cuda_lib("12.7", "cudart", L, &file), TN_ANSWER_NO);
    assert_int_equal(tn_facts_cuda_lib("12.4", "cudnn", L, &file), TN_ANSWER_BAD);
}

static void releases_of_a_library(void **state)
{
    struct tn_facts_lib_range range;
    (void)state;
    assert_int_equal(tn_facts_cuda_of_lib("CUDART64_110.DLL", &range), TN_ANSWER_YES);
    assert_string_equal(range.first, "11.0");
    assert_string_equal(range.last, "11.8");
    assert_string_equal(range.component, "cudart");
    assert_int_equal(range.platform, W);
    assert_int_equal(tn_facts_cuda_of_lib("libcusparse.so.12", &range), TN_ANSWER_YES);
    assert_string_equal(range.first, "12.0");
    assert_string_equal(range.last, "13.5");
    assert_int_equal(tn_facts_cuda_of_lib("libcudart.so.10.1", &range), TN_ANSWER_YES);
    assert_string_equal(range.last, "10.1");
    assert_int_equal(tn_facts_cuda_of_lib("libcudart.so", &range), TN_ANSWER_NO);
    assert_int_equal(tn_facts_cuda_of_lib("LIBCUDART.SO.12", &range), TN_ANSWER_NO);
}

static void ptx_isa(void **state)
{
    static const char *const rows[][2] = {{"11.0", "7.0"}, {"11.8", "7.8"}, {"12.0", "8.0"}, {"12.2", "8.2"},
                                          {"12.4", "8.4"}, {"12.8", "8.7"}, {"12.9", "8.8"}, {"13.0", "9.0"}};
    const char *isa = NULL;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_facts_cuda_ptx_isa(rows[i][0], &isa), TN_ANSWER_YES);
        assert_string_equal(isa, rows[i][1]);
    }
    assert_int_equal(tn_facts_cuda_ptx_isa("13.8", &isa), TN_ANSWER_NEWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors),
        cmocka_unit_test(development_drivers),
        cmocka_unit_test(no_such_release),
        cmocka_unit_test(rival_floors),
        cmocka_unit_test(driver_runs),
        cmocka_unit_test(ceilings),
        cmocka_unit_test(ceilings_not_known),
        cmocka_unit_test(libraries),
        cmocka_unit_test(releases_of_a_library),
        cmocka_unit_test(ptx_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
