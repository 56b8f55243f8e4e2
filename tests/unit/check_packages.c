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
    /* Taken away by somebody; where none is to be seen, they lie elsewhere. */
    start_tensorflow(m, "3.11.9", "2.15.1", meta_tensorflow_2_15_1);
    dist(m, "wrapt")->name = T("wrapped");
    judge(m, NULL);
    f = found(m, "python-dependency-conflict");
    assert_string_equal(f->variant, "missing");
    expect_sentence(f, TN_EN, "wrapt is not installed");
    dist(m, "wrapped")->name = T("wrapt");
    dist(m, "h5py")->name = T("h5");
    expect_silence(m);
    finish(m);
    start_packages(m, "3.11.9");
    install(m, "tensorflow", "2.15.1", meta_tensorflow_2_15_1);
    add_framework(m, "env1", "tensorflow", "2.15.1", true);
    add_dist(m, "env1", "numpy", "1.26.4");
    expect_silence(m);
    finish(m);
    /* A JAX of before 0.4.24 takes a name from SciPy that is gone. */
    start_packages(m, "3.11.9");
    install(m, "jax", "0.4.20", NULL);
    add_dist(m, "env1", "scipy", "1.14.0");
    judge(m, NULL);
    assert_string_equal(found(m, "python-dependency-conflict")->variant, "part");
    dist(m, "scipy")->version = T("1.12.0");
    expect_silence(m);
    finish(m);
}

static const struct tn_finding *wheels(struct machine *m, const char *variant, enum tn_severity severity)
{
    judge(m, NULL);
    const struct tn_finding *f = found(m, "nvidia-wheels-conflict");
    if (f == NULL || !tn_str_eq(f->variant, variant) || f->severity != severity)
        fail_msg("not %s: %s", variant, f ? f->variant : "nothing");
    return f;
}

static void nvidia_wheels(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "2.5.1", meta_torch_2_5_1, "12.4");
    /* Newer within the major: pip check's complaint, no fault. */
    dist(m, "nvidia-cudnn-cu12")->version = T("9.3.0.75");
    wheels(m, "metadata", TN_WARNING);
    dist(m, "nvidia-cublas-cu12")->version = T("12.6.4.1");
    expect_sentence(wheels(m, "several", TN_WARNING), TN_EN, "2 NVIDIA packages");
    /* An older patch of the same minor is no fault either, another minor is, and so is another major. */
    dist(m, "nvidia-cublas-cu12")->version = T("12.4.5.8");
    dist(m, "nvidia-cudnn-cu12")->version = T("9.1.0.50");
    wheels(m, "metadata", TN_WARNING);
    dist(m, "nvidia-cudnn-cu12")->version = T("9.0.0.312");
    expect_sentence(wheels(m, "older", TN_ERROR), TN_EN, "torch 2.5.1 needs nvidia-cudnn-cu12==9.1.0.70");
    dist(m, "nvidia-cudnn-cu12")->version = T("8.9.7.29");
    wheels(m, "older", TN_ERROR);
    /* "undefined symbol: __nvJitLinkComplete_12_4": the partial upgrade. */
    dist(m, "nvidia-cudnn-cu12")->version = T("9.1.0.70");
    dist(m, "nvidia-nvjitlink-cu12")->version = T("12.1.105");
    wheels(m, "older", TN_ERROR);
    dist(m, "nvidia-nvjitlink-cu12")->version = T("12.9.86");
    wheels(m, "metadata", TN_WARNING);
    finish(m);
    /* By way of cuda-toolkit. */
    start_torch(m, "2.11.0", meta_torch_2_11_0, "13.0");
    dist(m, "cuda-toolkit")->requires = tn_fact_list(&m->s, 0, (const char **)(uintptr_t)meta_cuda_toolkit_13_0_2,
                                                     TN_LEN(meta_cuda_toolkit_13_0_2) - 1);
    resolve(m);
    dist(m, "nvidia-nvjitlink")->version = T("13.0.39");
    wheels(m, "older", TN_ERROR);
    finish(m);
}

