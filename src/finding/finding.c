/* finding.c - see finding.h. */
#include "finding/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "finding/catalogue.h"

void tn_sink_init(struct tn_sink *out, struct tn_arena *mem)
{
    memset(out, 0, sizeof *out);
    out->mem = mem;
}

struct tn_finding *tn_find(struct tn_sink *out, enum tn_status status, struct tn_ref subject)
{
    const struct tn_cause *c = tn_cause_find(out->cause);
    out->v = tn_arena_grow(out->mem, out->v, out->n, &out->cap, sizeof *out->v);
    struct tn_finding *f = &out->v[out->n++];
    memset(f, 0, sizeof *f);
    f->cause = out->cause;
    f->status = status;
    f->severity = c ? c->severity : TN_ERROR;
    f->subject = subject;
    if (out->env && c && strcmp(c->scope, "env") == 0)
        f->env = out->env;
    return f;
}

void tn_untestable(struct tn_sink *out, struct tn_ref missing)
{
    for (size_t i = 0; i < out->n; i++) {
        struct tn_finding *f = &out->v[i];
        if (f->status == TN_UNTESTABLE && tn_str_eq(f->cause, out->cause)) {
            tn_find_evidence(f, missing);
            return;
        }
    }
    tn_find_evidence(tn_find(out, TN_UNTESTABLE, missing), missing);
}

static const char *vprint(struct tn_arena *mem, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = tn_arena_alloc(mem, n < 0 ? 1 : (size_t)n + 1);
    if (n > 0)
        vsnprintf(text, (size_t)n + 1, fmt, ap);
    return text;
}

/* A key that is there already gets the new value. */
static void set_arg(struct tn_arg *arg, unsigned *n, const char *key, const char *value)
{
    for (unsigned i = 0; i < *n; i++)
        if (strcmp(arg[i].key, key) == 0) {
            arg[i].value = value;
            return;
        }
    if (*n < TN_MAX_ARGS)
        arg[(*n)++] = (struct tn_arg){key, value};
}

void tn_find_arg(struct tn_sink *out, struct tn_finding *f, const char *key, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *value = vprint(out->mem, fmt, ap);
    va_end(ap);
    set_arg(f->arg, &f->n_arg, tn_arena_strdup(out->mem, key), value);
}

void tn_find_evidence(struct tn_finding *f, struct tn_ref fact)
{
    for (unsigned i = 0; i < f->n_evidence; i++)
        if (f->evidence[i].rec == fact.rec && f->evidence[i].field == fact.field && f->evidence[i].row == fact.row)
            return;
    if (f->n_evidence < TN_MAX_EVIDENCE)
        f->evidence[f->n_evidence++] = fact;
}

struct tn_remedy *tn_find_remedy(struct tn_sink *out, struct tn_finding *f, const char *id, const char *variant)
{
    /* One more than there is room for is written where nobody reads it. */
    struct tn_remedy *r =
        f->n_remedy < TN_MAX_REMEDIES ? &f->remedy[f->n_remedy++] : tn_arena_alloc(out->mem, sizeof *r);
    memset(r, 0, sizeof *r);
    r->id = tn_arena_strdup(out->mem, id);
    r->variant = variant ? tn_arena_strdup(out->mem, variant) : NULL;
    return r;
}

void tn_remedy_arg(struct tn_sink *out, struct tn_remedy *r, const char *key, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *value = vprint(out->mem, fmt, ap);
    va_end(ap);
    set_arg(r->arg, &r->n_arg, tn_arena_strdup(out->mem, key), value);
}

const char *tn_status_word(enum tn_status s)
{
    static const char *const word[] = {"confirmed", "likely", "possible", "ruled_out", "untestable"};
    return word[s];
}

const char *tn_severity_word(enum tn_severity s)
{
    static const char *const word[] = {"error", "warning", "note"};
    return word[s];
}
