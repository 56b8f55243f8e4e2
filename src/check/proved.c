/* proved.c - see proved.h: one table, first match.
 *
 * A wrong result of the driver's own memory or kernel is the card's fault: no library has touched it. In a library that
 * loaded, over a driver that worked just before, a crash or a wrong result is the library's. What stops at loading is
 * told as what became of the file. */
#include "check/proved.h"

#include <string.h>

#include "base/str.h"
#include "facts/error.h"

enum kind { DRIVER = 1, LIBRARY = 2, NCCL = 4, FRAMEWORK = 8, PEER = 16, NCCL_CARDS = 32, ANY = 63 };

static enum kind kind_of(const struct tn_rec_measurement *m)
{
    const char *layer = m->layer.v;
    static const char *const libraries[] = {"cudart", "nvrtc",    "cublas",   "cublaslt", "cudnn", "cudnn-graph",
                                            "cufft",  "cusolver", "cusparse", "curand",   NULL};
    if (strcmp(layer, "driver") == 0)
        return tn_known(m->what) && tn_str_starts(m->what.v, "peer") ? PEER : DRIVER;
    if (strcmp(layer, "nccl") == 0)
        return tn_says(m->what, "allreduce-cards") ? NCCL_CARDS : NCCL;
    return tn_str_in(layer, libraries) ? LIBRARY : FRAMEWORK;
}

static const struct rule {
    unsigned kinds;
    bool at_load;    /* loading or its parts; else anything later */
    char answer[24]; /* a part of the error's name; "" any. In place: a pointer would be a relocation at every start */
    char cause[24], variant[24];
} rules[] = {{ANY, false, "ECC_UNCORRECTABLE", "gpu-hardware-fault", "work"},
             {ANY, false, "ECCUncorrectable", "gpu-hardware-fault", "work"},
             {ANY, false, "NVLINK_UNCORRECTABLE", "gpu-hardware-fault", "work"},
             {ANY, false, "HARDWARE_STACK", "gpu-hardware-fault", "work"},
             {ANY, false, "OUT_OF_MEMORY", "out-of-memory", "work"},
             {ANY, false, "MemoryAllocation", "out-of-memory", "work"},
             {ANY, false, "ALLOC_FAILED", "out-of-memory", "work"},
             {ANY, false, "ALLOCATION_FAILED", "out-of-memory", "work"},
             {FRAMEWORK, false, "RESOURCE_EXHAUSTED", "out-of-memory", "work"},
             {ANY, false, "LAUNCH_TIMEOUT", "kernel-timeout", "work"},
             {ANY, false, "LaunchTimeout", "kernel-timeout", "work"},
             {DRIVER, false, "wrong-result", "gpu-hardware-fault", "work-wrong"},
             {PEER, false, "", "peer-to-peer-broken", "work"},
             {NCCL_CARDS, false, "", "nccl-failure", "work-cards"},
             {NCCL, false, "", "nccl-failure", "work"},
             {LIBRARY | NCCL, true, "crashed", "unknown", "library-died"},
             {LIBRARY | NCCL, true, "quit", "unknown", "library-died"},
             {LIBRARY | NCCL, true, "late", "unknown", "library-died"},
             {LIBRARY | NCCL, true, "unloadable", "unknown", "library-unloadable"},
             {LIBRARY | NCCL, true, "missing", "unknown", "library-foreign"},
             {LIBRARY, false, "wrong-result", "vendor-library-bug", "work-wrong"},
             {LIBRARY, false, "crashed", "vendor-library-bug", "work"},
             {LIBRARY, false, "quit", "vendor-library-bug", "work"},
             {LIBRARY, false, "late", "vendor-library-bug", "work"},
             {LIBRARY, false, "singular", "vendor-library-bug", "work"},
             {LIBRARY, false, "EXECUTION_FAILED", "vendor-library-bug", "work"},
             {LIBRARY, false, "INTERNAL_ERROR", "vendor-library-bug", "work"},
             {LIBRARY, false, "LAUNCH_FAIL", "vendor-library-bug", "work"},
             {LIBRARY, false, "ILLEGAL_ADDRESS", "vendor-library-bug", "work"},
             {FRAMEWORK, false, "wrong-result", "framework-bug", "work-wrong"},
             {FRAMEWORK, false, "crashed", "framework-bug", "work"},
             {FRAMEWORK, false, "quit", "framework-bug", "work"}};

/* Whether CUDA starts is judged by cuda_does_not_start and the causes behind it. */
static bool is_told(const struct tn_judge *j, const struct tn_rec_measurement *m)
{
    return tn_says(m->layer, "driver") && tn_says(m->what, "start") && tn_known(TN_THE(j->s, driver)->cuda_start) &&
           !tn_says(TN_THE(j->s, driver)->cuda_start, "CUDA_SUCCESS");
}

static bool is_rule(const struct rule *r, const struct tn_rec_measurement *m)
{
    bool at_load = tn_says(m->what, "load") || tn_says(m->what, "parts");
    return (r->kinds & (unsigned)kind_of(m)) && r->at_load == at_load && strstr(m->error.v, r->answer);
}

/* "unknown" for what no rule explains. */
static const char *cause_of(const struct tn_rec_measurement *m, const char **ret_variant)
{
    for (unsigned i = 0; i < TN_LEN(rules); i++)
        if (is_rule(&rules[i], m)) {
            *ret_variant = rules[i].variant;
            return rules[i].cause;
        }
    *ret_variant = "work";
    return "unknown";
}

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *variant)
{
    const struct tn_rec_measurement *m = &j->s->measurement.v[row];
    struct tn_facts_error e;
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(measurement, row, error));
    f->variant = variant;
    tn_find_arg(out, f, "layer", "%s", m->layer.v);
    tn_find_arg(out, f, "version", "%s", tn_look_text(m->version, "?"));
    tn_find_arg(out, f, "file", "%s", tn_look_text(m->file, m->layer.v));
    tn_find_arg(out, f, "card", "%s", tn_look_text(m->device, "gpu"));
    tn_find_arg(out, f, "peer", "%s", tn_look_text(m->peer, "?"));
    tn_find_arg(out, f, "error", "%s", m->error.v);
    tn_find_arg(out, f, "meaning", "%s",
                tn_facts_error_named(m->error.v, &e) == TN_ANSWER_YES && *e.meaning ? e.meaning : "-");
    tn_find_evidence(f, TN_REF(measurement, row, error));
    tn_find_evidence(f, TN_REF(measurement, row, status));
    return f;
}

struct tn_finding *tn_proved_report(const struct tn_judge *j, struct tn_sink *out, const char *cause)
{
    const char *variant = NULL;
    for (size_t i = 0; i < j->s->measurement.n; i++) {
        const struct tn_rec_measurement *m = &j->s->measurement.v[i];
        if (tn_says(m->status, "fail") && tn_known(m->layer) && tn_known(m->error) && !is_told(j, m) &&
            strcmp(cause_of(m, &variant), cause) == 0)
            return report(j, out, i, variant);
    }
    return NULL;
}
