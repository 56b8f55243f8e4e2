/* packages.c - see packages.h.
 *
 * Invariant: a name is public only when all of it is: a star stands for the ending of names that somebody published,
 * never for any ending. "torch-acme" and "nvidia-acme-internal" are nobody's business. */
#include "snapshot/packages.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* First the ones that a survey of all environments wants. "*" at the end: one of the endings below, or none. What they
 * begin with stands in begins(): most names of most environments end there. */
static const char *const frameworks[] = {
    "tensorflow",
    "tensorflow-aarch64",
    "tensorflow-base",
    "tensorflow-cpu",
    "tensorflow-cpu-aws",
    "tensorflow-directml",
    "tensorflow-directml-plugin",
    "tensorflow-gpu",
    "tensorflow-gpu-base",
    "tensorflow-intel",
    "tensorflow-macos",
    "tensorflow-metal",
    "tensorflow-rocm",
    "tensorflow-rocm-enhanced",
    "intel-tensorflow",
    "intel-tensorflow-avx512",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-gpu",
    "tf-nightly-intel",
    "torch",
    "pytorch",
    "pytorch-cpu",
    "pytorch-cuda",
    "pytorch-gpu",
    "pytorch-mutex",
    "libtorch",
    "jax",
    "jaxlib",
    "jax-cuda*",
    "jax-rocm*",
    "onnxruntime",
    "onnxruntime-azure",
    "onnxruntime-cann",
    "onnxruntime-directml",
    "onnxruntime-genai",
    "onnxruntime-genai-cuda",
    "onnxruntime-genai-directml",
    "onnxruntime-gpu",
    "onnxruntime-migraphx",
    "onnxruntime-openvino",
    "onnxruntime-qnn",
    "onnxruntime-rocm",
    "onnxruntime-silicon",
    "onnxruntime-training",
    "onnxruntime-webgpu",
    "ort-nightly",
    "ort-nightly-directml",
    "ort-nightly-gpu",
    "numpy",
    "nvidia-*",
    "cudatoolkit",
    "cudnn",
    "cuda-version",
    "cuda-toolkit",
    "python",
    NULL,
};

static const char *const others[] = {
    "absl-py",
    "astunparse",
    "bitsandbytes",
    "blas",
    "cuda-*",
    "cudatoolkit-dev",
    "cupy",
    "cupy-core",
    "cupy-cuda*",
    "cupy-rocm*",
    "cutensor",
    "flash-attn",
    "flatbuffers",
    "gast",
    "grpcio",
    "h5py",
    "intel-openmp",
    "jax-metal",
    "keras",
    "keras-applications",
    "keras-core",
    "keras-cv",
    "keras-hub",
    "keras-nightly",
    "keras-nlp",
    "keras-preprocessing",
    "keras-tuner",
    "libblas",
    "libclang",
    "libcublas",
    "libcublas-dev",
    "libcublas-static",
    "libcudnn",
    "libcudnn-dev",
    "libcudnn-jit",
    "libcudnn-jit-dev",
    "libcufft",
    "libcufft-dev",
    "libcufile",
    "libcufile-dev",
    "libcurand",
    "libcurand-dev",
    "libcusolver",
    "libcusolver-dev",
    "libcusparse",
    "libcusparse-dev",
    "libnccl",
    "libnpp",
    "libnpp-dev",
    "libnvjitlink",
    "libnvjitlink-dev",
    "libnvjpeg",
    "libnvjpeg-dev",
    "libopenblas",
    "libopenblas-ilp64",
    "libprotobuf",
    "llvmlite",
    "magma",
    "magma-cuda*",
    "mkl",
    "ml-dtypes",
    "nccl",
    "numba",
    "numba-cuda",
    "numpy-base",
    "onnx",
    "openblas",
    "opt-einsum",
    "pip",
    "protobuf",
    "pytorch-triton",
    "pytorch-triton-rocm",
    "pytorch-triton-xpu",
    "scipy",
    "tensorboard",
    "tensorboard-data-server",
    "tensorboard-plugin-profile",
    "tensorboard-plugin-wit",
    "tensorboardx",
    "tensorflow-addons",
    "tensorflow-datasets",
    "tensorflow-decision-forests",
    "tensorflow-estimator",
    "tensorflow-federated",
    "tensorflow-hub",
    "tensorflow-io",
    "tensorflow-io-gcs-filesystem",
    "tensorflow-metadata",
    "tensorflow-model-optimization",
    "tensorflow-probability",
    "tensorflow-recommenders",
    "tensorflow-serving-api",
    "tensorflow-text",
    "tensorrt",
    "tensorrt-bindings",
    "tensorrt-cu*",
    "tensorrt-dispatch",
    "tensorrt-lean",
    "tensorrt-libs",
    "tensorrt-llm",
    "tf-estimator-nightly",
    "tf-keras",
    "tf-keras-nightly",
    "tf-models-official",
    "tf-slim",
    "tf2onnx",
    "torch-cluster",
    "torch-geometric",
    "torch-model-archiver",
    "torch-scatter",
    "torch-sparse",
    "torch-spline-conv",
    "torch-tensorrt",
    "torch-xla",
    "torchao",
    "torchaudio",
    "torchcodec",
    "torchdata",
    "torchelastic",
    "torchmetrics",
    "torchrec",
    "torchserve",
    "torchtext",
    "torchtune",
    "torchvision",
    "torchx",
    "triton",
    "triton-nightly",
    "triton-windows",
    "tritonclient",
    "typing-extensions",
    "vllm",
    "wrapt",
    "xformers",
    NULL,
};

