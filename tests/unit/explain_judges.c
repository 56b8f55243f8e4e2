/* explain_judges.c - each judge by a text that it decides and one that looks alike and must not be decided so: without
 * the checks, which judge what a text states as they judge a machine. And what is told against what is supposed. */
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

/* How the cause stands in the answer: its place from 1, or 0. */
static unsigned place_of(const char *text, const char *cause, enum tn_status *ret_status)
{
    struct tn_arena mem;
    struct tn_snap s;
    struct tn_sink out;
    struct tn_buf clean;
    unsigned place = 0;
    tn_arena_init(&mem);
    tn_snap_init(&s);
    tn_buf_init(&clean);
    tn_sink_init(&out, &mem);
    struct tn_signs signs = {.mem = &mem};
    tn_explain_clean(tn_span_str(text), &clean);
    tn_explain_text(tn_span_str(text), &s);
    tn_explain_stated(tn_span_of(clean.p, clean.n), &s);
    tn_signs_scan(&signs, tn_span_of(clean.p, clean.n), 1, &s);
    if (tn_signs_speak(&signs))
        tn_explain_prose(tn_span_of(clean.p, clean.n), &s);
    tn_probe_stated(&s);
    tn_signs_rank(&signs, &s, NULL, NULL, &out);
    for (size_t i = 0; i < out.n && !place; i++)
        if (strcmp(out.v[i].cause, cause) == 0) {
            place = (unsigned)i + 1;
            *ret_status = out.v[i].status;
        }
    tn_buf_deinit(&clean);
    tn_snap_deinit(&s);
    tn_arena_deinit(&mem);
    return place;
}

static void first(const char *text, const char *cause)
{
    enum tn_status status = TN_UNTESTABLE;
    unsigned place = place_of(text, cause, &status);
    if (place != 1 || status > TN_LIKELY)
        fail_msg("%s should come first and be likely, place %u, status %d: %s", cause, place, (int)status, text);
}

static void not_first(const char *text, const char *cause)
{
    enum tn_status status = TN_UNTESTABLE;
    if (place_of(text, cause, &status) == 1 && status <= TN_LIKELY)
        fail_msg("%s should not come first: %s", cause, text);
}

#define ASKED                                                                                                          \
    "Could not load dynamic library 'libcublas.so.11'; dlerror: libcublas.so.11: cannot open shared object file\n"

static void test_library(void **state)
{
    (void)state;
    first("CUDA version: 10.1\n" ASKED, "cuda-version-mismatch");
    not_first("CUDA version: 11.2\n" ASKED, "cuda-version-mismatch");
    first("CUDA version: 11.2\n" ASKED, "cuda-not-on-loader-path");
    first("GPU: RTX 3090\n" ASKED, "cuda-runtime-missing");
    first("cuDNN version: 9.1\nCould not load library libcudnn_ops_infer.so.8. Error: x\n", "cudnn-version-mismatch");
    not_first("cuDNN version: 8.9\nCould not load library libcudnn_ops_infer.so.8. Error: x\n",
              "cudnn-version-mismatch");
    first("Could not load library cudnn_cnn_infer64_8.dll. Error code 126\nCould not locate zlibwapi.dll\n",
          "cudnn-incomplete");
    first("OS: windows\nThe code execution cannot proceed because MSVCP140_1.dll was not found.\n",
          "msvc-runtime-missing");
    not_first("Unable to load cudart library /usr/lib/libx.so: failure: 100\n", "cuda-runtime-missing");
}

/* The text itself lists the file: it is there. */
static void test_library_that_is_listed(void **state)
{
    (void)state;
    const char *found = "/home/u/env/lib/python3.10/site-packages/nvidia/cublas/lib/libcublas.so.11\n";
    char text[600];
    snprintf(text, sizeof text, ASKED "$ locate libcublas.so.11\n%s", found);
    first(text, "cuda-not-on-loader-path");
    snprintf(text, sizeof text, ASKED "-rwxr-xr-x 1 root root 94729912 Jan 1 2024 libcublas.so.11.10.3.66\n");
    first(text, "cuda-not-on-loader-path");
    snprintf(text, sizeof text, ASKED "/usr/lib/libcublas.so.10\n");
    not_first(text, "cuda-not-on-loader-path");
    snprintf(text, sizeof text, ASKED "  see %s", found);
    not_first(text, "cuda-not-on-loader-path");
}

