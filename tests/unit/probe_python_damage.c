/* What is wrong with an installation: files that are gone, cut or replaced, remains, two records of one package, conda
 * and pip over each other; and which of two copies Python would import. */
#include "probe_python_toy.h"

#define SP "/v/lib/python3.11/site-packages/"
#define META(name, version) "Metadata-Version: 2.1\nName: " name "\nVersion: " version "\n"
#define DIST(where, folder, name, version)                                                                             \
    {'f', where folder ".dist-info/METADATA", META(name, version), 0},                                                 \
    {                                                                                                                  \
        'f', where folder ".dist-info/INSTALLER", "pip\n", 0                                                           \
    }

static const struct toy_item venv[] = {
    {'v', "VIRTUAL_ENV", "/v", 0},
    {'f', "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n", 0},
    DIST(SP, "torch-2.1.0", "torch", "2.1.0"),
    {'f', SP "torch-2.1.0.dist-info/RECORD",
     "../../../bin/torchrun,sha256=x,200\ntorch/__init__.py,sha256=x,900\ntorch/_C/x.py,,\n"
     "torch/lib/libtorch_cpu.so,sha256=x,3\ntorch/lib/libgone.so,sha256=x,5\n",
     0},
    {'f', SP "torch/__init__.py", "patched", 0},
    {'f', SP "torch/lib/libtorch_cpu.so", "ELF", 0},
    DIST(SP, "numpy-1.26.4", "numpy", "1.26.4"),
    {'f', SP "numpy-1.26.4.dist-info/RECORD", "numpy/__init__.py,,1\nnumpy/core/_umath.so,sha256=x,30\n", 0},
    {'f', SP "numpy/__init__.py", "x", 0},
    {'f', SP "numpy/core/_umath.so", "ELF", 0},
    DIST(SP, "onnxruntime_gpu-1.20.0", "onnxruntime-gpu", "1.20.0"),
    {'f', SP "onnxruntime_gpu-1.20.0.dist-info/RECORD", "onnxruntime/__init__.py,,1\nonnxruntime/capi/a.so,,9\n", 0},
    {'f', SP "onnxruntime/__init__.py", "x", 0},
    {'z', SP "onnxruntime/capi/a.so", "", 0},
    DIST(SP, "nvidia_cudnn_cu12-8.9.2", "nvidia-cudnn-cu12", "8.9.2"),
    {'f', SP "nvidia_cudnn_cu12-8.9.2.dist-info/RECORD", "nvidia/cudnn/lib/libcudnn.so.8,,4\n\"a,b.so\",,1\n,,\nx", 0},
    {'f', SP "nvidia/cudnn/lib/libcudnn.so.8", "ELF1", 0},
    DIST(SP, "keras-2.15.0", "keras", "2.15.0"),
    DIST(SP, "keras-3.0.0", "keras", "3.0.0"),
    DIST(SP, "tensorflow-2.15.0", "tensorflow", "2.15.0"), /* its folder is gone */
    DIST(SP, "jax-0.4.30", "jax", "0.4.30"),
    {'f', SP "jax-0.4.30.dist-info/direct_url.json", "{\"url\": \"file:///src/jax\", \"dir_info\": {}}", 0},
    {'f', SP "jax-0.4.30.dist-info/RECORD", "__editable__.jax.pth,,9\n", 0},
    DIST(SP, "jaxlib-0.4.30", "jaxlib", "0.4.30"), /* pip, and no RECORD */
    {'f', SP "jaxlib/__init__.py", "x", 0},
    {'d', SP "protobuf-4.25.dist-info", "", 0}, /* no METADATA */
    {'d', SP "~riton", "", 0},                  /* a folder that pip moved aside */
    {'d', SP "~riton.x", "", 0},
    {0, 0, 0, 0}};

static void has(const struct tn_snap *s, const char *name, const char *damage, const char *path)
{
    const struct tn_rec_dist *d = toy_dist(s, "env1", name);
    assert_non_null(d);
    if (!damage) {
        assert_int_equal(d->damage.k, TN_ABSENT);
        return;
    }
    toy_assert_str(d->damage, damage);
    if (path)
        toy_assert_str(d->damaged_path, path);
}

static void test_files(void **state)
{
    struct toy t = toy_make(venv, false);
    struct tn_snap s;
    (void)state;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    has(&s, "torch", "files-missing", SP "torch/lib/libgone.so");
    has(&s, "numpy", "files-replaced", SP "numpy/core/_umath.so");
    has(&s, "onnxruntime-gpu", "files-empty", SP "onnxruntime/capi/a.so");
    has(&s, "nvidia-cudnn-cu12", NULL, NULL);
    has(&s, "keras", "doubled", NULL);
    has(&s, "tensorflow", "files-missing", SP "tensorflow");
    has(&s, "jax", NULL, NULL);
    has(&s, "jaxlib", "no-record", NULL);
    has(&s, "protobuf", "no-metadata", NULL);
    has(&s, "triton", "leftover", SP "~riton");
    toy_assert_str(toy_dist(&s, "env1", "jax")->origin, "file:///src/jax");
    assert_int_equal(toy_dist(&s, "env1", "torch")->origin.k, TN_ABSENT);
    unsigned tritons = 0;
    for (size_t i = 0; i < s.dist.n; i++)
        tritons += tn_says(s.dist.v[i].name, "triton");
    assert_int_equal(tritons, 1);
    tn_snap_deinit(&s);
}

