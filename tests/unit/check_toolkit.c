/* check_toolkit.c - checks over toolkits and libraries: sets of cuDNN, Microsoft's run time; stories 15 and 33. */
#include "check_machine.h"

/* A set with a hole; what stands in for it, and what is no hole. */
static void cudnn_incomplete(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_library *part = &m->s.library.v[7];
    assert_true(tn_says(part->soname, "libcudnn_ops_infer.so.8"));
    part->soname = T("libelse.so.8");
    const struct tn_finding *f = expect_problem(m, "cudnn-incomplete", NULL);
    expect_sentence(f, TN_EN, "lacks libcudnn_ops_infer.so.8: ");
    expect_sentence(f, TN_ZH, "libcudnn_ops_infer.so.8");
    /* Another environment's copy is none; the system's is. */
    add_library(m, "libcudnn_ops_infer", "libcudnn_ops_infer.so.8", "8.1.1", "env2");
    expect_problem(m, "cudnn-incomplete", NULL);
    m->s.library.v[m->s.library.n - 1].env = tn_fact_nostr(0, TN_ABSENT);
    m->s.library.v[m->s.library.n - 1].reachable = N(1);
    expect_ok(m, 0);
    /* Where not all folders could be seen, nothing is said to be missing. */
    m->s.library.v[m->s.library.n - 1].soname = T("libelse.so.8");
    m->s.library.listed = TN_DENIED;
    judge(m, NULL);
    assert_true(found(m, "cudnn-incomplete") && found(m, "cudnn-incomplete")->status == TN_UNTESTABLE);
    finish(m);
}

/* NVIDIA's smaller set, and a release that the table does not know. */
static void cudnn_other_sets(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_linux(m);
    f->version = T("2.18.0");
    f->cuda = T("12.5.1");
    f->cudnn = T("9");
    words(m, &f->asks, "libcudart.so.12 libcudnn.so.9");
    add_library(m, "libcudart", "libcudart.so.12", "12.9.79", "env1");
    add_library(m, "libcudnn", "libcudnn.so.9", "9.20.0", "env1");
    expect_problem(m, "cudnn-incomplete", NULL);
    add_dist(m, "env1", "nvidia-cudnn-jit-cu12", "9.20.0.48");
    expect_ok(m, 0);
    m->s.dist.n--;
    m->s.library.v[1].version = T("9.99.0");
    expect_ok(m, 0);
    finish(m);
}

static void add_dll_set(struct machine *m, const char *version)
{
    static const char *const dll[][2] = {
        {"cudart", "cudart64_110.dll"},
        {"cublas", "cublas64_11.dll"},
        {"cublasLt", "cublasLt64_11.dll"},
        {"cufft", "cufft64_10.dll"},
        {"curand", "curand64_10.dll"},
        {"cusolver", "cusolver64_11.dll"},
        {"cusparse", "cusparse64_11.dll"},
        {"cudnn", "cudnn64_8.dll"},
        {"cudnn_ops_infer", "cudnn_ops_infer64_8.dll"},
        {"cudnn_ops_train", "cudnn_ops_train64_8.dll"},
        {"cudnn_cnn_infer", "cudnn_cnn_infer64_8.dll"},
        {"cudnn_cnn_train", "cudnn_cnn_train64_8.dll"},
        {"cudnn_adv_infer", "cudnn_adv_infer64_8.dll"},
        {"cudnn_adv_train", "cudnn_adv_train64_8.dll"},
    };
    for (size_t i = 0; i < TN_LEN(dll); i++)
        add_library(m, dll[i][0], dll[i][1], i < 7 ? "11.2.152" : version, "env1");
}

/* cuDNN 8.3 to 9.1 on Windows ask for zlib; 8.1 does not. */
static void cudnn_zlib(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_windows(m, "2.10.0");
    add_dll_set(m, "8.1.1.33");
    expect_ok(m, 0);
    finish(m);
    start_windows(m, "2.10.0");
    add_dll_set(m, "8.4.1.50");
    expect_sentence(expect_problem(m, "cudnn-incomplete", "zlib"), TN_EN, "zlibwapi.dll");
    add_library(m, "zlibwapi", "zlibwapi.dll", "1.2.3", NULL)->bits = N(32);
    expect_problem(m, "cudnn-incomplete", "zlib");
    m->s.library.v[m->s.library.n - 1].bits = N(64);
    expect_ok(m, 0);
    m->s.library.v[m->s.library.n - 1].reachable = N(0);
    expect_problem(m, "cudnn-incomplete", "zlib");
    finish(m);
}

/* Story 33: the package that brings it is named, and no IDE. */
static void msvc_runtime(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    (void)state;
    start_windows(m, "2.10.0");
    add_dll_set(m, "8.1.1.33");
    m->s.library.v[1].soname = T("msvcp140_2.dll");
    const struct tn_finding *f = expect_problem(m, "msvc-runtime-missing", NULL);
    expect_sentence(f, TN_EN, "msvcp140_1.dll is missing: ");
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_CMD));
    assert_non_null(strstr(b.p, "VCRedist.2015+.x64"));
    tn_buf_deinit(&b);
    /* Beside conda's python.exe; in another environment it is of no use. */
    struct tn_rec_library *l = add_library(m, "msvcp140", "msvcp140_1.dll", "14.29.30139", "env1");
    l->path = T("c:/users/u/ENVS/tf\\msvcp140_1.dll");
    expect_ok(m, 0);
    m->s.library.v[m->s.library.n - 1].path = T("C:\\Users\\u\\envs\\else\\msvcp140_1.dll");
    expect_problem(m, "msvc-runtime-missing", NULL);
    /* TensorFlow before 2.1 did not ask for it. */
    m->s.framework.v[0].version = T("2.0.0");
    judge(m, NULL);
    assert_null(found(m, "msvc-runtime-missing"));
    finish(m);
    /* Linux has no part in it. */
    start_healthy(m);
    expect_ok(m, 0);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cudnn_incomplete),
        cmocka_unit_test(cudnn_other_sets),
        cmocka_unit_test(cudnn_zlib),
        cmocka_unit_test(msvc_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
