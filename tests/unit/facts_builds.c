/* facts_builds.c - TensorFlow, PyTorch, JAX and cuDNN look-ups; story 3's numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "facts/cudnn.h"
#include "facts/jax.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"

#define L TN_PLATFORM_LINUX
#define W TN_PLATFORM_WINDOWS

static void tensorflow(void **state)
{
    static const struct {
        const char *version;
        enum tn_platform platform;
        const char *cuda, *cudnn, *python_min, *python_max, *row, *package;
    } rows[] = {
        {"2.4", W, "11.0", "8.0", "3.6", "3.8", "2.4.0", "tensorflow"},
        {"2.6", W, "11.2", "8.1", "3.6", "3.9", "2.6.0", "tensorflow"},
        {"2.10", W, "11.2", "8.1", "3.7", "3.10", "2.10.0", "tensorflow"},
        {"2.10.1", W, "11.2", "8.1", "3.7", "3.10", "2.10.1", "tensorflow"},
        {"2.10.0", L, "11.2", "8.1", "3.7", "3.10", "2.10.0", "tensorflow"},
        {"2.6.5", L, "11.2", "8.1", "3.6", "3.9", "2.6.0", "tensorflow"},
        {"2.21.0", L, "12.5", "9.3", "3.10", "3.13", "2.21.0", "tensorflow"},
        {"2.20.0", L, "12.5", "9.3", "3.9", "3.13", "2.20.0", "tensorflow"},
        {"2.17", L, "12.3", "8.9", "3.9", "3.12", "2.17.0", "tensorflow"},
        {"2.15.0", L, "12.2", "8.9", "3.9", "3.11", "2.15.0", "tensorflow"},
        {"2.15.0.post1", L, "12.2", "8.9", "3.9", "3.11", "2.15.0.post1", "tensorflow[and-cuda]"},
        {"2.14.0", L, "11.8", "8.7", "3.9", "3.11", "2.14.0", "tensorflow"},
        {"2.12.1", L, "11.8", "8.6", "3.8", "3.11", "2.12.0", "tensorflow"},
        {"2.3.4", L, "10.1", "7.6", "3.5", "3.8", "2.3.0", "tensorflow"},
        {"2.0.0", L, "10.0", "7.4", "2.7", "3.7", "2.0.0", "tensorflow-gpu"},
        {"1.15.0", W, "10.0", "7.4", "3.5", "3.7", "1.15.0", "tensorflow"},
        {"1.12.0", L, "9.0", "7", "2.7", "3.6", "1.12.0", "tensorflow-gpu"},
        {"1.4.1", L, "8.0", "6", "2.7", "3.6", "1.4.0", "tensorflow-gpu"},
    };
    struct tn_facts_tf tf;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        if (tn_facts_tf_build(rows[i].version, rows[i].platform, true, &tf) != TN_ANSWER_YES)
            fail_msg("TF %s", rows[i].version);
        assert_string_equal(tf.version, rows[i].row);
        assert_string_equal(tf.cuda, rows[i].cuda);
        assert_string_equal(tf.cudnn, rows[i].cudnn);
        assert_string_equal(tf.python_min, rows[i].python_min);
        assert_string_equal(tf.python_max, rows[i].python_max);
        assert_string_equal(tf.package, rows[i].package);
        assert_true(*tf.cite.source && *tf.cite.date);
    }
}

static void tensorflow_not_there(void **state)
{
    struct tn_facts_tf tf;
    char last[16];
    const char *oldest, *newest;
    (void)state;
    assert_int_equal(tn_facts_tf_build("2.16.1", W, true, &tf), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_build("2.16.1", W, false, &tf), TN_ANSWER_YES);
    assert_string_equal(tf.cuda, "");
    assert_int_equal(tn_facts_tf_build("2.99", L, true, &tf), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_tf_build("3.0.0", L, true, &tf), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_tf_build("1.16.0", L, true, &tf), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_build("0.12.0", L, true, &tf), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_build("2", L, true, &tf), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_tf_build("nightly", L, true, &tf), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_tf_known("2.21.1"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_tf_known("2.22.0"), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_tf_known("1.16"), TN_ANSWER_NO);
    tn_facts_tf_last_windows_gpu(last, sizeof last);
    assert_string_equal(last, "2.10");
    tn_facts_tf_range(&oldest, &newest);
    assert_string_equal(oldest, "1.0.0");
    assert_string_equal(newest, "2.21.0");
}

static void tensorflow_code(void **state)
{
    static const struct {
        const char *version;
        enum tn_platform platform;
        const char *sass, *ptx;
    } rows[] = {
        {"2.21.0", L, "6.0 7.0 8.0 8.9 9.0", "9.0"},
        {"2.17", L, "6.0 7.0 8.0 8.9 9.0", "9.0"},
        {"2.16.2", L, "5.0 6.0 7.0 8.0 9.0", "9.0"},
        {"2.15.0.post1", L, "5.0 6.0 7.0 7.5 8.0", "8.0"},
        {"2.10.1", L, "3.5 5.0 6.0 7.0 7.5 8.0", "8.0"},
        {"2.10.1", W, "3.5 5.0 6.0 7.0 7.5 8.0", "8.0"},
        {"2.3.4", L, "3.5 3.7 5.2 6.0 6.1 7.0", "7.0"},
        {"1.12.3", L, "3.7", "3.7"},
        {"1.12.0", L, "3.5 3.7 5.2 6.0 6.1 7.0", "3.5 3.7 5.2 6.0 6.1 7.0"},
        {"2.19.1", L, "6.0 7.0 8.0 8.9 9.0", "9.0"}, /* not conda-forge's */
    };
    struct tn_facts_tf_code code;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_facts_tf_code(rows[i].version, rows[i].platform, &code), TN_ANSWER_YES);
        assert_string_equal(code.sass, rows[i].sass);
        assert_string_equal(code.ptx, rows[i].ptx);
    }
    assert_int_equal(tn_facts_tf_code("1.3.0", L, &code), TN_ANSWER_OPEN);
    assert_string_equal(code.min_cc, "3.0");
    assert_int_equal(tn_facts_tf_code("2.4.0", W, &code), TN_ANSWER_OPEN);
    assert_string_equal(code.min_cc, "");
    assert_int_equal(tn_facts_tf_code("2.16.1", W, &code), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_code("2.40.0", L, &code), TN_ANSWER_NEWER);
}