static void two_frameworks(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    /* torch's cuDNN is older than TensorFlow was built for; torch's cuBLAS would do for it, and nobody asked. */
    start_torch(m, "2.5.1", meta_torch_2_5_1, "12.4");
    install(m, "tensorflow", "2.18.1", meta_tensorflow_2_18_1_and_cuda);
    add_framework(m, "env1", "tensorflow", "2.18.1", true);
    expect_sentence(wheels(m, "older", TN_ERROR), TN_EN, "tensorflow 2.18.1 needs nvidia-cudnn-cu12==9.3.0.75");
    dist(m, "nvidia-cudnn-cu12")->version = T("9.3.0.75");
    expect_sentence(wheels(m, "metadata", TN_WARNING), TN_EN, "torch 2.5.1 asks for");
    assert_int_equal(count(m, "nvidia-wheels-conflict"), 1);
    finish(m);
    /* JAX looks at each library's version itself. */
    start_packages(m, "3.11.9");
    install(m, "jax", "0.5.3", meta_jax_0_5_3);
    install(m, "jax-cuda12-plugin", "0.5.3", meta_jax_cuda12_plugin_0_5_3);
    add_framework(m, "env1", "jax", "0.5.3", true);
    resolve(m);
    expect_silence(m);
    dist(m, "nvidia-cufft-cu12")->version = T("11.0.2.10");
    wheels(m, "older", TN_ERROR);
    finish(m);
}

static void one_folder(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "2.5.1", meta_torch_2_5_1, "12.4");
    struct tn_rec_dist *other = add_dist(m, "env1", "nvidia-cudnn-cu11", "8.9.6.50");
    add_dist(m, "env1", "nvidia-cublas-cu11", "11.11.3.6");
    expect_silence(m); /* libcudnn.so.8 beside libcudnn.so.9, libcublas.so.11 beside libcublas.so.12 */
    other->version = T("9.10.2.21");
    wheels(m, "overwritten", TN_ERROR);
    other->version = T("0.0.1");
    judge(m, NULL);
    assert_null(found(m, "nvidia-wheels-conflict"));
    finish(m);
}