static void test_library_of_another_torch(void **state)
{
    (void)state;
    const char *loads = "  File \"/env/lib/python3.9/site-packages/torchaudio/_extension.py\", line 51, in _load_lib\n";
    char text[600];
    snprintf(text, sizeof text, "%sOSError: libcudart.so.10.2: cannot open shared object file\n", loads);
    first(text, "companion-mismatch");
    first("OSError: libtorch_cuda_cpp.so: cannot open shared object file: No such file or directory\n",
          "companion-mismatch");
    not_first("OSError: libcudart.so.10.2: cannot open shared object file\n", "companion-mismatch");
}

static void test_memory(void **state)
{
    (void)state;
    first("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.69 GiB total capacity; "
          "1.00 GiB "
          "already allocated; 10.00 MiB free; 1.10 GiB reserved in total by PyTorch)\n",
          "gpu-busy");
    not_first(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.69 GiB total capacity; "
        "22.00 GiB already allocated; 10.00 MiB free; 22.10 GiB reserved in total by PyTorch)\n",
        "gpu-busy");
}

static void test_platform(void **state)
{
    (void)state;
    first("OS: windows\ntensorflow==2.16.1\nNum GPUs Available: 0\n>>> tf.config.list_physical_devices('GPU')\n[]\n",
          "windows-native-unsupported");
    not_first(
        "OS: windows\ntensorflow==2.10.1\nNum GPUs Available: 0\n>>> tf.config.list_physical_devices('GPU')\n[]\n",
        "windows-native-unsupported");
}

static void test_generation(void **state)
{
    (void)state;
    first("PyTorch version: 2.4.0\nGPU model: RTX 5090\n", "arch-unsupported");
    not_first("PyTorch version: 2.4.0\nGPU model: RTX 3090\n", "arch-unsupported");
    first("tensorflow-gpu==1.13.1\nGPU model: RTX 3070\nfailed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED\n",
          "arch-unsupported");
    not_first(
        "tensorflow-gpu==2.10.0\nGPU model: RTX 3070\nfailed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED\n",
        "arch-unsupported");
}

static void test_companion(void **state)
{
    (void)state;
    first("torch==2.4.0\ntorchvision==0.20.1\n", "companion-mismatch");
    not_first("torch==2.4.0\ntorchvision==0.19.1\n", "companion-mismatch");
    first("torch==2.4.0\ntorchaudio==2.3.0\n", "companion-mismatch");
    not_first("torch==2.4.0\ntorchaudio==2.4.1\n", "companion-mismatch");
}

static void test_versions(void **state)
{
    (void)state;
    first("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024\n"
          "libcuda reported version is: 550.107.2\nkernel reported version is: 550.90.7\n",
          "driver-library-mismatch");
    not_first("libcuda reported version is: 550.90.7\nkernel reported version is: 550.90.7\n",
              "driver-library-mismatch");
}

/* A driver's number of two parts is no proof of Windows where the system is stated. */
static void test_stated_system(void **state)
{
    (void)state;
    first("OS: linux\nNVIDIA driver version: 435.21\nTHCudaCheck FAIL file=x.cpp line=50 error=999 : unknown error\n",
          "uvm-unavailable");
}

static void test_supposed(void **state)
{
    (void)state;
    first("RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB\n", "out-of-memory");
    first("RuntimeError: CUDA error: out of memory\n", "out-of-memory");
    not_first("If the GPU runs out of memory, take a smaller batch.\n", "out-of-memory");
    not_first("To avoid CUDA out of memory, pass --lowvram.\n", "out-of-memory");
    not_first("如果出现显存不足，请减少 batch_size\n", "out-of-memory");
    first("I looked if it helps. Then came CUDA error: out of memory\n", "out-of-memory");
}

/* Quotation marks as blogs and JSON write them. */
static void test_quotation_marks(void **state)
{
    (void)state;
    first("NVIDIA-SMI has failed because it couldn\xE2\x80\x98t communicate with the NVIDIA driver.\n",
          "driver-not-loaded");
    first("could not select device driver \\\"\\\" with capabilities: [[gpu]]\n", "container-toolkit-missing");
    not_first("NVIDIA-SMI has failed because it couldn\xE2\x80\xA6t communicate with the NVIDIA driver.\n",
              "driver-not-loaded");
}

