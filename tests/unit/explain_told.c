/* explain_told.c - complaints without a message (text_complaint.c, judge_told.c), each with a sentence that looks alike
 * and complains of nothing; that a message goes before them; and what rank.c and judge_memory.c promise. */
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

static bool complains(const char *text, const char *fact)
{
    struct answer a;
    bool yes = false;
    ask(&a, text);
    for (size_t i = 0; i < a.s.observation.n; i++)
        yes |= tn_says(a.s.observation.v[i].fact, fact);
    end(&a);
    return yes;
}

static void hit(const char *text, const char *fact)
{
    if (!complains(text, fact))
        fail_msg("should be %s: %s", fact, text);
}

static void miss(const char *text, const char *fact)
{
    if (complains(text, fact))
        fail_msg("should not be %s: %s", fact, text);
}

/* most: how sure it may be at the most. */
static void first(const char *text, const char *cause, enum tn_status most)
{
    struct answer a;
    ask(&a, text);
    const char *got = a.out.n ? a.out.v[0].cause : "nothing";
    enum tn_status status = a.out.n ? a.out.v[0].status : TN_UNTESTABLE;
    if (strcmp(got, cause) != 0 || status < most)
        fail_msg("%s should come first, not %s (status %d): %s", cause, got, (int)status, text);
    end(&a);
}

static void nothing(const char *text)
{
    struct answer a;
    ask(&a, text);
    if (a.out.n && a.out.v[0].status <= TN_LIKELY)
        fail_msg("%s is claimed of: %s", a.out.v[0].cause, text);
    end(&a);
}

static void test_sentences(void **state)
{
    (void)state;
    hit("My program doesn't see the GPU at all.\n", "complaint.unseen");
    hit("程序识别不到我的显卡\n", "complaint.unseen");
    miss("My program sees the GPU and all is fine.\n", "complaint.unseen");
    hit("I have a 4080, but it runs on the CPU only.\n", "complaint.cpu");
    hit("显卡一直没用到，GPU 使用率一直是 0%\n", "complaint.cpu");
    miss("The GPU is used at 95% all the time.\n", "complaint.cpu");
    miss("|   0  NVIDIA GeForce RTX 3090        Off |   00000000:01:00.0 Off |                  N/A |\n"
         "| 30%   35C    P8             25W /  350W |     400MiB /  24576MiB |      0%      Default |\n",
         "complaint.cpu"); /* of nvidia-smi's panel */
    hit("It fails after the laptop was suspended.\n", "complaint.sleep");
    miss("time.sleep(3)\n", "complaint.sleep");
    hit("the nvidia driver does not load\n", "complaint.unloaded");
    miss("the nvidia driver loads at once\n", "complaint.unloaded");
    hit("there is no wheel for aarch64\n", "complaint.board");
    miss("the wheel for aarch64 installs\n", "complaint.board");
    hit("The pod cannot use the GPU after a few days.\n", "complaint.lost");
    miss("The pod uses the GPU after a few days.\n", "complaint.lost");
    hit("Training freezes as soon as two GPUs are used.\n", "complaint.hangs");
    miss("Training on two GPUs is fast.\n", "complaint.hangs");
    hit("I have an AMD Card here.\n", "complaint.other-card");
    hit("see https://example.com/a/b : my GPU is a Radeon RX 570\n", "complaint.other-card");
    miss("I have an AMD card and an RTX 3060.\n", "complaint.other-card");
    miss("The processor is an AMD Ryzen 7.\n", "complaint.other-card");
    hit("VS Code takes another environment than the one I made.\n", "complaint.place");
    miss("VS Code takes the environment that I made.\n", "complaint.place");
    hit("nvidia-smi cannot communicate with the driver\n", "complaint.unloaded");
    hit("The tool crashes on every 50xx card.\n", "complaint.newest");
    hit("换了 5070 之后程序报错\n", "complaint.newest");
    miss("The tool is fast on every 50xx card.\n", "complaint.newest");
    hit("别人的进程把显存占满了\n", "complaint.crowd");
    miss("我的进程占用 2G 显存，没有别人\n", "complaint.crowd");
}

/* What one should do, needs or has not is no complaint. */
static void test_wishes(void **state)
{
    (void)state;
    miss("If you do not see a GPU here, you should install the driver.\n", "complaint.unseen");
    miss("This step needs no GPU and runs on the CPU.\n", "complaint.cpu");
    miss("如果检测不到 GPU，请先安装驱动\n", "complaint.unseen");
    miss("A switch to run this on the CPU would be handy.\n", "complaint.cpu");
    miss("How can I use this program on the CPU?\n", "complaint.cpu");
    miss("How to run this on the CPU?\n", "complaint.cpu");
    hit("I want to use the card, but only the CPU is used.\n", "complaint.cpu");
    miss("换成 CPU 之后一切正常\n", "complaint.cpu");
    miss("With that gcc the CUDA extension does not compile, whatever is used.\n", "complaint.cpu");
    miss("I don't have a GPU, so all runs on the CPU.\n", "complaint.cpu");
}