static const char *lib(const char *version, enum tn_platform platform, const char *component)
{
    static struct tn_facts_tf_libs libs;
    assert_int_equal(tn_facts_tf_libs(version, platform, &libs), TN_ANSWER_YES);
    for (unsigned i = 0; i < libs.n; i++)
        if (tn_str_eq(libs.component[i], component))
            return libs.file[i];
    return "";
}

static void tensorflow_libs(void **state)
{
    struct tn_facts_tf_libs libs;
    (void)state;
    assert_string_equal(lib("2.6.0", W, "cudart"), "cudart64_110.dll");
    assert_string_equal(lib("2.10.1", W, "cudnn"), "cudnn64_8.dll");
    assert_string_equal(lib("2.10.1", W, "cublaslt"), "cublasLt64_11.dll");
    assert_string_equal(lib("2.4.0", L, "cusolver"), "libcusolver.so.10");
    assert_string_equal(lib("2.5.0", L, "cusolver"), "libcusolver.so.11");
    assert_string_equal(lib("2.3.4", L, "cudart"), "libcudart.so.10.1");
    assert_string_equal(lib("2.3.4", L, "cublas"), "libcublas.so.10");
    assert_string_equal(lib("2.21.0", L, "cudart"), "libcudart.so.12");
    assert_string_equal(lib("2.21.0", L, "cudnn"), "libcudnn.so.9");
    assert_string_equal(lib("2.21.0", L, "curand"), "");
    assert_string_equal(lib("2.13.1", L, "curand"), "libcurand.so.10");
    assert_string_equal(lib("2.14.0", L, "curand"), "");
    assert_string_equal(lib("1.15.5", L, "cufft"), "libcufft.so.10.0");
    assert_string_equal(lib("1.15.0", W, "cublas"), "cublas64_100.dll");
    assert_int_equal(tn_facts_tf_libs("2.21.0", L, &libs), TN_ANSWER_YES);
    assert_int_equal(libs.n, 7);
    assert_int_equal(tn_facts_tf_libs("2.11.0", W, &libs), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_libs("2.30.0", L, &libs), TN_ANSWER_NEWER);
}

