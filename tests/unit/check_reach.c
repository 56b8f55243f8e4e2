/* check_reach.c - which copies count: the run path of a build, LD_LIBRARY_PATH, and what a base interpreter holds.
 *
 * The run paths are those read in the wheels (table tf_run_path); what each of them misses was tried with TensorFlow's
 * own check. */
#include "check_machine.h"
#include "strings.gen.h"

#define SITE "/home/u/envs/tf/lib/python3.11/site-packages"
#define CUDA12_SO                                                                                                      \
    "libcudart.so.12 libcublas.so.12 libcublasLt.so.12 libcufft.so.11 libcusolver.so.11 libcusparse.so.12 "            \
    "libcudnn.so.9"

static const char *const wheel[][4] = {
    {"libcudart", "libcudart.so.12", "cuda_runtime", "12.9.79"},
    {"libcublas", "libcublas.so.12", "cublas", "12.9.3"},
    {"libcublasLt", "libcublasLt.so.12", "cublas", "12.9.3"},
    {"libcufft", "libcufft.so.11", "cufft", "11.4.1"},
    {"libcusolver", "libcusolver.so.11", "cusolver", "11.7.5"},
    {"libcusparse", "libcusparse.so.12", "cusparse", "12.5.10"},
    {"libcudnn", "libcudnn.so.9", "cudnn", "9.27.0"},
    {"libcudnn_graph", "libcudnn_graph.so.9", "cudnn", "9.27.0"},
    {"libcudnn_ops", "libcudnn_ops.so.9", "cudnn", "9.27.0"},
    {"libcudnn_cnn", "libcudnn_cnn.so.9", "cudnn", "9.27.0"},
    {"libcudnn_adv", "libcudnn_adv.so.9", "cudnn", "9.27.0"},
    {"libcudnn_heuristic", "libcudnn_heuristic.so.9", "cudnn", "9.27.0"},
    {"libcudnn_engines_precompiled", "libcudnn_engines_precompiled.so.9", "cudnn", "9.27.0"},
    {"libcudnn_engines_runtime_compiled", "libcudnn_engines_runtime_compiled.so.9", "cudnn", "9.27.0"},
};

static void add_wheels(struct machine *m)
{
    for (size_t i = 0; i < TN_LEN(wheel); i++) {
        struct tn_rec_library *l = add_library(m, wheel[i][0], wheel[i][1], wheel[i][3], "env1");
        l->path = T(tn_arena_printf(&m->mem, SITE "/nvidia/%s/lib/%s", wheel[i][2], wheel[i][1]));
    }
}

/* folders: names below nvidia, as in the table. */
static struct tn_rec_framework *start_wheels(struct machine *m, const char *version, const char *folders)
{
    struct tn_rec_framework *f = start_linux(m);
    char dirs[512] = "tensorflow", *copy = tn_arena_strdup(&m->mem, folders);
    m->s.env.v[0].kind = T("venv");
    m->s.dist.v[0].version = T("2.1.3");
    f->version = T(version);
    f->cuda = T("12.5.1");
    f->cudnn = T("9");
    f->path = T(SITE "/tensorflow");
    words(m, &f->sass, "60 70 80 89 90");
    words(m, &f->ptx, "90");
    words(m, &f->asks, CUDA12_SO);
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
        snprintf(dirs + strlen(dirs), sizeof dirs - strlen(dirs), " nvidia/%s/lib", p);
    words(m, &f->dirs, dirs);
    add_wheels(m);
    add_dist(m, "env1", "nvidia-cuda-nvcc-cu12", "12.5.82");
    return f;
}

static const char *command_of(struct machine *m, const struct tn_finding *f, unsigned i)
{
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(i < f->n_remedy && tn_remedy_command(&b, &f->remedy[i], &m->s, TN_SHELL_SH));
    const char *text = tn_arena_strdup(&m->mem, b.p);
    tn_buf_deinit(&b);
    return text;
}

#define SIX "cublas cuda_runtime cudnn cufft cusolver cusparse"

static void run_paths(void **state)
{
    static const struct {
        const char *version, *folders;
        bool fails;
    } c[] = {{"2.21.0", "cublas cuda_cupti cuda_runtime cudnn cufft cusparse nccl nvshmem", true},
             {"2.20.0", "cublas cuda_cupti cuda_runtime cudnn cufft cusolver cusparse", false},
             {"2.19.1", SIX, false},
             {"2.16.2", SIX, false},
             {"2.16.1", "cuda_runtime", true},
             {"2.13.1", "", true}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(c); i++) {
        struct machine mm, *m = &mm;
        start_wheels(m, c[i].version, c[i].folders);
        judge(m, NULL);
        if ((found(m, "nvidia-wheels-missing") != NULL) != c[i].fails)
            fail_msg("%s", c[i].version);
        assert_null(found(m, "cuda-runtime-missing"));
        assert_null(found(m, "cuda-not-on-loader-path"));
        assert_null(found(m, "cudnn-missing"));
        finish(m);
    }
}