static void test_causes(void **state)
{
    (void)state;
    first("I have an RTX 4080 and it only uses the CPU.\n", "cpu-only-build", TN_POSSIBLE);
    first("OS: macOS 14\nthe GPU is not used, it runs on the CPU\n", "os-without-cuda", TN_LIKELY);
    first("docker run -it image bash\nmy GPU is never detected in the container\n", "container-gpu-not-requested",
          TN_POSSIBLE);
    first("OS: Ubuntu 22.04\nRuntimeError: CUDA error: unspecified launch failure\nIt comes after the laptop was "
          "suspended.\n",
          "uvm-unavailable", TN_CONFIRMED);
    first("My nvidia driver cannot be loaded because of secure boot.\n", "driver-not-loaded", TN_LIKELY);
    first("cudnn 7.6 is installed, but it says that cudnn is 5.0\n", "cudnn-version-mismatch", TN_POSSIBLE);
    first("torch.version.cuda is 9.0.176, but nvcc --version is 10.0, they do not match\n", "compiler-unsupported",
          TN_POSSIBLE);
    nothing("torch.version.cuda is 10.0.130, and nvcc --version is 10.0, they do not differ\n");
}

/* What ran before and was not changed is no build without CUDA; a program that only asks for CUDA where another maker's
 * card is named; a job that asked for a card; a system call of NCCL's that fails in a container. */
static void test_circumstances(void **state)
{
    (void)state;
    first("It was working all week. Today the GPU is not used.\n", "uvm-unavailable", TN_POSSIBLE);
    first("I updated it. It was working before. Now the GPU is not used.\n", "cpu-only-build", TN_POSSIBLE);
    first("In docker the GPU is not used any more. The solution was to restart the container.\n", "container-lost-gpu",
          TN_LIKELY);
    first("Torch not compiled with CUDA enabled\nThis is an M3 Pro.\n", "os-without-cuda", TN_CONFIRMED);
    first("I have an AMD gfx card. It ends with errors of CUDA.\n", "no-nvidia-gpu", TN_POSSIBLE);
    nothing("I have an AMD gfx card. It runs without CUDA.\n");
    first("srun --gres=gpu:1 ls /dev\nls: cannot access '/dev/nvidia0': No such file or directory\n",
          "scheduler-gave-no-gpu", TN_CONFIRMED);
    first("ls: cannot access '/dev/nvidia0': No such file or directory\n", "driver-not-loaded", TN_CONFIRMED);
    first("docker run --gpus all image\nNCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)\n",
          "shared-memory-too-small", TN_CONFIRMED);
    first("NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)\n", "nccl-failure", TN_CONFIRMED);
    first("docker run image\nRuntimeError: Failed to infer device type\n", "container-gpu-not-requested", TN_CONFIRMED);
    first("torch 2.2.0+cpu\nRuntimeError: Numpy is not available\n", "numpy-abi", TN_CONFIRMED);
}

/* What is told in passing: a number that is a card beside its word, a change that was made; and what follows. */
static void test_prose(void **state)
{
    (void)state;
    hit("It fails on my 4070 since today: the CPU is used, no GPU is found\n", "gpu.name");
    hit("这台机器用 3060 显卡，程序报错，检测不到显卡\n", "gpu.name");
    hit("no GPU is found on the 2080ti\n", "gpu.name");
    miss("no GPU is found by the server at port 5070\n", "gpu.name");
    hit("I upgraded CUDA from 11.2 to 12.2, and no GPU is found.\n", "toolkit.version");
    hit("把 cuda 从 11.2 升级到 12.2 以后检测不到显卡\n", "toolkit.version");
    miss("You should upgrade CUDA from 11.2 to 12.2 where no GPU is found.\n", "toolkit.version");
    first("I upgraded tensorflow from 2.2.0 to 2.4.0. Now no GPU is detected. CUDA is 10.1 here.\n",
          "cuda-version-mismatch", TN_CONFIRMED);
    first("docker 容器内看不到显卡\nbash: nvidia-smi: command not found\n", "container-gpu-not-requested", TN_LIKELY);
    first("no GPU is seen\nbash: nvidia-smi: command not found\n", "driver-missing", TN_LIKELY);
    first("it crashes on a 50 series card\n", "arch-unsupported", TN_POSSIBLE);
}

