/* builds_onnxruntime.c - ONNX Runtime: onnxruntime-gpu with CUDA and cuDNN of one major each, and onnxruntime.
 *
 * Sources: table onnxruntime_builds; "CUDA Execution Provider", Requirements: any minor of the CUDA major serves. */
#include "base/str.h"
#include "facts/onnxruntime.h"
#include "plan/inner.h"
#include "version/dotted.h"

static const char *major_line(struct tn_arena *mem, const char *version)
{
    unsigned major = (unsigned)tn_version_dotted_major(version);
    return major ? tn_arena_printf(mem, ">=%u,<%u", major, major + 1) : "";
}

static void add(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_wheel *w, bool gpu,
                struct tn_plan_builds *ret)
{
    struct tn_facts_ort f;
    struct tn_plan_build *b = tn_plan_build_add(mem, ret);
    b->kind = TN_PLAN_ORT;
    b->gpu = gpu;
    b->package = gpu ? "onnxruntime-gpu" : "onnxruntime";
    b->version = w->version;
    tn_plan_take_wheel(b, w);
    b->cite = w->cite;
    if (gpu && tn_facts_ort_build(w->version, &f) == TN_ANSWER_YES) {
        b->cuda = f.cuda;
        b->cudnn = f.cudnn;
        b->cuda_spec = major_line(mem, f.cuda);
        b->cudnn_spec = major_line(mem, f.cudnn);
        b->sass = f.sass;
        b->ptx = f.ptx;
        b->cite = f.cite;
    } else if (gpu) {
        b->mark |= TN_PLAN_NEWER;
    }
    tn_plan_judge(b, m);
}

void tn_plan_list_ort(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                      struct tn_plan_builds *ret)
{
    struct tn_plan_wheels it;
    struct tn_plan_wheel w;
    (void)method;
    for (int gpu = 1; gpu >= 0; gpu--) {
        tn_plan_wheels_of(&it, gpu ? "onnxruntime-gpu" : "onnxruntime", tn_plan_wheel_platform(m), m->arch);
        while (tn_plan_wheels_next(&it, &w))
            add(mem, m, &w, gpu != 0, ret);
    }
}
