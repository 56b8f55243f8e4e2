/* verdict_merge.c - root and consequence, order, expectation, verdict and layers. */
#include "check_machine.h"
#include "strings.gen.h"

static struct tn_finding *put(struct machine *m, const char *cause, enum tn_status status, const char *env)
{
    m->out.cause = cause;
    m->out.env = env;
    struct tn_finding *f = tn_find(&m->out, status, TN_REF_REC(gpu));
    tn_find_evidence(f, TN_REF_REC(gpu));
    return f;
}

static void expect_order(const struct machine *m, const char *const *cause)
{
    for (size_t i = 0; cause[i]; i++)
        if (i >= m->out.n || strcmp(m->out.v[i].cause, cause[i]) != 0)
            fail_msg("%u: %s, not %s", (unsigned)i, i < m->out.n ? m->out.v[i].cause : "none", cause[i]);
}

static void order(void **state)
{
    struct machine mm, *m = &mm;
    static const char *const want[] = {
        "driver-missing", "cuda-runtime-missing", "numpy-abi",      "cuda-version-mismatch", "gpu-too-weak",
        "driver-too-old", "cudnn-missing",        "cpu-only-build", "stub-libcuda-loaded",   NULL};
    (void)state;
    start(m, "linux");
    put(m, "stub-libcuda-loaded", TN_RULED_OUT, NULL);
    put(m, "cpu-only-build", TN_UNTESTABLE, "env1");
    put(m, "numpy-abi", TN_LIKELY, "env1");
    put(m, "cudnn-missing", TN_CONFIRMED, "env1"); /* behind cuda-runtime-missing */
    put(m, "cuda-version-mismatch", TN_POSSIBLE, "env1");
    put(m, "driver-too-old", TN_CONFIRMED, "env1"); /* behind driver-missing */
    put(m, "gpu-too-weak", TN_CONFIRMED, NULL);     /* a warning */
    put(m, "cuda-runtime-missing", TN_CONFIRMED, "env1");
    put(m, "driver-missing", TN_CONFIRMED, NULL);
    tn_findings_merge(&m->out);
    expect_order(m, want);
    assert_string_equal(m->out.v[5].behind, "driver-missing");
    assert_string_equal(m->out.v[6].behind, "cuda-runtime-missing");
    assert_null(m->out.v[0].behind);
    /* Again: the same. */
    tn_findings_merge(&m->out);
    expect_order(m, want);
    finish(m);
}

static void behind(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "linux");
    /* What is only possible, lighter, or of another environment explains nothing. */
    put(m, "driver-missing", TN_POSSIBLE, NULL);
    put(m, "driver-too-old", TN_CONFIRMED, "env1");
    put(m, "cuda-runtime-missing", TN_CONFIRMED, "env2");
    put(m, "cudnn-missing", TN_CONFIRMED, "env1");
    put(m, "no-nvidia-gpu", TN_CONFIRMED, NULL)->severity = TN_NOTE;
    tn_findings_merge(&m->out);
    for (size_t i = 0; i < m->out.n; i++)
        assert_null(m->out.v[i].behind);
    /* A chain ends at its root. */
    put(m, "driver-not-loaded", TN_CONFIRMED, NULL);
    put(m, "driver-library-mismatch", TN_CONFIRMED, NULL);
    tn_findings_merge(&m->out);
    for (size_t i = 0; i < m->out.n; i++)
        if (strcmp(m->out.v[i].cause, "driver-too-old") == 0)
            assert_string_equal(m->out.v[i].behind, "driver-not-loaded");
    finish(m);
}

static void sink(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "linux");
    m->out.cause = "driver-too-old";
    m->out.env = "env1";
    tn_untestable(&m->out, TN_REF(driver, 0, version));
    tn_untestable(&m->out, TN_REF(driver, 0, cuda));
    tn_untestable(&m->out, TN_REF(driver, 0, cuda));
    assert_int_equal(m->out.n, 1);
    assert_int_equal(m->out.v[0].n_evidence, 2);
    assert_string_equal(m->out.v[0].env, "env1");
    struct tn_finding *f = put(m, "driver-missing", TN_CONFIRMED, "env1");
    assert_null(f->env); /* a fault of the machine */
    for (unsigned i = 0; i < 2 * TN_MAX_ARGS; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%u", i);
        tn_find_arg(&m->out, f, key, "%u", i);
        tn_find_evidence(f, TN_REF(gpu, i, name));
        tn_remedy_arg(&m->out, tn_find_remedy(&m->out, f, "reboot", NULL), key, "%u", i);
    }
    tn_find_arg(&m->out, f, "k0", "%s", "new");
    assert_int_equal(f->n_arg, TN_MAX_ARGS);
    assert_string_equal(f->arg[0].value, "new");
    assert_true(f->n_evidence <= TN_MAX_EVIDENCE && f->n_remedy == TN_MAX_REMEDIES);
    finish(m);
}

