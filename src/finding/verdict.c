/* verdict.c - one verdict and eight layers out of merged findings.
 *
 * Invariant: what was seen of a layer (layers.c) is outweighed by what was found of it. */
#include "finding/verdict.h"

#include <string.h>

#include "base/str.h"
#include "finding/catalogue.h"
#include "finding/layers.h"
#include "strings.gen.h"

static const char *text_or(struct tn_str f, const char *other)
{
    return tn_known(f) ? f.v : other;
}

static bool is_problem(const struct tn_finding *f)
{
    return f->severity == TN_ERROR && f->status <= TN_LIKELY && f->behind == NULL;
}

static bool is_warning(const struct tn_finding *f)
{
    return !is_problem(f) && f->status <= TN_POSSIBLE && f->severity <= TN_WARNING && f->behind == NULL;
}

/* Layers whose facts are often out of reach, while whoever installed the build has looked at them. */
static bool is_common(const struct tn_finding *f)
{
    static const char *const layers[] = {"gpu-code", "platform", "python", NULL};
    const struct tn_cause *c = tn_cause_find(f->cause);
    return c && tn_str_in(c->layer, layers);
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
        /* Nothing to say beyond that, and a later cause may still take the layer. What was seen stays worth saying;
         * that code objects or packages could not be read is common and hides nothing. */
        if (f->behind || l->status != TN_LAYER_GOOD)
            l->say = f->behind ? TN_S_layer_waits : TN_S_layer_unknown;
        if (f->behind || !is_common(f))
            l->status = TN_LAYER_UNKNOWN;
        return;
    } else {
        return;
    }
    l->finding = f;
    l->say = NULL;
}

static void make_layers(const struct tn_judge *j, const struct tn_sink *findings, struct tn_layer *layer)
{
    tn_layers_see(j, findings->mem, layer);
    for (size_t i = 0; i < findings->n; i++) {
        const struct tn_cause *c = tn_cause_find(findings->v[i].cause);
        const char *name = c ? tn_cause_json_layer(c) : "";
        for (unsigned k = 0; k < TN_LAYERS; k++)
            if (strcmp(layer[k].name, name) == 0)
                weigh(&findings->v[i], &layer[k]);
    }
}

static bool matters(const struct tn_judge *j, const struct tn_finding *f)
{
    return f->status == TN_UNTESTABLE && f->severity == TN_ERROR && f->behind == NULL && j->expect == TN_EXPECT_GPU &&
           !is_common(f);
}

static void verdict_arg(struct tn_verdict *v, const char *key, const char *value)
{
    v->arg[v->n_arg++] = (struct tn_arg){key, value};
}

/* Some warnings of a card say that it works, if slowly. */
static bool says_it_works(const struct tn_finding *f)
{
    return (strcmp(f->cause, "gpu-too-weak") == 0 && !tn_str_eq(f->variant, "dropped")) ||
           (strcmp(f->cause, "arch-jit-delay") == 0 && f->variant == NULL);
}

/* Does a finding speak against this very card? */
static bool is_accused(const struct tn_sink *findings, size_t gpu_row)
{
    for (size_t i = 0; i < findings->n; i++) {
        const struct tn_finding *f = &findings->v[i];
        if (f->subject.rec == TN_REC_gpu && f->subject.row == gpu_row && f->status <= TN_LIKELY &&
            f->severity <= TN_WARNING && !says_it_works(f))
            return true;
    }
    return false;
}

/* What is well, when nothing is wrong. */
static void say_ok(const struct tn_judge *j, const struct tn_sink *findings, struct tn_verdict *v)
{
    size_t row = 0;
    const struct tn_rec_gpu *g;
    const struct tn_rec_framework *f = tn_layers_framework(j, false);
    while ((g = tn_judge_gpu(j, &row)) && is_accused(findings, row - 1))
        ;
    bool named = g && tn_known(g->name);
    v->status = TN_VERDICT_OK;
    if (j->expect == TN_EXPECT_CPU)
        v->say = f ? TN_S_verdict_ok_cpu : TN_S_verdict_ok_nothing;
    else if (f)
        v->say = named ? TN_S_verdict_ok : TN_S_verdict_ok_unnamed;
    else if (tn_layers_looked(j))
        v->say = named ? TN_S_verdict_ok_driver : TN_S_verdict_ok_driver_unnamed;
    else
        v->say = TN_S_verdict_ok_driver_only;
    verdict_arg(v, "package", f ? text_or(f->package, text_or(f->name, "?")) : "");
    verdict_arg(v, "version", f ? text_or(f->version, "?") : "");
    verdict_arg(v, "gpu", named ? g->name.v : "");
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
        v.open = open;
    } else if (tn_is(TN_THE(j->s, host)->late, 1)) { /* nothing was found where little was looked at */
        v.status = TN_VERDICT_UNKNOWN;
        v.say = TN_S_verdict_late;
    } else {
        say_ok(j, findings, &v);
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
