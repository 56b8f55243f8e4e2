/* check_load.c - what checks make of the loader's own answers (record load): shadowed, damaged, missing, in which
 * order.
 *
 * Each fault beside a machine that only looks like it. */
#include "check_machine.h"

#define SITE "/home/u/envs/tf/lib/python3.11/site-packages"

static struct tn_rec_load *add_load(struct machine *m, const char *name, const char *outcome, const char *path)
{
    struct tn_rec_load *r = TN_ADD(&m->s, load);
    m->s.load.listed = TN_KNOWN;
    r->env = T("env1");
    r->framework = T("tensorflow");
    r->name = T(name);
    r->how = T("name");
    r->class = T("required");
    r->part = T("gpu");
    r->after = tn_fact_nostr(0, TN_ABSENT);
    r->outcome = T(outcome);
    r->path = tn_fact_str(&m->s, 0, path);
    r->real = tn_fact_str(&m->s, 0, path);
    r->by = T("LD_LIBRARY_PATH");
    r->own = N(0);
    r->toolkit = tn_fact_nostr(0, TN_ABSENT);
    return r;
}

static void set_path(struct machine *m, const char *value)
{
    struct tn_rec_variable *v = TN_ADD(&m->s, variable);
    v->name = T("LD_LIBRARY_PATH");
    v->value = T(value);
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

/* A healthy conda environment of TensorFlow 2.10 with CUDA 11.2. */
static struct tn_rec_load *shadowed(struct machine *m, const char *name)
{
    start_healthy(m);
    struct tn_rec_load *r = add_load(m, name, "found", "/usr/local/cuda-13.0/lib64/libx.so");
    r->own = N(1);
    r->own_path = T("/home/u/envs/tf/lib/libx.so");
    r->own_version = T("8.1.0");
    r->version = T("9.19.0");
    r->toolkit = T("13.0");
    set_path(m, "/opt/x:/usr/local/cuda-13.0/lib64/:/opt/y");
    return r;
}

static void other_cuda(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_load *r = shadowed(m, "libcudnn.so.8");
    const struct tn_finding *f = expect_problem(m, "library-shadowed", "other-cuda");
    expect_sentence(f, TN_EN, "made for CUDA 13.0");
    assert_string_equal(command_of(m, f, 0), "export LD_LIBRARY_PATH=/opt/x:/opt/y");
    /* The same folder, but a toolkit of the build's own major and nothing older: no fault. */
    r->toolkit = T("11.8");
    expect_ok(m, 0);
    /* Older than the environment's own: a warning. */
    r->version = T("8.0.5");
    judge(m, NULL);
    assert_int_equal(found(m, "library-shadowed")->severity, TN_WARNING);
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    r->place = T("env");
    judge(m, NULL);
    assert_string_equal(found(m, "library-shadowed")->variant, "two");
    /* The environment has none of its own: nothing is hidden. */
    r->toolkit = T("13.0");
    r->own = N(0);
    judge(m, NULL);
    assert_null(found(m, "library-shadowed"));
    finish(m);
}

static void jit(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_load *r = shadowed(m, "libnvJitLink.so.12");
    r->toolkit = tn_fact_nostr(0, TN_ABSENT);
    r->version = T("12.1.105");
    r->own_version = T("12.4.127");
    const struct tn_finding *f = expect_problem(m, "library-shadowed", "older-jit");
    expect_sentence(f, TN_EN, "12.1.105");
    r->version = T("12.4.99"); /* the same minor serves */
    expect_ok(m, 0);
    r->by = T("ld.so.cache");
    r->version = T("12.1.105");
    f = expect_problem(m, "library-shadowed", "older-jit");
    assert_string_equal(command_of(m, f, 0), "tenon why libnvJitLink.so.12");
    finish(m);
}

static void symbol(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_load *r = add_load(m, "libstdc++.so.6", "stops", "/home/u/old/libstdc++.so.6");
    r->fault = T("version");
    r->culprit = T("libstdc++.so.6");
    r->lacks = T("GLIBCXX_3.4.30");
    expect_sentence(expect_problem(m, "library-shadowed", "symbol"), TN_EN, "lacks GLIBCXX_3.4.30");
    r->lacks = T("GLIBC_2.34"); /* another check's */
    judge(m, NULL);
    assert_null(found(m, "library-shadowed"));
    finish(m);
}

static void damaged(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_load *r = add_load(m, "libcufft.so.10", "stops", "/home/u/envs/tf/lib/libcufft.so.10");
    r->fault = T("damaged");
    r->culprit = T("libcufft.so.10");
    r->error = T("/home/u/envs/tf/lib/libcufft.so.10: file too short");
    r->place = T("env");
    expect_sentence(expect_problem(m, "framework-corrupt", "library"), TN_EN, "file too short");
    r->class = T("harmless");
    judge(m, NULL);
    assert_null(found(m, "framework-corrupt"));
    finish(m);
}

/* The loader's answer wins over what folders suggest, in both directions. */
static void truth(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    size_t row = m->s.library.n;
    for (size_t i = 0; i < m->s.library.n; i++)
        if (tn_says(m->s.library.v[i].soname, "libcufft.so.10"))
            row = i;
    assert_true(row < m->s.library.n);
    m->s.library.v[row].path = T("/home/u/envs/tf/lib/libcufft.so.10");
    struct tn_rec_load *r = add_load(m, "libcufft.so.10", "missing", NULL);
    const struct tn_finding *p = expect_problem(m, "nvidia-wheels-missing", NULL);
    expect_sentence(p, TN_EN, "libcufft.so.10");
    r->outcome = T("found");
    r->path = r->real = T("/home/u/envs/tf/lib/libcufft.so.10");
    f->path = T(SITE "/tensorflow");
    words(m, &f->dirs, "tensorflow");
    f->version = T("2.10.1");
    expect_ok(m, 0);
    r->outcome = T("unknown"); /* then what the folders suggest */
    r->path = r->real = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "nvidia-wheels-missing", NULL);
    finish(m);
}

/* A run path that leads to the toolkit's stand-in, though any other program gets the driver's. */
static void stub(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_library *l = add_library(m, "libcuda", "libcuda.so.1", "12.4", NULL);
    l->kind = T("stub");
    l->reachable = N(0);
    l->path = T("/usr/local/cuda/lib64/stubs/libcuda.so");
    expect_ok(m, 0);
    add_load(m, "libcuda.so.1", "found", "/usr/local/cuda/lib64/stubs/libcuda.so.1")->real =
        T("/usr/local/cuda/lib64/stubs/libcuda.so");
    expect_problem(m, "stub-libcuda-loaded", NULL);
    finish(m);
}

static void order(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    struct tn_rec_load *r = add_load(m, "libcudnn.so.8", "found", "/home/u/envs/tf/lib/libcudnn.so.8");
    r->version = T("8.1.0");
    r = add_load(m, "libcudnn.so.8", "found", SITE "/torch/lib/libcudnn.so.8");
    r->after = T("torch");
    r->version = T("8.0.5");
    judge(m, NULL);
    const struct tn_finding *f = found(m, "import-order");
    assert_non_null(f);
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    expect_sentence(f, TN_EN, "gets the libcudnn.so.8 of torch (8.0.5)");
    r->version = T("8.6.0"); /* newer serves */
    expect_ok(m, 0);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_cuda), cmocka_unit_test(jit),   cmocka_unit_test(symbol),
                                       cmocka_unit_test(damaged),    cmocka_unit_test(truth), cmocka_unit_test(order),
                                       cmocka_unit_test(stub)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
