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
    add_dist(m, "env1", "nvidia-cuda-nvcc-cu12", "12.5.82");
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

/* A toolkit was installed, and this terminal is older: its PATH lacks the folder that the registry's has. */
static void old_terminal(void **state)
{
    static const char *const by[] = {"machine PATH", "user PATH", "PATH"};
    struct machine mm, *m = &mm;
    (void)state;
    for (size_t i = 0; i < TN_LEN(by); i++) {
        start_windows(m, "2.10.0");
        size_t first = m->s.library.n;
        add_dll_set(m, "8.1.1.33");
        for (size_t k = first; k < m->s.library.n; k++) {
            struct tn_rec_library *l = &m->s.library.v[k];
            l->env = tn_fact_nostr(0, TN_ABSENT);
            l->place = T("toolkit");
            l->reachable = N(0);
            l->path = T(tn_arena_printf(&m->s.mem, "C:\\CUDA\\v11.2\\bin\\%s", l->soname.v));
        }
        expect_problem(m, "cuda-not-on-loader-path", "windows");
        struct tn_rec_search *r = TN_ADD(&m->s, search);
        r->by = T(by[i]);
        r->rank = N(0);
        r->path = T("c:\\cuda\\V11.2\\bin\\");
        const struct tn_finding *f = expect_problem(m, "cuda-not-on-loader-path", i < 2 ? "terminal" : "windows");
        assert_true((strcmp(f->remedy[0].id, "new-terminal") == 0) == (i < 2));
        if (i < 2)
            expect_sentence(f, TN_EN, "this terminal is older");
        finish(m);
    }
}

static void add_redistributable(struct machine *m, const char *arch, const char *version)
{
    struct tn_rec_redistributable *r = TN_ADD(&m->s, redistributable);
    r->arch = T(arch);
    r->version = T(version);
    m->s.redistributable.listed = TN_KNOWN;
}

