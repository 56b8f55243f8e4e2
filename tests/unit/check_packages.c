/* check_packages.c - what distributions ask of each other, with the metadata of real wheels: what pip puts together is
 * silent, each thing put out of order is told, and as what it is. */
#include "check_machine.h"
#include "check_metadata.h"

#include "check/needs.h"

/* A machine on which only packages can be wrong: one GPU, a driver that serves CUDA 13, Python 3.11 in a venv. */
static void start_packages(struct machine *m, const char *python)
{
    start(m, "linux");
    TN_THE(&m->s, host)->arch = T("x86_64");
    add_gpu(m, "NVIDIA A100-SXM4-80GB", "8.0");
    set_driver(m, "580.95.05", "13.0");
    add_module(m, "6.8.0-45-generic", true);
    add_env(m, "env1", true);
    m->s.env.v[0].python = T(python);
    m->s.env.v[0].kind = T("venv");
}

static struct tn_rec_dist *install(struct machine *m, const char *name, const char *version, const char *const *meta)
{
    struct tn_rec_dist *d = add_dist(m, "env1", name, version);
    size_t n = 0;
    while (meta && meta[n])
        n++;
    d->requires = tn_fact_list(&m->s, 0, (const char **)(uintptr_t)meta, n);
    return d;
}

static struct tn_rec_dist *dist(struct machine *m, const char *name)
{
    for (size_t i = 0; i < m->s.dist.n; i++)
        if (tn_says(m->s.dist.v[i].name, name))
            return &m->s.dist.v[i];
    fail_msg("%s is not installed", name);
    return NULL;
}

/* Installs whatever is asked for and not there, in the lowest version that does. */
static void resolve(struct machine *m)
{
    struct tn_need n;
    assert_int_equal(tn_judge_init(&m->j, &m->s, NULL, NULL), 0);
    for (size_t i = 0; i < m->s.dist.n; i++)
        for (struct tn_needs it = tn_needs_of(&m->j, i,
                                              "with-cuda cublas cudart cufft cufile cupti curand cusolver "
                                              "cusparse nvjitlink nvrtc nvtx");
             tn_needs_next(&it, &n);)
            if (n.have == m->s.dist.n)
                install(m, tn_arena_strdup(&m->mem, n.q.name), *n.floor ? tn_arena_strdup(&m->mem, n.floor) : "1.0",
                        NULL);
}

/* None of the findings that this file is about. */
static void expect_silence(struct machine *m)
{
    static const char *const causes[] = {
        "protobuf-mismatch",   "python-dependency-conflict", "nvidia-wheels-conflict", "companion-mismatch",
        "wrong-package-index", "framework-package-conflict", "installer-too-old",      "numpy-abi",
    };
    judge(m, NULL);
    for (size_t i = 0; i < TN_LEN(causes); i++) {
        const struct tn_finding *f = found(m, causes[i]);
        if (f) {
            struct tn_buf b;
            tn_buf_init(&b);
            tn_finding_say(&b, f, TN_EN);
            fail_msg("%s: %s", causes[i], b.p);
        }
    }
}

static void start_tensorflow(struct machine *m, const char *python, const char *version, const char *const *meta)
{
    start_packages(m, python);
    install(m, "tensorflow", version, meta);
    add_framework(m, "env1", "tensorflow", version, true);
    add_dist(m, "env1", "numpy", "1.26.4");
    resolve(m);
}

static void start_torch(struct machine *m, const char *version, const char *const *meta, const char *cuda)
{
    start_packages(m, "3.12.4");
    install(m, "torch", version, meta);
    add_framework(m, "env1", "torch", version, true)->cuda = T(cuda);
    resolve(m);
}

static void fresh_installs_are_silent(void **state)
{
    struct machine mm, *m = &mm;
    static const struct {
        const char *version;
        const char *const *meta;
    } tf[] = {{"2.10.1", meta_tensorflow_2_10_1},
              {"2.15.1", meta_tensorflow_2_15_1},
              {"2.18.1", meta_tensorflow_2_18_1},
              {"2.21.0", meta_tensorflow_2_21_0}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(tf); i++) {
        start_tensorflow(m, "3.11.9", tf[i].version, tf[i].meta);
        expect_silence(m);
        finish(m);
    }
    start_torch(m, "2.5.1", meta_torch_2_5_1, "12.4");
    install(m, "torchvision", "0.20.1", meta_torchvision_0_20_1);
    install(m, "torchaudio", "2.5.1", meta_torchaudio_2_5_1);
    resolve(m);
    expect_silence(m);
    finish(m);
    start_torch(m, "2.9.1", meta_torch_2_9_1, "12.8");
    expect_silence(m);
    finish(m);
    start_torch(m, "2.11.0", meta_torch_2_11_0, "13.0");
    dist(m, "cuda-toolkit")->requires = tn_fact_list(&m->s, 0, (const char **)(uintptr_t)meta_cuda_toolkit_13_0_2,
                                                     TN_LEN(meta_cuda_toolkit_13_0_2) - 1);
    resolve(m);
    dist(m, "nvidia-cublas");
    expect_silence(m);
    finish(m);
}

