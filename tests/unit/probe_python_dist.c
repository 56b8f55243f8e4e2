/* Distributions: what names say, what records say, and what is half there. */
#include "probe/env.h"
#include "probe_python_toy.h"
#include "base/str.h"
#include "snapshot/packages.h"

#define SP "/v/lib/python3.11/site-packages/"
#define CFG                                                                                                            \
    {'f', "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n", 0},                                                  \
    {                                                                                                                  \
        'v', "VIRTUAL_ENV", "/v", 0                                                                                    \
    }

static void name_is(const char *entry, bool conda, enum tn_pydist_kind kind, const char *package, const char *version,
                    const char *build)
{
    struct tn_pydist_name d;
    assert_int_equal(tn_pydist_parse(entry, conda, &d), kind);
    if (kind == TN_PYDIST_NONE)
        return;
    assert_string_equal(d.package, package);
    assert_string_equal(d.version, version);
    assert_string_equal(d.build, build);
}

static void test_names(void **state)
{
    (void)state;
    name_is("tensorflow_cpu-2.15.1.dist-info", false, TN_PYDIST_INFO, "tensorflow-cpu", "2.15.1", "");
    name_is("torch-2.1.0+cu121.dist-info", false, TN_PYDIST_INFO, "torch", "2.1.0+cu121", "");
    name_is("PyYAML-6.0-py3.11.egg-info", false, TN_PYDIST_EGG, "pyyaml", "6.0", "");
    name_is("torch-1.0.0-py3.6-linux-x86_64.egg-info", false, TN_PYDIST_EGG, "torch", "1.0.0", "");
    name_is("numpy.egg-info", false, TN_PYDIST_EGG, "numpy", "", "");
    name_is("~ensorflow-2.15.0.dist-info", false, TN_PYDIST_LEFTOVER, "tensorflow", "2.15.0", "");
    name_is("~-nsorflow-2.15.0.dist-info", false, TN_PYDIST_LEFTOVER, "tensorflow", "2.15.0", "");
    name_is("~vidia_cublas_cu12-12.1.dist-info", false, TN_PYDIST_LEFTOVER, "nvidia-cublas-cu12", "12.1", "");
    name_is("~orch-2.0.dist-info", false, TN_PYDIST_LEFTOVER, "torch", "2.0", "");
    name_is("~.dist-info", false, TN_PYDIST_NONE, "", "", "");
    name_is("~~~~.dist-info", false, TN_PYDIST_NONE, "", "", "");
    name_is(".dist-info", false, TN_PYDIST_NONE, "", "", "");
    name_is("-.dist-info", false, TN_PYDIST_NONE, "", "", "");
    name_is("a\xff-1.dist-info", false, TN_PYDIST_NONE, "", "", "");
    name_is("torch\n-1.dist-info", false, TN_PYDIST_NONE, "", "", "");
    name_is("torch-1\n2.dist-info", false, TN_PYDIST_INFO, "torch", "1\n2", "");
    name_is("numpy", false, TN_PYDIST_NONE, "", "", "");
    name_is("cudatoolkit-11.8.0-h4ba93d1_13.json", true, TN_PYDIST_CONDA, "cudatoolkit", "11.8.0", "h4ba93d1_13");
    name_is("tensorflow-base-2.15.0-cuda120py311h5cbd639_3.json", true, TN_PYDIST_CONDA, "tensorflow-base", "2.15.0",
            "cuda120py311h5cbd639_3");
    name_is("history", true, TN_PYDIST_NONE, "", "", "");
    name_is("a-b.json", true, TN_PYDIST_NONE, "", "", "");
    name_is("--.json", true, TN_PYDIST_NONE, "", "", "");
    name_is("a--b.json", true, TN_PYDIST_NONE, "", "", "");
    name_is("_openmp_mutex-5.1-1_gnu.json", true, TN_PYDIST_NONE, "", "", "");
}

