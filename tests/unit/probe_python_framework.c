/* Frameworks: what their own files say in every form that was published, and what the tables add.
 *
 * The texts of build_info.py, cuda_config.h and version.py are those of the wheels named beside them. */
#include <stdio.h>

#include "probe/framework.h"
#include "probe_python_toy.h"

#define SP "/v/lib/python3.11/site-packages/"
#define CFG                                                                                                            \
    {'f', "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n", 0},                                                  \
    {                                                                                                                  \
        'v', "VIRTUAL_ENV", "/v", 0                                                                                    \
    }
#define DIST(name, version)                                                                                            \
    {                                                                                                                  \
        'f', SP name "-" version ".dist-info/METADATA", "Name: " name "\nVersion: " version "\n", 0                    \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        0, 0, 0, 0                                                                                                     \
    }

/* tensorflow 2.10.1, Linux */
static const char info_2_10[] =
    "\"\"\"Auto-generated module providing information about the build.\"\"\"\nimport collections\n\n"
    "build_info = collections.OrderedDict([('cpu_compiler', '/dt9/usr/bin/gcc'), ('cuda_compute_capabilities', "
    "['sm_35', 'sm_50', 'sm_60', 'sm_70', 'sm_75', 'compute_80']), ('cuda_version', '11.2'), ('cudnn_version', '8'), "
    "('is_cuda_build', True), ('is_rocm_build', False), ('is_tensorrt_build', True)])\n";
/* tensorflow 2.3.4, Linux: the order is not sorted */
static const char info_2_3[] =
    "build_info = {'cuda_version': '10.1', 'cudnn_version': '7', 'cuda_compute_capabilities': ['sm_35', 'sm_37', "
    "'sm_52', 'sm_60', 'sm_61', 'compute_70'], 'cpu_compiler': '/usr/bin/gcc-5', 'is_rocm_build': False, "
    "'is_cuda_build': True}\n";
/* tensorflow 1.15.0, Windows (the form of 1.12 to 2.2) */
static const char info_1_15[] = "is_rocm_build = False\nis_cuda_build = True\ncuda_version_number = '10.0'\n"
                                "cudnn_version_number = '7'\ncudart_dll_name = 'cudart64_100.dll'\n"
                                "cudnn_dll_name = 'cudnn64_7.dll'\nmsvcp_dll_name = 'msvcp140.dll'\n";
/* tensorflow 2.10.1, Windows */
static const char info_2_10_windows[] =
    "build_info = collections.OrderedDict([('cuda_version', '64_112'), ('cudart_dll_name', 'cudart64_110.dll'), "
    "('cudnn_dll_name', 'cudnn64_8.dll'), ('cudnn_version', '64_8'), ('is_cuda_build', True), "
    "('msvcp_dll_names', 'msvcp140.dll,msvcp140_1.dll'), ('nvcuda_dll_name', 'nvcuda.dll')])\n";
/* tensorflow-cpu 2.15.1 */
static const char info_cpu[] = "build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', "
                               "False), ('is_tensorrt_build', False)])\n";