/* Components of CUDA as NVIDIA names its packages on the public indexes: nvidia-NAME, nvidia-NAME-cu12, and on conda
 * cuda-NAME. */
static const char nvidia[] =
    " cublas cublasmp cuda-cccl cuda-crt cuda-cuobjdump cuda-cupti cuda-cuxxfilt cuda-nvcc cuda-nvdisasm "
    "cuda-nvml-dev cuda-nvprune cuda-nvrtc cuda-opencl cuda-profiler-api cuda-runtime cuda-sanitizer-api "
    "cuda-tileiras cudnn cudnn-frontend cudnn-jit cudss cufft cufftmp cufile curand cusolver cusolvermp "
    "cusparse cusparselt cutensor cutensormg cutlass cutlass-dsl dali libmathdx libnvcomp mathdx ml-py "
    "modelopt nccl npp nvcomp nvfatbin nvimgcodec nvjitlink nvjpeg nvjpeg2k nvpl-blas nvpl-common "
    "nvpl-lapack nvptxcompiler nvshmem nvtiff nvtx nvvm pyindex pytriton smi tensorflow tensorrt torch ";

static const char cuda[] =
    " bindings cccl cccl-impl command-line-tools compat compat-impl compiler core crt-dev crt-tools "
    "cudart cudart-dev cudart-static cuobjdump cupti cupti-dev cuxxfilt demo-suite documentation "
    "driver-dev gdb libraries libraries-dev memcheck nsight nsight-compute nvcc nvcc-dev nvcc-impl "
    "nvcc-tools nvdisasm nvml-dev nvprof nvprune nvrtc nvrtc-dev nvtx nvtx-dev nvvm nvvm-dev nvvm-impl "
    "nvvm-tools nvvp opencl opencl-dev pathfinder profiler-api python runtime sanitizer-api tools "
    "visual-tools ";

/* Endings of the names with a star: of jax-cuda12, cupy-cuda12x, tensorrt-cu12 and their like: digits, then perhaps one
 * of these words. */
static const char *const after_digits[] = {"",      "x",         "-plugin", "-pjrt", "-bindings",
                                           "-libs", "-dispatch", "-lean",   NULL};

/* "cublas-cu12" of "nvidia-cublas-cu12": a component, alone or with its CUDA major. The list has blanks around each. */
static bool is_component(const char *list, const char *name)
{
    char word[64];
    size_t n = strlen(name), digits = 0;
    while (digits < n && tn_is_digit(name[n - 1 - digits]))
        digits++;
    if (digits && n > digits + 3 && strncmp(name + n - digits - 3, "-cu", 3) == 0)
        n -= digits + 3;
    if (n == 0 || n + 3 > sizeof word)
        return false;
    snprintf(word, sizeof word, " %.*s ", (int)n, name);
    return strstr(list, word) != NULL;
}

static bool is_ending(const char *pattern, const char *ending)
{
    if (strcmp(pattern, "nvidia-*") == 0)
        return is_component(nvidia, ending);
    if (strcmp(pattern, "cuda-*") == 0)
        return is_component(cuda, ending);
    return tn_str_in(ending + strspn(ending, "0123456789"), after_digits);
}

/* Is name the pattern without its first cut characters? A star ends a pattern. */
static bool matches(const char *pattern, size_t cut, const char *name)
{
    size_t n = strlen(pattern) - cut;
    if (n && pattern[cut + n - 1] == '*')
        return strncmp(pattern + cut, name, n - 1) == 0 && is_ending(pattern, name + n - 1);
    return strcmp(pattern + cut, name) == 0;
}

static bool listed(const char *const *list, const char *name)
{
    for (; *list; list++)
        if (**list == *name && matches(*list, 0, name)) /* the first character spares most of them the call */
            return true;
    return false;
}

static bool begins(char a, char b)
{
    switch (a) {
    case 'c': return b == 'u';
    case 'i': return b == 'n';
    case 'j': return b == 'a';
    case 'l': return b == 'i';
    case 'n': return b == 'u' || b == 'v';
    case 'o': return b == 'n' || b == 'r';
    case 'p': return b == 'y';
    case 't': return b == 'e' || b == 'f' || b == 'o';
    default: return false;
    }
}

bool tn_package_is_framework(const char *normalised_name)
{
    return begins(normalised_name[0], normalised_name[0] ? normalised_name[1] : 0) &&
           listed(frameworks, normalised_name);
}

bool tn_package_may_be_framework(const char *raw)
{
    char a = tn_lower(raw[0]), b = a ? tn_lower(raw[1]) : 0;
    return a == '~' || begins(a, b);
}

bool tn_package_is_public(const char *normalised_name)
{
    return listed(frameworks, normalised_name) || listed(others, normalised_name);
}

static bool restore_from(const char *const *list, const char *tail, size_t cut, char *buf, size_t n)
{
    for (; *list; list++) {
        size_t len = strlen(*list);
        size_t least = cut + ((*list)[len - 1] == '*' ? 2 : 1); /* something of the name must be left to compare */
        if (len >= least && matches(*list, cut, tail) && cut + strlen(tail) < n) {
            memcpy(buf, *list, cut);
            memcpy(buf + cut, tail, strlen(tail) + 1);
            return true;
        }
    }
    return false;
}

bool tn_package_restore(const char *leftover, char *buf, size_t n)
{
    if (leftover[0] != '~')
        return false;
    size_t cut = 1 + strspn(leftover + 1, "-~.=%0123456789");
    const char *tail = leftover + cut;
    return strlen(tail) >= 3 &&
           (restore_from(frameworks, tail, cut, buf, n) || restore_from(others, tail, cut, buf, n));
}