static void test_public(void **state)
{
    (void)state;
    assert_true(tn_package_is_public("tensorflow-cpu"));
    assert_true(tn_package_is_public("tf-keras"));
    assert_true(tn_package_is_public("nvidia-cudnn-cu12"));
    assert_true(tn_package_is_public("ml-dtypes"));
    assert_false(tn_package_is_public("my-secret-model"));
    /* A known beginning makes no name public. */
    static const char *const private_names[] = {
        "torch-acme",         "torchacme",   "nvidia-acme-internal", "nvidia-",
        "nvidia-cublas-acme", "nvidia-cu12", "nvidia-cublas-cuda",   "tf-acme",
        "tensorflow-acme",    "jax-acme",    "jax-cuda12-acme",      "cuda-acme",
        "cupy-cuda12x-acme",  "keras-acme",  "tensorrt-acme",        "libcublas-acme",
        "onnxruntime-acme",   "triton-acme", "magma-cuda-acme"};
    for (size_t i = 0; i < TN_LEN(private_names); i++)
        if (tn_package_is_public(private_names[i]))
            fail_msg("%s is public", private_names[i]);
    static const char *const known[] = {"torchvision",         "torchaudio",
                                        "torch-geometric",     "nvidia-cublas",
                                        "nvidia-cublas-cu11",  "nvidia-nccl-cu13",
                                        "nvidia-ml-py",        "nvidia-cusparselt-cu12",
                                        "nvidia-nvshmem-cu13", "jax-cuda12-plugin",
                                        "jax-cuda13-pjrt",     "cupy-cuda12x",
                                        "cuda-nvcc",           "cuda-cudart-dev",
                                        "cuda-bindings",       "magma-cuda126",
                                        "tensorrt-cu12",       "tensorrt-cu12-libs",
                                        "tensorflow-text",     "tf-nightly",
                                        "onnxruntime-gpu",     "nvidia-cuda-nvrtc-cu12"};
    for (size_t i = 0; i < TN_LEN(known); i++)
        if (!tn_package_is_public(known[i]))
            fail_msg("%s is not public", known[i]);
    assert_false(tn_package_is_public(""));
    assert_true(tn_package_is_framework("jax-cuda12-plugin"));
    assert_false(tn_package_is_framework("protobuf"));
    assert_true(tn_package_may_be_framework("Torch-2.0"));
    assert_false(tn_package_may_be_framework(""));
}

#define META(name, version) "Metadata-Version: 2.1\nName: " name "\nVersion: " version "\n"

