/* plan_json.c - see plan.h: json_contract.md, command plan. */
#include <jansson.h>

#include "base/str.h"
#include "report/command.h"
#include "report/escape.h"
#include "report/plan.h"
#include "plan/step_json.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static json_t *text(const char *s)
{
    return s && *s ? tn_json_text(s) : json_null();
}

/* A sentence, shown: a name from outside may be no text. */
static json_t *shown(const struct tn_buf *b)
{
    struct tn_buf safe;
    tn_buf_init(&safe);
    tn_escape_terminal(&safe, b->p);
    json_t *j = tn_json_text(safe.p);
    tn_buf_deinit(&safe);
    return j;
}

static json_t *say(const struct tn_report_plan *r, const struct tn_plan_say *s)
{
    struct tn_buf b;
    const char *form = tn_string(s->id, r->lang);
    tn_buf_init(&b);
    tn_text_fill(&b, form ? form : s->id, s->arg, s->n_arg);
    json_t *j = json_pack("{s:s, s:o, s:o}", "id", s->id, "text", shown(&b), "source", text(s->cite.source));
    tn_buf_deinit(&b);
    return j;
}

static json_t *says(const struct tn_report_plan *r, const struct tn_plan_says *all)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < all->n; i++)
        tn_json_append(list, say(r, &all->v[i]));
    return list;
}

static json_t *sentences(const struct tn_report_plan *r, const struct tn_plan_says *all)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < all->n; i++) {
        json_t *j = say(r, &all->v[i]);
        json_array_append(list, json_object_get(j, "text"));
        json_decref(j);
    }
    return list;
}

static json_t *choice(const struct tn_plan_choice *c)
{
    json_t *j = json_object();
    for (unsigned i = 0; i < c->n; i++)
        tn_json_set(j, tn_plan_kind_word(c->build[i]->kind), text(c->build[i]->version));
    tn_json_set(j, "python", text(c->python));
    tn_json_set(j, "cuda", text(c->cuda));
    tn_json_set(j, "cudnn", text(c->cudnn));
    for (unsigned i = 0; i < c->n_pin; i++)
        tn_json_set(j, c->pin[i].name, text(*c->pin[i].version ? c->pin[i].version : c->pin[i].spec));
    return j;
}

static json_t *builds(const struct tn_plan_choice *c)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < c->n; i++) {
        const struct tn_plan_build *b = c->build[i];
        tn_json_append(list,
                       json_pack("{s:s, s:s, s:s, s:o, s:b, s:o, s:o, s:s, s:o}", "name", tn_plan_kind_word(b->kind),
                                 "package", b->package, "version", b->version, "variant", text(b->variant), "gpu",
                                 b->gpu, "built_for_cuda", text(b->cuda), "built_for_cudnn", text(b->cudnn),
                                 "test_status", tn_plan_quality_word(b->quality), "source", text(b->cite.source)));
    }
    return list;
}

void tn_report_changes(const struct tn_plan_way *w, enum tn_lang lang, struct tn_buf *ret)
{
    for (unsigned k = 0; k < w->n_change; k++) {
        const char *form = tn_string(w->change[k].id, lang);
        struct tn_buf one;
        tn_buf_init(&one);
        tn_text_fill(&one, form ? form : w->change[k].id, w->change[k].arg, w->change[k].n_arg);
        if (k && lang == TN_ZH) /* a blank between Chinese and Latin letters */
            tn_buf_str(ret, one.n && (unsigned char)one.p[0] < 0x80 ? "，并且 " : "，并且");
        else if (k)
            tn_buf_str(ret, " and ");
        tn_buf_str(ret, one.n ? one.p : "");
        tn_buf_deinit(&one);
    }
}

static json_t *ways(const struct tn_report_plan *r)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < r->plan->n_way; i++) {
        const struct tn_plan_way *w = &r->plan->way[i];
        struct tn_buf b;
        tn_buf_init(&b);
        tn_report_changes(w, r->lang, &b);
        tn_json_append(list,
                       json_pack("{s:o, s:o, s:s, s:o}", "change", shown(&b), "choice", choice(&w->choice), "method",
                                 tn_plan_method_word(w->method), "image", text(w->image ? w->image : "")));
        tn_buf_deinit(&b);
    }
    return list;
}