static void python_pins(void **state)
{
    const char *spec = NULL;
    struct tn_cite cite;
    (void)state;
    assert_int_equal(tn_facts_tf_pin("2.10.0", "numpy", &spec, &cite), TN_ANSWER_YES);
    assert_string_equal(spec, "<2");
    assert_true(*cite.source);
    assert_int_equal(tn_facts_tf_pin("2.17.1", "numpy", &spec, NULL), TN_ANSWER_YES);
    assert_int_equal(tn_facts_tf_pin("2.18.0", "numpy", &spec, NULL), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_pin("2.6.0", "keras", &spec, NULL), TN_ANSWER_YES);
    assert_string_equal(spec, "==2.6.*");
    assert_int_equal(tn_facts_tf_pin("2.7.0", "keras", &spec, NULL), TN_ANSWER_YES);
    assert_string_equal(spec, "<3");
    assert_int_equal(tn_facts_tf_pin("2.16.0", "keras", &spec, NULL), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_pin("1.15.0", "protobuf", &spec, NULL), TN_ANSWER_YES);
    assert_string_equal(spec, "<3.20");
    assert_int_equal(tn_facts_tf_pin("2.12.0", "protobuf", &spec, NULL), TN_ANSWER_NO);
    assert_int_equal(tn_facts_tf_pin("2.10.0", "scipy", &spec, NULL), TN_ANSWER_NO);
}

static void pytorch(void **state)
{
    struct tn_facts_torch t;
    (void)state;
    assert_int_equal(tn_facts_torch_build("2.5.1", NULL, L, &t), TN_ANSWER_YES);
    assert_string_equal(t.variant, "cu124");
    assert_string_equal(t.cuda, "12.4");
    assert_string_equal(t.cudnn, "9.1.0.70");
    assert_string_equal(t.sass, "5.0 6.0 7.0 7.5 8.0 8.6 9.0");
    assert_string_equal(t.python_min, "3.9");
    assert_string_equal(t.python_max, "3.12");
    assert_string_equal(t.min_driver, "525.60.13");
    assert_int_equal(tn_facts_torch_build("2.5.1+cu121", NULL, W, &t), TN_ANSWER_YES);
    assert_string_equal(t.cuda, "12.1");
    assert_string_equal(t.min_driver, "528.33");
    assert_int_equal(tn_facts_torch_build("2.3.1", "cu118", W, &t), TN_ANSWER_YES);
    assert_string_equal(t.sass, "3.7 5.0 6.0 6.1 7.0 7.5 8.0 8.6 9.0");
    assert_string_equal(t.ptx, "3.7");
    /* A wheel beats the release matrix. */
    assert_int_equal(tn_facts_torch_build("2.13.0", "cu130", L, &t), TN_ANSWER_YES);
    assert_string_equal(t.ptx, "");
    assert_true(tn_facts_rival(tn_facts_find("pytorch_builds"), t.row, 0) < tn_facts_find("pytorch_builds")->nrows);
    assert_int_equal(tn_facts_torch_build("2.15.0", NULL, L, &t), TN_ANSWER_YES);
    assert_string_equal(t.variant, "cu132");
    assert_string_equal(t.sass, "7.5 8.0 8.6 9.0 10.0 12.0");
    assert_int_equal(tn_facts_torch_build("2.11.0", "cu128", L, &t), TN_ANSWER_YES);
    assert_string_equal(t.sass, "7.5 8.0 8.6 9.0 10.0 12.0");
    assert_int_equal(tn_facts_torch_build("2.8.5", "cu126", L, &t), TN_ANSWER_YES);
    assert_string_equal(t.version, "2.8.0");
    assert_false(t.exact);
    assert_int_equal(tn_facts_torch_build("2.9.0+cpu", NULL, L, &t), TN_ANSWER_NO);
    assert_int_equal(tn_facts_torch_build("2.9.0", NULL, W, &t), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_torch_build("2.30.0", NULL, L, &t), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_torch_build("0.4.1", NULL, L, &t), TN_ANSWER_NO);
}

static void jax(void **state)
{
    struct tn_facts_jax j;
    (void)state;
    assert_int_equal(tn_facts_jax_build("0.11.0", "cuda13", &j), TN_ANSWER_YES);
    assert_string_equal(j.driver_min_linux, "580");
    assert_string_equal(j.cudnn_min, "9.12.0.46,<10.0");
    assert_string_equal(j.python_min, "3.12");
    assert_int_equal(tn_facts_jax_build("0.12.0.1", "cuda12", &j), TN_ANSWER_YES);
    assert_string_equal(j.sass, "5.0 6.0 7.0 8.0 9.0 10.0 10.1 12.0");
    assert_string_equal(j.ptx, "12.0");
    assert_int_equal(tn_facts_jax_build("0.4.13", "cuda11_cudnn86", &j), TN_ANSWER_YES);
    assert_string_equal(j.sass, "5.2 6.0 7.0 8.0 9.0");
    assert_int_equal(tn_facts_jax_build("0.4.13", "cuda13", &j), TN_ANSWER_NO);
    assert_int_equal(tn_facts_jax_build("0.19.0", "cuda13", &j), TN_ANSWER_NEWER);
}

