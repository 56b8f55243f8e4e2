/* check_env.c - the environment's half: CUDA, cuDNN, architectures, NumPy, Windows; stories 1, 2, 7, 24; peer mistakes
 * 2, 3, 6, 10, 13, 14, 22. */
#include "check_machine.h"

/* Story 1: one cause, at least three good layers, one next command. */
static void story_1(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    unsigned good = 0;
    (void)state;
    start_windows(m, "2.6.0");
    const struct tn_finding *f = expect_problem(m, "cuda-runtime-missing", NULL);
    expect_sentence(f, TN_EN, "CUDA 11.x runtime missing: cudart64_110.dll");
    expect_sentence(f, TN_ZH, "cudart64_110.dll");
    for (size_t i = 1; i < m->out.n; i++)
        assert_true(m->out.v[i].behind || m->out.v[i].severity != TN_ERROR);
    for (unsigned i = 0; i < TN_LAYERS; i++)
        good += m->v.layer[i].status == TN_LAYER_GOOD;
    assert_true(good >= 3);
    assert_int_equal(m->v.layer[4].status, TN_LAYER_BAD);
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_CMD));
    assert_string_equal(b.p,
                        "conda install -p C:\\Users\\u\\envs\\tf -c conda-forge \"cudatoolkit=11.2\" \"cudnn=8.1\"");
    tn_buf_deinit(&b);
    finish(m);
}

/* Story 2: only v12.0 on disk. */
static void story_2(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_windows(m, "2.10.0");
    set_driver(m, "527.41", "12.0");
    struct tn_rec_library *l = add_library(m, "cudart", "cudart64_12.dll", "12.0.107", NULL);
    l->place = T("toolkit");
    l->reachable = N(0);
    const struct tn_finding *f = expect_problem(m, "cuda-version-mismatch", NULL);
    expect_sentence(f, TN_EN, "12.0.107 offers cudart64_12.dll where cudart64_110.dll is asked for");
    assert_string_equal(f->remedy[0].id, "env-cuda-conda");
    assert_null(found(m, "cuda-runtime-missing"));
    finish(m);
    /* Another environment's right copy is of no use here. */
    start_windows(m, "2.10.0");
    add_library(m, "cudart", "cudart64_110.dll", "11.2", "env2");
    expect_problem(m, "cuda-runtime-missing", NULL);
    finish(m);
}

static void runtime(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_linux(m);
    expect_problem(m, "cuda-runtime-missing", NULL);
    m->s.library.listed = TN_DENIED;
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    m->s.library.listed = TN_KNOWN;
    /* Without the wheel's own list the table's is taken. */
    f->asks = tn_fact_nolist(0, TN_UNASKED);
    expect_sentence(expect_problem(m, "cuda-runtime-missing", NULL), TN_EN, "libcudart.so.11.0");
    /* A 32-bit copy, a stub and an empty file are no copies. */
    add_cuda11(m, "11.2.152", "8.1.1", NULL);
    m->s.library.v[0].bits = N(32);
    expect_problem(m, "cuda-runtime-missing", NULL);
    m->s.library.v[0].bits = N(64);
    m->s.library.v[0].kind = T("empty");
    expect_problem(m, "cuda-runtime-missing", NULL);
    m->s.library.v[0].kind = T("real");
    expect_ok(m, 0);
    /* In a toolkit that nobody searches: neither missing nor another version. */
    for (size_t i = 0; i < m->s.library.n; i++)
        m->s.library.v[i].reachable = N(0);
    expect_problem(m, "cuda-not-on-loader-path", NULL);
    finish(m);
}

/* TF 2.14 and later: the wheel's extra brings it. */
static void wheels(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    (void)state;
    struct tn_rec_framework *f = start_linux(m);
    f->version = T("2.15.1");
    f->cuda = T("12.2");
    words(m, &f->asks, "libcudart.so.12 libcublas.so.12 libcudnn.so.8");
    const struct tn_finding *p = expect_problem(m, "cuda-runtime-missing", NULL);
    expect_sentence(p, TN_EN, "CUDA 12.x");
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &p->remedy[0], &m->s, TN_SHELL_SH));
    assert_string_equal(b.p, "/home/u/envs/tf/bin/python -m pip install 'tensorflow[and-cuda]==2.15.1'");
    tn_buf_deinit(&b);
    finish(m);
}

