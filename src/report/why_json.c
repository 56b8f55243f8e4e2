/* why_json.c - why.h as JSON for programs. */
#include <string.h>

#include "base/str.h"
#include "report/why.h"
#include "snapshot/json.h"

static json_t *text(const char *s)
{
    return s && *s ? tn_json_text(s) : json_null();
}

static json_t *version_of(const struct tn_rec_library *l)
{
    return l && tn_known(l->version) ? tn_json_text(l->version.v) : json_null();
}

static json_t *steps(const struct tn_loads *loads, const struct tn_load *v)
{
    json_t *all = json_array();
    const struct tn_search *s = v->search != TN_NO_OBJECT ? &loads->l.search[v->search] : NULL;
    for (size_t i = 0; s && i < s->n_step; i++) {
        const struct tn_step *p = &s->step[i];
        json_t *o = json_object();
        tn_json_set(o, "rule", json_string(tn_rule_word(p->rule)));
        tn_json_set(o, "of", text(p->object < loads->l.n_object ? loads->l.object[p->object].path : NULL));
        tn_json_set(o, "folder", text(p->folder));
        tn_json_set(o, "path", text(p->path));
        tn_json_set(o, "end", json_string(tn_step_word(p->end)));
        tn_json_append(all, o);
    }
    return all;
}

static json_t *elsewhere(const struct tn_why *w, const struct tn_load *v)
{
    json_t *all = json_array();
    size_t row = 0;
    for (const struct tn_rec_library *l; (l = tn_why_elsewhere(w, v, &row));) {
        json_t *o = json_object();
        tn_json_set(o, "path", text(l->path.v));
        tn_json_set(o, "version", version_of(l));
        tn_json_set(o, "owner", text(tn_why_owner(l)));
        tn_json_append(all, o);
    }
    return all;
}

/* The same in the words that all our documents share: where, by which rule, what came of it. */
static json_t *searched(const struct tn_why *w, const struct tn_loads *loads, const struct tn_load *v)
{
    json_t *all = json_array();
    const struct tn_search *s = v->search != TN_NO_OBJECT ? &loads->l.search[v->search] : NULL;
    for (size_t i = 0; s && i < s->n_step; i++) {
        const struct tn_step *p = &s->step[i];
        json_t *o = json_object();
        const char *dir = p->folder ? p->folder : p->path ? tn_path_dir(w->mem, tn_snap_style(w->s), p->path) : NULL;
        tn_json_set(o, "dir", text(dir));
        tn_json_set(o, "by", json_string(tn_rule_word(p->rule)));
        tn_json_set(o, "outcome", json_string(tn_step_word(p->end)));
        tn_json_append(all, o);
    }
    return all;
}

static json_t *shadowed(const struct tn_why *w, const struct tn_load *v)
{
    json_t *all = json_array();
    for (size_t i = 0; i < v->n_shadowed; i++) {
        json_t *o = json_object();
        tn_json_set(o, "path", text(v->shadowed[i]));
        tn_json_set(o, "version", version_of(tn_why_file(w, v->shadowed[i])));
        tn_json_append(all, o);
    }
    return all;
}

static json_t *result(const struct tn_why *w, const struct tn_load *v)
{
    static const char *const word[] = {[TN_OUTCOME_FOUND] = "loads",
                                       [TN_OUTCOME_MISSING] = "not_found",
                                       [TN_OUTCOME_STOPS] = "refused",
                                       [TN_OUTCOME_UNKNOWN] = "unknown"};
    const struct tn_rec_library *l = tn_why_library(w, v);
    json_t *o = json_object();
    tn_json_set(o, "status", json_string(word[v->outcome]));
    tn_json_set(o, "path", text(v->path));
    tn_json_set(o, "version", version_of(l));
    tn_json_set(o, "owner", text(tn_why_owner(l)));
    return o;
}

static void answer(const struct tn_why *w, const struct tn_why_asker *a, const struct tn_load *v, json_t *o)
{
    tn_json_set(o, "result", result(w, v));
    tn_json_set(o, "searched", searched(w, a->loads, v));
    tn_json_set(o, "shadowed", shadowed(w, v));
}