/* An nvcc that is older than the card; a cuDNN loaded that is not the one of the build. */
static void test_older_than_needed(void **state)
{
    char text[400];
    const char *form = "GPU model: RTX 5080\nCuda compilation tools, release %s, V%s.10\n"
                       "FAILED: a.o\nnvcc -c a.cu -gencode=arch=compute_90,code=sm_90\n";
    struct answer a;
    (void)state;
    snprintf(text, sizeof text, form, "12.4", "12.4");
    first(text, "compiler-unsupported", TN_LIKELY);
    snprintf(text, sizeof text, form, "12.9", "12.9");
    nothing(text);
    first("cudnn: 8.4.1\ndevice: 0, cuDNN Version: 7.6.\n", "cudnn-version-mismatch", TN_CONFIRMED);
    ask(&a, "cudnn: 8.4.1\ndevice: 0, cuDNN Version: 8.2.\n");
    assert_int_equal(a.out.n, 0);
    end(&a);
}

/* A message that a program printed says more than any sentence. */
static void test_other_card_and_container(void **state)
{
    static const char message[] =
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU\n";
    char text[300];
    (void)state;
    first(message, "driver-missing", TN_CONFIRMED);
    snprintf(text, sizeof text, "%sI have an AMD Card\n", message);
    first(text, "no-nvidia-gpu", TN_CONFIRMED);
    snprintf(text, sizeof text, "%sI have an AMD card and a GTX 1080\n", message);
    first(text, "driver-missing", TN_CONFIRMED);
    nothing("I have an AMD Card and all is well\n");
    first("torch.cuda.is_available()\nFalse\n容器里跑的\n", "container-gpu-not-requested", TN_LIKELY);
}

static void test_messages_go_before(void **state)
{
    (void)state;
    first("I have an RTX 3090 and it only uses the CPU.\n"
          "RuntimeError: The NVIDIA driver on your system is too old (found version 10010).\n",
          "driver-too-old", TN_CONFIRMED);
    first("no GPU is detected\nCUDA runtime is not available, RuntimeError: Cannot find CUDA_HOME\n",
          "cuda-tools-missing", TN_CONFIRMED);
}

#define SMI                                                                                                            \
    "| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |\n"                      \
    "|   0  Tesla V100-SXM2...  On   | 00000000:00:08.0 Off |                    0 |\n"

static void test_full_card(void **state)
{
    (void)state;
    first(SMI "| N/A   54C    P0   246W / 300W |  15514MiB / 16130MiB |    100%      Default |\n"
              "RuntimeError: CUDA error: out of memory\n",
          "gpu-busy", TN_CONFIRMED);
    first(SMI "| N/A   54C    P0    46W / 300W |    514MiB / 16130MiB |      0%      Default |\n"
              "RuntimeError: CUDA error: out of memory\n",
          "out-of-memory", TN_CONFIRMED);
}

/* The installation that a command of the text made, against the driver. */
static void test_command_and_driver(void **state)
{
    (void)state;
    const char *smi = "| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |\n";
    char text[400];
    snprintf(text, sizeof text, "conda install pytorch cudatoolkit=10.2 -c pytorch\n%sGPU available: False\n", smi);
    first(text, "driver-too-old", TN_LIKELY);
    snprintf(text, sizeof text,
             "pip3 install torch --index-url https://download.pytorch.org/whl/cu121\n%sGPU available: False\n", smi);
    first(text, "driver-too-old", TN_LIKELY);
    snprintf(text, sizeof text, "conda install pytorch cudatoolkit=10.1 -c pytorch\n%sGPU available: False\n", smi);
    struct answer a;
    ask(&a, text);
    for (size_t i = 0; i < a.out.n; i++)
        assert_string_not_equal(a.out.v[i].cause, "driver-too-old");
    end(&a);
}

/* Harmless noise never stands before a cause, wherever it stands in the text. */
static void test_noise_is_behind(void **state)
{
    (void)state;
    first("successful NUMA node read from SysFS had negative value (-1), but there must be at least one NUMA node\n"
          "RuntimeError: The NVIDIA driver on your system is too old (found version 10010).\n"
          "successful NUMA node read from SysFS had negative value (-1), but there must be at least one NUMA node\n",
          "driver-too-old", TN_CONFIRMED);
    first("successful NUMA node read from SysFS had negative value (-1), but there must be at least one NUMA node\n"
          "TF-TRT Warning: Could not find TensorRT\n"
          "oneDNN custom operations are on. You may see slightly different numerical results\n"
          "CUDA error: out of memory\n",
          "out-of-memory", TN_CONFIRMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentences),       cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_causes),          cmocka_unit_test(test_messages_go_before),
        cmocka_unit_test(test_full_card),       cmocka_unit_test(test_command_and_driver),
        cmocka_unit_test(test_noise_is_behind), cmocka_unit_test(test_other_card_and_container),
        cmocka_unit_test(test_prose),           cmocka_unit_test(test_older_than_needed),
        cmocka_unit_test(test_circumstances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
