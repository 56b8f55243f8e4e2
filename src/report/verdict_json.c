/* verdict_json.c - the verdict for programs: the keys of the contract, everything else beside them. */
#include "report/command.h"
#include "report/explain.h"
#include "report/report.h"
#include "snapshot/json.h"

static json_t *text(const char *s)
{
    return s ? tn_json_text(s) : json_null();
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
        tn_json_set(o, "what", json_string(name.p));
        tn_json_set(o, "value", text(value.p));
        tn_json_set(o, "from", from && *from ? text(from) : json_null());
        if (ref[i].rec == TN_REC_observation && ref[i].row < s->observation.n)
            tn_json_set(o, "line",
                        s->observation.v[ref[i].row].line.k == TN_KNOWN
                            ? json_integer(s->observation.v[ref[i].row].line.v)
                            : json_null());
        tn_json_append(list, o);
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
            tn_json_set(args, m->arg[k].key, text(m->arg[k].value));
        tn_json_set(o, "id", json_string(m->id));
        tn_json_set(o, "arguments", args);
        tn_buf_clear(&b);
        tn_remedy_say(&b, m, r->lang);
        tn_json_set(o, "title", text(b.p));
        tn_buf_clear(&b);
        tn_json_set(o, "command", tn_report_command(r, m, &b) ? text(b.p) : json_null());
        tn_json_append(list, o);
    }
    tn_buf_deinit(&b);
    return list;
}

static json_t *finding(const struct tn_report *r, const struct tn_finding *f)
{
    struct tn_buf b;
    json_t *o = json_object();
    tn_buf_init(&b);
    tn_json_set(o, "cause", json_string(f->cause));
    tn_json_set(o, "status", json_string(tn_status_word(f->status)));
    tn_json_set(o, "severity", json_string(tn_severity_word(f->severity)));
    tn_ref_name(f->subject, &b);
    tn_json_set(o, "subject", json_string(b.p));
    tn_buf_clear(&b);
    tn_finding_say(&b, f, r->lang);
    tn_json_set(o, "summary", text(b.p));
    tn_json_set(o, "evidence", evidence(r->judge->s, f->evidence, f->n_evidence));
    tn_json_set(o, "remedies", remedies(r, f));
    if (f->behind)
        tn_json_set(o, "behind", json_string(f->behind));
    tn_buf_deinit(&b);
    return o;
}

static json_t *judged(const struct tn_report *r)
{
    const struct tn_rec_env *e = r->judge->env;
    json_t *o = json_object();
    tn_json_set(o, "environment", e ? str_fact(e->path) : json_null());
    if (e) {
        tn_json_set(o, "kind", str_fact(e->kind));
        tn_json_set(o, "python", str_fact(e->python));
        tn_json_set(o, "chosen_by", str_fact(e->chosen_by));
    }
    tn_json_set(o, "expected", json_string(r->judge->expect == TN_EXPECT_GPU ? "gpu" : "cpu"));
    tn_json_set(o, "why",
                json_string(tn_string(r->judge->why, r->lang) ? tn_string(r->judge->why, r->lang) : r->judge->why));
    return o;
}

static json_t *verdict(const struct tn_report *r)
{
    const struct tn_verdict *v = r->verdict;
    json_t *o = json_object();
    tn_json_set(o, "status", json_string(tn_verdict_word(v->status)));
    tn_json_set(o, "cause", v->first ? json_string(v->first->cause) : json_null());
    struct tn_buf b;
    tn_buf_init(&b);
    tn_report_say(r, &b);
    tn_json_set(o, "summary", text(b.p));
    tn_buf_deinit(&b);
    tn_json_set(o, "warnings", json_integer(v->warnings));
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

static json_t *installed(const struct tn_report *r)
{
    json_t *list = json_array();
    struct tn_installed x;
    for (size_t at = 0; tn_report_installed(r, &at, &x);) {
        json_t *o = json_object();
        tn_json_set(o, "name", text(x.name));
        tn_json_set(o, "version", text(x.version));
        tn_json_set(o, "kind", text(x.kind));
        tn_json_set(o, "owner", str_fact(x.owner));
        tn_json_set(o, "path", text(x.path));
        tn_json_append(list, o);
    }
    return list;
}

/* How much each environment holds. */
static json_t *environments(const struct tn_snap *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        json_t *o = json_object();
        tn_json_set(o, "path", str_fact(e->path));
        tn_json_set(o, "kind", str_fact(e->kind));
        tn_json_set(o, "tool", str_fact(e->tool));
        tn_json_set(o, "python", str_fact(e->python));
        tn_json_set(o, "distributions", e->dists.k == TN_KNOWN ? json_integer(e->dists.v) : json_null());
        tn_json_set(o, "conda_packages",
                    e->conda_packages.k == TN_KNOWN ? json_integer(e->conda_packages.v) : json_null());
        tn_json_append(list, o);
    }
    return list;
}

void tn_report_json(const struct tn_report *r, const char *command, struct tn_buf *ret)
{
    tn_json_seed();
    json_t *top = json_object(), *layers = json_array(), *found = json_array();
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string(command));
    tn_json_set(top, "judged", judged(r));
    tn_json_set(top, "verdict", verdict(r));
    for (unsigned i = 0; i < TN_LAYERS; i++) {
        const struct tn_layer *l = &r->verdict->layer[i];
        json_t *o = json_object();
        tn_json_set(o, "name", json_string(l->name));
        tn_json_set(o, "status", json_string(tn_layer_word(l->status)));
        tn_json_set(o, "summary", layer_summary(r, l));
        if (r->verbose)
            tn_json_set(o, "evidence", evidence(r->judge->s, l->fact, l->n_fact));
        tn_json_append(layers, o);
    }
    tn_json_set(top, "layers", layers);
    for (size_t i = 0; i < r->findings->n; i++)
        if (r->verbose || r->findings->v[i].status != TN_RULED_OUT)
            tn_json_append(found, finding(r, &r->findings->v[i]));
    tn_json_set(top, "findings", found);
    if (r->commands)
        tn_json_set(top, "commands", tn_report_commands_json(r->commands, r->lang));
    if (r->commands)
        tn_json_set(top, "advice", tn_report_advice_json(r));
    if (r->inventory)
        tn_json_set(top, "installed", installed(r));
    if (r->inventory) {
        const struct tn_rec_host *h = TN_THE(r->judge->s, host);
        tn_json_set(top, "environments", environments(r->judge->s));
        tn_json_set(top, "system_packages", h->packages.k == TN_KNOWN ? json_integer(h->packages.v) : json_null());
    }
    tn_json_set(
        top, "others",
        json_pack("{s:i,s:i}", "counted", (int)r->verdict->others, "not_ready", (int)r->verdict->others_not_ready));
    tn_json_dump(ret, top, 1);
    tn_buf_ch(ret, '\n');
    json_decref(top);
}