static const char *command_of(struct machine *m, const struct tn_finding *f)
{
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(f->n_remedy && tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    const char *text = tn_arena_strdup(&m->mem, b.p);
    tn_buf_deinit(&b);
    return text;
}

static const struct tn_finding *companion(struct machine *m, const char *variant, enum tn_severity severity)
{
    judge(m, NULL);
    const struct tn_finding *f = found(m, "companion-mismatch");
    if (f == NULL || !tn_str_eq(f->variant, variant) || f->severity != severity)
        fail_msg("not %s: %s", variant, f ? f->variant : "nothing");
    return f;
}

static void torch_companions(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch(m, "2.5.1", meta_torch_2_5_1, "12.4");
    struct tn_rec_dist *v = install(m, "torchvision", "0.20.1", meta_torchvision_0_20_1);
    resolve(m);
    expect_silence(m);
    dist(m, "torch")->version = T("2.6.0");
    expect_sentence(companion(m, "import", TN_ERROR), TN_EN,
                    "torchvision 0.20.1 goes with torch==2.5.1, but torch 2.6.0");
    /* Its index has one CUDA: a torch of another one comes with companions of that one's index. */
    dist(m, "torch")->build = T("cu118");
    assert_string_equal(command_of(m, companion(m, "import", TN_ERROR)),
                        "/home/u/envs/tf/bin/python -m pip install --upgrade torchvision torch==2.6.0 --index-url "
                        "https://download.pytorch.org/whl/cu118");
    dist(m, "torch")->build = tn_fact_nostr(0, TN_ABSENT);
    assert_string_equal(command_of(m, companion(m, "import", TN_ERROR)),
                        "/home/u/envs/tf/bin/python -m pip install --upgrade torchvision torch==2.6.0");
    dist(m, "torch")->version = T("2.5.0");
    companion(m, "near", TN_WARNING);
    /* Flavours: a local version is no other version, but another CUDA major is another build. */
    dist(m, "torch")->version = T("2.5.1+cu124");
    v = dist(m, "torchvision");
    v->version = T("0.20.1+cu121");
    v->build = T("cu121");
    expect_silence(m);
    v->build = T("cu118");
    companion(m, "flavour", TN_ERROR);
    v->build = T("cpu");
    expect_silence(m);
    v->version = T("0.15.2+cu121");
    v->build = T("cu121");
    v->requires = tn_fact_nolist(0, TN_ABSENT);
    companion(m, "flavour", TN_ERROR);
    v->version = T("0.20.1+cu121");
    v = add_dist(m, "env1", "flash-attn", "2.7.0+cu12torch2.5cxx11abifalse");
    v->build = T("cu12torch2.5cxx11abifalse");
    expect_silence(m);
    v->build = T("cu12torch2.4cxx11abifalse");
    companion(m, "import", TN_ERROR);
    dist(m, "torch")->version = T("2.4.1");
    dist(m, "triton")->version = T("3.0.0");
    companion(m, "part", TN_WARNING);
    finish(m);
}

static void jax_companions(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_packages(m, "3.11.9");
    install(m, "jax", "0.5.3", meta_jax_0_5_3);
    install(m, "jax-cuda12-plugin", "0.5.3", meta_jax_cuda12_plugin_0_5_3);
    add_framework(m, "env1", "jax", "0.5.3", true);
    resolve(m);
    expect_silence(m);
    dist(m, "jax-cuda12-plugin")->version = T("0.5.1");
    expect_sentence(companion(m, "plugin", TN_ERROR), TN_EN, "is not the plug-in of jaxlib 0.5.3");
    dist(m, "jax-cuda12-plugin")->version = T("0.5.3");
    dist(m, "jaxlib")->version = T("0.4.36");
    companion(m, "import", TN_ERROR);
    dist(m, "jaxlib")->version = T("0.5.3");
    dist(m, "jax-cuda12-pjrt")->version = T("0.5.1");
    companion(m, "gpu", TN_ERROR);
    finish(m);
}

static void tensorflow_companions(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_tensorflow(m, "3.11.9", "2.18.1", meta_tensorflow_2_18_1);
    install(m, "tensorflow-text", "2.18.1", meta_tensorflow_text_2_18_1);
    install(m, "tensorflow-probability", "0.25.0", NULL);
    install(m, "tf-keras", "2.18.0", NULL);
    expect_silence(m);
    dist(m, "tf-keras")->name = T("tf-slim");
    expect_sentence(companion(m, "absent", TN_ERROR), TN_EN, "imports tf-keras, which is not installed");
    dist(m, "tensorflow-probability")->version = T("0.23.0");
    expect_silence(m);
    dist(m, "tensorflow-text")->version = T("2.19.0");
    expect_silence(m); /* its metadata decides, and that is the old one's */
    dist(m, "tensorflow")->version = T("2.19.1");
    companion(m, "import", TN_ERROR);
    finish(m);
}

static const struct tn_finding *conflict(struct machine *m, const char *variant, enum tn_severity severity)
{
    judge(m, NULL);
    const struct tn_finding *f = found(m, "framework-package-conflict");
    if (f == NULL || !tn_str_eq(f->variant, variant) || f->severity != severity)
        fail_msg("not %s: %s", variant ? variant : "plain", f ? f->variant : "nothing");
    return f;
}

static void two_builds(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_tensorflow(m, "3.10.9", "2.10.1", meta_tensorflow_2_10_1);
    struct tn_rec_dist *d = add_dist(m, "env1", "tensorflow-gpu", "2.10.1");
    conflict(m, NULL, TN_WARNING);
    d->version = T("2.6.0");
    expect_sentence(conflict(m, "mixed", TN_ERROR), TN_EN, "tensorflow 2.10.1 and tensorflow-gpu 2.6.0");
    d->version = T("2.10.1");
    d->damage = T("files-replaced");
    conflict(m, "mixed", TN_ERROR);
    /* In another folder it hides, but overwrites nothing; what an interrupted removal left is no package. */
    d->damage = T("leftover");
    expect_silence(m);
    d->damage = tn_fact_nostr(0, TN_ABSENT);
    d->site = T("/home/u/.local/lib/python3.10/site-packages");
    dist(m, "tensorflow")->site = T("/home/u/envs/tf/lib/python3.10/site-packages");
    expect_silence(m);
    /* The CPU build was installed last: that is why there is no GPU. */
    d->site = dist(m, "tensorflow")->site;
    d->name = T("tensorflow-cpu");
    m->s.framework.v[0].gpu_build = N(0);
    const struct tn_finding *f = conflict(m, "cpu", TN_ERROR);
    assert_string_equal(m->v.first->cause, "framework-package-conflict");
    assert_string_equal(found(m, "cpu-only-build")->behind, "framework-package-conflict");
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    assert_non_null(strstr(b.p, "pip install tensorflow==2.10.1"));
    tn_buf_deinit(&b);
    finish(m);
}

/* What only looks like a conflict. */
static void one_build(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    /* tensorflow-gpu alone, up to 2.11, is tensorflow. */
    start_tensorflow(m, "3.10.9", "2.10.1", meta_tensorflow_2_10_1);
    dist(m, "tensorflow")->name = T("tensorflow-gpu");
    expect_silence(m);
    finish(m);
    /* On Windows tensorflow 2.15 is a shell: it asks for tensorflow-intel, or is known for it. */
    start_windows(m, "2.15.1");
    TN_THE(&m->s, host)->arch = T("x86_64");
    install(m, "tensorflow", "2.15.1", meta_tensorflow_2_15_1);
    resolve(m);
    assert_string_equal(dist(m, "tensorflow-intel")->version.v, "2.15.1");
    dist(m, "numpy")->version = T("1.26.4");
    expect_silence(m);
    dist(m, "tensorflow")->requires = (struct tn_list){0};
    expect_silence(m);
    finish(m);
    /* conda's metapackages are no builds. */
    start_torch(m, "2.5.1", meta_torch_2_5_1, "12.4");
    static const char *const conda[] = {"pytorch", "pytorch-gpu", "tensorflow", "tensorflow-gpu"};
    for (size_t i = 0; i < TN_LEN(conda); i++)
        add_dist(m, "env1", conda[i], "2.5.1")->place = T("conda");
    expect_silence(m);
    finish(m);
}

/* Story 27, what doctor can meet: names installed. */
static void names(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_packages(m, "3.11.9");
    struct tn_rec_dist *d = add_dist(m, "env1", "pytorch", "1.0.2");
    conflict(m, "placeholder", TN_ERROR);
    add_dist(m, "env1", "torch", "2.5.1");
    conflict(m, "placeholder", TN_NOTE);
    d = dist(m, "pytorch");
    d->place = T("conda");
    d->version = T("2.5.1");
    expect_silence(m);
    d->place = T("env");
    d->name = T("nvidia-cublas-cu13");
    d->version = T("0.0.1");
    conflict(m, "placeholder", TN_WARNING);
    add_dist(m, "env1", "nvidia-cublas", "13.4.1.3");
    conflict(m, "placeholder", TN_NOTE);
    /* The real ones keep the ending. */
    d = dist(m, "nvidia-cublas-cu13");
    d->name = T("nvidia-cudnn-cu13");
    d->version = T("9.26.0.51");
    expect_silence(m);
    d->name = T("nvidia-tensorflow");
    d->version = T("1.15.5"); /* NVIDIA's own index */
    expect_silence(m);
    d->version = T("0.0.1.dev5");
    conflict(m, "placeholder", TN_WARNING);
    d->name = T("tensorflow-gpu");
    d->version = T("2.12.0");
    conflict(m, "withdrawn", TN_ERROR);
    d->name = T("nvidia-pyindex");
    d->version = T("1.0.9");
    expect_silence(m);
    d->name = T("jax-cuda12-plugin");
    d->version = T("0.7.2");
    add_dist(m, "env1", "jax-cuda13-plugin", "0.7.2");
    conflict(m, "plugins", TN_WARNING);
    finish(m);
    start_packages(m, "3.11.9");
    add_dist(m, "env1", "onnxruntime", "1.20.1");
    add_dist(m, "env1", "onnxruntime-gpu", "1.20.1");
    add_framework(m, "env1", "onnxruntime", "1.20.1", false);
    conflict(m, "cpu", TN_ERROR);
    m->s.framework.v[0].gpu_build = N(1);
    conflict(m, NULL, TN_WARNING);
    finish(m);
}

static struct tn_rec_config *add_config(struct machine *m, const char *by, const char *key, const char *value)
{
    struct tn_rec_config *c = TN_ADD(&m->s, config);
    m->s.config.listed = TN_KNOWN;
    c->by = T(by);
    c->key = T(key);
    c->value = T(value);
    c->section = T("global");
    c->path = T("/home/u/.config/pip/pip.conf");
    return c;
}

static void start_torch_cpu(struct machine *m, const char *version)
{
    start_packages(m, "3.12.4");
    struct tn_rec_dist *d = install(m, "torch", version, NULL);
    d->build = strchr(version, '+') ? T(strchr(version, '+') + 1) : tn_fact_nostr(0, TN_ABSENT);
    add_framework(m, "env1", "torch", version, false);
}

#define CPU_INDEX "https://download.pytorch.org/whl/cpu"

static void indexes(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    /* Without a sign of the index the build is all there is to say. */
    start_torch_cpu(m, "2.9.0+cpu");
    expect_silence(m);
    assert_string_equal(m->v.first->cause, "cpu-only-build");
    /* A setting that would give the same build again is what must go first. */
    struct tn_rec_config *c = add_config(m, "pip", "extra-index-url", CPU_INDEX);
    const struct tn_finding *f = expect_problem(m, "wrong-package-index", "setting");
    assert_string_equal(found(m, "cpu-only-build")->behind, "wrong-package-index");
    struct tn_buf b;
    tn_buf_init(&b);
    assert_true(tn_remedy_command(&b, &f->remedy[0], &m->s, TN_SHELL_SH));
    assert_non_null(strstr(b.p, "pip config unset global.extra-index-url"));
    tn_buf_deinit(&b);
    /* Overridden, of conda, another index, or another tool's word. */
    c->key = T("index-url");
    add_config(m, "pip", "index-url", "https://pypi.org/simple");
    expect_silence(m);
    m->s.config.v[1].by = T("conda");
    expect_problem(m, "wrong-package-index", "setting");
    m->s.config.v[0].value = T("https://download.pytorch.org/whl/cpu-cxx11-abi");
    expect_silence(m);
    m->s.config.v[0].value = T("https://download.pytorch.org/whl/cu126");
    expect_silence(m);
    m->s.config.v[0].by = T("uv");
    m->s.config.v[0].key = T("torch-backend");
    m->s.config.v[0].value = T("cpu");
    expect_problem(m, "wrong-package-index", "setting");
    /* With a GPU build, or where the CPU is wanted, nobody minds the setting. */
    judge(m, "cpu");
    assert_null(found(m, "wrong-package-index"));
    m->s.framework.v[0].gpu_build = N(1);
    expect_silence(m);
    finish(m);
}

static const struct tn_finding *came(struct machine *m, const char *variant)
{
    judge(m, NULL);
    const struct tn_finding *f = found(m, "wrong-package-index");
    if (f == NULL || !tn_str_eq(f->variant, variant) || f->severity != TN_NOTE)
        fail_msg("not %s: %s", variant, f ? f->variant : "nothing");
    assert_string_equal(m->v.first->cause, "cpu-only-build");
    return f;
}

static void how_it_came(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_torch_cpu(m, "2.9.0+cpu");
    add_dist(m, "env1", "nvidia-cudnn-cu12", "9.10.2.21");
    came(m, "replaced");
    add_framework(m, "env1", "tensorflow", "2.20.0", true)->cuda = T("12.5"); /* whose they may be */
    expect_silence(m);
    finish(m);
    start_torch_cpu(m, "2.9.0");
    TN_THE(&m->s, host)->os = T("windows");
    judge(m, NULL);
    assert_string_equal(found(m, "wrong-package-index")->variant, "windows");
    assert_int_equal(found(m, "wrong-package-index")->severity, TN_NOTE);
    finish(m);
    start_torch_cpu(m, "2.9.0");
    struct tn_rec_dist *d = add_dist(m, "env1", "pytorch", "2.9.0");
    d->place = T("conda");
    d->build = T("cpu_mkl_py312_h1234567_100");
    d->origin = T("conda-forge");
    expect_sentence(came(m, "conda"), TN_EN, "conda-forge gave the build cpu_mkl_py312_h1234567_100");
    d->build = T("cuda126_py312_h1234567_100");
    expect_silence(m);
    finish(m);
    /* ROCm is another maker's, no wrong index. */
    start_torch_cpu(m, "2.9.0+rocm6.4");
    add_config(m, "pip", "extra-index-url", CPU_INDEX);
    expect_silence(m);
    finish(m);
}

static void old_pip(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_packages(m, "3.8.10");
    TN_THE(&m->s, host)->libc_version = T("2.31");
    struct tn_rec_dist *pip = add_dist(m, "env1", "pip", "19.0.3");
    struct tn_rec_dist *tf = add_dist(m, "env1", "tensorflow", "2.8.4");
    judge(m, NULL);
    const struct tn_finding *f = found(m, "installer-too-old");
    assert_non_null(f);
    expect_sentence(f, TN_EN, "pip 19.0.3 sees tensorflow up to 2.8.4; this Python could have 2.13");
    tf->version = T("2.6.0"); /* on purpose */
    expect_silence(m);
    tf->version = T("2.8.4");
    pip->version = T("24.2");
    expect_silence(m);
    finish(m);
}

static void numpy_of_others(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_packages(m, "3.11.9");
    add_dist(m, "env1", "numpy", "2.0.1");
    struct tn_rec_dist *scipy = add_dist(m, "env1", "scipy", "1.12.0");
    expect_silence(m); /* nothing of ours imports it */
    add_dist(m, "env1", "jax", "0.4.30");
    judge(m, NULL);
    assert_int_equal(found(m, "numpy-abi")->severity, TN_ERROR);
    scipy->version = T("1.13.0");
    expect_silence(m);
    add_dist(m, "env1", "keras", "3.5.0");
    struct tn_rec_dist *h5py = add_dist(m, "env1", "h5py", "3.10.0");
    judge(m, NULL);
    assert_string_equal(found(m, "numpy-abi")->variant, "hdf5");
    h5py->version = T("3.11.0");
    expect_silence(m);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_installs_are_silent),
        cmocka_unit_test(protobuf),
        cmocka_unit_test(dependencies),
        cmocka_unit_test(nvidia_wheels),
        cmocka_unit_test(two_frameworks),
        cmocka_unit_test(one_folder),
        cmocka_unit_test(torch_companions),
        cmocka_unit_test(jax_companions),
        cmocka_unit_test(tensorflow_companions),
        cmocka_unit_test(two_builds),
        cmocka_unit_test(one_build),
        cmocka_unit_test(names),
        cmocka_unit_test(indexes),
        cmocka_unit_test(how_it_came),
        cmocka_unit_test(old_pip),
        cmocka_unit_test(numpy_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
