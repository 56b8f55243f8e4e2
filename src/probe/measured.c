/* measured.c - see measured.h. The only place that knows both the lines and the rows. */
#include "probe/measured.h"

#include "base/pairs.h"
#include "base/str.h"

struct part { /* what the lines that follow belong to */
    struct tn_str layer, env, library, version;
};

static struct tn_str value(struct tn_snap *s, uint32_t src, struct tn_span line, const char *key)
{
    struct tn_span v = tn_pairs_value(line, key);
    return v.n ? tn_fact_strn(s, src, v.p, v.n) : (struct tn_str){0};
}

static struct tn_rec_measurement *add(struct tn_snap *s, uint32_t src, const struct part *p, struct tn_span line)
{
    struct tn_rec_measurement *m = TN_ADD(s, measurement);
    m->layer = p->layer;
    m->env = p->env;
    m->file = p->library;
    m->version = p->version;
    m->what = value(s, src, line, "what");
    m->device = value(s, src, line, "device");
    m->precision = value(s, src, line, "precision");
    m->call = value(s, src, line, "call");
    m->error = value(s, src, line, "error");
    m->why = value(s, src, line, "why");
    m->worst = value(s, src, line, "worst");
    m->off = value(s, src, line, "off");
    m->bound = value(s, src, line, "bound");
    m->text = value(s, src, line, "text");
    return m;
}

static void result(struct tn_snap *s, uint32_t src, const struct part *p, struct tn_span line)
{
    struct tn_rec_measurement *m = add(s, src, p, line);
    bool pass = tn_span_eq(tn_pairs_value(line, "status"), "pass"); /* anything else is none */
    m->status = tn_fact_str(s, src, pass ? "pass" : "fail");
    if (!pass)
        m->error = tn_fact_str(s, src, "wrong-result");
}

static void take(struct tn_snap *s, uint32_t src, struct part *p, struct tn_span line)
{
    struct tn_rec_measurement *m = NULL;
    if (tn_span_starts(line, "part ")) {
        *p = (struct part){.layer = value(s, src, line, "layer"),
                           .env = value(s, src, line, "env"),
                           .library = value(s, src, line, "text")};
    } else if (tn_span_starts(line, "version ")) {
        p->version = value(s, src, line, "text");
    } else if (tn_span_starts(line, "result ")) {
        result(s, src, p, line);
    } else if (tn_span_starts(line, "failed ")) {
        m = add(s, src, p, line);
        m->status = tn_fact_str(s, src, "fail");
    } else if (tn_span_starts(line, "skipped ")) {
        m = add(s, src, p, line);
        m->status = tn_fact_str(s, src, "not_tried");
    } else if (tn_span_starts(line, "device ")) {
        m = add(s, src, p, line);
        m->what = tn_fact_str(s, src, "device");
    } else if (tn_span_starts(line, "loaded ")) {
        m = add(s, src, p, line);
        m->what = tn_fact_str(s, src, "loaded");
        m->file = m->text;
        m->text = m->version = (struct tn_str){0};
    }
}

void tn_probe_measured(struct tn_snap *s, struct tn_span text, uint32_t src)
{
    struct part p = {0};
    struct tn_span line;
    while (tn_span_line(&text, &line))
        take(s, src, &p, line);
    s->measurement.listed = TN_KNOWN;
    s->measurement.src = src;
}