#define CS "/c/lib/python3.11/site-packages/"
#define US "/home/u/.local/lib/python3.11/site-packages/"
#define CONDA(name, version, build)                                                                                    \
    {                                                                                                                  \
        'f', "/c/conda-meta/" name "-" version "-" build ".json",                                                      \
            "{\n  \"name\": \"" name "\",\n  \"version\": \"" version "\",\n  \"build\": \"" build                     \
            "\",\n  \"channel\": \"conda-forge\",\n  \"depends\": []\n}\n",                                            \
            0                                                                                                          \
    }

static const struct toy_item conda[] = {{'v', "CONDA_PREFIX", "/c", 0},
                                        {'v', "HOME", "/home/u", 0},
                                        {'v', "PYTHONPATH", "/mod", 0},
                                        CONDA("python", "3.11.9", "h_0"),
                                        CONDA("numpy", "1.26.4", "py_0"),
                                        CONDA("pytorch", "2.1.0", "py_0"),
                                        CONDA("scipy", "1.11.0", "py_0"),
                                        {'f', "/c/bin/python", "ELF", 0},
                                        {'f', CS "scipy-1.11.0.dist-info/METADATA", META("scipy", "1.11.0"), 0},
                                        {'f', CS "scipy-1.11.0.dist-info/INSTALLER", "conda", 0},
                                        DIST(CS, "numpy-2.1.0", "numpy", "2.1.0"),
                                        {'f', CS "numpy/__init__.py", "x", 0},
                                        DIST(CS, "torch-2.4.0", "torch", "2.4.0"),
                                        {'f', CS "torch/__init__.py", "x", 0},
                                        DIST(US, "torch-2.0.0", "torch", "2.0.0"),
                                        {'f', US "torch/__init__.py", "x", 0},
                                        DIST("/mod/", "keras-2.1", "keras", "2.1"),
                                        {0, 0, 0, 0}};

static void test_places(void **state)
{
    struct toy t = toy_make(conda, false);
    struct tn_snap s;
    (void)state;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    static const struct {
        const char *name, *version, *place, *damage;
        int hidden;
    } want[] = {{"numpy", "1.26.4", "conda", "files-replaced", -1},
                {"pytorch", "2.1.0", "conda", NULL, -1},
                {"scipy", "1.11.0", "conda", NULL, -1},
                {"keras", "2.1", "path", NULL, 0},
                {"torch", "2.0.0", "user", "no-record", 0},
                {"numpy", "2.1.0", "env", "no-record", 0},
                {"torch", "2.4.0", "env", "no-record", 1}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct tn_rec_dist *d = NULL;
        for (size_t k = 0; k < s.dist.n; k++)
            if (tn_says(s.dist.v[k].name, want[i].name) && tn_says(s.dist.v[k].version, want[i].version) &&
                tn_says(s.dist.v[k].place, want[i].place))
                d = &s.dist.v[k];
        if (!d)
            fail_msg("%s %s in %s", want[i].name, want[i].version, want[i].place);
        if (want[i].damage)
            toy_assert_str(d->damage, want[i].damage);
        else
            assert_int_equal(d->damage.k, TN_ABSENT);
        if (want[i].hidden >= 0)
            assert_true(tn_is(d->hidden, want[i].hidden));
    }
    toy_assert_str(toy_dist(&s, "env1", "scipy")->origin, "conda-forge");
    toy_assert_str(toy_framework(&s, "env1", "torch")->version, "2.0.0"); /* what is imported */
    tn_snap_deinit(&s);
}

/* Conda records a GPU build whose folder is not there. */
static void test_record_alone(void **state)
{
    static const struct toy_item items[] = {
        {'v', "CONDA_PREFIX", "/c", 0},
        CONDA("python", "3.11.9", "h_0"),
        CONDA("tensorflow", "2.17.0", "cuda120py311h5cbd639_203"),
        {'f', "/c/bin/python", "ELF", 0},
        {'f', CS "tensorflow-2.17.0.dist-info/METADATA", META("tensorflow", "2.17.0"), 0},
        {'f', CS "tensorflow-2.17.0.dist-info/INSTALLER", "conda", 0},
        {0, 0, 0, 0}};
    struct toy t = toy_make(items, false);
    struct tn_snap s;
    (void)state;
    toy_probe(&t, &tn_probe_python, NULL, &s);
    toy_assert_str(toy_framework(&s, "env1", "tensorflow")->version, "2.17.0");
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_record_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