static void cudnn_is(struct machine *m, const char *version)
{
    for (size_t i = 0; i < m->s.library.n; i++)
        if (tn_str_starts(m->s.library.v[i].stem.v, "libcudnn"))
            m->s.library.v[i].version = T(version);
}

/* Story 24: 11.6 is untested and no error; cuDNN 8.8 is the suspect; each alone is at most a warning. */
static void story_24(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_linux(m);
    f->version = T("2.8.0");
    add_cuda11(m, "11.6.55", "8.8.0", NULL);
    const struct tn_finding *p = expect_problem(m, "cudnn-version-mismatch", "suspect");
    assert_int_equal(p->status, TN_LIKELY);
    const struct tn_finding *w = found(m, "cuda-version-mismatch");
    assert_string_equal(w->variant, "untested");
    assert_int_equal(w->severity, TN_WARNING);
    expect_sentence(w, TN_EN, "untested");
    cudnn_is(m, "8.1.0");
    expect_ok(m, 1);
    /* The pair of a later release was tested, and CUDA as built with a newer cuDNN is nothing to stop for. */
    for (size_t i = 0; i < m->s.library.n; i++)
        m->s.library.v[i].version = T("11.8.89");
    cudnn_is(m, "8.6.0");
    expect_ok(m, 1);
    for (size_t i = 0; i < m->s.library.n; i++)
        m->s.library.v[i].version = T("11.2.152");
    cudnn_is(m, "8.9.7");
    expect_ok(m, 0);
    assert_int_equal(found(m, "cudnn-version-mismatch")->severity, TN_NOTE);
    finish(m);
}

static void cudnn(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_linux(m);
    add_cuda11(m, "11.2.152", "8.0.5", "env1");
    expect_sentence(expect_problem(m, "cudnn-version-mismatch", NULL), TN_EN, "8.0.5");
    finish(m);
    /* Story 15's set: 8.1 main, 8.4 part. */
    start_linux(m);
    add_cuda11(m, "11.2.152", "8.1.1", "env1");
    struct tn_rec_library *part = &m->s.library.v[7];
    assert_true(tn_says(part->soname, "libcudnn_ops_infer.so.8"));
    part->version = T("8.4.1");
    const struct tn_finding *f = expect_problem(m, "cudnn-version-mismatch", "mixed");
    expect_sentence(f, TN_ZH, "libcudnn_ops_infer.so.8");
    part->version = T("8.1.1");
    expect_ok(m, 0);
    /* The odd file of another environment is not met. */
    add_library(m, "libcudnn_ops_infer", "libcudnn_ops_infer.so.8", "8.4.1", "env7");
    expect_ok(m, 0);
    finish(m);
    /* On Windows it is told whether the odd file's release needs zlib: 8.2 does not, 8.4 does. */
    start_windows(m, "2.10.0");
    add_library(m, "cudnn64", "cudnn64_8.dll", "8.1.1.33", "env1");
    add_library(m, "cudnn_ops_infer64", "cudnn_ops_infer64_8.dll", "8.2.4.15", "env1");
    judge(m, NULL);
    f = found(m, "cudnn-version-mismatch");
    assert_non_null(f);
    expect_sentence(f, TN_EN, "8.2.4.15, which needs no zlibwapi.dll");
    m->s.library.v[m->s.library.n - 1].version = T("8.4.1.50");
    judge(m, NULL);
    f = found(m, "cudnn-version-mismatch");
    assert_non_null(f);
    expect_sentence(f, TN_ZH, "8.4.1.50，该版本还需要 zlibwapi.dll");
    finish(m);
    start_linux(m);
    add_cuda11(m, "11.2.152", NULL, "env1");
    expect_problem(m, "cudnn-missing", NULL);
    /* What looks like one: Debian's downloader when it is installed, headers in a toolkit. */
    struct tn_rec_package *p = TN_ADD(&m->s, package);
    p->name = T("nvidia-cudnn");
    p->manager = T("dpkg");
    p->state = T("config-files");
    expect_problem(m, "cudnn-missing", NULL);
    p->state = T("installed");
    expect_sentence(expect_problem(m, "cudnn-missing", "downloader"), TN_EN, "update-nvidia-cudnn");
    struct tn_rec_toolkit *t = TN_ADD(&m->s, toolkit);
    t->path = T("/opt/cuda-x");
    t->cudnn_header = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "cudnn-missing", "downloader");
    t->cudnn_header = T("8.9.7");
    expect_sentence(expect_problem(m, "cudnn-missing", "headers"), TN_ZH, "8.9.7");
    add_cudnn(m, "9.1.0", "env1");
    expect_sentence(expect_problem(m, "cudnn-version-mismatch", "major"), TN_EN, "9.1.0");
    assert_null(found(m, "cudnn-missing"));
    finish(m);
    /* Newer by the environment's own packages: nothing to say. Mistake 6's number is 9.1.0. */
    struct tn_rec_framework *fw = start_linux(m);
    add_dist(m, "env1", "nvidia-cuda-nvcc-cu12", "12.5.82");
    fw->version = T("2.18.0");
    fw->cuda = T("12.5.1");
    fw->cudnn = T("9");
    words(m, &fw->asks, "libcudart.so.12 libcudnn.so.9");
    add_library(m, "libcudart", "libcudart.so.12", "12.9.79", "env1");
    add_cudnn(m, "9.28.0", "env1");
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    for (size_t i = 1; i < m->s.library.n; i++)
        m->s.library.v[i].version = T("9.1.0");
    expect_sentence(expect_problem(m, "cudnn-version-mismatch", NULL), TN_EN, "9.1.0");
    finish(m);
}

