/* explain_said.c - what a text says beside messages: an interpreter's answers, listings, a release that works and one
 * that does not, libraries and causes named in sentences; each with one that looks alike and says nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/signs.h"
#include "probe/stated.h"

struct answer {
    struct tn_arena mem;
    struct tn_snap s;
    struct tn_sink out;
};

static void ask(struct answer *a, const char *text)
{
    struct tn_buf clean;
    tn_arena_init(&a->mem);
    tn_snap_init(&a->s);
    tn_sink_init(&a->out, &a->mem);
    tn_buf_init(&clean);
    struct tn_signs signs = {.mem = &a->mem};
    tn_explain_clean(tn_span_str(text), &clean);
    tn_explain_text(tn_span_str(text), &a->s);
    struct tn_span span = tn_span_of(clean.p, clean.n);
    tn_explain_stated(span, &a->s);
    tn_signs_scan(&signs, span, 1, &a->s);
    bool complains = tn_explain_complaints(span, &a->s);
    if (complains || tn_signs_speak(&signs))
        tn_explain_prose(span, &a->s);
    tn_probe_stated(&a->s);
    tn_signs_rank(&signs, &a->s, NULL, NULL, &a->out);
    tn_buf_deinit(&clean);
}

static void end(struct answer *a)
{
    tn_snap_deinit(&a->s);
    tn_arena_deinit(&a->mem);
}

/* value NULL: the fact is not said at all. */
static void says(const char *text, const char *fact, const char *value)
{
    struct answer a;
    bool yes = false, any = false;
    ask(&a, text);
    for (size_t i = 0; i < a.s.observation.n; i++) {
        const struct tn_rec_observation *o = &a.s.observation.v[i];
        any |= tn_says(o->fact, fact);
        yes |= value && tn_says(o->fact, fact) && tn_says(o->value, value);
    }
    end(&a);
    if (value ? !yes : any)
        fail_msg("%s should be %s: %s", fact, value ? value : "unsaid", text);
}

static void first(const char *text, const char *cause)
{
    struct answer a;
    ask(&a, text);
    const char *got = a.out.n ? a.out.v[0].cause : "nothing";
    if (strcmp(got, cause) != 0)
        fail_msg("%s should come first, not %s: %s", cause, got, text);
    end(&a);
}

static void not_claimed(const char *text, const char *cause)
{
    struct answer a;
    ask(&a, text);
    for (size_t i = 0; i < a.out.n; i++)
        if (strcmp(a.out.v[i].cause, cause) == 0)
            fail_msg("%s is named: %s", cause, text);
    end(&a);
}

static void test_interpreter(void **state)
{
    (void)state;
    says(">>> torch.__version__\n'2.1.0+cu118'\n", "package.torch", "2.1.0+cu118");
    says("In [3]: tf.__version__\nOut[3]: '2.16.1'\n", "package.tensorflow", "2.16.1");
    says("print(torch.__version__, torch.version.cuda)\n2.1.0 12.1\n", "torch.cuda", "12.1");
    says("python -c 'import torch;print(torch.__version__);print(torch.version.cuda)'\n\n2.3.0+cu121\n12.1\n",
         "torch.cuda", "12.1");
    says(">>> tf.__version__\n2024-01-01 10:00:00.1: I a/b.cc:182] oneDNN is on\n'2.15.0'\n", "package.tensorflow",
         "2.15.0");
    says("torch.__version__ is what I would like to know\n2.1.0 perhaps\n", "package.torch", NULL);
    says(">>> torch.__version__\nTraceback (most recent call last):\n2.1.0\n", "package.torch", NULL);
    says(">>> torch.__version__\n2.1.0 perhaps\n", "package.torch", NULL);
    says(">>> my.torch.__version__\n2.1.0\n", "package.torch", NULL);
}

static void test_listing(void **state)
{
    (void)state;
    says("libd3d12.so  libdxcore.so\n", "found.library", "libdxcore.so");
    says("`libd3d12.so  libcuda.so.1  nvidia-smi`\n", "found.library", "libcuda.so.1");
    says("please copy libd3d12.so and libdxcore.so there\n", "found.library", NULL);
    first("$ ls /usr/lib/wsl/lib\nlibd3d12.so  libd3d12core.so  libdxcore.so\n", "wsl-driver");
    not_claimed("$ ls /usr/lib/wsl/lib\nlibcuda.so  libd3d12.so  libdxcore.so\n", "wsl-driver");
}

/* Underscores around a message are Markdown's; within a word they are not. */
static void test_emphasis(void **state)
{
    (void)state;
    first("_CUDA error: no kernel image is available for execution on the device_\n", "arch-unsupported");
    not_claimed("no kernel image is available for execution on the device_list\n", "arch-unsupported");
}

static void test_contrast(void **state)
{
    (void)state;
    says("The GPU is not found. It works in tf 2.15 but not in 2.16.\n", "package.tensorflow", "2.16");
    says("检测不到显卡，tensorflow 2.15可以用，2.16不行\n", "package.tensorflow", "2.16");
    says("It works with torch 1.13, but torch 2.0.1 does not see the GPU.\n", "package.torch", "2.0.1");
    says("The GPU is not found. It works with torch 1.13 on another machine.\n", "package.torch", NULL);
    says("torch 2.1.0 is not working, the GPU is not found\n", "package.torch", "2.1.0");
    first("The GPU is not found on Ubuntu. It works in tf 2.15 but not in 2.16.\n", "nvidia-wheels-missing");
}