static unsigned words(const char *list)
{
    char word[64];
    unsigned n = 0;
    while (tn_facts_list_next(&list, word, sizeof word))
        n++;
    return n;
}

static void cudnn(void **state)
{
    static const struct {
        const char *version;
        unsigned files;
        bool zlib;
        const char *cc, *majors;
    } rows[] = {
        {"7.6.5", 1, false, "", "9 10"},
        {"8.0", 7, false, "", "10 11"},
        {"8.1", 7, false, "", "10 11"},
        {"8.1.0.77", 7, false, "", "10 11"},
        {"8.2.4", 7, false, "", "11"},
        {"8.3.2", 7, true, "", "10 11"},
        {"8.4.1.50", 7, true, "3.5", "10 11"},
        {"8.9.7", 7, true, "5.0", "11 12"},
        {"9.0.0", 8, true, "5.0", "11 12"},
        {"9.1.0", 8, true, "5.0", "11 12"},
        {"9.2.0", 8, false, "5.0", "11 12"},
        {"9.10.2", 8, false, "5.0", "11 12"},
        {"9.11.0", 8, false, "7.5", "12"},
        {"9.12.0", 8, false, "7.5", "12 13"},
        {"9.28.0.42", 10, false, "7.5", "12 13"},
    };
    struct tn_facts_cudnn c;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_facts_cudnn(rows[i].version, W, &c), TN_ANSWER_YES);
        if (words(c.files) != rows[i].files || c.needs_zlibwapi != rows[i].zlib || strcmp(c.min_cc, rows[i].cc) != 0 ||
            strcmp(c.cuda_majors, rows[i].majors) != 0)
            fail_msg("cuDNN %s: row %s, %s, %s, %s", rows[i].version, c.version, c.files, c.min_cc, c.cuda_majors);
    }
    assert_int_equal(tn_facts_cudnn("8.1.0", W, &c), TN_ANSWER_YES);
    assert_true(tn_facts_list_has(c.files, "cudnn64_8.dll") && tn_facts_list_has(c.files, "cudnn_ops_infer64_8.dll"));
    assert_int_equal(tn_facts_cudnn("9.1.0", L, &c), TN_ANSWER_YES);
    assert_true(tn_facts_list_has(c.files, "libcudnn_engines_precompiled.so.9"));
    assert_int_equal(tn_facts_cudnn("8.2.2", L, &c), TN_ANSWER_YES);
    assert_false(c.exact);
    assert_string_equal(c.version, "8.2.1.32");
    assert_int_equal(tn_facts_cudnn("9.40", L, &c), TN_ANSWER_NEWER);
    assert_int_equal(words(c.files), 10);
    assert_int_equal(tn_facts_cudnn("10.1", L, &c), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_cudnn("4.0", L, &c), TN_ANSWER_NO);
    assert_int_equal(tn_facts_cudnn("", L, &c), TN_ANSWER_BAD);
    static const struct {
        const char *version;
        unsigned newest;
    } later[] = {{"7.6.5", 7}, {"8.1.0.77", 8}, {"8.5.0.96", 8}, {"8.6.0.163", 9}, {"8.9.7.29", 9},
                 {"9.0.0", 0}, {"10.1", 0},     {"6.0", 0},      {"", 0}};
    for (size_t i = 0; i < TN_LEN(later); i++)
        assert_int_equal(tn_facts_cudnn_newest_major(later[i].version), later[i].newest);
}

static void cudnn_majors(void **state)
{
    static const struct {
        const char *file;
        unsigned major;
    } rows[] = {{"libcudnn.so.9", 9},   {"libcudnn.so.8.9.7", 8}, {"libcudnn_ops_infer.so.8", 8},
                {"cudnn64_8.dll", 8},   {"CUDNN64_7.DLL", 7},     {"cudnn_graph64_9.dll", 9},
                {"libcudnn.so", 0},     {"libcudart.so.12", 0},   {"libcudnnx.so.8", 0},
                {"cudart64_110.dll", 0}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        if (tn_facts_cudnn_major(rows[i].file) != rows[i].major)
            fail_msg("%s: %u", rows[i].file, tn_facts_cudnn_major(rows[i].file));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensorflow),
        cmocka_unit_test(tensorflow_not_there),
        cmocka_unit_test(tensorflow_code),
        cmocka_unit_test(tensorflow_libs),
        cmocka_unit_test(python_pins),
        cmocka_unit_test(pytorch),
        cmocka_unit_test(jax),
        cmocka_unit_test(cudnn),
        cmocka_unit_test(cudnn_majors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