/* A text that lists the errors there are reports none. */
static void test_list_of_errors(void **state)
{
    (void)state;
    const char *list =
        "CUDA_ERROR_OUT_OF_MEMORY\nCUDA_ERROR_NO_DEVICE\nCUDA_ERROR_INVALID_DEVICE\nCUDA_ERROR_ECC_UNCORRECTABLE\n"
        "CUDA_ERROR_NO_BINARY_FOR_GPU\nCUDA_ERROR_LAUNCH_TIMEOUT\nCUDA_ERROR_ILLEGAL_ADDRESS\n"
        "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED\nCUDA_ERROR_INVALID_PTX\nCUDA_ERROR_SYSTEM_NOT_READY\n";
    static const char *const cause[] = {"illegal-access", "fabric-manager-down", "gpu-hardware-fault",
                                        "arch-unsupported"};
    for (unsigned i = 0; i < 4; i++)
        not_first(list, cause[i]);
    first("failed: CUDA_ERROR_ILLEGAL_ADDRESS\n", "illegal-access");
}

#define SKIPS "Cannot dlopen some GPU libraries. Skipping registering GPU devices...\n"

/* Sentences state facts where nothing else does, where they agree, and where they tell of this machine. */
static void test_prose(void **state)
{
    (void)state;
    first("I use tensorflow 2.1 on Ubuntu 18.04 with CUDA 10.2 and cudnn 7.6.5\n" SKIPS, "cuda-version-mismatch");
    first("\xE6\x88\x91\xE7\x94\xA8tf2.1\xEF\xBC\x8C"
          "cuda\xE7\x89\x88\xE6\x9C\xAC"
          "10.2\n" SKIPS,
          "cuda-version-mismatch");
    not_first("tensorflow 2.1 with CUDA 10.1\n" SKIPS, "cuda-version-mismatch");
    not_first("tensorflow 2.1 works here with CUDA 10.2\n" SKIPS, "cuda-version-mismatch");
    not_first("tensorflow 2.1, I tried it with CUDA 10.2\nand then with CUDA 10.1\n" SKIPS, "cuda-version-mismatch");
    not_first("CUDA version: 10.1\nit is tensorflow 2.1\nmy friend has CUDA 10.2\n" SKIPS, "cuda-version-mismatch");
    first("it happens on my win10 PC\ncudaDeviceSynchronize() failed: unknown error\n", "kernel-timeout");
    not_first("it happens on Ubuntu\ncudaDeviceSynchronize() failed: unknown error\n", "kernel-timeout");
    first("in wsl2 with Ubuntu\nlibcuda.so: cannot open shared object file\n", "wsl-libcuda-not-found");
    first("Ubuntu 20.04, WSL 2, torch 1.7.1\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
          "driver\n",
          "wsl-driver");
    not_first(
        "Ubuntu 20.04, or should I install wsl2 instead?\nNVIDIA-SMI has failed because it couldn't communicate with "
        "the NVIDIA driver\n",
        "wsl-driver");
    first("on my Mac M1\nTorch not compiled with CUDA enabled\n", "os-without-cuda");
    first("it is tensorflow 2.1. You need CUDA 11 for the new one. I have CUDA 10.2 here\n" SKIPS,
          "cuda-version-mismatch");
    first("### TensorFlow version\n\n2.18.0\n\n### OS platform and distribution\n\nWindows 11\n\n"
          "Tensorflow can't detect my gpu.\n",
          "windows-native-unsupported");
    not_first("### TensorFlow version\n\n2.10.0\n\n### OS platform and distribution\n\nWindows 11\n\n"
              "Tensorflow can't detect my gpu.\n",
              "windows-native-unsupported");
    first("Transcribing 0:00:00Could not locate cudnn_ops64_9.dll. Please make sure\n", "cudnn-missing");
    first("cudnn ver 9.7\nCould not locate cudnn_ops64_9.dll. Please make sure\n", "dll-search-path");
    first("cudnn ver 8.9\nCould not load library cudnn_ops_infer64_8.dll. Error code 126\n", "cudnn-incomplete");
    not_first("on my PC\nTorch not compiled with CUDA enabled\n", "os-without-cuda");
}

