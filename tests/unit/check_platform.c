/* check_platform.c - the machine below a build: Python, C library, processor, its instructions, its system; and code
 * for GPUs, native, by JIT or none (story 28). For each check a hit and near misses. */
#include "check_machine.h"
#include "facts/arch.h"

/* TensorFlow as a wheel that pip installed: everything that it asks of the machine is known. */
static struct tn_rec_framework *start_wheel(struct machine *m)
{
    start_healthy(m);
    struct tn_rec_host *h = TN_THE(&m->s, host);
    h->arch = T("x86_64");
    h->libc = T("glibc");
    h->libc_version = T("2.36");
    words(m, &TN_THE(&m->s, cpu)->flags, "avx avx2 fma");
    TN_THE(&m->s, cpu)->model = T("AMD Ryzen 7 5800X");
    struct tn_rec_dist *d = add_dist(m, "env1", "tensorflow", "2.10.1");
    d->requires_python = T(">=3.7");
    words(m, &d->tags, "cp39-cp39-manylinux_2_17_x86_64 cp39-cp39-manylinux2014_x86_64");
    struct tn_rec_framework *f = &m->s.framework.v[0];
    f->glibc = T("2.17");
    f->machine = T("x86_64");
    words(m, &f->cpu, "avx");
    return f;
}

static void healthy(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_wheel(m);
    expect_ok(m, 0);
    assert_int_equal(m->out.n, 0);
    finish(m);
}

static void glibc(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_wheel(m);
    struct tn_rec_host *h = TN_THE(&m->s, host);
    h->libc_version = T("2.17"); /* the very one */
    expect_ok(m, 0);
    f->glibc = T("2.28");
    expect_sentence(expect_problem(m, "glibc-too-old", NULL), TN_EN,
                    "needs glibc 2.28 or newer; this system has glibc 2.17");
    /* 2.9 is older than 2.28, and 2.4 than 2.17: numbers, not texts. */
    h->libc_version = T("2.9");
    expect_problem(m, "glibc-too-old", NULL);
    h->libc_version = T("2.36-9+deb12u4");
    expect_ok(m, 0);
    h->libc = T("musl");
    h->libc_version = T("1.2.5");
    expect_problem(m, "glibc-too-old", "musl");
    /* An interpreter with a C library of its own (Nix, Homebrew): the system's says nothing. */
    m->s.env.v[0].loader = T("/nix/store/0123456789-glibc-2.40/lib/ld-linux-x86-64.so.2");
    expect_problem(m, "foreign-loader", NULL);
    assert_null(found(m, "glibc-too-old"));
    m->s.env.v[0].loader = T("/lib/ld-musl-x86_64.so.1");
    expect_problem(m, "glibc-too-old", "musl");
    /* A build for musl names no glibc. */
    f->glibc = tn_fact_nostr(0, TN_ABSENT);
    expect_ok(m, 0);
    /* Not known is said, and no verdict. */
    f->glibc = T("2.28");
    h->libc = tn_fact_nostr(0, TN_DENIED);
    judge(m, NULL);
    assert_int_equal(found(m, "glibc-too-old")->status, TN_UNTESTABLE);
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    finish(m);
}

static void instructions(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_wheel(m);
    struct tn_rec_cpu *c = TN_THE(&m->s, cpu);
    words(m, &c->flags, "pni ssse3");
    c->model = T("Intel(R) Celeron(R) CPU N3060 @ 1.60GHz");
    expect_sentence(expect_problem(m, "cpu-instruction-missing", NULL), TN_EN, "needs avx");
    c->model = T("Common KVM processor");
    assert_string_equal(expect_problem(m, "cpu-instruction-missing", "virtual")->remedy[0].id, "pass-host-cpu");
    /* 2.4.0 alone was built with AVX2. */
    words(m, &c->flags, "avx pni ssse3");
    expect_ok(m, 0);
    f->version = T("2.4.0");
    words(m, &f->cpu, "avx avx2");
    c->model = T("Intel(R) Core(TM) i5-3470 CPU @ 3.20GHz");
    judge(m, NULL);
    assert_string_equal(found(m, "cpu-instruction-missing")->remedy[0].id, "tensorflow-2-4-1");
    words(m, &c->flags, "avx avx2 pni ssse3");
    judge(m, NULL);
    assert_null(found(m, "cpu-instruction-missing"));
    /* Builds that ask for nothing, and those of which nothing is known. */
    f->version = T("2.10.1");
    f->cpu = tn_fact_nolist(0, TN_UNASKED);
    c->flags = tn_fact_nolist(0, TN_UNASKED);
    expect_ok(m, 0);
    words(m, &f->cpu, "avx");
    judge(m, NULL);
    assert_int_equal(found(m, "cpu-instruction-missing")->status, TN_UNTESTABLE);
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    finish(m);
}

