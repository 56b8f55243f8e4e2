/* verdict.c - one verdict and eight layers out of merged findings.
 *
 * Invariant: a layer is called good only for something that was seen; not looked at is "unknown", nothing to look at
 * is "nothing". */
#include "finding/verdict.h"

#include <string.h>

#include "base/str.h"
#include "finding/catalogue.h"
#include "strings.gen.h"

enum { HARDWARE, DRIVER, CONTAINER, PLATFORM, CUDA, CUDNN, FRAMEWORK, PYTHON };

static const char *const layer_name[TN_LAYERS] = {"hardware", "driver", "container", "platform",
                                                  "cuda",     "cudnn",  "framework", "python"};

static const char *text_or(struct tn_str f, const char *other)
{
    return tn_known(f) ? f.v : other;
}

/* Texts of arguments live in the snapshot. */
static void arg(struct tn_layer *l, const char *key, const char *value)
{
    l->arg[l->n_arg++] = (struct tn_arg){key, value};
}

static void set(struct tn_layer *l, enum tn_layer_status status, const char *say)
{
    l->status = status;
    l->say = say;
}

static bool is_problem(const struct tn_finding *f)
{
    return f->severity == TN_ERROR && f->status <= TN_LIKELY && f->behind == NULL;
}

static bool is_warning(const struct tn_finding *f)
{
    return !is_problem(f) && f->status <= TN_POSSIBLE && f->severity <= TN_WARNING && f->behind == NULL;
}

static void see_hardware(const struct tn_judge *j, struct tn_layer *l)
{
    size_t row = 0;
    const struct tn_rec_gpu *g = tn_judge_gpu(j, &row);
    if (g) {
        set(l, TN_LAYER_GOOD, tn_judge_gpu(j, &row) ? TN_S_layer_hardware_several : TN_S_layer_hardware_good);
        arg(l, "gpu", text_or(g->name, text_or(g->device_id, "NVIDIA GPU")));
    } else if (j->s->gpu.listed == TN_KNOWN) {
        set(l, TN_LAYER_NOTHING, TN_S_layer_hardware_none);
    } else {
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    }
}

static void see_driver(const struct tn_judge *j, struct tn_layer *l)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    const char *version = text_or(d->version, text_or(d->library_version, NULL));
    if (version && tn_known(d->cuda))
        set(l, TN_LAYER_GOOD, TN_S_layer_driver_good);
    else if (version || tn_is(d->loaded, 1))
        set(l, TN_LAYER_GOOD, version ? TN_S_layer_driver_version : TN_S_layer_driver_loaded);
    else if (d->library_version.k == TN_ABSENT)
        set(l, TN_LAYER_NOTHING, TN_S_layer_driver_none);
    else
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    arg(l, "driver", version ? version : "");
    arg(l, "cuda", text_or(d->cuda, ""));
}

static void see_container(const struct tn_judge *j, struct tn_layer *l)
{
    struct tn_str kind = TN_THE(j->s, container)->kind;
    if (tn_known(kind))
        set(l, TN_LAYER_GOOD, TN_S_layer_container_good);
    else if (kind.k == TN_ABSENT || kind.k == TN_UNASKED)
        set(l, TN_LAYER_NOTHING, TN_S_layer_container_none);
    else
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    arg(l, "kind", text_or(kind, ""));
}

static const struct tn_rec_framework *gpu_framework(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));)
        if (tn_is(f->gpu_build, 1))
            return f;
    return NULL;
}

/* The copy that the judged environment would most likely load: its own, else the first that everybody finds. */
static const struct tn_rec_library *first_library(const struct tn_judge *j, const char *stem, const char *dll_stem)
{
    const struct tn_rec_library *best = NULL;
    size_t row = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));) {
        if (!tn_says(l->stem, stem) && !tn_says(l->stem, dll_stem))
            continue;
        if (tn_known(l->env))
            return l;
        if (best == NULL || (tn_is(l->reachable, 1) && !tn_is(best->reachable, 1)))
            best = l;
    }
    return best;
}