/* 9.11 begins with Turing; TensorFlow 2.20 takes any cuDNN 9. */
static void cudnn_and_card(void **state)
{
    static const struct {
        const char *cudnn, *capability;
        bool served;
    } rows[] = {{"9.28.0.42", "6.1", false},
                {"9.10.2.21", "6.1", true},
                {"9.28.0.42", "7.5", true},
                {"9.11.0.98", "7.0", false},
                {"9.28.0.42", NULL, true}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct machine mm, *m = &mm;
        struct tn_rec_framework *fw = start_linux(m);
        fw->version = T("2.20.0");
        fw->cuda = T("12.5.1");
        fw->cudnn = T("9.3.0");
        words(m, &fw->asks, "libcudart.so.12 libcudnn.so.9");
        add_dist(m, "env1", "nvidia-cudnn-cu12", rows[i].cudnn);
        add_library(m, "libcudart", "libcudart.so.12", "12.9.79", "env1");
        add_cudnn(m, rows[i].cudnn, "env1");
        m->s.gpu.v[0].capability = rows[i].capability ? T(rows[i].capability) : tn_fact_nostr(0, TN_UNASKED);
        judge(m, NULL);
        const struct tn_finding *f = found(m, "cudnn-version-mismatch");
        if ((f && f->variant && strcmp(f->variant, "card") == 0) == rows[i].served)
            fail_msg("cuDNN %s on %s", rows[i].cudnn, rows[i].capability ? rows[i].capability : "?");
        if (!rows[i].served) {
            struct tn_buf b;
            tn_buf_init(&b);
            expect_sentence(f, TN_EN, "serves cards from compute capability 7.5 on");
            assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
            assert_non_null(strstr(b.p, "'nvidia-cudnn-cu12<9.11'"));
            tn_buf_deinit(&b);
        }
        finish(m);
    }
}

/* Releases before 9.0 do not run on cards that came after them; with one card that they serve nothing is said. */
static void cudnn_before_card(void **state)
{
    static const struct {
        const char *cuda, *cudnn, *capability, *second;
        bool older;
    } rows[] = {{"11.8", "8.1.1.33", "9.0", NULL, true},  {"12.8", "8.9.7.29", "12.0", NULL, true},
                {"11.2", "8.1.1.33", "9.0", NULL, false}, {"11.8", "8.9.7.29", "9.0", NULL, false},
                {"11.8", "8.1.1.33", "8.9", NULL, false}, {"11.8", "8.1.1.33", "9.0", "8.6", false},
                {"11.8", "8.1.1.33", NULL, NULL, false}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct machine mm, *m = &mm;
        start_linux(m)->cuda = T(rows[i].cuda);
        add_cuda11(m, rows[i].cuda, rows[i].cudnn, "env1");
        m->s.gpu.v[0].capability = rows[i].capability ? T(rows[i].capability) : tn_fact_nostr(0, TN_UNASKED);
        if (rows[i].second) {
            struct tn_rec_gpu *g = TN_ADD(&m->s, gpu);
            *g = m->s.gpu.v[0];
            g->capability = T(rows[i].second);
        }
        judge(m, NULL);
        const struct tn_finding *f = found(m, "cudnn-version-mismatch");
        if ((f && f->variant && strcmp(f->variant, "older_than_card") == 0) != rows[i].older)
            fail_msg("cuDNN %s on %s", rows[i].cudnn, rows[i].capability ? rows[i].capability : "?");
        if (rows[i].older)
            expect_sentence(f, TN_EN, "do not run on later ones");
        finish(m);
    }
}

