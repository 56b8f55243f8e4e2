/* facts_conda.c - which conda builds there are for a platform and a Python, and which cuDNN goes with which run time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "facts/conda.h"
#include "version/dotted.h"

#define F "conda-forge"

static void newest(void **state)
{
    struct tn_facts_conda c;
    (void)state;
    assert_int_equal(tn_facts_conda_newest("tensorflow", "2.15", F, "linux-64", "3.11.4", true, &c), TN_ANSWER_YES);
    assert_string_equal(c.version, "2.15.0");
    assert_string_equal(c.cuda, "12.0");
    assert_string_equal(c.cudnn, "8");
    assert_string_equal(c.build, "cuda120py*h*_*");
    assert_int_equal(tn_facts_conda_newest("tensorflow", "2.15", F, "linux-64", "3.12", true, &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_newest("tensorflow", "2.10", F, "linux-64", "3.10", true, &c), TN_ANSWER_YES);
    assert_string_equal(c.build, "cuda112py*h*_*");
    /* Traps: no TensorFlow for Windows, no GPU build for aarch64, none of 1.15, 2.4 for CPUs only. */
    assert_int_equal(tn_facts_conda_newest("tensorflow", NULL, F, "win-64", NULL, true, &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_newest("tensorflow", NULL, F, "linux-aarch64", NULL, true, &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_newest("tensorflow", NULL, F, "linux-aarch64", NULL, false, &c), TN_ANSWER_YES);
    assert_int_equal(tn_facts_conda_newest("tensorflow", "1.15", F, "linux-64", NULL, true, &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_newest("tensorflow", "2.4", F, "linux-64", NULL, true, &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_newest("tensorflow", "2.4", F, "linux-64", "3.8", false, &c), TN_ANSWER_YES);
    assert_int_equal(tn_facts_conda_newest("pytorch", "2.5.1", F, "linux-64", "3.12", true, &c), TN_ANSWER_YES);
    assert_string_equal(c.cuda, "12.6");
    assert_int_equal(tn_facts_conda_newest("pytorch", NULL, F, "win-64", "3.12", true, &c), TN_ANSWER_YES);
    assert_int_equal(tn_facts_conda_newest("jaxlib", "0.4.26", F, "linux-64", "3.11", true, &c), TN_ANSWER_YES);
    /* Anaconda's own recipes: TensorFlow for GPUs on Windows too, up to 2.4; plain "tensorflow" is a CPU build there.
     */
    assert_int_equal(tn_facts_conda_newest("tensorflow", "1.15", "defaults", "win-64", "3.7", true, &c), TN_ANSWER_YES);
    assert_string_equal(c.cuda, "10.0");
    assert_string_equal(c.cudnn, "7.6");
    assert_string_equal(c.build, "gpu_py*h*_*");
    assert_string_equal(c.pythons, "");
    assert_int_equal(tn_facts_conda_newest("tensorflow", "2.4", "defaults", "linux-64", NULL, false, &c),
                     TN_ANSWER_YES);
    assert_string_equal(c.build, "mkl_py*h*_*");
    assert_int_equal(tn_facts_conda_newest("tensorflow", "2.10", "defaults", "linux-64", NULL, true, &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_newest("tensorflow", "1.15", NULL, "linux-64", NULL, true, &c), TN_ANSWER_YES);
    assert_string_equal(c.channel, "defaults");
    assert_int_equal(tn_facts_conda_newest("requests", NULL, F, "linux-64", NULL, true, &c), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_conda_newest("tensorflow", NULL, F, NULL, NULL, true, &c), TN_ANSWER_NO);
}

/* What TensorFlow 1.15 to 2.10 need for pip's wheels on conda's run time. */
static void run_times(void **state)
{
    static const struct {
        const char *cuda, *toolkit, *cudnn;
    } want[] = {
        {"10.0", "10.0.130", "7.6"}, /* TensorFlow 1.13 to 2.0 */
        {"10.1", "10.1.243", "7.6"}, /* 2.1 to 2.3 */
        {"11.0", "11.0.3", "8.0"},   /* 2.4 */
        {"11.2", "11.2.2", "8.1"},   /* 2.5 to 2.11 */
        {"11.8", "11.8.0", "8.8"},   /* 2.12 to 2.14 */
    };
    static const char *const platforms[] = {"linux-64", "win-64"};
    struct tn_facts_conda c;
    (void)state;
    for (size_t i = 0; i < TN_LEN(want); i++)
        for (size_t p = 0; p < TN_LEN(platforms); p++) {
            if (tn_facts_conda_toolkit(platforms[p], want[i].cuda, &c) != TN_ANSWER_YES ||
                !tn_str_eq(c.version, want[i].toolkit))
                fail_msg("cudatoolkit %s %s", want[i].cuda, platforms[p]);
            if (tn_facts_conda_cudnn(platforms[p], want[i].cuda, want[i].cudnn, &c) != TN_ANSWER_YES ||
                !tn_facts_version_within(c.version, want[i].cudnn))
                fail_msg("cudnn %s for %s %s", want[i].cudnn, want[i].cuda, platforms[p]);
        }
    /* Traps: the rendered file for cuDNN 7.6.5 and CUDA 11.0 is one that the recipe skips; 8.1 for 11.2 takes every 11.
     */
    assert_int_equal(tn_facts_conda_cudnn("linux-64", "11.0", "7.6", &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_cudnn("linux-64", "11.3", "8.1", &c), TN_ANSWER_YES);
    assert_string_equal(c.needs, "cudatoolkit 11.*");
    assert_int_equal(tn_facts_conda_cudnn("linux-64", "10.0", "8", &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_conda_cudnn("linux-64", "12.4", NULL, &c), TN_ANSWER_YES);
    assert_int_equal(tn_version_dotted_major(c.version), 9);
    assert_int_equal(tn_facts_conda_toolkit("linux-64", "12.1", &c), TN_ANSWER_NO); /* single packages since then */
    assert_int_equal(tn_facts_conda_toolkit("linux-64", "eleven", &c), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_conda_cudnn("linux-64", "", NULL, &c), TN_ANSWER_BAD);
}

static void platforms(void **state)
{
    (void)state;
    assert_string_equal(tn_facts_conda_platform(TN_PLATFORM_LINUX, "x86_64"), "linux-64");
    assert_string_equal(tn_facts_conda_platform(TN_PLATFORM_LINUX, "aarch64"), "linux-aarch64");
    assert_string_equal(tn_facts_conda_platform(TN_PLATFORM_WINDOWS, "x86_64"), "win-64");
    assert_null(tn_facts_conda_platform(TN_PLATFORM_WINDOWS, "aarch64"));
    assert_null(tn_facts_conda_platform(TN_PLATFORM_LINUX, "ppc64le"));
    assert_null(tn_facts_conda_platform(TN_PLATFORM_LINUX, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest),
        cmocka_unit_test(run_times),
        cmocka_unit_test(platforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