static void see_library(const struct tn_judge *j, struct tn_layer *l, const char *stem, const char *dll_stem,
                        const char *good)
{
    const struct tn_rec_framework *f = gpu_framework(j);
    const struct tn_rec_library *lib = f ? first_library(j, stem, dll_stem) : NULL;
    if (f == NULL)
        set(l, TN_LAYER_NOTHING, TN_S_layer_not_needed);
    else if (lib)
        set(l, TN_LAYER_GOOD, good);
    else /* built in, or not looked for */
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    arg(l, "version", lib ? text_or(lib->version, text_or(lib->soname, "")) : "");
    arg(l, "file", lib ? text_or(lib->soname, "") : "");
}

static void see_framework(const struct tn_judge *j, struct tn_layer *layer)
{
    size_t row = 0;
    const struct tn_rec_framework *f = gpu_framework(j);
    bool gpu = f != NULL;
    if (f == NULL)
        f = tn_judge_framework(j, &row);
    if (f == NULL) {
        bool known = j->s->framework.listed == TN_KNOWN || j->env == NULL;
        set(&layer[FRAMEWORK], known ? TN_LAYER_NOTHING : TN_LAYER_UNKNOWN,
            known ? TN_S_layer_framework_none : TN_S_layer_unknown);
        set(&layer[PLATFORM], TN_LAYER_NOTHING, TN_S_layer_platform_none);
        return;
    }
    const char *say = TN_S_layer_framework_cpu;
    if (gpu)
        say = tn_known(f->cuda) ? TN_S_layer_framework_good : TN_S_layer_framework_gpu;
    set(&layer[FRAMEWORK], TN_LAYER_GOOD, say);
    set(&layer[PLATFORM], TN_LAYER_GOOD, TN_S_layer_platform_good);
    for (unsigned i = 0; i < 2; i++) {
        struct tn_layer *l = &layer[i ? PLATFORM : FRAMEWORK];
        arg(l, "package", text_or(f->package, text_or(f->name, "")));
        arg(l, "version", text_or(f->version, ""));
        arg(l, "cuda", text_or(f->cuda, ""));
        arg(l, "os", text_or(TN_THE(j->s, host)->os, "this system"));
    }
}

static void see_python(const struct tn_judge *j, struct tn_layer *l)
{
    const struct tn_rec_dist *numpy = tn_judge_dist(j, "numpy");
    if (j->env == NULL)
        set(l, TN_LAYER_NOTHING, TN_S_layer_python_none);
    else if (!tn_known(j->env->python))
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    else
        set(l, TN_LAYER_GOOD, numpy && tn_known(numpy->version) ? TN_S_layer_python_numpy : TN_S_layer_python_good);
    arg(l, "python", j->env ? text_or(j->env->python, "") : "");
    arg(l, "numpy", numpy ? text_or(numpy->version, "") : "");
}

/* A finding outweighs what was seen: bad over warning over unknown, causes over consequences. */
static void weigh(const struct tn_finding *f, struct tn_layer *l)
{
    if (is_problem(f)) {
        if (l->status == TN_LAYER_BAD)
            return;
        l->status = TN_LAYER_BAD;
    } else if (is_warning(f)) {
        if (l->finding)
            return;
        l->status = TN_LAYER_WARN;
    } else if (f->status == TN_UNTESTABLE || (f->behind && f->status <= TN_POSSIBLE)) {
        if (l->finding)
            return;
        l->status = TN_LAYER_UNKNOWN;
        l->say = f->behind ? TN_S_layer_waits : TN_S_layer_unknown;
        return; /* nothing to say of it beyond that: a later cause may still take the layer */
    } else {
        return;
    }
    l->finding = f;
    l->say = NULL;
}