struct arch_case {
    const char *gpu, *cc, *sass, *ptx;
    bool none;
};

static void arch(void **state)
{
    static const struct arch_case c[] = {
        {"NVIDIA GeForce RTX 4090", "8.9", "50 60 70 75 80 86 90", "", false},  /* mistake 2 */
        {"NVIDIA B300", "10.3", "75 80 90 100 120", "", false},                 /* mistake 3 */
        {"NVIDIA GeForce GTX 1080", "6.1", "75 80 86 90 100 120", "120", true}, /* mistake 10 */
        {"NVIDIA GeForce RTX 5090", "12.0", "90a", "90a", true},                /* mistake 13 */
        {"NVIDIA GeForce RTX 5090", "12.0", "60 70 80 89 90", "90", false},     /* by JIT: another cause */
        {"NVIDIA GeForce RTX 5090", "12.0", "60 70 80 89 90", "", true},
        {"NVIDIA B300", "10.3", "100a", "", true},
        {"NVIDIA GeForce GTX 960M", "5.0", "60 70 80 89 90", "90", true},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(c); i++) {
        struct machine mm, *m = &mm;
        struct tn_rec_framework *f = start_healthy(m);
        m->s.gpu.n = 0;
        add_gpu(m, c[i].gpu, c[i].cc);
        words(m, &f->sass, c[i].sass);
        words(m, &f->ptx, c[i].ptx);
        judge(m, NULL);
        if ((found(m, "arch-unsupported") != NULL) != c[i].none)
            fail_msg("%s: %s; %s", c[i].gpu, c[i].sass, c[i].ptx);
        finish(m);
    }
}

/* Mistake 14: each GPU has a verdict of its own. */
static void two_gpus(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GeForce RTX 4090", "8.9");
    add_gpu(m, "NVIDIA GeForce GTX 1080", "6.1");
    words(m, &f->sass, "75 80 86 90");
    words(m, &f->ptx, "90");
    expect_ok(m, 1);
    assert_int_equal(count(m, "arch-unsupported"), 1);
    expect_sentence(found(m, "arch-unsupported"), TN_EN, "GTX 1080");
    judge(m, "2");
    assert_int_equal(m->v.status, TN_VERDICT_PROBLEM);
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GeForce GTX 1070", "6.1");
    add_gpu(m, "NVIDIA GeForce GTX 1080", "6.1");
    expect_problem(m, "arch-unsupported", "older");
    assert_int_equal(count(m, "arch-unsupported"), 2);
    /* From the table, when the wheel was not read; unknown where neither says. */
    f->sass = f->ptx = tn_fact_nolist(0, TN_UNASKED);
    expect_ok(m, 0);
    f->version = T("2.99.0");
    judge(m, NULL);
    assert_int_equal(found(m, "arch-unsupported")->status, TN_UNTESTABLE);
    assert_int_equal(m->v.status, TN_VERDICT_OK); /* newer than the tables is no alarm */
    finish(m);
}

static void cpu_build(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    f->gpu_build = N(0);
    f->package = T("tensorflow-cpu");
    expect_sentence(expect_problem(m, "cpu-only-build", NULL), TN_EN, "tensorflow-cpu 2.10.1");
    judge(m, "cpu");
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    /* Story 31: without a card that comes first, the CPU build beside it. */
    TN_THE(&m->s, driver)->cuda = tn_fact_nostr(0, TN_ABSENT);
    m->s.gpu.n = 0;
    expect_problem(m, "no-nvidia-gpu", NULL);
    assert_null(found(m, "cpu-only-build")->behind);
    finish(m);
    /* Only CPU builds and nothing of NVIDIA: the CPU is expected. */
    start(m, "linux");
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->library_version = tn_fact_nostr(0, TN_ABSENT);
    add_env(m, "env1", true);
    add_framework(m, "env1", "torch", "2.9.0+cpu", false);
    expect_ok(m, 0);
    assert_int_equal(m->j.expect, TN_EXPECT_CPU);
    finish(m);
    /* Beside a GPU build it is a warning. */
    start_healthy(m);
    add_framework(m, "env1", "onnxruntime", "1.20.0", false);
    expect_ok(m, 1);
    m->s.framework.v[1].gpu_build = tn_fact_noint(0, TN_FAILED);
    judge(m, NULL);
    assert_int_equal(found(m, "cpu-only-build")->status, TN_UNTESTABLE);
    finish(m);
}

