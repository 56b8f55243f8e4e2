/* facts_wheels.c - which Python, glibc and pip a release's wheels take; what the builds read in wheels say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "facts/jax.h"
#include "facts/onnxruntime.h"
#include "facts/pytorch.h"
#include "facts/wheels.h"
#include "version/dotted.h"

#define L TN_PLATFORM_LINUX
#define W TN_PLATFORM_WINDOWS

static void rows(void **state)
{
    static const struct {
        const char *package, *version;
        enum tn_platform platform;
        const char *arch, *python_min, *python_max, *glibc, *pip;
    } want[] = {
        {"tensorflow", "2.10.1", L, "x86_64", "3.7", "3.10", "2.17", "19.3"},
        {"tensorflow", "2.10.1", W, "x86_64", "3.7", "3.10", "", ""},
        {"TensorFlow", "2.10.1", L, "x86_64", "3.7", "3.10", "2.17", "19.3"},
        {"tensorflow_gpu", "2.10.1", L, "x86_64", "3.7", "3.10", "2.17", "19.3"},
        {"tensorflow", "2.21", L, "aarch64", "3.10", "3.13", "2.27", "20.3"},
        {"tensorflow", "1.15.5", L, "x86_64", "3.6", "3.7", "2.12", "19.0"},
        {"torch", "2.15.0", L, "x86_64", "3.11", "3.15", "2.28", "20.3"},
        {"jax-cuda13-plugin", "0.12.0.1", L, "x86_64", "3.12", "3.15", "2.27", "20.3"},
        {"onnxruntime-gpu", "1.31.1", L, "aarch64", "3.11", "3.14", "2.34", "20.3"},
        {"keras", "3.15.1", W, "x86_64", "3.11", "", "", ""}, /* pure Python serves every platform */
        {"nvidia-cudnn-cu11", "8.6.0.163", L, "x86_64", "3.3", "", "2.5", "8.1"},
        {"ml_dtypes", "0.2.0", L, "x86_64", "3.8", "3.11", "2.17", "19.3"},
        {"triton", "3.2.0", L, "x86_64", "3.9", "3.13", "2.17", "19.3"},
        {"tensorflow-directml-plugin", "0.4.0.dev230202", W, "x86_64", "3.7", "3.10", "", ""}, /* never a final one */
    };
    struct tn_facts_wheel w;
    (void)state;
    for (size_t i = 0; i < TN_LEN(want); i++) {
        if (tn_facts_wheel(want[i].package, want[i].version, want[i].platform, want[i].arch, &w) != TN_ANSWER_YES)
            fail_msg("%s %s", want[i].package, want[i].version);
        assert_string_equal(w.python_min, want[i].python_min);
        assert_string_equal(w.python_max, want[i].python_max);
        assert_string_equal(w.glibc_min, want[i].glibc);
        assert_string_equal(w.pip_min, want[i].pip);
        assert_false(w.yanked);
        assert_true(*w.cite.source && *w.cite.date);
    }
}

static void not_there(void **state)
{
    struct tn_facts_wheel w;
    (void)state;
    assert_int_equal(tn_facts_wheel("tensorflow", "2.15.0", L, "ppc64le", &w), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel("tensorflow-intel", "2.15.0", L, "x86_64", &w), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel("tensorflow-gpu", "2.12.0", L, "x86_64", &w), TN_ANSWER_NO); /* sources only */
    assert_int_equal(tn_facts_wheel("tensorflow", "99.0", L, "x86_64", &w), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_wheel("tensorflow", "2.10.7", L, "x86_64", &w), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_wheel("tensorflow", "2.21.0rc1", L, "x86_64", &w), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_wheel("torch", "2.5.1+cu121", L, "x86_64", &w), TN_ANSWER_OPEN); /* another index's */
    assert_int_equal(tn_facts_wheel("requests", "2.31.0", L, "x86_64", &w), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_wheel("tensorflow", "newest", L, "x86_64", &w), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_wheel("no name!", "1.0", L, "x86_64", &w), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_wheel("", "", L, "", &w), TN_ANSWER_BAD);
}