static void protobuf(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_tensorflow(m, "3.10.9", "2.10.1", meta_tensorflow_2_10_1);
    dist(m, "protobuf")->version = T("4.25.3");
    judge(m, NULL);
    const struct tn_finding *f = found(m, "protobuf-mismatch");
    assert_non_null(f);
    assert_string_equal(f->variant, "import");
    assert_int_equal(f->severity, TN_ERROR);
    expect_sentence(f, TN_EN, "needs protobuf<4: import fails");
    /* One that the metadata refuses and the message recommends. */
    dist(m, "protobuf")->version = T("3.20.3");
    judge(m, NULL);
    f = found(m, "protobuf-mismatch");
    assert_int_equal(f->severity, TN_WARNING);
    assert_string_equal(f->variant, "metadata");
    /* Without metadata the tables still know. */
    dist(m, "tensorflow")->requires = tn_fact_nolist(0, TN_ABSENT);
    judge(m, NULL);
    assert_null(found(m, "protobuf-mismatch"));
    dist(m, "protobuf")->version = T("5.28.0");
    judge(m, NULL);
    assert_int_equal(count(m, "protobuf-mismatch"), 1);
    finish(m);
    /* Generated code that wants a newer run time: 2.20 was generated by 5.28.3, its metadata says 5.28.0. */
    start_tensorflow(m, "3.11.9", "2.20.0", meta_tensorflow_2_21_0);
    dist(m, "protobuf")->version = T("4.25.3");
    judge(m, NULL);
    assert_string_equal(found(m, "protobuf-mismatch")->variant, "import");
    dist(m, "protobuf")->version = T("6.33.5");
    judge(m, NULL);
    assert_null(found(m, "protobuf-mismatch"));
    finish(m);
}

static void dependencies(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_tensorflow(m, "3.9.9", "2.6.0", meta_tensorflow_2_10_1);
    dist(m, "numpy")->version = T("1.24.0");
    dist(m, "keras")->version = T("2.11.0");
    judge(m, NULL);
    assert_int_equal(count(m, "python-dependency-conflict"), 2);
    expect_sentence(found(m, "python-dependency-conflict"), TN_EN, "import fails");
    finish(m);
    /* Keras 3 under a TensorFlow whose tf.keras it cannot be; 2.15 takes it, though its metadata does not. */
    start_tensorflow(m, "3.10.9", "2.10.1", meta_tensorflow_2_10_1);
    dist(m, "keras")->version = T("3.12.0");
    judge(m, NULL);
    const struct tn_finding *f = found(m, "python-dependency-conflict");
    assert_string_equal(f->variant, "keras");
    assert_int_equal(f->severity, TN_ERROR);
    finish(m);
    start_tensorflow(m, "3.11.9", "2.15.1", meta_tensorflow_2_15_1);
    dist(m, "keras")->version = T("3.12.0");
    judge(m, NULL);
    f = found(m, "python-dependency-conflict");
    assert_string_equal(f->variant, "metadata");
    assert_int_equal(f->severity, TN_WARNING);
    /* Conda keeps its own in accord: no word of metadata, until pip writes over one. */
    struct tn_rec_dist *c = add_dist(m, "env1", "tensorflow", "2.15.1");
    c->place = T("conda");
    c = add_dist(m, "env1", "keras", "3.12.0");
    c->place = T("conda");
    judge(m, NULL);
    assert_null(found(m, "python-dependency-conflict"));
    c->version = T("2.15.0");
    judge(m, NULL);
    assert_non_null(found(m, "python-dependency-conflict"));
    finish(m);
    /* wrapt is held down for 2.15 only; a JAX of before 0.4.24 takes a name from SciPy that is gone. */
    start_packages(m, "3.11.9");
    install(m, "jax", "0.4.20", NULL);
    add_dist(m, "env1", "scipy", "1.14.0");
    judge(m, NULL);
    assert_string_equal(found(m, "python-dependency-conflict")->variant, "part");
    dist(m, "scipy")->version = T("1.12.0");
    expect_silence(m);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_installs_are_silent),
        cmocka_unit_test(protobuf),
        cmocka_unit_test(dependencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