static void architecture(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_wheel(m);
    struct tn_rec_env *e = &m->s.env.v[0];
    e->machine = T("x86_64");
    expect_ok(m, 0);
    e->machine = T("i386");
    expect_sentence(expect_problem(m, "cpu-architecture-unsupported", NULL), TN_EN, "built for x86_64");
    assert_string_equal(m->v.first->remedy[0].id, "python-64-bit");
    f->machine = tn_fact_nostr(0, TN_UNASKED);
    expect_problem(m, "cpu-architecture-unsupported", "bits");
    /* ONNX Runtime had 32-bit builds. */
    f->name = f->package = T("onnxruntime");
    f->version = T("1.10.0");
    f->machine = T("i686");
    judge(m, NULL);
    assert_null(found(m, "cpu-architecture-unsupported"));
    finish(m);
    /* Two names of one machine, and an interpreter that runs emulated. */
    start_wheel(m);
    TN_THE(&m->s, host)->arch = T("AMD64");
    expect_ok(m, 0);
    TN_THE(&m->s, host)->arch = T("aarch64");
    m->s.env.v[0].machine = T("x86_64");
    expect_ok(m, 0);
    m->s.env.v[0].machine = T("aarch64");
    expect_problem(m, "cpu-architecture-unsupported", NULL);
    finish(m);
    /* A wish, and a 32-bit Python without anything. */
    start_wheel(m);
    m->s.framework.n = 0;
    m->s.env.v[0].machine = T("i386");
    expect_ok(m, 0);
    judge(m, "gpu");
    assert_string_equal(m->v.first->variant, "none");
    finish(m);
}

/* TensorFlow's packages for aarch64 are CPU builds: the machine is the cause, the build its consequence. */
static void aarch64(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_wheel(m);
    TN_THE(&m->s, host)->arch = f->machine = T("aarch64");
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GB10", "12.1");
    f->cpu = tn_fact_nolist(0, TN_UNASKED);
    f->gpu_build = N(0);
    expect_problem(m, "cpu-architecture-unsupported", "no-gpu-build");
    assert_string_equal(found(m, "cpu-only-build")->behind, "cpu-architecture-unsupported");
    TN_THE(&m->s, host)->kernel = T("5.15.148-tegra");
    assert_string_equal(expect_problem(m, "cpu-architecture-unsupported", "no-gpu-build")->remedy[0].variant, "igpu");
    judge(m, "cpu");
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    /* Somebody's own GPU build for it is a GPU build. */
    f->gpu_build = N(1);
    judge(m, NULL);
    assert_null(found(m, "cpu-architecture-unsupported"));
    finish(m);
}

struct python_case {
    const char *python, *requires, *tags, *variant; /* NULL: fits; "": the plain sentence */
};