/* Why it is missing: what is registered is too old for the file, for 32 bits alone, or its files were removed. */
static void msvc_registered(void **state)
{
    static const struct {
        const char *arch, *version, *lacks, *variant, *want;
    } cases[] = {{"x64", "14.0.24215.01", "msvcp140_1.dll", "old", "14.0.24215.01, is older than that file"},
                 {"x64", "14.38.33130.00", "msvcp140_1.dll", "gone", "14.38.33130.00 is registered as installed"},
                 {"x64", "14.0.24215.01", "msvcp140.dll", "gone", "14.0.24215.01 is registered as installed"},
                 {"x86", "14.38.33130.00", "msvcp140_1.dll", "x86", "for 32-bit programs alone"},
                 {"arm64", "14.38.33130.00", "msvcp140_1.dll", NULL, "without Microsoft's C++ runtime"}};
    (void)state;
    for (unsigned i = 0; i < TN_LEN(cases); i++) {
        struct machine mm, *m = &mm;
        start_windows(m, "2.10.0");
        add_dll_set(m, "8.1.1.33");
        for (size_t k = 0; k < m->s.library.n; k++)
            if (tn_says(m->s.library.v[k].soname, cases[i].lacks))
                m->s.library.v[k].soname = T("another.dll");
        add_redistributable(m, cases[i].arch, cases[i].version);
        expect_sentence(expect_problem(m, "msvc-runtime-missing", cases[i].variant), TN_EN, cases[i].want);
        finish(m);
    }
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

static size_t set_variable(struct machine *m, const char *name, const char *value)
{
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T(name);
    v->value = T(value);
    m->s.variable.listed = TN_KNOWN;
    return m->s.variable.n - 1;
}

/* A list variable and the order that a probe makes of it. */
static void set_list(struct machine *m, const char *name, const char *value)
{
    char *copy = tn_arena_strdup(&m->mem, value);
    int64_t rank = 0;
    set_variable(m, name, value);
    for (char *p = strtok(copy, ":"); p; p = strtok(NULL, ":")) {
        struct tn_rec_search *r = TN_ADD(&m->s, search);
        r->by = T(name);
        r->path = T(p);
        r->rank = N(rank++);
    }
}

static void list_fault(const char *name, const char *value, const char *variant)
{
    struct machine mm, *m = &mm;
    start_healthy(m);
    set_list(m, name, value);
    judge(m, NULL);
    const struct tn_finding *f = found(m, "path-variable-malformed");
    if (!variant && f)
        fail_msg("%s=%s: %s", name, value, f->variant);
    if (variant && (!f || !tn_str_eq(f->variant, variant)))
        fail_msg("%s=%s is not %s", name, value, variant);
    if (f) {
        assert_int_equal(f->severity, TN_WARNING);
        assert_int_equal(m->v.status, TN_VERDICT_OK);
    }
    finish(m);
}

static void path_lists(void **state)
{
    (void)state;
    list_fault("LD_LIBRARY_PATH", "/usr/local/cuda/lib64:/opt/x", NULL);
    list_fault("LD_LIBRARY_PATH", "$ORIGIN/lib:/opt/$LIB/x:/opt/$PLATFORM", NULL);
    list_fault("LD_LIBRARY_PATH", "/opt/x:$CUDA_HOME/lib64", "literal");
    list_fault("LD_LIBRARY_PATH", "~/cuda/lib64", "home");
    list_fault("LD_LIBRARY_PATH", "/home/a~b/lib:/x/~", NULL);
    list_fault("LD_LIBRARY_PATH", "\"/usr/local/cuda/lib64\"", "quotes");
    list_fault("LD_LIBRARY_PATH", "LD_LIBRARY_PATH=/usr/local/cuda/lib64", "assignment");
    list_fault("LD_LIBRARY_PATH", "/x: /usr/local/cuda/lib64", "blank");
    list_fault("PATH", "/usr/bin:/usr/local/cuda-12.4/bin;/opt/x", "separator");
    list_fault("PATH", "/usr/bin:$CUDA_HOME/bin", "literal");
    list_fault("PATH", "/usr/bin:~/.local/bin:/x;y:$HOME/bin", NULL); /* what has no part in CUDA */
    list_fault("PATH", "/mnt/c/Program Files/NVIDIA Corporation/NVSMI", NULL);
}

/* Where libraries lie that no loader reaches, the variable is the root of it. */
static void path_is_the_root(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_linux(m);
    add_cuda11(m, "11.2.152", "8.1.1", NULL);
    for (size_t i = 0; i < m->s.library.n; i++)
        m->s.library.v[i].reachable = N(0);
    expect_problem(m, "cuda-not-on-loader-path", NULL);
    set_list(m, "LD_LIBRARY_PATH", "/opt/x:$CUDA_HOME/lib64");
    const struct tn_finding *f = expect_problem(m, "path-variable-malformed", "literal");
    assert_string_equal(found(m, "cuda-not-on-loader-path")->behind, "path-variable-malformed");
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    assert_string_equal(b.p, "export LD_LIBRARY_PATH=/opt/x");
    tn_buf_deinit(&b);
    finish(m);
}

static struct tn_rec_toolkit *add_toolkit(struct machine *m, const char *path, const char *version, int libdevice)
{
    struct tn_rec_toolkit *t = TN_ADD(&m->s, toolkit);
    t->path = T(path);
    t->version = T(version);
    t->libdevice = N(libdevice);
    words(m, &t->names, "/usr/local/elsewhere");
    return t;
}

static struct tn_rec_program *add_program(struct machine *m, const char *name, const char *version, const char *by)
{
    struct tn_rec_program *p = TN_ADD(&m->s, program);
    p->name = T(name);
    p->version = T(version);
    p->by = T(by);
    if (strcmp(by, "PATH") == 0)
        p->rank = N(0);
    return p;
}

static void path_folders(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    add_toolkit(m, "/usr/local/cuda-12.4", "12.4.1", 1);
    size_t v = set_variable(m, "CUDA_HOME", "/usr/local/cuda-12.4/");
    expect_ok(m, 0);
    m->s.variable.v[v].value = T("/usr/local/cuda-12.4/bin");
    expect_ok(m, 1);
    assert_string_equal(found(m, "path-variable-malformed")->variant, "bin");
    m->s.variable.v[v].value = T("/usr/local/cuda-12.4:/usr/local/cuda-11.8");
    expect_ok(m, 1);
    assert_string_equal(found(m, "path-variable-malformed")->variant, "list");
    /* Not there, or another than the nvcc that runs: notes. */
    m->s.variable.v[v].value = T("/usr/local/cuda-11.8");
    struct tn_rec_dir *d = TN_ADD(&m->s, dir);
    d->path = T("/usr/local/cuda-11.8");
    d->exists = N(0);
    expect_ok(m, 0);
    assert_string_equal(found(m, "path-variable-malformed")->variant, "absent");
    m->s.variable.v[v].value = T("/usr/local/cuda-12.4");
    add_program(m, "nvcc", "12.4.131", "PATH");
    expect_ok(m, 0);
    assert_null(found(m, "path-variable-malformed"));
    m->s.program.v[0].version = T("13.0.88");
    expect_ok(m, 0);
    assert_string_equal(found(m, "path-variable-malformed")->variant, "other");
    set_variable(m, "XLA_FLAGS", "--xla_x=1 --xla_gpu_cuda_data_dir=$CUDA_HOME --y");
    expect_ok(m, 1);
    finish(m);
}

/* gcc above the bound of nvcc's release; Debian's nvcc has its own; a named compiler is somebody's choice. */
static void compilers(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    add_program(m, "gcc", "13", "PATH");
    expect_ok(m, 0);
    assert_null(found(m, "compiler-unsupported"));
    add_program(m, "nvcc", "12.2.140", "PATH");
    expect_ok(m, 0);
    const struct tn_finding *f = found(m, "compiler-unsupported");
    assert_non_null(f);
    expect_sentence(f, TN_EN, "nvcc 12.2.140 refuses gcc 13: it takes gcc up to 12");
    assert_int_equal(f->severity, TN_NOTE);
    m->s.program.v[0].version = T("12.4.0"); /* any gcc 12 */
    expect_ok(m, 0);
    assert_null(found(m, "compiler-unsupported"));
    m->s.program.v[0].version = T("13");
    add_program(m, "gcc", "11", "nvcc");
    expect_ok(m, 0);
    assert_null(found(m, "compiler-unsupported"));
    add_program(m, "g++", "13.2.0", "NVCC_CCBIN");
    expect_ok(m, 1);
    /* A release that the table does not know; a wrapper whose version nobody can read. */
    m->s.program.v[1].version = T("99.0.1");
    expect_ok(m, 0);
    m->s.program.v[1].version = T("12.2.140");
    m->s.program.v[3].version = tn_fact_nostr(0, TN_UNASKED);
    expect_ok(m, 0);
    finish(m);
}

static void compiler_of_torch(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "linux");
    add_gpu(m, "NVIDIA A100-SXM4-40GB", "8.0");
    set_driver(m, "535.183.01", "12.2");
    add_module(m, "6.8.0-45-generic", true);
    add_env(m, "env1", true);
    struct tn_rec_framework *f = add_framework(m, "env1", "torch", "2.6.0+cu124", true);
    f->cuda = T("12.4");
    words(m, &f->asks, "");
    words(m, &f->sass, "80 90");
    add_program(m, "nvcc", "12.6.85", "PATH");
    judge(m, NULL);
    assert_null(found(m, "compiler-unsupported"));
    m->s.program.v[0].version = T("13.0.88");
    judge(m, NULL);
    assert_string_equal(found(m, "compiler-unsupported")->variant, "torch");
    assert_int_equal(found(m, "compiler-unsupported")->severity, TN_NOTE);
    finish(m);
}