static void make_layers(const struct tn_judge *j, const struct tn_sink *findings, struct tn_layer *layer)
{
    for (unsigned i = 0; i < TN_LAYERS; i++)
        layer[i].name = layer_name[i];
    see_hardware(j, &layer[HARDWARE]);
    see_driver(j, &layer[DRIVER]);
    see_container(j, &layer[CONTAINER]);
    see_library(j, &layer[CUDA], "libcudart", "cudart", TN_S_layer_cuda_good);
    see_library(j, &layer[CUDNN], "libcudnn", "cudnn", TN_S_layer_cudnn_good);
    see_framework(j, layer);
    see_python(j, &layer[PYTHON]);
    for (size_t i = 0; i < findings->n; i++) {
        const struct tn_cause *c = tn_cause_find(findings->v[i].cause);
        const char *name = c ? tn_cause_json_layer(c) : "";
        for (unsigned k = 0; k < TN_LAYERS; k++)
            if (strcmp(layer_name[k], name) == 0)
                weigh(&findings->v[i], &layer[k]);
    }
}

static bool matters(const struct tn_judge *j, const struct tn_finding *f)
{
    const struct tn_cause *c = tn_cause_find(f->cause);
    return f->status == TN_UNTESTABLE && f->severity == TN_ERROR && f->behind == NULL && j->expect == TN_EXPECT_GPU &&
           c && strcmp(c->layer, "gpu-code") != 0 && strcmp(c->layer, "python") != 0;
}

static void verdict_arg(struct tn_verdict *v, const char *key, const char *value)
{
    v->arg[v->n_arg++] = (struct tn_arg){key, value};
}

/* What is well, when nothing is wrong. */
static void say_ok(const struct tn_judge *j, struct tn_verdict *v)
{
    size_t row = 0, fw_row = 0;
    const struct tn_rec_gpu *g = tn_judge_gpu(j, &row);
    const struct tn_rec_framework *f = gpu_framework(j);
    if (f == NULL)
        f = tn_judge_framework(j, &fw_row);
    v->status = TN_VERDICT_OK;
    if (j->expect == TN_EXPECT_CPU)
        v->say = f ? TN_S_verdict_ok_cpu : TN_S_verdict_ok_nothing;
    else
        v->say = f ? TN_S_verdict_ok : TN_S_verdict_ok_driver;
    verdict_arg(v, "package", f ? text_or(f->package, text_or(f->name, "")) : "");
    verdict_arg(v, "version", f ? text_or(f->version, "") : "");
    verdict_arg(v, "gpu", g ? text_or(g->name, "NVIDIA GPU") : "GPU");
}

void tn_verdict_make(const struct tn_judge *j, const struct tn_sink *findings, struct tn_verdict *ret)
{
    struct tn_verdict v;
    const struct tn_finding *open = NULL;
    memset(&v, 0, sizeof v);
    v.others = ret->others;
    v.others_not_ready = ret->others_not_ready;
    for (size_t i = 0; i < findings->n; i++) {
        const struct tn_finding *f = &findings->v[i];
        if (v.first == NULL && is_problem(f))
            v.first = f;
        if (open == NULL && matters(j, f))
            open = f;
        v.warnings += is_warning(f);
    }
    if (v.first) {
        v.status = TN_VERDICT_PROBLEM;
    } else if (open) {
        v.status = TN_VERDICT_UNKNOWN;
        v.say = TN_S_verdict_unknown;
        verdict_arg(&v, "cause", open->cause);
    } else {
        say_ok(j, &v);
    }
    make_layers(j, findings, v.layer);
    *ret = v;
}

const char *tn_verdict_word(enum tn_verdict_status s)
{
    static const char *const word[] = {"ok", "problem", "unknown"};
    return word[s];
}

const char *tn_layer_word(enum tn_layer_status s)
{
    static const char *const word[] = {"good", "bad", "warning", "unknown", "nothing"};
    return word[s];
}