static void test_values(void **state)
{
    (void)state;
    struct tn_arena mem;
    struct tn_pyvalue v;
    tn_arena_init(&mem);
    struct tn_span t = tn_span_str("a = 1\ncuda: Optional[str] = '12.1'\nhip = None\nb == 'x'\n# c = 'y'\nd = 'open\n"
                                   "cuda_version_number = \"9\"\ne=[ 'x',\n 'y' ]\nf = ['x', 3]\n");
    assert_true(tn_pyfw_value(&mem, t, "cuda", &v));
    assert_string_equal(v.text, "12.1");
    assert_true(tn_pyfw_value(&mem, t, "hip", &v));
    assert_int_equal(v.kind, TN_PYVALUE_NONE);
    assert_false(tn_pyfw_value(&mem, t, "a", &v));
    assert_false(tn_pyfw_value(&mem, t, "b", &v));
    assert_false(tn_pyfw_value(&mem, t, "c", &v));
    assert_false(tn_pyfw_value(&mem, t, "d", &v));
    assert_false(tn_pyfw_value(&mem, t, "f", &v));
    assert_false(tn_pyfw_value(&mem, t, "cuda_version", &v));
    assert_true(tn_pyfw_value(&mem, t, "e", &v));
    assert_int_equal(v.n, 2);
    t = tn_span_str("#define TF_CUDA_VERSION \"12.5.1\"\r\n#define TF_CUDNN_VERSION \"\"\n#define N 2\n");
    assert_string_equal(tn_pyfw_define(&mem, t, "TF_CUDA_VERSION"), "12.5.1");
    assert_string_equal(tn_pyfw_define(&mem, t, "TF_CUDNN_VERSION"), "");
    assert_string_equal(tn_pyfw_define(&mem, t, "N"), "2");
    assert_null(tn_pyfw_define(&mem, t, "TF_CUDA"));
    tn_arena_deinit(&mem);
}

static const struct tn_rec_framework *probe(const struct toy_item *items, bool windows, struct tn_snap *s,
                                            const char *name)
{
    struct toy t = toy_make(items, windows);
    toy_probe(&t, &tn_probe_python, NULL, s);
    const struct tn_rec_framework *f = toy_framework(s, "env1", name);
    assert_non_null(f);
    return f;
}

static void test_tf_2_10(void **state)
{
    (void)state;
    static const struct toy_item items[] = {CFG,
                                            DIST("tensorflow", "2.10.1"),
                                            {'f', SP "tensorflow/__init__.py", "x", 0},
                                            {'f', SP "tensorflow/python/platform/build_info.py", info_2_10, 0},
                                            END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "tensorflow");
    toy_assert_str(f->version, "2.10.1");
    toy_assert_str(f->package, "tensorflow");
    assert_true(tn_is(f->gpu_build, 1));
    toy_assert_str(f->cuda, "11.2");
    toy_assert_str(f->cudnn, "8");
    toy_assert_list(f->sass, "35 50 60 70 75 80"); /* compute_80 is machine code, too */
    toy_assert_list(f->ptx, "80");
    toy_assert_list(f->asks, "libcudart.so.11.0 libcublas.so.11 libcublasLt.so.11 libcufft.so.10 libcurand.so.10 "
                             "libcusolver.so.11 libcusparse.so.11 libcudnn.so.8");
    toy_assert_str(f->evidence, "build_info.py");
    assert_int_equal(f->dirs.k, TN_ABSENT);
    tn_snap_deinit(&s);
}

static void test_tf_2_3(void **state)
{
    (void)state;
    static const struct toy_item items[] = {CFG,
                                            DIST("tensorflow", "2.3.4"),
                                            {'f', SP "tensorflow/__init__.py", "x", 0},
                                            {'f', SP "tensorflow/python/platform/build_info.py", info_2_3, 0},
                                            END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "tensorflow");
    toy_assert_str(f->cuda, "10.1");
    toy_assert_list(f->sass, "35 37 52 60 61 70");
    toy_assert_list(f->ptx, "70");
    toy_assert_list(f->asks, "libcudart.so.10.1 libcublas.so.10 libcufft.so.10 libcurand.so.10 libcusolver.so.10 "
                             "libcusparse.so.10 libcudnn.so.7");
    tn_snap_deinit(&s);
}

