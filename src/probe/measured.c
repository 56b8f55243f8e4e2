/* measured.c - see measured.h. The only place that knows both the lines and the rows. */
#include "probe/measured.h"

#include "base/pairs.h"
#include "base/str.h"
#include "facts/error.h"
#include "version/dotted.h"

#include <stdlib.h>
#include <string.h>

struct part { /* what the lines that follow belong to */
    struct tn_str layer, env, library, version, on, peer;
};

static struct tn_str value(struct tn_snap *s, uint32_t src, struct tn_span line, const char *key)
{
    struct tn_span v = tn_pairs_value(line, key);
    return v.n ? tn_fact_strn(s, src, v.p, v.n) : (struct tn_str){0};
}

/* Whose numbers a layer's answers are; cuDNN renumbered in 9, the run time in 10.1. False: of none. */
static bool space_of(const char *layer, const char *version, enum tn_error_space *ret)
{
    static const struct {
        const char *layer;
        enum tn_error_space space;
    } known[] = {{"driver", TN_ERROR_DRIVER},     {"cudart", TN_ERROR_RUNTIME},  {"nvrtc", TN_ERROR_NVRTC},
                 {"cublas", TN_ERROR_CUBLAS},     {"cublaslt", TN_ERROR_CUBLAS}, {"cudnn", TN_ERROR_CUDNN},
                 {"cudnn-graph", TN_ERROR_CUDNN}, {"cufft", TN_ERROR_CUFFT},     {"cusolver", TN_ERROR_CUSOLVER},
                 {"cusparse", TN_ERROR_CUSPARSE}, {"curand", TN_ERROR_CURAND},   {"nccl", TN_ERROR_NCCL}};
    for (unsigned i = 0; i < TN_LEN(known); i++)
        if (strcmp(known[i].layer, layer) == 0) {
            *ret = known[i].space;
            if (*ret == TN_ERROR_CUDNN && tn_version_dotted_cmp(version, "9") < 0)
                *ret = TN_ERROR_CUDNN_OLD;
            if (*ret == TN_ERROR_RUNTIME && tn_version_dotted_cmp(version, "10.1") < 0)
                *ret = TN_ERROR_RUNTIME_OLD;
            return true;
        }
    return false;
}

/* "number-13" of cuBLAS is CUBLAS_STATUS_EXECUTION_FAILED; what the table lacks stays a number. */
static void name_error(struct tn_snap *s, uint32_t src, struct tn_rec_measurement *m)
{
    struct tn_facts_error e;
    enum tn_error_space space;
    if (!tn_known(m->error) || !tn_known(m->layer) || !tn_str_starts(m->error.v, "number-") ||
        !space_of(m->layer.v, tn_known(m->version) ? m->version.v : "99", &space))
        return;
    if (tn_facts_error(space, (int)strtol(m->error.v + 7, NULL, 10), &e) == TN_ANSWER_YES) {
        m->error = tn_fact_str(s, src, e.name);
        if (!tn_known(m->text) && *e.meaning)
            m->text = tn_fact_str(s, src, e.meaning);
    }
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
    if (tn_says(m->device, "gpu") && tn_known(p->on) && tn_str_starts(p->on.v, "gpu."))
        m->device = p->on;
    m->peer = p->peer;
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
    } else if (tn_span_starts(line, "on ")) {
        p->on = value(s, src, line, "device");
        p->peer = value(s, src, line, "peer");
    } else if (tn_span_starts(line, "version ")) {
        p->version = value(s, src, line, "text");
    } else if (tn_span_starts(line, "result ")) {
        result(s, src, p, line);
    } else if (tn_span_starts(line, "failed ")) {
        m = add(s, src, p, line);
        m->status = tn_fact_str(s, src, "fail");
        if (!tn_known(m->device))
            m->device = p->on;
        name_error(s, src, m);
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
