/* say.c - the sentences that text and JSON have in common: verdict, layer, the one next command.
 *
 * Invariant: none is empty, and a command is one line that can be pasted. */
#include <string.h>

#include "base/str.h"
#include "report/report.h"

void tn_report_say(const struct tn_report *r, struct tn_buf *ret)
{
    const struct tn_verdict *v = r->verdict;
    const char *form = v->first ? NULL : tn_string(v->say, r->lang);
    if (v->first) {
        tn_finding_say(ret, v->first, r->lang);
    } else if (v->open) {
        const struct tn_cause *c = tn_cause_find(v->open->cause);
        struct tn_arg a[] = {{"title", c ? tn_cause_title(c, r->lang) : v->open->cause}};
        tn_text_fill(ret, form ? form : v->say, a, 1);
    } else {
        tn_text_fill(ret, form ? form : v->say, v->arg, v->n_arg);
    }
}

bool tn_report_say_layer(const struct tn_report *r, const struct tn_layer *l, struct tn_buf *ret)
{
    const char *form = l->say ? tn_string(l->say, r->lang) : NULL;
    if (l->finding)
        tn_finding_say(ret, l->finding, r->lang);
    else if (form)
        tn_text_fill(ret, form, l->arg, l->n_arg);
    return l->finding || form;
}

/* "tenon doctor --verbose" of a record must name the record again. */
static bool add_subject(const struct tn_report *r, struct tn_buf *command)
{
    static const char head[] = "tenon doctor";
    struct tn_buf b;
    bool ok = true;
    if (!r->again || !*r->again || !tn_str_starts(command->p, head))
        return true;
    tn_buf_init(&b);
    tn_buf_str(&b, head);
    for (const char *const *word = r->again; *word && ok; word++) {
        tn_buf_ch(&b, ' ');
        ok = tn_shell_quote(&b, r->shell, *word);
    }
    tn_buf_str(&b, command->p + strlen(head));
    tn_buf_clear(command);
    tn_buf_str(command, b.p);
    tn_buf_deinit(&b);
    return ok;
}

bool tn_report_command(const struct tn_report *r, const struct tn_remedy *m, struct tn_buf *ret)
{
    struct tn_buf b;
    tn_buf_init(&b);
    bool ok = tn_remedy_command(&b, m, r->judge->s, r->shell) && add_subject(r, &b);
    if (ok)
        tn_buf_str(ret, b.p);
    tn_buf_deinit(&b);
    return ok;
}

bool tn_report_fix_command(const struct tn_report *r, const char *cause, struct tn_buf *ret)
{
    bool ok = true;
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_printf(&b, "tenon plan --fix %s", cause);
    for (const char *const *word = r->again; word && *word && ok; word++) {
        tn_buf_ch(&b, ' ');
        ok = tn_shell_quote(&b, r->shell, *word);
    }
    if (ok)
        tn_buf_str(ret, b.p);
    tn_buf_deinit(&b);
    return ok;
}

static bool is_denied(const struct tn_report *r, const struct tn_finding *f)
{
    struct tn_buf name, value;
    const char *from;
    bool yes = false;
    tn_buf_init(&name);
    tn_buf_init(&value);
    for (unsigned i = 0; f && i < f->n_evidence; i++) {
        tn_report_fact(r->judge->s, f->evidence[i], &name, &value, &from);
        yes |= strcmp(value.p, tn_know_word(TN_DENIED)) == 0;
    }
    tn_buf_deinit(&name);
    tn_buf_deinit(&value);
    return yes;
}

/* Something to do that is no command: in a menu, or in one's own program. */
static bool is_words_alone(const struct tn_remedy *m)
{
    struct tn_remedy_text t;
    return tn_remedy_find(m->id, &t) && t.n_command == 0;
}

bool tn_report_next(const struct tn_report *r, struct tn_remedy *ret)
{
    const struct tn_finding *f = r->verdict->first;
    struct tn_buf b;
    bool found = false;
    if (!f && r->verdict->status != TN_VERDICT_UNKNOWN)
        return false; /* all is well: nothing to run */
    tn_buf_init(&b);
    for (unsigned i = 0; f && i < f->n_remedy && !found; i++)
        if ((found = tn_report_command(r, &f->remedy[i], &b) || is_words_alone(&f->remedy[i])) != false)
            *ret = f->remedy[i];
    tn_buf_deinit(&b);
    if (found)
        return true;
    if (r->commands)
        return false; /* of a text there is nothing to look at again */
    bool here = !r->again || !*r->again, windows = tn_says(TN_THE(r->judge->s, host)->os, "windows");
    memset(ret, 0, sizeof *ret);
    bool may = here && !windows && !tn_is(TN_THE(r->judge->s, host)->root, 1);
    ret->id = may && is_denied(r, r->verdict->open) ? "look-as-root" : "look-closer";
    return true;
}