static void expectation(void **state)
{
    struct machine mm, *m = &mm;
    struct tn_judge j;
    struct tn_err err;
    (void)state;
    start(m, "linux");
    assert_int_equal(tn_judge_init(&j, &m->s, NULL, &err), 0);
    assert_int_equal(j.expect, TN_EXPECT_GPU);
    assert_string_equal(j.why, TN_S_expect_default);
    assert_null(j.env);
    add_env(m, "env1", true);
    add_framework(m, "env1", "torch", "2.9.0", false);
    assert_int_equal(tn_judge_init(&j, &m->s, NULL, &err), 0);
    assert_int_equal(j.expect, TN_EXPECT_CPU);
    add_framework(m, "env1", "tensorflow", "2.10.0", true);
    assert_int_equal(tn_judge_init(&j, &m->s, NULL, &err), 0);
    assert_string_equal(j.why, TN_S_expect_gpu_build);
    add_module(m, "6.8", true);
    assert_int_equal(tn_judge_init(&j, &m->s, NULL, &err), 0);
    assert_string_equal(j.why, TN_S_expect_driver_seen);
    add_gpu(m, "NVIDIA A100", "8.0");
    assert_int_equal(tn_judge_init(&j, &m->s, NULL, &err), 0);
    assert_string_equal(j.why, TN_S_expect_gpu_seen);
    assert_int_equal(tn_judge_init(&j, &m->s, "cpu", &err), 0);
    assert_int_equal(j.expect, TN_EXPECT_CPU);
    assert_int_equal(tn_judge_init(&j, &m->s, "0", &err), 0);
    assert_int_equal(j.expect, TN_EXPECT_CPU);
    assert_int_equal(tn_judge_init(&j, &m->s, "8", &err), 0);
    assert_int_equal(j.gpus, 8);
    static const char *const bad[] = {"", "GPU", "-1", "1x", "99999999999999999999", "4294967296"};
    for (size_t i = 0; i < TN_LEN(bad); i++)
        assert_int_equal(tn_judge_init(&j, &m->s, bad[i], &err), TN_E_USAGE);
    assert_int_equal(j.gpus, 8); /* untouched */
    finish(m);
}

static void verdicts(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    judge(m, NULL);
    assert_string_equal(m->v.say, TN_S_verdict_ok);
    assert_null(m->v.first);
    assert_int_equal(m->v.layer[0].status, TN_LAYER_GOOD);
    assert_int_equal(m->v.layer[2].status, TN_LAYER_NOTHING);
    assert_int_equal(m->v.layer[5].status, TN_LAYER_GOOD);
    /* A possible error is a warning, an untestable one makes it unknown, the wrong code or NumPy alone does not. */
    m->out.n = 0;
    put(m, "driver-missing", TN_POSSIBLE, NULL);
    put(m, "arch-unsupported", TN_UNTESTABLE, "env1");
    tn_findings_merge(&m->out);
    tn_verdict_make(&m->j, &m->out, &m->v);
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    assert_int_equal(m->v.warnings, 1);
    assert_int_equal(m->v.layer[1].status, TN_LAYER_WARN);
    put(m, "cuda-runtime-missing", TN_UNTESTABLE, "env1");
    tn_findings_merge(&m->out);
    tn_verdict_make(&m->j, &m->out, &m->v);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    assert_int_equal(m->v.layer[4].status, TN_LAYER_UNKNOWN);
    put(m, "driver-missing", TN_CONFIRMED, NULL);
    put(m, "driver-too-old", TN_CONFIRMED, "env1");
    tn_findings_merge(&m->out);
    tn_verdict_make(&m->j, &m->out, &m->v);
    assert_int_equal(m->v.status, TN_VERDICT_PROBLEM);
    assert_string_equal(m->v.layer[1].finding->cause, "driver-missing");
    finish(m);
}

static void no_python(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_healthy(m);
    m->s.env.n = m->s.framework.n = m->s.dist.n = 0;
    expect_ok(m, 0);
    assert_string_equal(m->v.say, TN_S_verdict_ok_driver);
    finish(m);
}

/* --only and --skip by name or cause. */
static void selection(void **state)
{
    struct machine mm, *m = &mm;
    static const char *const only[] = {"driver-*", NULL}, *const skip[] = {"driver-m*", "driver-too-old", NULL};
    (void)state;
    start_healthy(m);
    assert_int_equal(tn_judge_init(&m->j, &m->s, NULL, NULL), 0);
    assert_int_equal(tn_check_run(&m->j, only, NULL, &m->out), 6);
    assert_int_equal(tn_check_run(&m->j, only, skip, &m->out), 4);
    assert_int_equal(tn_check_run(&m->j, skip + 2, NULL, &m->out), 0);
    finish(m);
}

/* Nothing known at all: no crash, no cause, never "ok". */
static void empty(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    memset(m, 0, sizeof *m);
    tn_snap_init(&m->s);
    tn_arena_init(&m->mem);
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    add_env(m, "env1", true);
    TN_ADD(&m->s, framework)->env = T("env1");
    TN_ADD(&m->s, gpu)->vendor = T("nvidia");
    TN_ADD(&m->s, library);
    TN_ADD(&m->s, dist);
    TN_ADD(&m->s, module);
    judge(m, NULL);
    assert_int_equal(m->v.status, TN_VERDICT_UNKNOWN);
    for (size_t i = 0; i < m->out.n; i++)
        assert_int_equal(m->out.v[i].status, TN_UNTESTABLE);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),       cmocka_unit_test(behind),   cmocka_unit_test(sink),
        cmocka_unit_test(expectation), cmocka_unit_test(verdicts), cmocka_unit_test(no_python),
        cmocka_unit_test(selection),   cmocka_unit_test(empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