/* 1.15 keeps the build in tensorflow_core; what it does not say comes from the tables, which are named. */
static void test_tf_1_15(void **state)
{
    (void)state;
    static const struct toy_item items[] = {CFG,
                                            DIST("tensorflow_gpu", "1.15.0"),
                                            {'f', SP "tensorflow/__init__.py", "x", 0},
                                            {'f', SP "tensorflow_core/__init__.py", "x", 0},
                                            {'f', SP "tensorflow_core/python/platform/build_info.py", info_1_15, 0},
                                            END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "tensorflow");
    toy_assert_str(f->path, "/v/lib/python3.11/site-packages/tensorflow_core");
    toy_assert_str(f->package, "tensorflow-gpu");
    toy_assert_str(f->cuda, "10.0");
    toy_assert_list(f->sass, "35 37 52 60 61 70");
    assert_string_equal(s.src[f->sass.src].asked, "table tf_wheel_arch");
    assert_true(tn_list_has(f->asks, "libcudart.so.10.0"));
    assert_true(tn_list_has(f->asks, "libcudnn.so.7"));
    assert_true(tn_is(toy_dist(&s, "env1", "tensorflow-gpu")->whole, 1));
    tn_snap_deinit(&s);
}

/* 2.12 on: the header says the exact names; cuRAND is no longer opened. */
static void test_tf_header(void **state)
{
    (void)state;
    static const char header[] =
        "#define TF_CUDA_VERSION \"12.5.1\"\n#define TF_CUDART_VERSION \"12\"\n#define TF_CUPTI_VERSION \"12\"\n"
        "#define TF_CUBLAS_VERSION \"12\"\n#define TF_CUSOLVER_VERSION \"11\"\n#define TF_CURAND_VERSION \"10\"\n"
        "#define TF_CUFFT_VERSION \"11\"\n#define TF_CUSPARSE_VERSION \"12\"\n#define TF_CUDNN_VERSION \"9\"\n";
    static const char info[] =
        "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), "
        "('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n";
    static const struct toy_item items[] = {
        CFG,
        DIST("tensorflow", "2.18.0"),
        {'f', SP "tensorflow/__init__.py", "x", 0},
        {'f', SP "tensorflow/python/platform/build_info.py", info, 0},
        {'f', SP "tensorflow/include/third_party/gpus/cuda/cuda_config.h", header, 0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "tensorflow");
    toy_assert_list(f->asks, "libcudart.so.12 libcublas.so.12 libcublasLt.so.12 libcufft.so.11 libcusolver.so.11 "
                             "libcusparse.so.12 libcudnn.so.9");
    toy_assert_str(f->cuda, "12.5.1");
    tn_snap_deinit(&s);
}

static void test_tf_windows(void **state)
{
    (void)state;
#define WSP "C:\\v\\Lib\\site-packages\\"
    static const struct toy_item items[] = {
        {'f', "C:\\v\\pyvenv.cfg", "home = C:\\P\nversion = 3.10.11\n", 0},
        {'v', "VIRTUAL_ENV", "C:\\v", 0},
        {'f', WSP "tensorflow-2.10.1.dist-info\\METADATA", "Name: tensorflow\nVersion: 2.10.1\n", 0},
        {'f', WSP "tensorflow\\__init__.py", "x", 0},
        {'f', WSP "tensorflow\\python\\platform\\build_info.py", info_2_10_windows, 0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, true, &s, "tensorflow");
    toy_assert_str(f->cuda, "11.2");
    toy_assert_str(f->cudnn, "8");
    assert_true(tn_list_has(f->asks, "cudart64_110.dll"));
    assert_true(tn_list_has(f->asks, "cublas64_11.dll"));
    assert_true(tn_list_has(f->asks, "cudnn64_8.dll"));
    tn_snap_deinit(&s);
}

/* Windows 2.11 to 2.18.0: the name tensorflow is a shell, tensorflow-intel brings the folder, a CPU build. */
static void test_tf_windows_shell(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        {'f', "C:\\v\\pyvenv.cfg", "home = C:\\P\nversion = 3.10.11\n", 0},
        {'v', "VIRTUAL_ENV", "C:\\v", 0},
        {'f', WSP "tensorflow-2.15.0.dist-info\\METADATA", "Name: tensorflow\nVersion: 2.15.0\n", 0},
        {'f', WSP "tensorflow_intel-2.15.0.dist-info\\METADATA", "Name: tensorflow-intel\nVersion: 2.15.0\n", 0},
        {'f', WSP "tensorflow\\__init__.py", "x", 0},
        {'f', WSP "tensorflow\\python\\platform\\build_info.py", info_cpu, 0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, true, &s, "tensorflow");
    toy_assert_str(f->package, "tensorflow-intel");
    assert_true(tn_is(f->gpu_build, 0));
    assert_int_equal(f->asks.k, TN_ABSENT);
    tn_snap_deinit(&s);
}

/* Half installations: a folder without record, a record without folder, an unreadable build_info.py. */
static void test_halves(void **state)
{
    (void)state;
    static const struct toy_item folder[] = {
        CFG,
        {'f', SP "tensorflow/__init__.py", "x", 0},
        {'f', SP "tensorflow/python/platform/build_info.py", info_cpu, 0},
        {'f', SP "tensorflow/include/tensorflow/core/public/version.h",
         "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 15\n#define TF_PATCH_VERSION 1\n", 0},
        {'d', SP "torch/__pycache__", "", 0}, /* what an uninstall left */
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(folder, false, &s, "tensorflow");
    assert_int_equal(f->package.k, TN_ABSENT);
    toy_assert_str(f->version, "2.15.1");
    f = toy_framework(&s, "env1", "torch");
    assert_int_equal(f->version.k, TN_ABSENT);
    assert_int_equal(f->gpu_build.k, TN_ABSENT);
    tn_snap_deinit(&s);
    static const struct toy_item record[] = {CFG, DIST("tensorflow", "2.15.0"), END};
    f = probe(record, false, &s, "tensorflow");
    toy_assert_str(f->version, "2.15.0");
    assert_int_equal(f->path.k, TN_ABSENT);
    assert_true(tn_is(f->gpu_build, 1));
    toy_assert_str(f->evidence, "table");
    assert_string_equal(s.src[f->gpu_build.src].asked, "table tensorflow_builds");
    tn_snap_deinit(&s);
    static const struct toy_item unreadable[] = {CFG,
                                                 {'f', SP "tensorflow/__init__.py", "x", 0},
                                                 {'x', SP "tensorflow/python/platform/build_info.py", "", 0},
                                                 END};
    f = probe(unreadable, false, &s, "tensorflow");
    assert_int_equal(f->gpu_build.k, TN_DENIED);
    assert_int_equal(f->cuda.k, TN_DENIED);
    tn_snap_deinit(&s);
}

static void test_torch(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        CFG,
        {'f', SP "torch-2.4.1.dist-info/METADATA",
         "Name: torch\nVersion: 2.4.1\nRequires-Dist: nvidia-cudnn-cu12==9.1.0.70; platform_system == \"Linux\"\n", 0},
        {'f', SP "torch/__init__.py", "x", 0},
        {'f', SP "torch/version.py",
         "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']\n"
         "__version__ = '2.4.1+cu121'\ndebug = False\ncuda: Optional[str] = '12.1'\ngit_version = 'x'\n"
         "hip: Optional[str] = None\n",
         0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "torch");
    toy_assert_str(f->version, "2.4.1+cu121");
    assert_true(tn_is(f->gpu_build, 1));
    toy_assert_str(f->cuda, "12.1");
    toy_assert_str(f->cudnn, "9.1.0.70"); /* the wheel's own pin */
    toy_assert_list(f->sass, "50 60 70 75 80 86 90");
    tn_snap_deinit(&s);
    static const struct toy_item cpu[] = {
        CFG,
        DIST("torch", "2.9.0+cpu"),
        {'f', SP "torch/__init__.py", "x", 0},
        {'f', SP "torch/version.py", "__version__ = '2.9.0+cpu'\ncuda: Optional[str] = None\n", 0},
        END};
    f = probe(cpu, false, &s, "torch");
    assert_true(tn_is(f->gpu_build, 0));
    assert_int_equal(f->cuda.k, TN_ABSENT);
    tn_snap_deinit(&s);
}

static void test_jax_and_onnxruntime(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        CFG,
        DIST("jax", "0.11.0"),
        {'f', SP "jax/__init__.py", "x", 0},
        {'f', SP "jax/version.py", "_version = \"0.11.0\"\n__version__ = _get_version_string()\n", 0},
        {'f', SP "jax_plugins/xla_cuda13/__init__.py", "x", 0},
        DIST("onnxruntime_gpu", "1.31.1"),
        {'f', SP "onnxruntime/__init__.py", "x", 0},
        {'f', SP "onnxruntime/capi/build_and_package_info.py",
         "package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\ncuda_version = '13.0'\n", 0},
        {'f', SP "onnxruntime/capi/libonnxruntime_providers_cuda.so", "cut", 0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "jax");
    toy_assert_str(f->version, "0.11.0");
    assert_true(tn_is(f->gpu_build, 1));
    toy_assert_str(f->cuda, "13.0.0");
    toy_assert_list(f->sass, "75 80 90 100 110 120");
    assert_true(tn_list_has(f->asks, "libcudart.so.13"));
    f = toy_framework(&s, "env1", "onnxruntime");
    toy_assert_str(f->package, "onnxruntime-gpu");
    toy_assert_str(f->cuda, "13.0");
    assert_true(tn_is(f->gpu_build, 1));
    assert_int_equal(f->asks.k, TN_FAILED); /* the provider is cut short */
    tn_snap_deinit(&s);
    static const struct toy_item old[] = {CFG,
                                          DIST("jax", "0.4.20"),
                                          DIST("jaxlib", "0.4.20+cuda12.cudnn89"),
                                          {'f', SP "jax/__init__.py", "x", 0},
                                          {'f', SP "jaxlib/__init__.py", "x", 0},
                                          END};
    f = probe(old, false, &s, "jax");
    toy_assert_str(f->evidence, "jaxlib");
    assert_true(tn_is(f->gpu_build, 1));
    tn_snap_deinit(&s);
}

static void put(unsigned char *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

/* The smallest x86-64 object with a dynamic section: DT_RUNPATH and two DT_NEEDED. */
static size_t tiny_elf(unsigned char *b, const char *runpath, const char *need, const char *need2)
{
    size_t str = 0x200, n = 1;
    memcpy(b,
           "\x7f"
           "ELF\2\1\1",
           7);
    put(b + 16, 3, 2);
    put(b + 18, 62, 2);
    put(b + 20, 1, 4);
    put(b + 32, 64, 8); /* e_phoff */
    put(b + 52, 64, 2); /* e_ehsize */
    put(b + 54, 56, 2); /* e_phentsize */
    put(b + 56, 2, 2);  /* e_phnum */
    const char *text[] = {runpath, need, need2};
    size_t at[3];
    for (unsigned i = 0; i < 3; i++) {
        at[i] = n;
        strcpy((char *)b + str + n, text[i]);
        n += strlen(text[i]) + 1;
    }
    uint64_t dyn[][2] = {{1, at[1]}, {1, at[2]}, {29, at[0]}, {5, str}, {10, n}, {0, 0}};
    for (unsigned i = 0; i < 6; i++) {
        put(b + 0x100 + 16 * i, dyn[i][0], 8);
        put(b + 0x108 + 16 * i, dyn[i][1], 8);
    }
    put(b + 64, 1, 4); /* PT_LOAD of everything at 0 */
    put(b + 96, str + n, 8);
    put(b + 104, str + n, 8);
    put(b + 120, 2, 4); /* PT_DYNAMIC */
    put(b + 128, 0x100, 8);
    put(b + 136, 0x100, 8);
    put(b + 152, 96, 8);
    put(b + 160, 96, 8);
    return str + n;
}

static void test_dirs(void **state)
{
    (void)state;
    static unsigned char tf[4096], ort[4096];
    size_t n_tf = tiny_elf(tf,
                           "$ORIGIN/../../nvidia/cublas/lib:$ORIGIN/../nvidia/cublas/lib:$ORIGIN/../nvidia/cudnn/lib:"
                           "$ORIGIN/../nvidia/cublas/lib:$ORIGIN/../_solib_local/x:${ORIGIN}/:$ORIGIN/../../../:"
                           "relative/lib:/opt/gone:/usr/local/cuda/lib64",
                           "libc.so.6", "libm.so.6");
    size_t n_ort = tiny_elf(ort, "", "libcublas.so.12", "libcuda.so.1");
    const struct toy_item items[] = {
        CFG,
        DIST("tensorflow", "2.15.1"),
        {'f', SP "tensorflow/__init__.py", "x", 0},
        {'f', SP "tensorflow/python/platform/build_info.py", info_2_10, 0},
        {'f', SP "tensorflow/libtensorflow_framework.so.2", (const char *)tf, n_tf},
        {'d', "/usr/local/cuda/lib64", "", 0},
        DIST("onnxruntime_gpu", "1.20.0"),
        {'f', SP "onnxruntime/__init__.py", "x", 0},
        {'f', SP "onnxruntime/capi/libonnxruntime_providers_cuda.so", (const char *)ort, n_ort},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "tensorflow");
    /* inside: wanted whether there or not, once; outside: only what is there (../.. is the prefix's lib) */
    toy_assert_list(f->dirs, "nvidia/cublas/lib nvidia/cudnn/lib tensorflow ../.. /usr/local/cuda/lib64");
    f = toy_framework(&s, "env1", "onnxruntime");
    toy_assert_list(f->asks, "libcublas.so.12"); /* the driver's libcuda is another matter */
    assert_int_equal(f->dirs.k, TN_KNOWN);
    assert_int_equal(f->dirs.n, 0);
    tn_snap_deinit(&s);
}

#define WHEEL(name, version, tags)                                                                                     \
    {                                                                                                                  \
        'f', SP name "-" version ".dist-info/WHEEL", "Wheel-Version: 1.0\n" tags, 0                                    \
    }

/* What a build asks of the machine: the oldest of the tags, the table's instruction sets; jaxlib's for JAX. */
static void test_needs(void **state)
{
    (void)state;
    static const struct toy_item tf[] = {
        CFG,
        DIST("tensorflow", "2.21.0"),
        WHEEL("tensorflow", "2.21.0",
              "Tag: cp311-cp311-manylinux_2_27_x86_64\nTag: cp311-cp311-manylinux_2_28_x86_64\n"),
        {'f', SP "tensorflow/__init__.py", "x", 0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(tf, false, &s, "tensorflow");
    toy_assert_str(f->glibc, "2.27");
    toy_assert_str(f->machine, "x86_64");
    toy_assert_list(f->cpu, "avx");
    tn_snap_deinit(&s);
    static const struct toy_item old[] = {CFG,
                                          DIST("tensorflow", "2.4.0"),
                                          WHEEL("tensorflow", "2.4.0", "Tag: cp38-cp38-manylinux2010_x86_64\n"),
                                          {'f', SP "tensorflow/__init__.py", "x", 0},
                                          END};
    f = probe(old, false, &s, "tensorflow");
    toy_assert_str(f->glibc, "2.12");
    toy_assert_list(f->cpu, "avx avx2");
    tn_snap_deinit(&s);
    static const struct toy_item arm[] = {CFG,
                                          DIST("tensorflow", "2.21.0"),
                                          WHEEL("tensorflow", "2.21.0", "Tag: cp311-cp311-manylinux_2_27_aarch64\n"),
                                          {'f', SP "tensorflow/__init__.py", "x", 0},
                                          {'f', SP "tensorflow/python/platform/build_info.py", info_cpu, 0},
                                          END};
    f = probe(arm, false, &s, "tensorflow");
    toy_assert_str(f->machine, "aarch64");
    assert_int_equal(f->cpu.k, TN_UNASKED); /* none is known */
    assert_true(tn_is(f->gpu_build, 0));
    tn_snap_deinit(&s);
    static const struct toy_item jax[] = {CFG,
                                          DIST("jax", "0.4.30"),
                                          WHEEL("jax", "0.4.30", "Tag: py3-none-any\n"),
                                          DIST("jaxlib", "0.4.30"),
                                          WHEEL("jaxlib", "0.4.30", "Tag: cp311-cp311-manylinux2014_x86_64\n"),
                                          {'f', SP "jax/__init__.py", "x", 0},
                                          {'f', SP "jaxlib/__init__.py", "x", 0},
                                          END};
    f = probe(jax, false, &s, "jax");
    toy_assert_str(f->glibc, "2.17");
    toy_assert_list(f->cpu, "avx");
    tn_snap_deinit(&s);
    /* Before the first release that needs AVX, and torch, whose makers state nothing. */
    static const struct toy_item torch[] = {
        CFG,
        DIST("torch", "2.9.0"),
        WHEEL("torch", "2.9.0", "Tag: cp311-cp311-manylinux_2_28_x86_64\nTag: broken\n"),
        {'f', SP "torch/__init__.py", "x", 0},
        END};
    f = probe(torch, false, &s, "torch");
    toy_assert_str(f->glibc, "2.28");
    assert_int_equal(f->cpu.k, TN_UNASKED);
    tn_snap_deinit(&s);
}

/* CuPy by _wheel.json (13.6.0), by its name alone (cuda112), and TensorRT by its name. */
static void test_companions(void **state)
{
    (void)state;
    static const struct toy_item items[] = {
        CFG,
        DIST("cupy_cuda12x", "13.6.0"),
        {'f', SP "cupy/__init__.py", "x", 0},
        {'f', SP "cupy/_version.py", "__version__ = '13.6.0'\n", 0},
        {'f', SP "cupy/.data/_wheel.json",
         "{\"cuda\": \"12.x\", \"packaging\": \"pip\", \"cudnn\": {\"version\": \"8.8.1\"}}", 0},
        DIST("tensorrt_cu13", "11.4.0.106"),
        DIST("tensorrt_cu13_bindings", "11.4.0.106"),
        {'f', SP "tensorrt/__init__.py", "x", 0},
        {'f', SP "tensorrt_bindings/__init__.py", "x", 0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(items, false, &s, "cupy");
    toy_assert_str(f->package, "cupy-cuda12x");
    toy_assert_str(f->version, "13.6.0");
    toy_assert_str(f->cuda, "12");
    toy_assert_str(f->evidence, "_wheel.json");
    assert_true(tn_is(f->gpu_build, 1));
    f = toy_framework(&s, "env1", "tensorrt");
    assert_non_null(f);
    toy_assert_str(f->cuda, "13");
    toy_assert_str(f->version, "11.4.0.106");
    tn_snap_deinit(&s);
    static const struct toy_item old[] = {CFG,
                                          DIST("cupy_cuda112", "9.6.0"),
                                          {'f', SP "cupy/__init__.py", "x", 0},
                                          {'f', SP "cupy/.data/_wheel.json", "{}", 0},
                                          END};
    f = probe(old, false, &s, "cupy");
    toy_assert_str(f->cuda, "11.2");
    toy_assert_str(f->version, "9.6.0");
    toy_assert_str(f->evidence, "name");
    tn_snap_deinit(&s);
    static const struct toy_item source[] = {CFG, DIST("cupy", "13.6.0"), {'f', SP "cupy/__init__.py", "x", 0}, END};
    f = probe(source, false, &s, "cupy");
    assert_int_equal(f->cuda.k, TN_ABSENT);
    assert_int_equal(f->gpu_build.k, TN_ABSENT); /* built here: for what, nobody says */
    tn_snap_deinit(&s);
}

#define CSP "/c/lib/python3.11/site-packages/"
#define CMETA(name, version, build, depends)                                                                           \
    {                                                                                                                  \
        'f', "/c/conda-meta/" name "-" version "-" build ".json",                                                      \
            "{\n  \"build\": \"" build "\",\n  \"depends\": [" depends "],\n  \"name\": \"" name                       \
            "\",\n  \"version\": \"" version "\"\n}\n",                                                                \
            0                                                                                                          \
    }
#define CENV {'f', "/c/bin/python3", "x", 0}, {'v', "CONDA_PREFIX", "/c", 0}, CMETA("python", "3.11.9", "h_0", "")

/* Builds of conda: the build string says what no file of the build says. */
static void test_conda(void **state)
{
    (void)state;
    static const struct toy_item jax[] = {
        CENV,
        CMETA("jax", "0.4.34", "pyhd8ed1ab_0", ""),
        CMETA("jaxlib", "0.4.34", "cuda126py311h8af7b94_200", "\n    \"__glibc >=2.17,<3.0.a0\",\n    \"__cuda\"\n  "),
        {'f', CSP "jax/__init__.py", "x", 0},
        {'f', CSP "jax/version.py", "_version = \"0.4.34\"\n", 0},
        {'f', CSP "jaxlib/__init__.py", "x", 0},
        END};
    struct tn_snap s;
    const struct tn_rec_framework *f = probe(jax, false, &s, "jax");
    assert_true(tn_is(f->gpu_build, 1));
    toy_assert_str(f->cuda, "12.6");
    toy_assert_str(f->glibc, "2.17");
    assert_int_equal(f->sass.k, TN_UNASKED); /* conda's choice, which nobody read */
    assert_int_equal(f->cpu.k, TN_UNASKED);  /* jaxlib's makers speak of their own wheels */
    tn_snap_deinit(&s);
    static const struct toy_item cpu[] = {CENV,
                                          CMETA("jax", "0.4.34", "pyhd8ed1ab_0", ""),
                                          CMETA("jaxlib", "0.4.34", "cpu_py311h3f9ad41_1", ""),
                                          {'f', CSP "jax/__init__.py", "x", 0},
                                          {'f', CSP "jaxlib/__init__.py", "x", 0},
                                          END};
    f = probe(cpu, false, &s, "jax");
    assert_true(tn_is(f->gpu_build, 0));
    tn_snap_deinit(&s);
    static const struct toy_item mkl[] = {CENV,
                                          CMETA("tensorflow-base", "2.9.1", "mkl_py311h353358b_0", ""),
                                          {'f', CSP "tensorflow/__init__.py", "x", 0},
                                          END};
    f = probe(mkl, false, &s, "tensorflow");
    assert_true(tn_is(f->gpu_build, 0));
    toy_assert_str(f->evidence, "build string");
    tn_snap_deinit(&s);
    static const struct toy_item cuda[] = {CENV,
                                           CMETA("tensorflow-base", "2.10.0", "cuda112py311hbbcc7ab_0", ""),
                                           {'f', CSP "tensorflow/__init__.py", "x", 0},
                                           END};
    f = probe(cuda, false, &s, "tensorflow");
    assert_true(tn_is(f->gpu_build, 1));
    toy_assert_str(f->cuda, "11.2");
    tn_snap_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_companions),
        cmocka_unit_test(test_conda),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_tf_2_10),
        cmocka_unit_test(test_tf_2_3),
        cmocka_unit_test(test_tf_1_15),
        cmocka_unit_test(test_tf_header),
        cmocka_unit_test(test_tf_windows),
        cmocka_unit_test(test_tf_windows_shell),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_torch),
        cmocka_unit_test(test_jax_and_onnxruntime),
        cmocka_unit_test(test_dirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