static json_t *sentence(const struct tn_report_plan *r, const struct tn_plan_say *s)
{
    json_t *j = say(r, s), *text_only = json_incref(json_object_get(j, "text"));
    json_decref(j);
    return text_only;
}

/* "a\nb\n" as one command a line. */
static json_t *step(const struct tn_report_plan *r, const struct tn_plan_step *s)
{
    struct tn_plan_say what, changes, undo;
    struct tn_buf b;
    tn_buf_init(&b);
    tn_plan_step_says(r->mem, s, &what, &changes, &undo);
    bool ok = tn_plan_step_command(r->mem, r->steps, s, r->shell, &b);
    if (ok && b.n)
        b.p[--b.n] = 0;
    json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o}", "what", sentence(r, &what), "command",
                          ok ? tn_json_text(b.p) : json_null(), "changes", sentence(r, &changes), "undo",
                          sentence(r, &undo), "network", s->network, "root", s->root, "mb",
                          s->mb ? json_integer(s->mb) : json_null(), "source", text(s->cite.source));
    tn_json_set(j, "do", tn_plan_step_json(s));
    tn_buf_deinit(&b);
    return j;
}

static json_t *steps(const struct tn_report_plan *r)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < r->steps->n; i++)
        tn_json_append(list, step(r, &r->steps->v[i]));
    return list;
}

json_t *tn_report_plan_document(const struct tn_report_plan *r)
{
    const struct tn_plan *p = r->plan;
    bool fits = p->end == TN_PLAN_FITS;
    json_t *j = json_pack("{s:i, s:s, s:s, s:s}", "schema_version", 1, "command", "plan", "status",
                          fits                     ? "fits"
                          : p->end == TN_PLAN_NONE ? "none"
                                                   : "unknown",
                          "method", tn_plan_method_word(p->method));
    tn_json_set(j, "image", text(p->image ? p->image : ""));
    tn_json_set(j, "choice", fits ? choice(&p->choice) : json_null());
    tn_json_set(j, "builds", fits ? builds(&p->choice) : json_array());
    tn_json_set(j, "test_status", fits ? json_string(tn_plan_quality_word(p->choice.quality)) : json_null());
    tn_json_set(j, "machine", tn_plan_machine_json(&p->machine));
    tn_json_set(j, "steps", steps(r));
    tn_json_set(j, "stays", r->stays ? json_string(r->stays->cause) : json_null());
    if (r->commands && r->commands->n)
        tn_json_set(j, "commands", tn_report_commands_json(r->commands, r->lang));
    if (r->online)
        tn_json_set(j, "online", tn_report_online_json(r->online, r->lang));
    tn_json_set(j, "conflict", sentences(r, &p->conflict));
    tn_json_set(j, fits ? "also" : "ways_out", ways(r));
    tn_json_set(j, "why", says(r, &p->why));
    tn_json_set(j, "warnings", sentences(r, &p->warning));
    tn_json_set(j, "rewritten", says(r, &p->wishes.say));
    return j;
}

void tn_report_plan_json(const struct tn_report_plan *r, struct tn_buf *ret)
{
    tn_json_seed();
    json_t *j = tn_report_plan_document(r);
    tn_json_dump(ret, j, 1);
    json_decref(j);
}

void tn_report_plans(const struct tn_report_plan *r, unsigned n, bool json, struct tn_buf *ret)
{
    json_t *list = NULL;
    bool fits = true;
    if (json) {
        tn_json_seed();
        list = json_array();
    }
    for (unsigned i = 0; i < n; i++) {
        fits = fits && r[i].plan->end == TN_PLAN_FITS;
        if (json) {
            tn_json_append(list, tn_report_plan_document(&r[i]));
            continue;
        }
        tn_buf_printf(ret, "%s== %s\n", i ? "\n" : "", r[i].plan->wishes.v[0].asked);
        tn_report_plan_text(&r[i], ret);
    }
    if (!json)
        return;
    json_t *j = json_object();
    tn_json_set(j, "schema_version", json_integer(1));
    tn_json_set(j, "command", json_string("plan"));
    tn_json_set(j, "status", json_string(fits ? "fits" : "none"));
    tn_json_set(j, "side_by_side", list);
    tn_json_dump(ret, j, 1);
    json_decref(j);
}
