/* failed.c - see failed.h. Sources: Python, Lib/traceback.py (the words between tracebacks that belong together);
 * data/messages/_fallback. */
#include "explain/failed.h"

#include <string.h>

#include "base/str.h"
#include "finding/catalogue.h"

static const char begin[] = "Traceback (most recent call last):";

static bool has(struct tn_span line, const char *words)
{
    size_t n = strlen(words);
    for (size_t i = 0; i + n <= line.n; i++)
        if (line.p[i] == (unsigned char)*words && memcmp(line.p + i, words, n) == 0)
            return true;
    return false;
}

unsigned tn_failed_from(struct tn_span text, unsigned first)
{
    struct tn_span line;
    unsigned from = 0, number = first;
    bool goes_on = false; /* the next one comes from the one before */
    for (; tn_span_line(&text, &line); number++) {
        if (has(line, begin)) {
            from = from && goes_on ? from : number;
            goes_on = false;
        } else if (from && (has(line, "During handling of the above exception, another exception occurred:") ||
                            has(line, "The above exception was the direct cause of the following exception:"))) {
            goes_on = true;
        }
    }
    return from;
}

static bool is_benign(const char *cause)
{
    const struct tn_cause *c = tn_cause_find(cause);
    return c && strcmp(c->layer, "benign") == 0;
}

bool tn_failed_by(const struct tn_snap *s, const struct tn_sink *found, unsigned from)
{
    for (size_t i = 0; i < found->n; i++) {
        const struct tn_finding *f = &found->v[i];
        if (f->status > TN_POSSIBLE || f->severity == TN_NOTE || is_benign(f->cause))
            continue;
        for (unsigned k = 0; k < f->n_evidence; k++) {
            struct tn_ref at = f->evidence[k];
            if (at.rec != TN_REC_observation || at.row >= s->observation.n)
                continue;
            const struct tn_rec_observation *o = &s->observation.v[at.row];
            if (o->line.k == TN_KNOWN && o->line.v >= (long long)from)
                return true;
        }
    }
    return false;
}

enum tn_fell tn_fell_back(const struct tn_snap *s, const char **ret)
{
    enum tn_fell how = TN_FELL_NOT;
    for (size_t i = 0; i < s->observation.n; i++) {
        const struct tn_rec_observation *o = &s->observation.v[i];
        enum tn_fell this = tn_says(o->fact, "fallback.asked")    ? TN_FELL_BACK
                            : tn_says(o->fact, "fallback.always") ? TN_FELL_IF_GPU
                                                                  : TN_FELL_NOT;
        if (this > how && tn_known(o->value)) {
            how = this;
            *ret = o->value.v;
        }
    }
    return how;
}