static void test_libraries(void **state)
{
    (void)state;
    says("it cannot find the file cudart64_110.dll anywhere\n", "asked.library", "cudart64_110.dll");
    says("说是缺少 libcudnn.so.8\n", "asked.library", "libcudnn.so.8");
    says("it loads cudart64_110.dll\n", "asked.library", NULL);
    first("I have tensorflow-gpu 1.8.0 and CUDA 9.2 on Windows 10.\n    ctypes.WinDLL(build_info.cudart_dll_name)\n",
          "cuda-version-mismatch");
    first("Windows 10, tensorflow 2.4.0, CUDA 10.1\nit cannot find the file cudart64_110.dll\n",
          "cuda-version-mismatch");
    first("训练时找不到 cudnn 和 cuda，系统是 Ubuntu，装了 cuda 11.2\n", "cuda-not-on-loader-path");
    first("The GPU is not found. After I unset LD_LIBRARY_PATH it works.\n", "library-shadowed");
    first("libfoo cannot load. Solved it by adding the folder to LD_LIBRARY_PATH.\n", "cuda-not-on-loader-path");
}

static void test_named(void **state)
{
    (void)state;
    first("It fails, since my driver is too old.\n", "driver-too-old");
    not_claimed("It fails, and the driver is not too old.\n", "driver-too-old");
    first("运行失败，没有安装 cuDNN\n", "cudnn-missing");
    first("this CPU does not support AVX\n", "cpu-instruction-missing");
    first("the user has no permission for /dev/nvidia0\n", "device-permission");
    first("kill 掉进程之后显存不释放\n", "gpu-busy");
    first("ImportError: DLL load failed: A dynamic link library (DLL) initialization routine failed.\n"
          "That CPU doesn't support AVX2.\n",
          "cpu-instruction-missing"); /* a message suggests several, the sentence decides */
    first("I have CUDA 9.1, and it turned out that TF didn't support that.\n", "cuda-version-mismatch");
    not_claimed("My graphics card does not support CUDA.\n", "cuda-version-mismatch");
    first("cuDNN v5 is here, which is not supported by tensorflow\n", "cudnn-version-mismatch");
    not_claimed("You should check whether the driver is too old.\n", "driver-too-old");
}

static void test_places(void **state)
{
    (void)state;
    first("docker run -it image bash\nbash: nvidia-smi: command not found\n", "container-gpu-not-requested");
    first("I submit it with sbatch, and the job gets no GPU.\n", "scheduler-gave-no-gpu");
    says("I submit it with sbatch, the job gets a GPU, and all is well.\n", "complaint.batch", NULL);
    first("In the container the cuda version was n/a and no GPU is found.\n", "container-capability-missing");
    first("I updated the kernel of this machine. Now the GPU is not used.\n", "driver-not-loaded");
    first("On Ubuntu tensorflow 2.9.1 runs on the CPU only, no GPU is found.\n", "cuda-runtime-missing");
    first("cuBLAS says CUBLAS_STATUS_NOT_INITIALIZED. CUDA 10.0 is on it. CUDA 10.1 is on it.\n",
          "cuda-version-mismatch");
    first("CUBLAS_STATUS_NOT_INITIALIZED with CUDA 10.0\n", "out-of-memory");
}

/* "When I run it" reports, "when you run it" supposes; a TensorFlow of Windows that says it has no CUDA. */
static void test_own_report(void **state)
{
    struct answer a;
    (void)state;
    ask(&a, "When I run it on the card there is: no kernel image is available for execution on the device\n");
    assert_true(a.out.n && a.out.v[0].status == TN_CONFIRMED);
    end(&a);
    ask(&a, "When you run it on the card there is: no kernel image is available for execution on the device\n");
    assert_true(a.out.n && a.out.v[0].status == TN_POSSIBLE);
    end(&a);
    first("OS: Windows 10\nTensorFlow version: 2.14.0\nprint(tf.test.is_built_with_cuda())\nFalse\n",
          "windows-native-unsupported");
    first("OS: Ubuntu 22.04\nTensorFlow version: 2.14.0\nprint(tf.test.is_built_with_cuda())\nFalse\n",
          "cpu-only-build");
}

static void test_index(void **state)
{
    (void)state;
#define NONE "ERROR: Could not find a version that satisfies the requirement torch==2.1.0 (from versions: none)\n"
    first("pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu999\n" NONE, "wrong-package-index");
    first("pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118\n" NONE,
          "python-version-unsupported");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpreter), cmocka_unit_test(test_listing),   cmocka_unit_test(test_emphasis),
        cmocka_unit_test(test_contrast),    cmocka_unit_test(test_libraries), cmocka_unit_test(test_named),
        cmocka_unit_test(test_places),      cmocka_unit_test(test_index),     cmocka_unit_test(test_own_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
