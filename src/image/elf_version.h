/* elf_version.h - the true version of a vendor library, from its content.
 *
 * Invariant: a version is returned only if the evidence is the library's own statement and fits its DT_SONAME;
 * otherwise TN_E_NOTFOUND. File names are the caller's evidence ("libcuda.so.535.309.01"), and usually cheaper.
 *
 * Measured on CUDA 13.0 (wheels), cuDNN 9.19, NCCL 2.28.9, CUDA 11.8 and drivers 470.256.02, 525.147.05, 535.309.01
 * of Debian, all x86-64. Bytes are all that is read, tn_image_elf_open included:
 *
 *   libcudart          code of cudaRuntimeGetVersion, or of what it calls     13.0, 11.8      37 KB
 *   libcublasLt        code of cublasLtGetVersion                             13.1.0          35 KB of 541 MB
 *   libcufft, libcurand, libcusolver, libcusparse
 *                      code of cufftGetVersion ...                            12.0.0 ...      27 to 46 KB
 *   libcupti           code of cuptiGetVersion, if of the form of CUDA 12.8+  13.0            32 KB
 *   libnccl            code of ncclGetVersion                                 2.28.9          40 KB
 *   libcudnn_graph, _ops, _adv
 *                      data symbol cudnn_<part>[_infer]_version, bytes patch, minor, major    34 to 46 KB
 *   libcudnn_cnn       code of cudnnCnnVersionCheck                           9.19.0          35 KB
 *   libcudnn (7 and older, not measured)
 *                      code of cudnnGetVersion
 *   libnvinfer, _lean, _dispatch, libnvonnxparser
 *                      code of getInferLibVersion, getNvOnnxParserVersion (TensorRT 11.4: _dispatch)   27 KB
 *   libnvJitLink, libnvvm, libnvrtc
 *                      text "release X.Y, VX.Y.Z" in .rodata, checked against the code of nvrtcVersion or
 *                      nvJitLinkVersion; that code alone where the first 128 KB have no text (libnvrtc: 4 MB into it)
 *                                                                                99 KB, 90 KB, 165 KB
 *   libnvrtc-builtins  DT_SONAME, which holds the release (libnvrtc-builtins.so.13.0)
 *   libcuda            the driver's version inside other texts of .rodata     535: 1.1 MB, 470: 1.5 MB, 525: 7.6 MB
 *   libnvidia-ml       the same, or as a text of its own                      535: 0.1 MB
 *   ncclGetVersion and the like store a constant; the code is decoded for x86-64 and AArch64 (moves of immediates
 *   only), and a number counts only if it is the single one that decodes to the major version of DT_SONAME.
 *
 * No evidence of their own (TN_E_NOTFOUND; see tn_image_elf_version_partner for whom to ask):
 *   libcudnn 9 (a shim that opens the others), libcudnn_engines_*, libcudnn_heuristic: libcudnn_graph beside them
 *   libcublas from 11 (asks libcublasLt), libnvblas: libcublasLt;  libcufftw: libcufft;  libcusolverMg: libcusolver
 *   libnvinfer_plugin, _vc_plugin: libnvinfer
 *   libnvidia-ptxjitcompiler and other driver parts without the text: the file name, or libcuda beside them.
 * "Cuda compilation tools, release ..." elsewhere names the compiler of some kernel (libcupti 13.0 says 13.1), so it
 * is believed for the three compilers only. */
#ifndef TN_IMAGE_ELF_VERSION_H
#define TN_IMAGE_ELF_VERSION_H

#include "image/elf.h"

/* stem as version/soname.h cuts it: "libcudart". *ret_version: "13.1.0"; *ret_how: the evidence in a few English
 * words, naming the symbol or text. At most TN_MAX_VERSION_SCAN bytes (driver parts: TN_MAX_DRIVER_SCAN) of .rodata are
 * read. TN_E_NOTFOUND: nothing reliable, or a stem not in the list above. Other errors: the file cannot be read. */
int tn_image_elf_product_version(const struct tn_elf *e, const struct tn_view *v, const char *stem, struct tn_arena *a,
                                 const char **ret_version, const char **ret_how, struct tn_err *err);

/* The stem of the library of the same product that knows its version, for stems that do not; NULL if none. */
const char *tn_image_elf_version_partner(const char *stem);

enum tn_cuda_lib {
    TN_CUDA_LIB_OTHER,  /* defines no cuInit */
    TN_CUDA_LIB_DRIVER, /* the driver's own, or an old forward-compatible one: only its place tells them apart */
    TN_CUDA_LIB_COMPAT, /* has section .note.cuda.fwd_compatibility (NVIDIA container toolkit's rule) */
    TN_CUDA_LIB_STUB    /* the toolkit's link-time stub: cuInit returns 34, CUDA_ERROR_STUB_LIBRARY, and nothing else */
};

enum tn_cuda_lib tn_image_elf_cuda_lib(const struct tn_elf *e, const struct tn_view *v);
bool tn_image_elf_is_cuda_stub(const struct tn_elf *e, const struct tn_view *v);

#endif
