/* facts_requires.c - what the METADATA of a release asks of other packages, for a platform and a Python. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "facts/requires.h"
#include "version/pep440.h"

static const struct tn_facts_place linux310 = {TN_PLATFORM_LINUX, "x86_64", "3.10"};
static const struct tn_facts_place linux313 = {TN_PLATFORM_LINUX, "x86_64", "3.13.1"};
static const struct tn_facts_place arm310 = {TN_PLATFORM_LINUX, "aarch64", "3.10"};
static const struct tn_facts_place windows310 = {TN_PLATFORM_WINDOWS, "x86_64", "3.10"};
static const struct tn_facts_place windows311 = {TN_PLATFORM_WINDOWS, "x86_64", "3.11"};

static void of(void **state)
{
    static const struct {
        const char *package, *version;
        const struct tn_facts_place *where;
        const char *needs, *spec; /* NULL: it does not ask for it */
    } want[] = {
        {"tensorflow", "2.10.1", &linux310, "protobuf", ">=3.9.2,<3.20"},
        {"tensorflow", "2.10.1", &linux310, "numpy",
         ">=1.20"}, /* no upper bound: NumPy 2 comes and the import crashes */
        {"tensorflow_gpu", "2.10.1", &linux310, "protobuf", ">=3.9.2,<3.20"},
        {"tensorflow", "2.15.1", &linux310, "ml-dtypes", "~=0.3.1"},
        {"tensorflow", "2.15.1", &linux310, "keras", ">=2.15.0,<2.16"},
        {"tensorflow", "2.15.1", &linux310, "tensorflow-intel", NULL},
        {"tensorflow", "2.15.1", &windows310, "tensorflow-intel", "==2.15.1"}, /* the Windows wheel is a shell ... */
        {"tensorflow", "2.15.1", &windows310, "numpy", NULL},
        {"tensorflow-intel", "2.15.1", &windows310, "numpy", ">=1.23.5,<2.0.0"}, /* ... for this one */
        {"tensorflow", "2.15.1", &arm310, "tensorflow-cpu-aws", "==2.15.1"},
        {"tensorflow", "1.15.5", &linux310, "h5py", "<=2.10.0"},
        {"torch", "2.5.1", &linux310, "nvidia-cudnn-cu12", "==9.1.0.70"},
        {"torch", "2.5.1", &arm310, "nvidia-cudnn-cu12", NULL},
        {"torch", "2.5.1", &linux310, "triton", "==3.1.0"},
        {"torch", "2.5.1", &linux313, "triton", NULL}, /* python_version < "3.13" */
        {"torch", "2.0.1", &linux310, "nvidia-cuda-runtime-cu11", "==11.7.99"},
        {"onnxruntime", "1.15.0", &windows310, "numpy", ">=1.21.6"}, /* each Python's wheel says another NumPy */
        {"onnxruntime", "1.15.0", &windows311, "numpy", ">=1.24.2"},
        {"onnxruntime", "1.15.0", &windows311, "protobuf", ""},
        {"jax", "0.4.30", &linux310, "jaxlib", ">=0.4.27,<=0.4.30"},
        {"jax", "0.4.30", &linux313, "numpy", ">=1.26.0,>=1.22,>=1.23.2"}, /* every row holds */
        {"torch", "2.5.1", &linux310, "python", ">=3.8.0"},
    };
    char spec[256];
    (void)state;
    for (size_t i = 0; i < TN_LEN(want); i++) {
        enum tn_found found =
            tn_facts_requires_of(want[i].package, want[i].version, want[i].where, want[i].needs, spec, sizeof spec);
        if (found != (want[i].spec ? TN_ANSWER_YES : TN_ANSWER_NO))
            fail_msg("%s %s: %s: answer %d", want[i].package, want[i].version, want[i].needs, (int)found);
        if (want[i].spec)
            assert_string_equal(spec, want[i].spec);
    }
}

static void known(void **state)
{
    char spec[8];
    (void)state;
    assert_int_equal(tn_facts_requires("tensorflow", "2.21.0"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_requires("tensorflow", "2.21"), TN_ANSWER_YES);
    assert_int_equal(tn_facts_requires("tensorflow", "99.0"), TN_ANSWER_NEWER);
    assert_int_equal(tn_facts_requires("tensorflow", "1.4.0"), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_requires("tensorflow", "2.21.0rc1"), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_requires("torch", "2.5.1+cu121"),
                     TN_ANSWER_OPEN); /* another index's build has other pins */
    assert_int_equal(tn_facts_requires("requests", "2.31.0"), TN_ANSWER_OPEN);
    assert_int_equal(tn_facts_requires("tensorflow", "newest"), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_requires("no name!", "1.0"), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_requires("", ""), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_requires_of("tensorflow", "2.10.1", &linux310, "protobuf", spec, sizeof spec),
                     TN_ANSWER_BAD);
    assert_int_equal(tn_facts_requires_of("tensorflow", "99", &linux310, "protobuf", spec, sizeof spec),
                     TN_ANSWER_NEWER);
}

static void extras(void **state)
{
    struct tn_facts_require q;
    bool plugin = false, cudnn = false, runtime = false;
    (void)state;
    for (uint32_t row = 0; tn_facts_requires_next("jax", "0.4.30", &linux310, &row, &q);)
        plugin = plugin || (tn_str_eq(q.extra, "cuda12") && tn_str_eq(q.needs, "jax-cuda12-plugin[with-cuda]"));
    assert_true(plugin);
    for (uint32_t row = 0; tn_facts_requires_next("jax-cuda12-plugin", "0.5.0", &linux310, &row, &q);)
        cudnn = cudnn || (tn_str_eq(q.extra, "with-cuda") && tn_str_eq(q.needs, "nvidia-cudnn-cu12") && *q.spec);
    assert_true(cudnn);
    for (uint32_t row = 0; tn_facts_requires_next("cuda-toolkit", "13.0.2", &linux310, &row, &q);)
        runtime = runtime || (tn_str_eq(q.extra, "cudart") && tn_str_eq(q.needs, "nvidia-cuda-runtime") && *q.spec);
    assert_true(runtime);
}

/* Every row is found by its own release, with a spec that can be read. */
static void every_row_is_found(void **state)
{
    const struct tn_table *t = tn_facts_find("requires");
    struct tn_facts_place anywhere = {TN_PLATFORM_LINUX, NULL, NULL};
    struct tn_facts_require q;
    struct tn_err err;
    (void)state;
    assert_non_null(t);
    for (uint32_t r = 0; r < t->nrows; r++) {
        uint32_t row = r;
        bool match = false;
        assert_true(tn_facts_requires_next(tn_facts_get(t, r, "package"), tn_facts_get(t, r, "version_from"), &anywhere,
                                           &row, &q));
        assert_int_equal(q.row, r);
        assert_int_equal(tn_facts_requires(tn_facts_get(t, r, "package"), tn_facts_get(t, r, "version_to")),
                         TN_ANSWER_YES);
        if (tn_version_pep440_match("1.0", q.spec, &match, &err) != 0)
            fail_msg("%s: no specifier set: %s", q.needs, q.spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of),
        cmocka_unit_test(known),
        cmocka_unit_test(extras),
        cmocka_unit_test(every_row_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
