/* explain_text.c - what a text comes to, for people: the cause with the lines that speak for it, what else may be, why,
 * and the one thing to do. JSON is that of the verdict (verdict_json.c). */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "report/command.h"
#include "report/explain.h"
#include "strings.gen.h"

static const char *str(const struct tn_report *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

static const char *word_of(const struct tn_report *r, const struct tn_finding *f)
{
    static const char *const word[] = {TN_S_ex_word_confirmed, TN_S_ex_word_likely, TN_S_ex_word_possible};
    const struct tn_cause *c = tn_cause_find(f->cause);
    if (f->status == TN_RULED_OUT)
        return str(r, TN_S_word_ruled_out);
    if (f->behind)
        return str(r, TN_S_word_consequence);
    if (c && strcmp(c->layer, "benign") == 0)
        return str(r, TN_S_ex_harmless);
    return str(r, word[f->status <= TN_POSSIBLE ? f->status : TN_POSSIBLE]);
}

static void head(const struct tn_report *r, struct tn_buf *b, const struct tn_finding *f)
{
    struct tn_buf say;
    const char *word = word_of(r, f);
    tn_buf_init(&say);
    tn_finding_say(&say, f, r->lang);
    tn_buf_printf(&say, " [%s]", f->cause);
    tn_buf_printf(b, "%s%s", word, r->lang == TN_ZH ? "：" : ": ");
    tn_report_wrap(r, b, say.p, tn_utf8_width(word) + 2, 4);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&say);
}

static bool is_message(const struct tn_rec_observation *o)
{
    return tn_known(o->fact) && tn_str_starts(o->fact.v, "message.");
}

/* Another message of this line was shown: it is the same line. */
static bool was_shown(const struct tn_snap *s, const struct tn_finding *f, unsigned i)
{
    const struct tn_rec_observation *o = &s->observation.v[f->evidence[i].row];
    while (i-- > 0) {
        const struct tn_rec_observation *x = &s->observation.v[f->evidence[i].row];
        if (f->evidence[i].rec == TN_REC_observation && f->evidence[i].row < s->observation.n && is_message(x) &&
            is_message(o) && x->line.k == TN_KNOWN && o->line.k == TN_KNOWN && x->line.v == o->line.v)
            return true;
    }
    return false;
}

/* The lines of the text, at most three; --verbose: all facts. */
static void evidence(const struct tn_report *r, struct tn_buf *b, const struct tn_finding *f)
{
    const struct tn_snap *s = r->judge->s;
    struct tn_buf line;
    unsigned shown = 0;
    tn_buf_init(&line);
    for (unsigned i = 0; i < f->n_evidence && (r->verbose || shown < 3); i++) {
        struct tn_ref at = f->evidence[i];
        if (at.rec != TN_REC_observation || at.row >= s->observation.n || was_shown(s, f, i))
            continue;
        const struct tn_rec_observation *o = &s->observation.v[at.row];
        char number[24];
        tn_buf_clear(&line);
        snprintf(number, sizeof number, "%lld", (long long)(o->line.k == TN_KNOWN ? o->line.v : 0));
        struct tn_arg a[] = {{"line", number}};
        if (o->line.k == TN_KNOWN)
            tn_text_fill(&line, str(r, TN_S_ex_line), a, 1);
        else
            tn_buf_str(&line, str(r, TN_S_ex_here));
        bool message = is_message(o);
        tn_buf_str(&line, ": ");
        if (!message && tn_known(o->fact))
            tn_buf_printf(&line, "%s = ", o->fact.v + (tn_str_starts(o->fact.v, "here.") ? strlen("here.") : 0));
        tn_buf_str(&line, tn_known(o->value) ? o->value.v : "");
        tn_buf_str(b, "    ");
        tn_report_wrap(r, b, line.p, 4, 8);
        tn_buf_ch(b, '\n');
        shown++;
    }
    tn_buf_deinit(&line);
}

void tn_report_explain(const struct tn_report *r, struct tn_buf *b)
{
    const struct tn_sink *found = r->findings;
    bool refused, speaks = r->commands && tn_report_commands_count(r->commands, &refused);
    if (!r->verdict->first && speaks) {
        tn_report_commands(r, r->commands, b);
    } else if (!r->verdict->first) {
        tn_buf_printf(b, "%s\n", str(r, r->verdict->say));
        if (found->n == 0) {
            tn_report_wrap(r, b, str(r, TN_S_ex_ask), 0, 2);
            tn_buf_ch(b, '\n');
        }
    }
    for (size_t i = 0; i < found->n; i++) {
        const struct tn_finding *f = &found->v[i];
        if (i > 0 && !r->verbose && (r->quiet || i >= 4 || (f->behind && i >= 2)))
            continue;
        head(r, b, f);
        if (!r->quiet)
            evidence(r, b, f);
    }
    if (r->verdict->first && speaks && !r->quiet)
        tn_report_commands(r, r->commands, b);
    if (!r->quiet)
        tn_report_why(r, b);
    if (r->commands && !r->quiet)
        tn_report_advice(r, b);
    if (r->verdict->first && !r->quiet)
        tn_report_check(r, b);
    if (r->verdict->first)
        tn_report_remedy(r, b);
}