/* Story 7: Python 3.10 is fine, NumPy 2 is not; with 1.26 all is well. Mistake 22: no table of Pythons is asked. */
static void numpy(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_buf b;
    (void)state;
    start_healthy(m);
    m->s.env.v[0].python = T("3.10.14");
    m->s.dist.v[0].version = T("2.0.2");
    const struct tn_finding *f = expect_problem(m, "numpy-abi", NULL);
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    assert_string_equal(b.p, "/home/u/envs/tf/bin/python -m pip install 'numpy<2'");
    tn_buf_deinit(&b);
    m->s.framework.v[0].version = T("2.18.0");
    judge(m, NULL);
    assert_null(found(m, "numpy-abi"));
    m->s.framework.v[0].version = T("2.17.1");
    judge(m, NULL);
    assert_non_null(found(m, "numpy-abi"));
    m->s.framework.v[0].version = T("2.10.1");
    m->s.dist.v[0].version = T("1.26.4");
    m->s.env.v[0].python = T("3.13.1");
    expect_ok(m, 0);
    m->s.dist.v[0].version = T("2.1.0");
    m->s.framework.v[0].version = T("2.21.0");
    add_dist(m, "env1", "torch", "2.2.2");
    judge(m, NULL);
    assert_string_equal(found(m, "numpy-abi")->variant, "bridge");
    m->s.dist.v[1].version = T("2.3.0");
    judge(m, NULL);
    assert_null(found(m, "numpy-abi"));
    finish(m);
}

static void windows(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_windows(m, "2.16.1");
    f->gpu_build = N(0);
    f->package = T("tensorflow-intel");
    expect_sentence(expect_problem(m, "windows-native-unsupported", NULL), TN_EN, "2.10 was the last");
    assert_string_equal(found(m, "cpu-only-build")->behind, "windows-native-unsupported");
    add_dist(m, "env1", "tensorflow-directml-plugin", "0.4.0");
    judge(m, NULL);
    assert_null(found(m, "windows-native-unsupported"));
    m->s.dist.n = 1;
    f->version = T("2.10.0");
    judge(m, NULL);
    assert_null(found(m, "windows-native-unsupported"));
    f->name = f->package = T("jax");
    f->version = T("0.4.30");
    expect_problem(m, "windows-native-unsupported", "jax");
    finish(m);
}

/* Others are counted and never alarm (design 6.1). */
static void others(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    add_env(m, "env2", false);
    add_framework(m, "env2", "tensorflow", "2.10.1", false);
    add_env(m, "env3", false);
    add_env(m, "env4", false);
    add_dist(m, "env4", "numpy", "2.0.1");
    add_framework(m, "env4", "tensorflow", "2.10.1", true);
    add_env(m, "env5", false);
    struct tn_rec_framework *f = add_framework(m, "env5", "tensorflow", "2.10.1", true);
    words(m, &f->asks, "");
    expect_ok(m, 0);
    assert_int_equal(m->v.others, 3);
    assert_int_equal(m->v.others_not_ready, 2);
    for (size_t i = 0; i < m->out.n; i++)
        assert_true(m->out.v[i].env == NULL || strcmp(m->out.v[i].env, "env1") == 0);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(story_1),        cmocka_unit_test(story_2),
        cmocka_unit_test(runtime),        cmocka_unit_test(wheels),
        cmocka_unit_test(story_24),       cmocka_unit_test(cudnn),
        cmocka_unit_test(cudnn_and_card), cmocka_unit_test(cudnn_before_card),
        cmocka_unit_test(arch),           cmocka_unit_test(two_gpus),
        cmocka_unit_test(cpu_build),      cmocka_unit_test(numpy),
        cmocka_unit_test(windows),        cmocka_unit_test(others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
