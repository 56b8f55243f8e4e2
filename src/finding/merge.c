/* merge.c - which finding explains which, and in which order they are told.
 *
 * Invariant: the same findings in the same order give the same result; a consequence is never lost, only moved back. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "finding/catalogue.h"
#include "finding/finding.h"

/* Only what (nearly) surely is there, and weighs no less, explains another finding away. */
static bool explains(const struct tn_finding *root, const struct tn_finding *f)
{
    return root->status <= TN_LIKELY && root->severity <= f->severity &&
           (root->env == NULL || f->env == NULL || strcmp(root->env, f->env) == 0);
}

static const struct tn_finding *root_of(const struct tn_sink *out, const struct tn_finding *f)
{
    const struct tn_cause *c = tn_cause_find(f->cause);
    for (unsigned i = 0; c && tn_cause_behind(c, i); i++)
        for (size_t k = 0; k < out->n; k++)
            if (strcmp(out->v[k].cause, tn_cause_behind(c, i)) == 0 && explains(&out->v[k], f))
                return &out->v[k];
    return NULL;
}

/* Untestable findings get a root too: "not judged, because the driver is missing". */
static void mark(struct tn_sink *out)
{
    for (size_t i = 0; i < out->n; i++) {
        const struct tn_finding *root = root_of(out, &out->v[i]);
        out->v[i].behind = NULL;
        /* To the end of the chain; the bound guards against a circle in the catalogue. */
        for (unsigned hops = 0; root && hops < 8; hops++, root = root_of(out, root))
            out->v[i].behind = root->cause;
    }
}

/* Problems first from the ground up: what lies below breaks what lies above. */
static int layer_rank(const struct tn_cause *c)
{
    static const char *const order[] = {"hardware", "driver",    "wsl",      "container", "platform", "cuda",  "cudnn",
                                        "build",    "framework", "gpu-code", "python",    "runtime",  "benign"};
    for (unsigned i = 0; c && i < TN_LEN(order); i++)
        if (strcmp(c->layer, order[i]) == 0)
            return (int)i;
    return (int)TN_LEN(order);
}

enum group { CAUSE, CONSEQUENCE, BENIGN, UNTESTABLE, RULED_OUT };

static enum group group_of(const struct tn_finding *f, const struct tn_cause *c)
{
    if (f->status == TN_RULED_OUT)
        return RULED_OUT;
    if (f->status == TN_UNTESTABLE)
        return UNTESTABLE;
    if (c && strcmp(c->layer, "benign") == 0)
        return BENIGN;
    return f->behind ? CONSEQUENCE : CAUSE;
}

static int compare(const struct tn_finding *a, const struct tn_finding *b)
{
    const struct tn_cause *ca = tn_cause_find(a->cause), *cb = tn_cause_find(b->cause);
    int ka[] = {(int)group_of(a, ca), (int)a->severity, (int)a->status, layer_rank(ca)};
    int kb[] = {(int)group_of(b, cb), (int)b->severity, (int)b->status, layer_rank(cb)};
    for (unsigned i = 0; i < TN_LEN(ka); i++)
        if (ka[i] != kb[i])
            return ka[i] < kb[i] ? -1 : 1;
    return tn_str_cmp(a->cause, b->cause);
}

void tn_findings_merge(struct tn_sink *out)
{
    mark(out);
    /* Insertion sort: stable, and there are few findings. */
    for (size_t i = 1; i < out->n; i++) {
        struct tn_finding f = out->v[i];
        size_t k = i;
        for (; k > 0 && compare(&f, &out->v[k - 1]) < 0; k--)
            out->v[k] = out->v[k - 1];
        out->v[k] = f;
    }
}