/* libdevice: where TensorFlow's XLA looks, and where it does not. */
static void libdevice(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    expect_ok(m, 0); /* 2.10: nothing compiles unasked */
    f->version = T("2.11.0");
    expect_ok(m, 1);
    assert_int_equal(found(m, "cuda-tools-missing")->status, TN_LIKELY);
    add_toolkit(m, "/opt/my-cuda", "11.2.2", 1);
    expect_ok(m, 1);
    expect_sentence(found(m, "cuda-tools-missing"), TN_EN, "libdevice lies in /opt/my-cuda");
    words(m, &m->s.toolkit.v[0].names, "/usr/local/cuda");
    expect_ok(m, 0);
    words(m, &m->s.toolkit.v[0].names, "/usr/local/cuda-11.8");
    expect_ok(m, 1);
    set_variable(m, "XLA_FLAGS", "--xla_gpu_cuda_data_dir=/opt/my-cuda");
    expect_ok(m, 0);
    m->s.variable.n = 0;
    m->s.toolkit.v[0].libdevice = tn_fact_noint(0, TN_UNASKED);
    expect_ok(m, 0);
    m->s.toolkit.n = 0;
    m->s.toolkit.listed = TN_DENIED;
    judge(m, NULL);
    assert_int_equal(found(m, "cuda-tools-missing")->status, TN_UNTESTABLE);
    m->s.toolkit.listed = TN_KNOWN;
    /* NVIDIA's wheel is found from 2.14 on. */
    add_dist(m, "env1", "nvidia-cuda-nvcc-cu11", "11.8.89");
    judge(m, NULL);
    assert_non_null(found(m, "cuda-tools-missing"));
    f->version = T("2.14.0");
    judge(m, NULL);
    assert_null(found(m, "cuda-tools-missing"));
    /* That of CUDA 13 lies where no TensorFlow up to 2.21 looks. */
    m->s.dist.v[m->s.dist.n - 1].name = T("nvidia-cuda-nvcc");
    judge(m, NULL);
    assert_non_null(found(m, "cuda-tools-missing"));
    /* 2.21 looks into CUDA_HOME, too; 2.17 does not. */
    add_toolkit(m, "/opt/my-cuda", "12.5.1", 1);
    set_variable(m, "CUDA_HOME", "/opt/my-cuda");
    f->version = T("2.17.0");
    judge(m, NULL);
    assert_non_null(found(m, "cuda-tools-missing"));
    f->version = T("2.21.0");
    judge(m, NULL);
    assert_null(found(m, "cuda-tools-missing"));
    m->s.variable.n = 0;
    judge(m, NULL);
    assert_non_null(found(m, "cuda-tools-missing"));
    f->version = T("2.23.0"); /* nobody has looked */
    judge(m, NULL);
    assert_null(found(m, "cuda-tools-missing"));
    finish(m);
}

