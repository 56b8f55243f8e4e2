/* command.c - see command.h. */
#include "report/command.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static const char *const say[TN_MENDS] = {
    TN_S_cm_blank_char,  TN_S_cm_unseen,        TN_S_cm_dash,          TN_S_cm_quote,      TN_S_cm_wide,
    TN_S_cm_entity,      TN_S_cm_open_quote,    TN_S_cm_wrapped,       TN_S_cm_lost_blank, TN_S_cm_extra_blank,
    TN_S_cm_lost_equals, TN_S_cm_lost_dash,     TN_S_cm_lost_scheme,   TN_S_cm_trailing,   TN_S_cm_typo,
    TN_S_cm_prompt,      TN_S_cm_python_prompt, TN_S_cm_single_equals, TN_S_cm_operator,   TN_S_cm_redirect,
    TN_S_cm_brackets,    TN_S_cm_name,          TN_S_cm_never,         TN_S_cm_pin};

static bool is_refused(const struct tn_command *c)
{
    for (unsigned i = 0; i < c->n_repair; i++)
        if (c->repair[i].kind == TN_MEND_NEVER)
            return true;
    return false;
}

/* A prompt alone is how every transcript looks. */
static bool is_prompt_alone(const struct tn_command *c)
{
    return c->n_repair == 1 && c->repair[0].kind == TN_MEND_PROMPT;
}

bool tn_report_command_speaks(const struct tn_commands *all, const struct tn_command *c)
{
    if (c->n_repair == 0 || (!c->right && !is_refused(c)) || is_prompt_alone(c))
        return false;
    return c->damaged || all->talk || is_refused(c) || c->repair[0].kind < TN_MEND_NAME;
}

unsigned tn_report_commands_count(const struct tn_commands *all, bool *ret_refused)
{
    unsigned n = 0;
    *ret_refused = false;
    for (unsigned i = 0; all && i < all->n; i++) {
        bool speaks = tn_report_command_speaks(all, all->v[i]);
        n += speaks;
        *ret_refused |= speaks && is_refused(all->v[i]);
    }
    return n;
}

static void sentence(struct tn_buf *b, const struct tn_repair *m, enum tn_lang lang)
{
    struct tn_arg a[] = {{"was", m->was}, {"now", m->now}, {"because", m->because}};
    struct tn_buf whole;
    tn_buf_init(&whole);
    tn_text_fill(&whole, tn_string(say[m->kind], lang), a, TN_LEN(a));
    for (size_t i = 0; i < whole.n; i++) { /* "(...)" that nothing was put into */
        bool zh = strncmp(whole.p + i, "\xEF\xBC\x88\xEF\xBC\x89", 6) == 0;
        if (zh || strncmp(whole.p + i, " ()", 3) == 0)
            i += zh ? 5 : 2;
        else
            tn_buf_ch(b, whole.p[i]);
    }
    tn_buf_deinit(&whole);
}

static void one(const struct tn_report *r, const struct tn_command *c, struct tn_buf *b)
{
    struct tn_buf line;
    char number[24];
    const char *head = is_refused(c) ? TN_S_cm_refused : c->damaged ? TN_S_cm_damaged : TN_S_cm_better;
    snprintf(number, sizeof number, "%u", c->line);
    struct tn_arg a[] = {{"line", number}, {"given", c->given}};
    tn_buf_init(&line);
    tn_text_fill(&line, tn_string(head, r->lang), a, TN_LEN(a));
    if (!is_refused(c))
        tn_buf_str(&line, r->lang == TN_ZH ? "：" : ":");
    tn_report_wrap(r, b, line.p, 0, 2);
    tn_buf_ch(b, '\n');
    if (!is_refused(c)) {
        tn_buf_str(b, "    ");
        tn_escape_terminal(b, c->right);
        tn_buf_ch(b, '\n');
    }
    for (unsigned i = 0; i < c->n_repair && !r->quiet; i++) {
        tn_buf_clear(&line);
        sentence(&line, &c->repair[i], r->lang);
        tn_buf_str(b, "  - ");
        tn_report_wrap(r, b, line.p, 4, 4);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&line);
}

void tn_report_commands(const struct tn_report *r, const struct tn_commands *all, struct tn_buf *b)
{
    for (unsigned i = 0; i < all->n; i++)
        if (tn_report_command_speaks(all, all->v[i]))
            one(r, all->v[i], b);
}

static json_t *repairs(const struct tn_command *c, enum tn_lang lang)
{
    json_t *list = json_array();
    struct tn_buf b;
    tn_buf_init(&b);
    for (unsigned i = 0; i < c->n_repair; i++) {
        json_t *o = json_object();
        tn_buf_clear(&b);
        sentence(&b, &c->repair[i], lang);
        tn_json_set(o, "id", json_string(tn_mend_word(c->repair[i].kind)));
        tn_json_set(o, "was", tn_json_text(c->repair[i].was));
        tn_json_set(o, "now", tn_json_text(c->repair[i].now));
        tn_json_set(o, "because", *c->repair[i].because ? tn_json_text(c->repair[i].because) : json_null());
        tn_json_set(o, "summary", tn_json_text(b.p));
        tn_json_append(list, o);
    }
    tn_buf_deinit(&b);
    return list;
}

static json_t *part(const struct tn_part *p)
{
    json_t *o = json_object(), *wants = json_array(), *channels = json_array();
    const struct {
        const char *key, *value;
    } text[] = {{"program", p->program}, {"action", p->action},        {"environment", p->env},
                {"python", p->python},   {"index", p->index},          {"extra_index", p->extra_index},
                {"file", p->file},       {"find_links", p->find_links}};
    for (unsigned i = 0; i < TN_LEN(text); i++)
        tn_json_set(o, text[i].key, *text[i].value ? tn_json_text(text[i].value) : json_null());
    for (unsigned i = 0; i < p->n_channel; i++)
        tn_json_append(channels, tn_json_text(p->channel[i]));
    for (unsigned i = 0; i < p->n_want; i++) {
        json_t *w = json_object();
        tn_json_set(w, "name", tn_json_text(p->want[i].name));
        tn_json_set(w, "extras", tn_json_text(p->want[i].extras));
        tn_json_set(w, "spec", tn_json_text(p->want[i].spec));
        tn_json_append(wants, w);
    }
    tn_json_set(o, "channels", channels);
    tn_json_set(o, "packages", wants);
    return o;
}

json_t *tn_report_commands_json(const struct tn_commands *all, enum tn_lang lang)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < all->n; i++) {
        const struct tn_command *c = all->v[i];
        json_t *o = json_object(), *parts = json_array();
        tn_json_set(o, "line", json_integer(c->line));
        tn_json_set(o, "given", tn_json_text(c->given));
        tn_json_set(o, "right", c->right ? tn_json_text(c->right) : json_null());
        tn_json_set(o, "damaged", json_boolean(c->damaged));
        tn_json_set(o, "refused", json_boolean(is_refused(c)));
        tn_json_set(o, "repairs", repairs(c, lang));
        for (unsigned k = 0; k < c->n_part; k++)
            tn_json_append(parts, part(&c->part[k]));
        tn_json_set(o, "parts", parts);
        tn_json_append(list, o);
    }
    return list;
}