/* Of one library: the answer of the asker whose outcome is the status of all. Of everything: one for each. */
static void short_answers(const struct tn_why *w, json_t *top)
{
    json_t *libraries = w->lib ? NULL : json_array();
    bool done = false;
    tn_json_set(top, "asked", text(w->lib));
    for (unsigned i = 0; i < w->n; i++) {
        const struct tn_why_asker *a = &w->v[i];
        const struct tn_load *one = w->lib ? tn_why_row(w, a) : NULL;
        if (one && !done && one->outcome == tn_why_outcome(w)) {
            answer(w, a, one, top);
            done = true;
        }
        for (unsigned k = 0; libraries && k < a->loads->n; k++) {
            json_t *o = json_object();
            tn_json_set(o, "asked", text(a->loads->v[k].name));
            tn_json_set(o, "asker", text(a->name));
            answer(w, a, &a->loads->v[k], o);
            tn_json_append(libraries, o);
        }
    }
    if (libraries)
        tn_json_set(top, "libraries", libraries);
}

static json_t *load(const struct tn_why *w, const struct tn_why_asker *a, const struct tn_load *v)
{
    const struct tn_rec_library *l = tn_why_library(w, v);
    json_t *o = json_object(), *hidden = json_array();
    for (size_t i = 0; i < v->n_shadowed; i++)
        tn_json_append(hidden, text(v->shadowed[i]));
    tn_json_set(o, "name", text(v->name));
    tn_json_set(o, "asked_by", text(v->from));
    tn_json_set(o, "how", json_string(v->need ? "need" : tn_ask_how_word(v->ask->how)));
    tn_json_set(o, "class", json_string(tn_ask_class_word(v->ask->is)));
    tn_json_set(o, "part", text(v->ask->part));
    tn_json_set(o, "outcome", json_string(tn_outcome_word(v->outcome)));
    tn_json_set(o, "path", text(v->path));
    tn_json_set(o, "real_path", text(v->real));
    tn_json_set(o, "rule", v->path ? json_string(tn_rule_word(v->rule)) : json_null());
    tn_json_set(o, "run_path_of", text(v->tag));
    tn_json_set(o, "version", version_of(l));
    tn_json_set(o, "owner", text(tn_why_owner(l)));
    tn_json_set(o, "error", text(v->error));
    tn_json_set(o, "culprit", text(v->culprit));
    tn_json_set(o, "hides", hidden);
    tn_json_set(o, "elsewhere", elsewhere(w, v));
    tn_json_set(o, "searched", steps(a->loads, v));
    return o;
}

void tn_why_json(const struct tn_why *w, struct tn_buf *b)
{
    tn_json_seed();
    json_t *top = json_object(), *askers = json_array();
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string("why"));
    tn_json_set(top, "library", text(w->lib));
    tn_json_set(top, "environment", text(w->env && tn_known(w->env->path) ? w->env->path.v : NULL));
    tn_json_set(top, "outcome", json_string(tn_outcome_word(tn_why_outcome(w))));
    short_answers(w, top);
    for (unsigned i = 0; i < w->n; i++) {
        const struct tn_why_asker *a = &w->v[i];
        const struct tn_load *one = w->lib ? tn_why_row(w, a) : NULL;
        json_t *o = json_object(), *loads = json_array();
        if (w->lib && !one) {
            json_decref(o);
            json_decref(loads);
            continue;
        }
        tn_json_set(o, "name", text(a->name));
        tn_json_set(o, "starts", json_string(tn_outcome_word(a->loads->start)));
        for (unsigned k = 0; k < a->loads->n; k++)
            if (!one || one == &a->loads->v[k])
                tn_json_append(loads, load(w, a, &a->loads->v[k]));
        tn_json_set(o, "loads", loads);
        tn_json_append(askers, o);
    }
    tn_json_set(top, "askers", askers);
    tn_json_dump(b, top, 1);
    tn_buf_ch(b, '\n');
    json_decref(top);
}