static void tensorrt(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    f->version = T("2.14.0");
    judge(m, NULL);
    assert_null(found(m, "tensorrt-missing")); /* nobody wants it */
    add_dist(m, "env1", "tensorrt", "10.3.0");
    judge(m, NULL);
    const struct tn_finding *t = found(m, "tensorrt-missing");
    assert_non_null(t);
    assert_int_equal(t->severity, TN_NOTE);
    expect_sentence(t, TN_EN, "was built for TensorRT 8.5.3 and cannot use the 10.3.0");
    add_library(m, "libnvinfer", "libnvinfer.so.8", "8.5.3", "env1");
    judge(m, NULL);
    assert_null(found(m, "tensorrt-missing"));
    f->version = T("2.18.0");
    m->s.library.n--;
    judge(m, NULL);
    assert_null(found(m, "tensorrt-missing"));
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cudnn_incomplete), cmocka_unit_test(cudnn_other_sets),  cmocka_unit_test(cudnn_zlib),
        cmocka_unit_test(old_terminal),     cmocka_unit_test(msvc_runtime),      cmocka_unit_test(msvc_registered),
        cmocka_unit_test(path_lists),       cmocka_unit_test(path_is_the_root),  cmocka_unit_test(path_folders),
        cmocka_unit_test(compilers),        cmocka_unit_test(compiler_of_torch), cmocka_unit_test(libdevice),
        cmocka_unit_test(tensorrt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
