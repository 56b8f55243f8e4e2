/* framework_onnxruntime.c - ONNX Runtime: capi/build_and_package_info.py and its CUDA provider.
 *
 * Source: onnxruntime setup.py, wheels 1.31 and 1.32. onnxruntime and onnxruntime-gpu write the same folder: what the
 * file says is what is there. The provider needs the CUDA libraries by DT_NEEDED and has no run path. */
#include <string.h>

#include "base/str.h"
#include "probe/framework.h"

static const char *const packages[] = {"onnxruntime-gpu",      "onnxruntime-training", "onnxruntime-directml",
                                       "onnxruntime-openvino", "onnxruntime-rocm",     "ort-nightly-gpu",
                                       "ort-nightly",          "onnxruntime",          NULL};

/* The distribution that the file names first; any other that is there else. */
static void set_package(struct tn_pyfw *f, const char *named)
{
    const char *const own[] = {named, NULL};
    if (!named || !tn_pyfw_package(f, own))
        tn_pyfw_package(f, packages);
}

void tn_pyfw_onnxruntime(struct tn_pyfw *f)
{
    uint32_t src = f->site->src;
    struct tn_answer a = tn_pyfw_read(f, "capi/build_and_package_info.py", &src);
    struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_pyvalue v;
    const char *named = NULL;
    bool windows = f->p->st == TN_PATH_WINDOWS;
    if (a.got == TN_KNOWN) {
        if (tn_pyfw_value(f->p->mem, a.data, "package_name", &v) && v.kind == TN_PYVALUE_STR)
            named = v.text;
        if (tn_pyfw_value(f->p->mem, a.data, "__version__", &v) && v.kind == TN_PYVALUE_STR)
            r->version = tn_fact_str(f->p->s, src, v.text);
        if (tn_pyfw_value(f->p->mem, a.data, "cuda_version", &v) && v.kind == TN_PYVALUE_STR && *v.text)
            r->cuda = tn_fact_str(f->p->s, src, v.text);
    }
    set_package(f, named);
    if (f->folder) {
        const char *at =
            tn_pyfw_join(f, windows ? "capi/onnxruntime_providers_cuda.dll" : "capi/libonnxruntime_providers_cuda.so");
        struct tn_answer lib = tn_world_stat(f->p->w, at);
        if (lib.got == TN_KNOWN || lib.got == TN_ABSENT) {
            uint32_t by = tn_probe_src(f->p->s, "stat", at, &lib);
            r->gpu_build = tn_fact_int(by, lib.got == TN_KNOWN);
            r->evidence = tn_fact_str(f->p->s, by, "capi");
        }
        if (tn_is(r->gpu_build, 1))
            tn_pyfw_elf(f, "onnxruntime/capi/libonnxruntime_providers_cuda.so", true);
    }
    tn_pyfw_close(f, a.got == TN_KNOWN ? TN_ABSENT : a.got, src);
}
