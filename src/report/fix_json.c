/* fix_json.c - see fix.h: json_contract.md, command plan, and "fix" beside it. */
#include <jansson.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "report/fix.h"
#include "report/plan.h"
#include "snapshot/json.h"

static json_t *shown(const struct tn_buf *b)
{
    struct tn_buf safe;
    tn_buf_init(&safe);
    tn_escape_terminal(&safe, b->p ? b->p : "");
    json_t *j = tn_json_text(safe.p ? safe.p : "");
    tn_buf_deinit(&safe);
    return j;
}

static json_t *filled(const struct tn_remedy *m, const char *text)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, text, m->arg, m->n_arg);
    json_t *j = shown(&b);
    tn_buf_deinit(&b);
    return j;
}

static bool needs(const char *words, const char *word)
{
    return words && strstr(words, word) != NULL; /* root, reboot, network: none is part of another */
}

static json_t *step(const struct tn_report_fix *r, const struct tn_remedy *m)
{
    struct tn_remedy_text t;
    struct tn_buf b;
    enum tn_lang lang = r->of->lang;
    if (!tn_remedy_find(m->id, &t))
        return NULL;
    tn_buf_init(&b);
    bool ok = tn_remedy_lines(&b, m, r->of->judge->s, r->of->shell);
    json_t *j =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:o}", "id", m->id, "what", filled(m, t.title[lang]),
                  "command", ok ? tn_json_text(b.p) : json_null(), "changes", filled(m, t.changes[lang]), "undo",
                  filled(m, t.undo[lang]), "network", needs(t.needs, "network"), "root", needs(t.needs, "root"),
                  "reboot", needs(t.needs, "reboot"), "source", *t.source ? json_string(t.source) : json_null());
    tn_buf_deinit(&b);
    return j;
}

static json_t *list(const struct tn_report_fix *r, const struct tn_remedy *m, unsigned n)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < n; i++)
        tn_json_append(all, step(r, &m[i]));
    return all;
}

static json_t *about(const struct tn_report_fix *r)
{
    static const char *const word[] = {"not_told", "mends", "stays", "gone"};
    static const char why[TN_FIX_TOLD_KINDS][12] = {"",    "looks",  "elsewhere", "program",
                                                    "try", "choice", "by_hand",   "anew"};
    struct tn_buf b;
    tn_buf_init(&b);
    if (r->fix)
        tn_finding_say(&b, r->fix->finding, r->of->lang);
    else
        tn_report_say(r->of, &b);
    json_t *j = json_pack("{s:o, s:o, s:b, s:o, s:o, s:b}", "asked", r->cause ? json_string(r->cause) : json_null(),
                          "cause", r->fix ? json_string(r->fix->finding->cause) : json_null(), "holds", r->fix != NULL,
                          "summary", shown(&b), "simulated", r->fix ? json_string(word[r->outcome]) : json_null(),
                          "driver", r->fix && r->fix->driver);
    bool untold = r->fix && r->outcome == TN_FIX_UNTOLD && !r->plan;
    tn_json_set(j, "not_told_because", untold ? json_string(r->told ? why[r->told] : "try") : json_null());
    tn_json_set(j, "others", r->fix ? list(r, r->fix->other, r->fix->n_other) : json_array());
    tn_buf_deinit(&b);
    return j;
}

static json_t *notes(const struct tn_report_fix *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; r->fix && i < r->fix->notes.n; i++) {
        struct tn_buf b;
        tn_buf_init(&b);
        tn_text_fill(&b, tn_string(r->fix->notes.v[i].id, r->of->lang), r->fix->notes.v[i].arg,
                     r->fix->notes.v[i].n_arg);
        tn_json_append(all, shown(&b));
        tn_buf_deinit(&b);
    }
    return all;
}

void tn_report_fix_json(const struct tn_report_fix *r, struct tn_buf *ret)
{
    json_t *j;
    tn_json_seed();
    if (r->plan) {
        struct tn_report_plan p = {.plan = r->plan,
                                   .steps = r->steps,
                                   .stays = r->stays,
                                   .shell = r->of->shell,
                                   .mem = r->mem,
                                   .lang = r->of->lang};
        j = tn_report_plan_document(&p);
    } else {
        j = json_pack("{s:i, s:s, s:s, s:n, s:n, s:o, s:o, s:[], s:[], s:o}", "schema_version", 1, "command", "plan",
                      "status", r->fix && !r->fix->n_step ? "none" : "fits", "choice", "test_status", "steps",
                      r->fix ? list(r, r->fix->step, r->fix->n_step) : json_array(), "stays",
                      r->stays ? json_string(r->stays->cause) : json_null(), "conflict", "ways_out", "warnings",
                      notes(r));
    }
    tn_json_set(j, "fix", about(r));
    tn_json_dump(ret, j, 1);
    json_decref(j);
}
