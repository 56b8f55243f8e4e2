/* packages.c - see packages.h. A star stands for any ending. */
#include "snapshot/packages.h"

#include <string.h>

#include "base/str.h"

/* First the ones that a survey of all environments wants. */
static const char *const frameworks[] = {
    "tensorflow",
    "tensorflow-aarch64",
    "tensorflow-base",
    "tensorflow-cpu",
    "tensorflow-cpu-aws",
    "tensorflow-directml*",
    "tensorflow-gpu*",
    "tensorflow-intel",
    "tensorflow-macos",
    "tensorflow-metal",
    "tensorflow-rocm*",
    "intel-tensorflow*",
    "tf-nightly*",
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
    "onnxruntime*",
    "ort-nightly*",
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
    "absl-py",      "astunparse",    "bitsandbytes", "blas",
    "cuda-*",       "cudatoolkit-*", "cupy*",        "cutensor",
    "flash-attn",   "flatbuffers",   "gast",         "grpcio",
    "h5py",         "intel-openmp",  "jax*",         "keras*",
    "libblas",      "libclang",      "libcublas*",   "libcudnn*",
    "libcufft*",    "libcufile*",    "libcurand*",   "libcusolver*",
    "libcusparse*", "libnccl",       "libnpp*",      "libnvjitlink*",
    "libnvjpeg*",   "libopenblas*",  "libprotobuf",  "llvmlite",
    "magma*",       "mkl",           "ml-dtypes",    "nccl",
    "numba",        "numba-cuda",    "numpy-base",   "onnx",
    "openblas",     "opt-einsum",    "protobuf",     "pytorch-triton*",
    "scipy",        "tensorboard*",  "tensorflow*",  "tensorrt*",
    "tf-*",         "torch*",        "triton*",      "typing-extensions",
    "vllm",         "wrapt",         "xformers",     NULL,
};

/* Patterns here are a text and at most a star at the end. */
static bool matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    if (n && pattern[n - 1] == '*')
        return strncmp(pattern, name, n - 1) == 0;
    return strcmp(pattern, name) == 0;
}

static bool listed(const char *const *list, const char *name)
{
    for (; *list; list++)
        if (**list == *name && matches(*list, name)) /* the first character spares most of them the call */
            return true;
    return false;
}

bool tn_package_is_framework(const char *normalised_name)
{
    return listed(frameworks, normalised_name);
}

bool tn_package_may_be_framework(const char *raw)
{
    char a = tn_lower(raw[0]), b = a ? tn_lower(raw[1]) : 0;
    for (const char *const *p = frameworks; *p; p++)
        if ((*p)[0] == a && (*p)[1] == b)
            return true;
    return a == '~';
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
        if (len >= least && matches(*list + cut, tail) && cut + strlen(tail) < n) {
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