/* Peer mistake 22: what the wheels carry decides. */
static void python(void **state)
{
    static const struct python_case c[] = {
        {"3.9.19", ">=3.7", "cp39-cp39-manylinux_2_17_x86_64", NULL},
        {"3.13.1", ">=3.9", "cp313-cp313-manylinux_2_28_x86_64", NULL},
        {"3.14", ">=3.10", "cp314-cp314-manylinux_2_28_x86_64", NULL},
        {"3.12.3", ">=3.7,<3.11", "cp310-cp310-manylinux_2_17_x86_64", ""},
        {"3.12.3", ">=3.9", "cp311-cp311-manylinux_2_28_x86_64", "tag"},
        {"3.8.10", ">=3.9", "cp38-abi3-manylinux_2_28_x86_64", ""},
        {"3.12.3", ">=3.8", "cp38-abi3-manylinux_2_28_x86_64", NULL},
        {"3.7.9", NULL, "cp38-abi3-manylinux_2_28_x86_64", "tag"},
        {"3.12.3", NULL, "py3-none-any", NULL},
        {"3.12.3", NULL, "py2-none-any py3-none-any", NULL},
        {"3.12.3", NULL, "py2-none-any", "tag"},
        {"2.7.18", NULL, "cp27-cp27mu-manylinux1_x86_64", NULL},
        {"3.12.3", NULL, "pp310-pypy310_pp73-linux_x86_64", NULL}, /* not CPython's: not judged */
        {"3.8", ">=3.8.1", NULL, NULL},                            /* any 3.8 */
        {"3.8", ">=3.9", NULL, ""},
        {"3.12.3", "garbage", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(c); i++) {
        struct machine mm, *m = &mm;
        start_wheel(m);
        m->s.env.v[0].python = T(c[i].python);
        struct tn_rec_dist *d = &m->s.dist.v[m->s.dist.n - 1];
        d->requires_python = c[i].requires ? T(c[i].requires) : tn_fact_nostr(0, TN_ABSENT);
        d->tags = tn_fact_nolist(0, TN_ABSENT);
        if (c[i].tags)
            words(m, &d->tags, c[i].tags);
        judge(m, NULL);
        const struct tn_finding *f = found(m, "python-version-unsupported");
        if ((f != NULL) != (c[i].variant != NULL) || (f && !tn_str_eq(f->variant ? f->variant : "", c[i].variant)))
            fail_msg("Python %s: %s; %s", c[i].python, c[i].requires ? c[i].requires : "-",
                     c[i].tags ? c[i].tags : "-");
        finish(m);
    }
}

static void python_wish(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_wheel(m);
    m->s.framework.n = 0;
    m->s.env.v[0].python = T("3.99.0");
    expect_ok(m, 0); /* nobody asked for one */
    judge(m, "gpu");
    assert_string_equal(m->v.first->variant, "newer");
    assert_int_equal(m->v.first->status, TN_LIKELY);
    m->s.env.v[0].python = T("3.13.1");
    judge(m, "gpu");
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    finish(m);
}

/* Old glibc, new Python, nothing installed: what the index has decides (table wheels). */
static void glibc_wish(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_wheel(m);
    m->s.framework.n = 0;
    struct tn_rec_host *h = TN_THE(&m->s, host);
    h->libc_version = T("2.17"); /* CentOS 7 */
    m->s.env.v[0].python = T("3.14.0");
    expect_ok(m, 0);
    judge(m, "gpu");
    assert_non_null(m->v.first);
    assert_string_equal(m->v.first->cause, "glibc-too-old");
    assert_string_equal(m->v.first->variant, "wish");
    expect_sentence(m->v.first, TN_EN, "for Python 3.14.0 runs on glibc 2.17");
    m->s.env.v[0].python = T("3.13.1"); /* TensorFlow 2.20 runs there */
    judge(m, "gpu");
    assert_null(found(m, "glibc-too-old"));
    /* No wheel for this Python at all: another cause, not glibc. */
    m->s.env.v[0].python = T("3.99.0");
    judge(m, "gpu");
    assert_null(found(m, "glibc-too-old"));
    assert_string_equal(m->v.first->cause, "python-version-unsupported");
    finish(m);
}

static void macos(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start(m, "macos");
    m->s.gpu.listed = m->s.module.listed = m->s.node.listed = m->s.library.listed = TN_UNASKED;
    add_env(m, "env1", true);
    add_framework(m, "env1", "torch", "2.9.0", false);
    judge(m, NULL); /* a CPU build and nothing of NVIDIA: the CPU is expected */
    assert_int_equal(m->v.status, TN_VERDICT_OK);
    judge(m, "gpu");
    assert_int_equal(m->v.status, TN_VERDICT_PROBLEM);
    assert_string_equal(m->v.first->cause, "os-without-cuda");
    for (size_t i = 1; i < m->out.n; i++)
        if (m->out.v[i].behind == NULL)
            fail_msg("%s stands beside it", m->out.v[i].cause);
    add_dist(m, "env1", "tensorflow-metal", "1.2.0");
    judge(m, "gpu");
    assert_string_equal(m->v.first->variant, "metal");
    finish(m);
}

/* Only where a failure is on record: CuPy and TensorFlow 1 on Windows. */
static void folder_names(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_windows(m, "2.6.0");
    m->s.env.v[0].path = T("C:\\Users\\王伟\\envs\\tf");
    m->s.env.v[0].path_ascii = N(0);
    struct tn_rec_framework *f = add_framework(m, "env1", "cupy", "13.6.0", true);
    f->package = T("cupy-cuda11x");
    judge(m, NULL);
    assert_int_equal(count(m, "non-ascii-path"), 1);
    assert_int_equal(found(m, "non-ascii-path")->severity, TN_WARNING);
    expect_sentence(found(m, "non-ascii-path"), TN_ZH, "王伟");
    m->s.env.v[0].path = T("C:\\Users\\wang wei\\envs\\tf");
    m->s.env.v[0].path_ascii = N(1);
    judge(m, NULL);
    assert_null(found(m, "non-ascii-path"));
    /* TensorFlow 2 and PyTorch work there. */
    m->s.env.v[0].path = T("C:\\Users\\王伟\\envs\\tf");
    m->s.env.v[0].path_ascii = N(0);
    m->s.framework.n = 1;
    judge(m, NULL);
    assert_null(found(m, "non-ascii-path"));
    m->s.framework.v[0].version = T("1.15.0");
    judge(m, NULL);
    assert_string_equal(found(m, "non-ascii-path")->variant, "tensorflow");
    finish(m);
    start_healthy(m);
    m->s.env.v[0].path = T("/home/王伟/tf");
    m->s.env.v[0].path_ascii = N(0);
    f = add_framework(m, "env1", "cupy", "13.6.0", true);
    f->package = T("cupy-cuda12x");
    expect_ok(m, 0);
    finish(m);
}

/* Not CUDA, and not the CPU alone: DirectML works on NVIDIA's cards, ROCm and XPU do not. */
static void other_gpus(void **state)
{
    static const struct {
        const char *name, *package, *version, *variant; /* NULL: nothing is said */
    } c[] = {
        {"onnxruntime", "onnxruntime-directml", "1.20.0", NULL},
        {"onnxruntime", "onnxruntime", "1.20.0", ""},
        {"onnxruntime", "onnxruntime-rocm", "1.20.0", "other"},
        {"onnxruntime", "onnxruntime-openvino", "1.20.0", "other"},
        {"torch", "torch", "2.9.0+rocm6.4", "other"},
        {"torch", "torch", "2.9.0+xpu", "other"},
        {"torch", "torch", "2.9.0+cpu", ""},
        {"tensorflow", "tensorflow-rocm", "2.14.0", "other"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(c); i++) {
        struct machine mm, *m = &mm;
        struct tn_rec_framework *f = start_healthy(m);
        f->name = T(c[i].name);
        f->package = T(c[i].package);
        f->version = T(c[i].version);
        f->gpu_build = N(0);
        judge(m, NULL);
        const struct tn_finding *p = found(m, "cpu-only-build");
        if ((p != NULL) != (c[i].variant != NULL) || (p && !tn_str_eq(p->variant ? p->variant : "", c[i].variant)))
            fail_msg("%s %s", c[i].package, c[i].version);
        finish(m);
    }
}

struct wheel {
    const char *name, *version, *sass, *ptx; /* lists as the wheel has them; NULL: from the table */
    const char *gpu, *capability;
    enum tn_code how;
};

/* Story 28: one wheel of each kind, with the lists that were read in real ones. */
static void story_28(void **state)
{
    static const struct wheel c[] = {
        /* TensorFlow 2.21.0: 60 70 80 89 90, PTX 90 */
        {"tensorflow", "2.21.0", NULL, NULL, "NVIDIA GeForce RTX 5090", "12.0", TN_CODE_JIT}, /* newer, usable PTX */
        {"tensorflow", "2.21.0", NULL, NULL, "NVIDIA B200", "10.0", TN_CODE_JIT},
        {"tensorflow", "2.21.0", NULL, NULL, "NVIDIA GeForce RTX 3060", "8.6", TN_CODE_NATIVE},
        {"tensorflow", "2.21.0", NULL, NULL, "NVIDIA GeForce GTX 960", "5.2", TN_CODE_NONE}, /* older */
        /* TensorFlow 2.10.1: 35 50 60 70 75 80, PTX 80 */
        {"tensorflow", "2.10.1", NULL, NULL, "NVIDIA GeForce RTX 4090", "8.9", TN_CODE_NATIVE}, /* between */
        {"tensorflow", "2.10.1", NULL, NULL, "NVIDIA H100", "9.0", TN_CODE_JIT},
        /* TensorFlow 1.12.3: one architecture */
        {"tensorflow", "1.12.3", "37", "37", "NVIDIA GeForce GTX 1080", "6.1", TN_CODE_JIT},
        /* PyTorch 2.15.0+cu132: no PTX */
        {"torch", "2.15.0", "75 80 86 90 100 120", "", "NVIDIA GeForce RTX 4090", "8.9", TN_CODE_NATIVE},
        {"torch", "2.15.0", "75 80 86 90 100 120", "", "NVIDIA B300", "10.3", TN_CODE_NATIVE},
        {"torch", "2.15.0", "75 80 86 90 100 120", "", "NVIDIA GB10", "12.1", TN_CODE_NATIVE},
        {"torch", "2.15.0", "75 80 86 90 100 120", "", "NVIDIA GeForce GTX 1080", "6.1", TN_CODE_NONE},
        /* PyTorch 2.6.0+cu124: newer card, no PTX */
        {"torch", "2.6.0", "50 60 70 75 80 86 90", "", "NVIDIA GeForce RTX 5090", "12.0", TN_CODE_NONE},
        /* ONNX Runtime 1.31.1: "a" targets, no PTX */
        {"onnxruntime", "1.31.1", "75 80 86 89 90a 120a", "", "NVIDIA H100", "9.0", TN_CODE_NATIVE},
        {"onnxruntime", "1.31.1", "75 80 86 89 90a 120a", "", "NVIDIA GeForce RTX 5090", "12.0", TN_CODE_NATIVE},
        {"onnxruntime", "1.31.1", "75 80 86 89 90a 120a", "", "NVIDIA GB10", "12.1", TN_CODE_NONE},
        {"onnxruntime", "1.31.1", "75 80 86 89 90a 120a", "", "NVIDIA B200", "10.0", TN_CODE_NONE},
        /* JAX 0.11.0, cuda12: PTX of the newest */
        {"jax", "0.11.0", "50 60 70 80 90 100 101 120", "120", "NVIDIA GB10", "12.1", TN_CODE_NATIVE},
        {"jax", "0.11.0", "50 60 70 80 90 100", "100", "NVIDIA GeForce RTX 5090", "12.0", TN_CODE_JIT},
        /* "f" targets serve their family and nothing beyond it */
        {"torch", "2.15.0", "100f", "", "NVIDIA B300", "10.3", TN_CODE_NATIVE},
        {"torch", "2.15.0", "120f", "", "NVIDIA GB10", "12.1", TN_CODE_NATIVE},
        {"torch", "2.15.0", "100f", "100f", "NVIDIA GeForce RTX 5090", "12.0", TN_CODE_NONE},
        {"torch", "2.15.0", "100a", "100a", "NVIDIA B300", "10.3", TN_CODE_NONE},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(c); i++) {
        struct machine mm, *m = &mm;
        struct tn_rec_framework *f = start_healthy(m);
        m->s.gpu.n = 0;
        add_gpu(m, c[i].gpu, c[i].capability);
        f->name = f->package = T(c[i].name);
        f->version = T(c[i].version);
        if (c[i].sass) {
            words(m, &f->sass, c[i].sass);
            words(m, &f->ptx, c[i].ptx);
        }
        judge(m, NULL);
        bool none = found(m, "arch-unsupported"), jit = found(m, "arch-jit-delay");
        if (none != (c[i].how == TN_CODE_NONE) || jit != (c[i].how == TN_CODE_JIT))
            fail_msg("%s %s on %s: %s", c[i].name, c[i].version, c[i].capability,
                     none  ? "none"
                     : jit ? "jit"
                           : "native");
        finish(m);
    }
}

/* The CUDA that is met is older than the card, or as new: by its own release, not by the build's. */
static void older_libraries(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    for (int newer = 0; newer < 2; newer++) {
        struct tn_rec_framework *f = start_healthy(m);
        m->s.gpu.n = 0;
        add_gpu(m, "NVIDIA GeForce RTX 5090", "12.0");
        words(m, &f->sass, "60 70 80 89 90");
        words(m, &f->ptx, "90");
        f->cuda = T("12.5.1");
        words(m, &f->asks, "libcudart.so.12");
        m->s.library.n = 0;
        add_library(m, "libcudart", "libcudart.so.12", newer ? "12.9.79" : "12.5.82", NULL);
        set_driver(m, "580.65.06", "13.0");
        judge(m, NULL);
        const struct tn_finding *w = found(m, "arch-jit-delay");
        if (newer) {
            assert_null(w->variant);
        } else {
            assert_string_equal(w->variant, "older-libraries");
            expect_sentence(w, TN_EN, "the CUDA 12.5.82 beside it is older than the card");
            expect_sentence(w, TN_ZH, "12.5.82");
        }
        finish(m);
    }
}

/* A stock TensorFlow 2.21 on 12.0: what is known, and from where; a warning, since it works. */
static void jit(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GeForce RTX 5090", "12.0");
    f->version = T("2.21.0");
    f->cuda = T("12.5.1");
    words(m, &f->asks, "");
    add_dist(m, "env1", "nvidia-cuda-nvcc-cu12", "12.5.82");
    set_driver(m, "580.65.06", "13.0");
    expect_ok(m, 1);
    const struct tn_finding *w = found(m, "arch-jit-delay");
    expect_sentence(w, TN_EN, "compiling its PTX for 9.0");
    expect_sentence(w, TN_EN, "machine code is for 6.0, 7.0, 8.0, 8.9, 9.0 (known from wheel");
    expect_sentence(w, TN_ZH, "9.0");
    /* The build's own list, and the file that says so. */
    uint32_t src = tn_snap_src(&m->s, TN_KNOWN, NULL, "read %s", "/v/tensorflow/python/platform/build_info.py");
    words(m, &f->sass, "60 70 80 89 90");
    words(m, &f->ptx, "90");
    f->sass.src = src;
    expect_ok(m, 1);
    expect_sentence(found(m, "arch-jit-delay"), TN_EN, "known from build_info.py");
    /* A driver for an older CUDA than the build's may refuse the PTX. */
    set_driver(m, "535.183.01", "12.2");
    judge(m, NULL);
    w = found(m, "arch-jit-delay");
    assert_string_equal(w->variant, "newer-ptx");
    assert_int_equal(w->status, TN_POSSIBLE);
    /* Where the PTX says its own version, that decides: 8.3 is CUDA 12.3's, whatever CUDA the build is for. */
    f->ptx_isa = T("8.3");
    set_driver(m, "550.54.15", "12.4");
    expect_ok(m, 1);
    assert_null(found(m, "arch-jit-delay")->variant);
    assert_int_equal(found(m, "arch-jit-delay")->status, TN_CONFIRMED);
    set_driver(m, "535.183.01", "12.2");
    judge(m, NULL);
    assert_null(found(m, "arch-jit-delay"));
    const struct tn_finding *refused = expect_problem(m, "arch-unsupported", "newer-ptx");
    expect_sentence(refused, TN_EN,
                    "PTX for 9.0 is of version 8.3, while the driver (CUDA 12.2) compiles PTX up to 8.2");
    assert_string_equal(refused->remedy[0].id, "update-driver");
    assert_string_equal(refused->remedy[0].arg[0].value, "545.23.06");
    f->ptx_isa = T("8.2");
    expect_ok(m, 1);
    /* Each card for itself: the second one runs natively. */
    set_driver(m, "580.65.06", "13.0");
    add_gpu(m, "NVIDIA GeForce RTX 4090", "8.9");
    expect_ok(m, 1);
    assert_int_equal(count(m, "arch-jit-delay"), 1);
    /* With a PTX-less list there is nothing to compile. */
    words(m, &f->ptx, "");
    judge(m, NULL);
    assert_null(found(m, "arch-jit-delay"));
    assert_non_null(found(m, "arch-unsupported"));
    finish(m);
}

/* The lists of the tables are those of x86-64 builds. */
static void lists_of_another_machine(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    struct tn_rec_framework *f = start_healthy(m);
    m->s.gpu.n = 0;
    add_gpu(m, "NVIDIA GeForce GTX 1080", "6.1");
    f->name = f->package = T("torch");
    f->version = T("2.14.0+cu130");
    judge(m, NULL);
    assert_non_null(found(m, "arch-unsupported"));
    assert_int_equal(found(m, "arch-unsupported")->status, TN_CONFIRMED);
    TN_THE(&m->s, host)->arch = f->machine = T("aarch64");
    judge(m, NULL);
    assert_int_equal(found(m, "arch-unsupported")->status, TN_UNTESTABLE);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),      cmocka_unit_test(glibc),           cmocka_unit_test(glibc_wish),
        cmocka_unit_test(instructions), cmocka_unit_test(architecture),    cmocka_unit_test(aarch64),
        cmocka_unit_test(python),       cmocka_unit_test(python_wish),     cmocka_unit_test(macos),
        cmocka_unit_test(story_28),     cmocka_unit_test(other_gpus),      cmocka_unit_test(folder_names),
        cmocka_unit_test(jit),          cmocka_unit_test(older_libraries), cmocka_unit_test(lists_of_another_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
