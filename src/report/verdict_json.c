/* verdict_json.c - the verdict for programs: the keys of the contract, everything else beside them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/str.h"
#include "report/report.h"

/* A string of any bytes: as it is when UTF-8, else {"bytes": base64, "text": shown form} (design 6.5). */
static json_t *text(const char *s)
{
    if (!s)
        return json_null();
    if (tn_utf8_valid(s, strlen(s)))
        return json_string(s);
    struct tn_buf b, shown;
    tn_buf_init(&b);
    tn_buf_init(&shown);
    tn_base64_encode(&b, tn_span_str(s));
    for (const char *p = s; *p;) {
        uint32_t c;
        size_t k = tn_utf8_next(p, strlen(p), &c);
        if (c == 0xFFFD && k == 1)
            tn_buf_str(&shown, "\xEF\xBF\xBD");
        else
            tn_buf_add(&shown, p, k);
        p += k;
    }
    json_t *o = json_pack("{s:s,s:s}", "bytes", b.p, "text", shown.p);
    tn_buf_deinit(&b);
    tn_buf_deinit(&shown);
    return o;
}

static json_t *str_fact(struct tn_str f)
{
    return f.k == TN_KNOWN ? text(f.v) : json_null();
}

static json_t *evidence(const struct tn_snap *s, const struct tn_ref *ref, unsigned n)
{
    json_t *list = json_array();
    struct tn_buf name, value;
    tn_buf_init(&name);
    tn_buf_init(&value);
    for (unsigned i = 0; i < n; i++) {
        const char *from;
        tn_report_fact(s, ref[i], &name, &value, &from);
        json_t *o = json_object();
        json_object_set_new(o, "what", json_string(name.p));
        json_object_set_new(o, "value", text(value.p));
        json_object_set_new(o, "from", text(from));
        json_array_append_new(list, o);
    }
    tn_buf_deinit(&name);
    tn_buf_deinit(&value);
    return list;
}

static json_t *remedies(const struct tn_report *r, const struct tn_finding *f)
{
    json_t *list = json_array();
    struct tn_buf b;
    tn_buf_init(&b);
    for (unsigned i = 0; i < f->n_remedy; i++) {
        const struct tn_remedy *m = &f->remedy[i];
        json_t *o = json_object(), *args = json_object();
        for (unsigned k = 0; k < m->n_arg; k++)
            json_object_set_new(args, m->arg[k].key, text(m->arg[k].value));
        json_object_set_new(o, "id", json_string(m->id));
        json_object_set_new(o, "arguments", args);
        tn_buf_clear(&b);
        tn_remedy_say(&b, m, r->lang);
        json_object_set_new(o, "title", text(b.p));
        tn_buf_clear(&b);
        json_object_set_new(o, "command", tn_report_command(r, m, &b) ? text(b.p) : json_null());
        json_array_append_new(list, o);
    }
    tn_buf_deinit(&b);
    return list;
}

static json_t *finding(const struct tn_report *r, const struct tn_finding *f)
{
    struct tn_buf b;
    json_t *o = json_object();
    tn_buf_init(&b);
    json_object_set_new(o, "cause", json_string(f->cause));
    json_object_set_new(o, "status", json_string(tn_status_word(f->status)));
    json_object_set_new(o, "severity", json_string(tn_severity_word(f->severity)));
    tn_ref_name(f->subject, &b);
    json_object_set_new(o, "subject", json_string(b.p));
    tn_buf_clear(&b);
    tn_finding_say(&b, f, r->lang);
    json_object_set_new(o, "summary", text(b.p));
    json_object_set_new(o, "evidence", evidence(r->judge->s, f->evidence, f->n_evidence));
    json_object_set_new(o, "remedies", remedies(r, f));
    if (f->behind)
        json_object_set_new(o, "behind", json_string(f->behind));
    tn_buf_deinit(&b);
    return o;
}

static json_t *judged(const struct tn_report *r)
{
    const struct tn_rec_env *e = r->judge->env;
    json_t *o = json_object();
    json_object_set_new(o, "environment", e ? str_fact(e->path) : json_null());
    if (e) {
        json_object_set_new(o, "kind", str_fact(e->kind));
        json_object_set_new(o, "python", str_fact(e->python));
        json_object_set_new(o, "chosen_by", str_fact(e->chosen_by));
    }
    json_object_set_new(o, "expected", json_string(r->judge->expect == TN_EXPECT_GPU ? "gpu" : "cpu"));
    json_object_set_new(
        o, "why", json_string(tn_string(r->judge->why, r->lang) ? tn_string(r->judge->why, r->lang) : r->judge->why));
    return o;
}

static json_t *verdict(const struct tn_report *r)
{
    const struct tn_verdict *v = r->verdict;
    json_t *o = json_object();
    json_object_set_new(o, "status", json_string(tn_verdict_word(v->status)));
    json_object_set_new(o, "cause", v->first ? json_string(v->first->cause) : json_null());
    struct tn_buf b;
    tn_buf_init(&b);
    tn_report_say(r, &b);
    json_object_set_new(o, "summary", text(b.p));
    tn_buf_deinit(&b);
    json_object_set_new(o, "warnings", json_integer(v->warnings));
    return o;
}

static json_t *layer_summary(const struct tn_report *r, const struct tn_layer *l)
{
    struct tn_buf b;
    tn_buf_init(&b);
    json_t *j = tn_report_say_layer(r, l, &b) ? text(b.p) : json_null();
    tn_buf_deinit(&b);
    return j;
}

void tn_report_json(const struct tn_report *r, const char *command, struct tn_buf *ret)
{
    json_object_seed(1); /* else it reads /dev/urandom */
    json_t *top = json_object(), *layers = json_array(), *found = json_array();
    json_object_set_new(top, "schema_version", json_integer(1));
    json_object_set_new(top, "command", json_string(command));
    json_object_set_new(top, "judged", judged(r));
    json_object_set_new(top, "verdict", verdict(r));
    for (unsigned i = 0; i < TN_LAYERS; i++) {
        const struct tn_layer *l = &r->verdict->layer[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(l->name));
        json_object_set_new(o, "status", json_string(tn_layer_word(l->status)));
        json_object_set_new(o, "summary", layer_summary(r, l));
        if (r->verbose)
            json_object_set_new(o, "evidence", evidence(r->judge->s, l->fact, l->n_fact));
        json_array_append_new(layers, o);
    }
    json_object_set_new(top, "layers", layers);
    for (size_t i = 0; i < r->findings->n; i++)
        if (r->verbose || r->findings->v[i].status != TN_RULED_OUT)
            json_array_append_new(found, finding(r, &r->findings->v[i]));
    json_object_set_new(top, "findings", found);
    json_object_set_new(
        top, "others",
        json_pack("{s:i,s:i}", "counted", (int)r->verdict->others, "not_ready", (int)r->verdict->others_not_ready));
    char *out = json_dumps(top, JSON_INDENT(1));
    json_decref(top);
    if (!out)
        tn_oom();
    tn_buf_str(ret, out);
    tn_buf_ch(ret, '\n');
    free(out);
}