static void test_records(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        CFG,
        {'f', SP "torch-2.1.0+cu121.dist-info/METADATA",
         META("torch",
              "2.1.0+cu121") "License: BSD\n        \n  more\nRequires-Python: >=3.8.0\r\nRequires-Dist: sympy\n"
                             "Requires-Dist: nvidia-cudnn-cu12 ==8.9.2.26 ; platform_system == \"Linux\"\n"
                             "\nRequires-Dist: numpy in the description\n",
         0},
        {'f', SP "torch-2.1.0+cu121.dist-info/WHEEL", "Root-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n", 0},
        {'f', SP "torch-2.1.0+cu121.dist-info/INSTALLER", "uv\n", 0},
        {'f', SP "torch/__init__.py", "x", 0},
        {'f', SP "six-1.16.0.dist-info/METADATA", META("six", "1.16.0"), 0},
        {'f', SP "numpy-1.26.4.dist-info/METADATA", META("numpy", "1.26.4"), 0},
        {'f', SP "numpy-2.0.0.dist-info/METADATA", META("numpy", "2.0.0"), 0},
        {'f', SP "numpy/__init__.py", "x", 0},
        {'d', SP "protobuf-4.25.dist-info", "", 0},                                    /* no METADATA */
        {'p', SP "h5py-3.11.0.dist-info/METADATA", "", 0},                             /* a FIFO in its place */
        {'p', SP "absl_py-2.0.dist-info", "", 0},                                      /* in place of the folder */
        {'f', SP "ml_dtypes-0.3.1.dist-info/METADATA", META("ml-dtypes", "0.3.2"), 0}, /* says another version */
        {'f', SP "keras-2.15.0.dist-info/METADATA", "\xff\xfe\x01", 0},
        {'f', SP "tensorflow-2.15.0.dist-info/METADATA", META("tensorflow", "2.15.0"), 0}, /* its folder is gone */
        {'f', SP "jax-0.4.30.dist-info/METADATA", META("jax", "0.4.30"), 0},               /* installed in place */
        {'f', SP "jax-0.4.30.dist-info/direct_url.json", "{}", 0},
        {'f', SP "~riton-3.0.0.dist-info/METADATA", META("triton", "3.0.0"), 0},
        {'l', SP "xformers-0.0.1.dist-info", "/gone", 0}, /* a dead link */
        {'f', SP "scipy-1.9.egg-info", META("scipy", "1.9"), 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    const struct tn_rec_dist *d = toy_dist(&s, "env1", "torch");
    toy_assert_str(d->version, "2.1.0+cu121");
    toy_assert_str(d->build, "cu121");
    toy_assert_str(d->installer, "uv");
    toy_assert_str(d->requires_python, ">=3.8.0");
    toy_assert_list(d->requires, "nvidia-cudnn-cu12 ==8.9.2.26 ; platform_system == \"Linux\"");
    toy_assert_list(d->tags, "cp311-cp311-linux_x86_64");
    assert_true(tn_is(d->whole, 1));
    assert_null(toy_dist(&s, "env1", "six"));
    static const char *const broken[] = {"numpy", "protobuf",   "h5py",   "absl-py", "ml-dtypes",
                                         "keras", "tensorflow", "triton", "xformers"};
    for (unsigned i = 0; i < sizeof broken / sizeof *broken; i++) {
        d = toy_dist(&s, "env1", broken[i]);
        assert_non_null(d);
        assert_true(tn_is(d->whole, 0));
    }
    toy_assert_str(toy_dist(&s, "env1", "ml-dtypes")->version, "0.3.2");
    assert_true(tn_is(toy_dist(&s, "env1", "jax")->whole, 1));
    assert_true(tn_is(toy_dist(&s, "env1", "scipy")->whole, 1));
    assert_int_equal(toy_dist(&s, "env1", "h5py")->requires.k, TN_FAILED);
    assert_int_equal(toy_dist(&s, "env1", "protobuf")->requires.k, TN_ABSENT);
    unsigned numpys = 0;
    for (size_t i = 0; i < s.dist.n; i++)
        numpys += tn_says(s.dist.v[i].name, "numpy");
    assert_int_equal(numpys, 2);
    tn_snap_deinit(&s);
}

/* Of an environment that is not judged: frameworks, NumPy and nvidia-* by name, nothing opened. */
static void test_others(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        CFG,
        {'f', "/home/u/.virtualenvs/o/pyvenv.cfg", "version = 3.11.2\n", 0},
        {'d', "/home/u/.virtualenvs/o/lib/python3.11/site-packages/numpy-1.26.4.dist-info", "", 0},
        {'d', "/home/u/.virtualenvs/o/lib/python3.11/site-packages/numpy", "", 0},
        {'d', "/home/u/.virtualenvs/o/lib/python3.11/site-packages/nvidia_cudnn_cu12-8.9.dist-info", "", 0},
        {'d', "/home/u/.virtualenvs/o/lib/python3.11/site-packages/protobuf-4.dist-info", "", 0},
        {'v', "HOME", "/home/u", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(toy_dist(&s, "env2", "numpy")->version, "1.26.4");
    assert_int_equal(toy_dist(&s, "env2", "numpy")->whole.k, TN_UNASKED);
    assert_non_null(toy_dist(&s, "env2", "nvidia-cudnn-cu12"));
    assert_null(toy_dist(&s, "env2", "protobuf"));
    tn_snap_deinit(&s);
}

#define HEAD(name, version, build)                                                                                     \
    "{\n  \"build\": \"" build                                                                                         \
    "\",\n  \"depends\": [\n    \"cudatoolkit 11.*\",\n    \"__cuda\",\n    \"zlib\"\n  ],\n"                          \
    "  \"name\": \"" name "\",\n  \"version\": \"" version "\""

static void test_conda(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        {'v', "CONDA_PREFIX", "/c", 0},
        {'f', "/c/conda-meta/python-3.10.1-h_0.json", "{\"depends\": []}", 0},
        {'f', "/c/bin/python", "ELF", 0},
        {'f', "/c/conda-meta/cudnn-8.9.7-h1_3.json", HEAD("cudnn", "8.9.7", "h1_3") "\n}\n", 0},
        /* what follows the list of files is never parsed: here it is not even JSON */
        {'f', "/c/conda-meta/tensorflow-base-2.11.0-cuda112py310_0.json",
         HEAD("tensorflow-base", "2.11.0", "cuda112py310_0") ",\n  \"files\": [\n    \"lib/x\",\n ...", 0},
        {'f', "/c/conda-meta/nccl-2.18-h_0.json", "not json", 0},
        {'f', "/c/conda-meta/mkl-2023-h_0.json", "[1]", 0},
        {'f', "/c/conda-meta/numpy-1.2.3-py_0.json", HEAD("numpy", "1.2.4", "py_0") "}", 0},
        {'f', "/c/conda-meta/zlib-1.2-h_0.json", "{}", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(s.env.v[0].python, "3.10.1");
    const struct tn_rec_dist *d = toy_dist(&s, "env1", "cudnn");
    toy_assert_str(d->version, "8.9.7");
    toy_assert_str(d->build, "h1_3");
    toy_assert_str(d->installer, "conda");
    toy_assert_list(d->requires, "cudatoolkit 11.* __cuda");
    assert_true(tn_is(d->whole, 1));
    d = toy_dist(&s, "env1", "tensorflow-base");
    toy_assert_str(d->build, "cuda112py310_0");
    toy_assert_list(d->requires, "cudatoolkit 11.* __cuda");
    assert_true(tn_is(d->whole, 1));
    assert_true(tn_is(toy_dist(&s, "env1", "nccl")->whole, 0));
    assert_int_equal(toy_dist(&s, "env1", "nccl")->requires.k, TN_FAILED);
    assert_true(tn_is(toy_dist(&s, "env1", "mkl")->whole, 0));
    toy_assert_str(toy_dist(&s, "env1", "numpy")->version, "1.2.4");
    assert_true(tn_is(toy_dist(&s, "env1", "numpy")->whole, 0));
    assert_null(toy_dist(&s, "env1", "zlib"));
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_public),
                                       cmocka_unit_test(test_records), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_conda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