static void test_xid(void **state)
{
    (void)state;
    first("NVRM: Xid (PCI:0000:02:00): 167, PCIE fatal timeout\n", "gpu-hardware-fault");
    first("NVRM: Xid (PCI:0000:02:00): 69, pid=1, name=python\n", "illegal-access");
    first("NVRM: Xid (PCI:0000:02:00): 38, pid=1, name=python\n", "driver-bug");
    not_first("NVRM: Xid (PCI:0000:02:00): 160, channel retired\n", "gpu-hardware-fault");
    not_first("NVRM: Xid (PCI:0000:02:00): 106, test\n", "gpu-hardware-fault");
    not_first("NVRM: Xid (PCI:0000:02:00): 13, Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Illegal Instruction "
              "Parameter\n",
              "cpu-instruction-missing");
}

/* DKMS builds modules of many makers; a worker dies of many signals; a container is given what it asks for. */
static void test_whose_failure(void **state)
{
    (void)state;
    const char *failed = "Error! Bad return status for module build on kernel: 6.8.12-5-pve (x86_64)\n";
    char text[300];
    snprintf(text, sizeof text, "%sConsult /var/lib/dkms/nvidia/580.119.02/build/make.log\n", failed);
    first(text, "driver-install-failed");
    snprintf(text, sizeof text, "%sConsult /var/lib/dkms/zfs/2.2.2/build/make.log\n", failed);
    not_first(text, "driver-install-failed");
    first("DataLoader worker (pid 12) is killed by signal: Bus error.\n", "shared-memory-too-small");
    not_first("DataLoader worker (pid 12) is killed by signal: Killed.\n", "shared-memory-too-small");
    snprintf(text, sizeof text,
             "docker run %s image\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver\n",
             "-it");
    first(text, "container-gpu-not-requested");
    snprintf(text, sizeof text,
             "docker run %s image\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver\n",
             "--gpus all");
    not_first(text, "container-gpu-not-requested");
    first(
        "docker run -it image\nx: error while loading shared libraries: libcuda.so.1: cannot open shared object file\n",
        "container-gpu-not-requested");
    not_first("docker run --gpus all image\nx: error while loading shared libraries: libcuda.so.1: cannot open shared "
              "object file\n",
              "container-gpu-not-requested");
    first("torch 2.1 requires sympy, but you have sympy 1.0 which is incompatible.\n", "python-dependency-conflict");
    not_first("streamlit 1.22 requires rich<14, but you have rich 14.0.0 which is incompatible.\n",
              "python-dependency-conflict");
    first("Xid (PCI:0000:dc:00): 45, pid=1, Ch 00000001 caused by previous Xid 149\n", "gpu-hardware-fault");
}

static void test_provider_without_a_library(void **state)
{
    (void)state;
    first("Failed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 12.*.\n", "cudnn-missing");
    not_first("CUDA version: 11.8\nFailed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 12.*.\n",
              "cudnn-missing");
}

static void test_memory_of_xla(void **state)
{
    (void)state;
    const char *full = "Memory usage: 7995392 bytes free, 11721572352 bytes total.\n";
    const char *empty = "Memory usage: 9995392000 bytes free, 11721572352 bytes total.\n";
    char text[300];
    snprintf(text, sizeof text, "CUDNN_STATUS_NOT_INITIALIZED\n%sPossibly insufficient driver version: 510.47.3\n",
             full);
    first(text, "memory-preallocated");
    snprintf(text, sizeof text, "CUDNN_STATUS_NOT_INITIALIZED\n%sPossibly insufficient driver version: 510.47.3\n",
             empty);
    not_first(text, "memory-preallocated");
    first("CUDA out of memory. Tried to allocate 74.00 MiB (GPU 0; 1.96 GiB total capacity; 1.46 GiB already "
          "allocated; 71.50 MiB free; 38.53 MiB cached)\n",
          "out-of-memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_library_that_is_listed),
        cmocka_unit_test(test_library_of_another_torch),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_platform),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_companion),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_stated_system),
        cmocka_unit_test(test_supposed),
        cmocka_unit_test(test_quotation_marks),
        cmocka_unit_test(test_list_of_errors),
        cmocka_unit_test(test_prose),
        cmocka_unit_test(test_xid),
        cmocka_unit_test(test_whose_failure),
        cmocka_unit_test(test_provider_without_a_library),
        cmocka_unit_test(test_memory_of_xla),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