static void takes(void **state)
{
    struct tn_facts_wheel w;
    (void)state;
    assert_int_equal(tn_facts_wheel("tensorflow", "2.10.1", L, "x86_64", &w), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_takes_python(&w, "3.7"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_takes_python(&w, "3.10.12"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_takes_python(&w, "3.11.0"), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel_takes_python(&w, "3.6.9"), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel_takes_python(&w, "3"), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_wheel_takes_glibc(&w, "2.17"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_takes_glibc(&w, "2.12"), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel_takes_pip(&w, "19.2.3"), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel_takes_pip(&w, "19.3"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel("keras", "3.15.1", L, "x86_64", &w), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_takes_python(&w, "3.40"), TN_ANSWER_YES); /* no end stated */
    assert_int_equal(tn_facts_wheel_takes_glibc(&w, "2.5"), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_wheel("tensorflow", "2.10.1", W, "x86_64", &w), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_takes_glibc(&w, "2.36"), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_wheel_takes_pip(&w, "9.0.1"), TN_ANSWER_OPEN);
}

static void newest(void **state)
{
    struct tn_facts_wheel w;
    (void)state;
    assert_int_equal(tn_facts_wheel_newest("tensorflow", L, "x86_64", "3.8.10", NULL, NULL, &w), TN_ANSWER_YES);
    assert_string_equal(w.version, "2.13.1");
    assert_int_equal(tn_facts_wheel_newest("tensorflow", L, "x86_64", "3.7", NULL, NULL, &w), TN_ANSWER_YES);
    assert_string_equal(w.version, "2.11.0");
    assert_int_equal(tn_facts_wheel_newest("tensorflow", L, "x86_64", NULL, "2.12", NULL, &w), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_takes_glibc(&w, "2.12"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel_newest("tensorflow", L, "x86_64", NULL, NULL, "9.0.1", &w), TN_ANSWER_YES);
    assert_string_equal(w.pip_min, "8.1");
    assert_int_equal(tn_facts_wheel_newest("tensorflow-gpu", W, "x86_64", NULL, NULL, NULL, &w), TN_ANSWER_YES);
    assert_string_equal(w.version, "2.10.1");
    assert_int_equal(tn_facts_wheel_newest("tensorflow", L, "x86_64", "2.6", NULL, NULL, &w), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel_newest("requests", L, "x86_64", NULL, NULL, NULL, &w), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_wheel_newest("-", L, "x86_64", NULL, NULL, NULL, &w), TN_ANSWER_BAD);
}

/* Traps of what plans pin: a release that ends on one platform, a stub of sources, a withdrawn release without its
 * bound. */
static void pinned(void **state)
{
    struct tn_facts_wheel w;
    (void)state;
    assert_int_equal(tn_facts_wheel("tensorflow-io-gcs-filesystem", "0.31.0", W, "x86_64", &w), TN_ANSWER_YES);
    assert_int_equal(tn_facts_wheel("tensorflow-io-gcs-filesystem", "0.32.0", W, "x86_64", &w), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel("nvidia-cublas-cu11", "0.0.1", L, "x86_64", &w), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel("nvidia-cudnn-cu11", "8.6.0.163", W, "x86_64", &w), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel("triton", "3.2.0", W, "x86_64", &w), TN_ANSWER_NO);
    assert_int_equal(tn_facts_wheel("protobuf", "4.21.0", L, "x86_64", &w), TN_ANSWER_YES);
    assert_true(w.yanked);
    assert_int_equal(tn_facts_wheel("protobuf", "2.6.1", L, "x86_64", &w),
                     TN_ANSWER_OPEN); /* older than the table goes */
    assert_int_equal(tn_facts_wheel_newest("protobuf", L, "x86_64", "3.6", NULL, NULL, &w), TN_ANSWER_YES);
    assert_string_equal(w.version, "3.19.6");
    assert_int_equal(tn_facts_wheel_newest("tensorflow-directml-plugin", L, "x86_64", "3.11", NULL, NULL, &w),
                     TN_ANSWER_NO);
}

/* Every package's rows are one block: each is found by its own name. */
static void every_row_is_found(void **state)
{
    const struct tn_table *t = tn_facts_find("wheels");
    struct tn_facts_wheel w;
    (void)state;
    assert_non_null(t);
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *platform = tn_facts_get(t, r, "platform");
        bool source = tn_str_eq(platform, "source");
        enum tn_found found = tn_facts_wheel(tn_facts_get(t, r, "package"), tn_facts_get(t, r, "version"),
                                             tn_str_eq(platform, "windows") ? W : L, tn_facts_get(t, r, "arch"), &w);
        assert_int_equal(found, source ? TN_ANSWER_NO : TN_ANSWER_YES);
        if (!source)
            assert_string_equal(w.version, tn_facts_get(t, r, "version"));
    }
}

static void onnxruntime(void **state)
{
    struct tn_facts_ort o;
    (void)state;
    assert_int_equal(tn_facts_ort_build("1.31.1", &o), TN_ANSWER_YES);
    assert_string_equal(o.cuda, "13.0");
    assert_string_equal(o.cudnn, "9");
    assert_string_equal(o.sass, "7.5 8.0 8.6 8.9 9.0a 12.0a");
    assert_true(tn_facts_list_has(o.needs, "libcudart.so.13") && tn_facts_list_has(o.needs, "libcuda.so.1"));
    assert_int_equal(tn_facts_ort_build("1.22.0", &o), TN_ANSWER_YES);
    assert_string_equal(o.cuda, "12.2");
    assert_int_equal(tn_facts_ort_build("1.18.0", &o), TN_ANSWER_YES);
    assert_string_equal(o.cuda, "11"); /* libcudart.so.11.0 is every CUDA 11 */
    assert_string_equal(o.cudnn, "8");
    assert_int_equal(tn_facts_ort_build("99.0", &o), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_ort_build("1.22.9", &o), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_ort_build("0.5", &o), TN_ANSWER_NO);
    assert_int_equal(tn_facts_ort_build("", &o), TN_ANSWER_BAD);
}

/* The wheel beats the document: rank 1 is what was read. */
static void the_wheel_wins(void **state)
{
    struct tn_facts_torch t;
    struct tn_facts_jax j;
    (void)state;
    assert_int_equal(tn_facts_torch_build("2.11.0", NULL, L, &t), TN_ANSWER_YES);
    assert_string_equal(t.cudnn, "9.19.0.56"); /* documents: 9.17.1.4 */
    assert_int_equal(tn_facts_torch_build("2.14.0", NULL, L, &t), TN_ANSWER_YES);
    assert_string_equal(t.ptx, ""); /* documents: 12.0 */
    assert_int_equal(tn_facts_torch_build("1.6.0", NULL, L, &t), TN_ANSWER_YES);
    assert_string_equal(t.sass, "3.7 5.0 6.0 7.0 7.5");
    assert_int_equal(tn_facts_torch_build("2.6.0", NULL, L, &t), TN_ANSWER_YES);
    assert_string_equal(t.sass, "5.0 6.0 7.0 7.5 8.0 8.6 9.0");
    assert_int_equal(tn_facts_jax_build("0.12.0.1", "cuda13", &j), TN_ANSWER_YES);
    assert_string_equal(j.cudnn_min, "9.12.0.46,<10.0");
    assert_string_equal(j.sass, "7.5 8.0 9.0 10.0 11.0 12.0"); /* kept from the reading of the code objects */
    assert_int_equal(tn_facts_jax_build("0.11.2", "cuda12", &j), TN_ANSWER_YES);
    assert_string_equal(j.cudnn_min, "9.10.2.21,<10.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),        cmocka_unit_test(not_there),      cmocka_unit_test(takes),
        cmocka_unit_test(newest),      cmocka_unit_test(pinned),         cmocka_unit_test(every_row_is_found),
        cmocka_unit_test(onnxruntime), cmocka_unit_test(the_wheel_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
