/* library_name.c - which file names are those of vendor libraries. Knows no folder. */
#include "probe/library.h"

#include <string.h>

#include "base/str.h"

static const char *const driver_stems[] = {"libcuda",
                                           "libnvidia-ml",
                                           "libnvidia-ptxjitcompiler",
                                           "libnvidia-nvvm",
                                           "libnvidia-gpucomp",
                                           "libdxcore",
                                           "nvcuda",
                                           "nvcuda64",
                                           "nvml",
                                           NULL};

/* Whole stems, and heads of families: libcudnn_ops, libnvinfer_plugin, libnvrtc-builtins. */
static const char *const stems[] = {"cudart",     "cublas",    "cublasLt",     "nvblas",       "cufft",
                                    "cufftw",     "curand",    "cusolver",     "cusolverMg",   "cusparse",
                                    "cusparseLt", "nvJitLink", "nvvm",         "cupti",        "nccl",
                                    "nvToolsExt", "cufile",    "nvshmem_host", "nvonnxparser", NULL};
static const char *const families[] = {"cudnn", "nvrtc", "nvinfer", NULL};

/* What these and the frameworks ask of Windows: cuDNN's zlib and Microsoft's C++ run time. */
static const char *const windows_stems[] = {"zlibwapi", "msvcp140", "vcruntime140", NULL};

bool tn_lib_is_driver(const char *stem)
{
    return tn_str_in(stem, driver_stems);
}

/* A cheap look before the name is cut: most files of a system are none of ours. */
bool tn_lib_may_be(const void *ctx, const char *name)
{
    bool win = *(const bool *)ctx;
    const char *s = name;
    if (!win) {
        if (strncmp(name, "lib", 3) != 0)
            return false;
        s += 3;
    }
    char a = tn_lower(s[0]), b = a ? tn_lower(s[1]) : 0;
    if (win && ((a == 'z' && b == 'l') || (a == 'm' && b == 's') || (a == 'v' && b == 'c')))
        return true;
    if (!((a == 'c' && b == 'u') || (a == 'n' && (b == 'v' || b == 'c')) || (a == 'd' && b == 'x')))
        return false;
    return win || strstr(name, ".so");
}

bool tn_lib_name(const char *name, bool win, struct tn_soname *ret)
{
    if (strlen(name) < 6 || !tn_lib_may_be(&win, name) || tn_version_soname_parse(name, ret, NULL) || ret->dll != win)
        return false;
    if (tn_str_in(ret->stem, driver_stems))
        return true;
    if (win && tn_str_in(ret->stem, windows_stems))
        return true;
    const char *s = win ? ret->stem : ret->stem + 3;
    for (unsigned i = 0; stems[i]; i++)
        if (win ? tn_str_ieq(s, stems[i]) : tn_str_eq(s, stems[i]))
            return true;
    for (unsigned i = 0; families[i]; i++)
        if (tn_str_starts(s, families[i]))
            return true;
    return false;
}