/* 2.21.0: the library that TensorFlow does not name, and the two ways out. */
static void tf_2_21(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *fw =
        start_wheels(m, "2.21.0", "cublas cuda_cupti cuda_runtime cudnn cufft cusparse nccl nvshmem");
    const struct tn_finding *f = expect_problem(m, "nvidia-wheels-missing", NULL);
    expect_sentence(f, TN_EN, "does not find libcusolver.so.11: it lies in " SITE "/nvidia/cusolver/lib");
    expect_sentence(f, TN_ZH, "libcusolver.so.11");
    assert_string_equal(command_of(m, f, 0), "export LD_LIBRARY_PATH=" SITE "/nvidia/cusolver/lib");
    assert_string_equal(command_of(m, f, 1),
                        "/home/u/envs/tf/bin/python -m pip install 'tensorflow[and-cuda]==2.20.0'");
    /* The old value stays behind the new one; afterwards the loader's own search finds it. */
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T("LD_LIBRARY_PATH");
    v->value = T("/opt/x/lib");
    assert_string_equal(command_of(m, expect_problem(m, "nvidia-wheels-missing", NULL), 0),
                        "export LD_LIBRARY_PATH=" SITE "/nvidia/cusolver/lib:/opt/x/lib");
    m->s.library.v[4].reachable = N(1);
    expect_ok(m, 0);
    m->s.library.v[4].reachable = N(0);
    /* A system's copy that everybody finds does as well. */
    add_library(m, "libcusolver", "libcusolver.so.11", "11.6.1", NULL);
    judge(m, NULL);
    assert_null(found(m, "nvidia-wheels-missing"));
    m->s.library.n--;
    /* Not known where it searches: as if it did. */
    fw->dirs = tn_fact_nolist(0, TN_UNASKED);
    expect_ok(m, 0);
    finish(m);
}

static void tf_2_16_1(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_wheels(m, "2.16.1", "cuda_runtime");
    const struct tn_finding *f = expect_problem(m, "nvidia-wheels-missing", "several");
    expect_sentence(f, TN_EN, "does not find 6 of its libraries");
    assert_non_null(strstr(command_of(m, f, 0), "/nvidia/cublas/lib:" SITE "/nvidia/cufft/lib:"));
    assert_non_null(strstr(command_of(m, f, 1), "tensorflow[and-cuda]==2.16.2"));
    finish(m);
}

/* A wheel's DT_RUNPATH ends the interpreter's own DT_RPATH: a conda prefix's lib needs LD_LIBRARY_PATH. */
static void conda_prefix(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    f->path = T(SITE "/tensorflow");
    words(m, &f->dirs, "tensorflow");
    for (size_t i = 0; i < m->s.library.n; i++)
        m->s.library.v[i].path = T(tn_arena_printf(&m->mem, "/home/u/envs/tf/lib/%s", m->s.library.v[i].soname.v));
    const struct tn_finding *p = expect_problem(m, "nvidia-wheels-missing", "several");
    assert_string_equal(command_of(m, p, 0), "export LD_LIBRARY_PATH=/home/u/envs/tf/lib");
    /* conda's own build names the folder; before 2.10 nothing is known of the tag. */
    words(m, &f->dirs, "tensorflow ../..");
    expect_ok(m, 0);
    words(m, &f->dirs, "tensorflow");
    f->version = T("2.6.0");
    judge(m, NULL);
    assert_null(found(m, "nvidia-wheels-missing"));
    finish(m);
}

/* torch and JAX load by full path where the run path does not do; onnxruntime's programs may. */
static void others(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_wheels(m, "2.20.0", "cublas");
    f->name = f->package = T("torch");
    f->version = T("2.9.0+cu128");
    judge(m, NULL);
    assert_null(found(m, "nvidia-wheels-missing"));
    f->name = T("onnxruntime");
    f->package = T("onnxruntime-gpu");
    f->version = T("1.22.0");
    words(m, &f->dirs, "");
    judge(m, NULL);
    assert_int_equal(found(m, "nvidia-wheels-missing")->severity, TN_WARNING);
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    finish(m);
}

/* A venv with include-system-site-packages sees what its base has, and its own first. */
static void system_site(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    m->s.env.v[0].judged = N(0);
    m->s.env.v[0].path = T("/usr");
    add_env(m, "env2", true);
    struct tn_rec_env *venv = &m->s.env.v[1];
    venv->path = T("/home/u/v");
    venv->base = T("/usr");
    venv->system_site = N(0);
    judge(m, NULL);
    assert_string_equal(m->v.say, TN_S_verdict_ok_driver);
    venv->system_site = N(1);
    judge(m, NULL);
    assert_string_equal(m->v.say, TN_S_verdict_ok);
    assert_int_equal(m->v.layer[5].status, TN_LAYER_GOOD); /* the base's cuDNN */
    assert_string_equal(m->v.layer[7].say, TN_S_layer_python_numpy);
    /* The base's fault is the venv's. */
    m->s.dist.v[0].version = T("2.0.1");
    expect_problem(m, "numpy-abi", NULL);
    assert_int_equal(m->v.others, 1);
    assert_int_equal(m->v.others_not_ready, 1);
    /* Its own NumPy and its own TensorFlow hide the base's. */
    add_dist(m, "env2", "numpy", "1.26.4");
    expect_ok(m, 0);
    struct tn_rec_framework *own = add_framework(m, "env2", "tensorflow", "2.10.1", false);
    own->package = T("tensorflow-cpu");
    judge(m, NULL);
    assert_int_equal(count(m, "cpu-only-build"), 1);
    expect_sentence(expect_problem(m, "cpu-only-build", NULL), TN_EN, "tensorflow-cpu");
    finish(m);
    /* Counted as another environment it sees its base, too. */
    start_healthy(m);
    m->s.env.v[0].path = T("/opt/py");
    add_env(m, "env2", false);
    m->s.env.v[1].path = T("/home/u/v");
    m->s.env.v[1].base = T("/opt/py");
    m->s.env.v[1].system_site = N(1);
    add_framework(m, "env3", "torch", "2.9.0", false);
    expect_ok(m, 0);
    assert_int_equal(m->v.others, 1);
    assert_int_equal(m->v.others_not_ready, 0);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_paths),    cmocka_unit_test(tf_2_21), cmocka_unit_test(tf_2_16_1),
        cmocka_unit_test(conda_prefix), cmocka_unit_test(others),  cmocka_unit_test(system_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
