/* fix_text.c - see fix.h: the cause, the steps with what each changes, needs and how it is undone, what stays, then
 * the other ways. */
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "report/fix.h"
#include "report/plan.h"
#include "strings.gen.h"

static const char *str(const struct tn_report_fix *r, const char *id)
{
    const char *s = tn_string(id, r->of->lang);
    return s ? s : id;
}

static void line(const struct tn_report_fix *r, struct tn_buf *b, unsigned indent, const char *text)
{
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_report_wrap(r->of, b, text, indent, indent);
    tn_buf_ch(b, '\n');
}

static void filled(const struct tn_report_fix *r, struct tn_buf *b, unsigned indent, const char *id, const char *key,
                   const char *value)
{
    struct tn_buf t;
    struct tn_arg a[] = {{key, value}};
    tn_buf_init(&t);
    tn_text_fill(&t, str(r, id), a, 1);
    line(r, b, indent, t.p);
    tn_buf_deinit(&t);
}

static void command(const struct tn_report_fix *r, const struct tn_remedy *m, struct tn_buf *b)
{
    struct tn_buf lines;
    tn_buf_init(&lines);
    if (tn_remedy_count(m, r->of->judge->s) == 1 ? tn_report_command(r->of, m, &lines)
                                                 : tn_remedy_lines(&lines, m, r->of->judge->s, r->of->shell))
        for (char *p = lines.p; p && *p;) { /* a command is never wrapped */
            size_t n = strcspn(p, "\n");
            bool more = p[n] == '\n';
            p[n] = 0;
            tn_buf_str(b, "     ");
            tn_escape_terminal(b, p);
            tn_buf_ch(b, '\n');
            p += n + more;
        }
    tn_buf_deinit(&lines);
}

/* "in this environment only"; "administrator rights, a restart"; how it is undone. */
static void about(const struct tn_report_fix *r, const struct tn_remedy *m, const struct tn_remedy_text *t,
                  struct tn_buf *b)
{
    struct tn_buf needs, text;
    tn_buf_init(&needs);
    tn_buf_init(&text);
    tn_text_fill(&text, t->changes[r->of->lang], m->arg, m->n_arg);
    filled(r, b, 5, TN_S_pl_step_changes, "text", text.p);
    tn_report_needs(r->of, &needs, t->needs);
    if (*t->size)
        tn_buf_printf(&needs, "%s%s", needs.n ? (r->of->lang == TN_ZH ? "、" : ", ") : "", t->size);
    if (needs.n)
        filled(r, b, 5, TN_S_fx_needs, "text", needs.p);
    tn_buf_clear(&text);
    tn_text_fill(&text, t->undo[r->of->lang], m->arg, m->n_arg);
    filled(r, b, 5, TN_S_pl_step_undo, "text", text.p);
    tn_buf_deinit(&needs);
    tn_buf_deinit(&text);
}

static void step(const struct tn_report_fix *r, unsigned number, const struct tn_remedy *m, struct tn_buf *b)
{
    struct tn_remedy_text t;
    struct tn_buf say;
    if (!tn_remedy_find(m->id, &t))
        return;
    tn_buf_init(&say);
    tn_remedy_say(&say, m, r->of->lang);
    tn_buf_printf(b, "  %u. ", number);
    tn_report_wrap(r->of, b, say.p, 5, 5);
    tn_buf_ch(b, '\n');
    command(r, m, b);
    about(r, m, &t, b);
    tn_buf_deinit(&say);
}

static void check_step(const struct tn_report_fix *r, unsigned number, struct tn_buf *b)
{
    static const char *const nothing[] = {NULL};
    struct tn_remedy m = {.id = "ask-doctor"};
    struct tn_report here = *r->of;
    struct tn_buf c;
    tn_buf_init(&c);
    here.again = here.again ? here.again : nothing;
    tn_buf_printf(b, "  %u. %s\n", number, str(r, TN_S_fx_check));
    if (tn_report_command(&here, &m, &c)) {
        tn_buf_str(b, "     ");
        tn_escape_terminal(b, c.p);
        tn_buf_ch(b, '\n');
    }
    tn_buf_deinit(&c);
}

static const char *untold(enum tn_fix_told told)
{
    static const char id[TN_FIX_TOLD_KINDS][24] = {"fx_untold_try",     TN_S_fx_untold,  "fx_untold_elsewhere",
                                                   "fx_untold_program", "fx_untold_try", "fx_untold_choice",
                                                   "fx_untold_by_hand", "fx_untold_anew"};
    return id[told];
}

static void outcome(const struct tn_report_fix *r, struct tn_buf *b)
{
    struct tn_buf t;
    tn_buf_init(&t);
    if (r->outcome == TN_FIX_UNTOLD) {
        tn_buf_str(&t, str(r, untold(r->told)));
    } else if (r->outcome == TN_FIX_GONE) {
        tn_buf_str(&t, str(r, TN_S_fx_gone));
    } else if (!r->stays) {
        tn_buf_str(&t, str(r, TN_S_fx_mends));
    } else {
        tn_buf_str(&t, str(r, TN_S_pl_stays));
        tn_finding_say(&t, r->stays, r->of->lang);
        tn_buf_printf(&t, " [%s]", r->stays->cause);
    }
    line(r, b, 0, t.p);
    tn_buf_deinit(&t);
}

static void others(const struct tn_report_fix *r, struct tn_buf *b)
{
    const struct tn_fix *f = r->fix;
    if (f->n_other)
        tn_buf_printf(b, "%s\n", str(r, TN_S_fx_head_other));
    for (unsigned i = 0; i < f->n_other; i++) {
        struct tn_remedy_text t;
        struct tn_buf say, needs;
        tn_buf_init(&say);
        tn_buf_init(&needs);
        tn_remedy_say(&say, &f->other[i], r->of->lang);
        if (tn_remedy_find(f->other[i].id, &t))
            tn_report_needs(r->of, &needs, t.needs);
        if (needs.n)
            tn_buf_printf(&say, r->of->lang == TN_ZH ? "（%s）" : " (%s)", needs.p);
        tn_buf_str(b, "  -  ");
        tn_report_wrap(r->of, b, say.p, 5, 5);
        tn_buf_ch(b, '\n');
        command(r, &f->other[i], b);
        tn_buf_deinit(&say);
        tn_buf_deinit(&needs);
    }
}

static void nothing(const struct tn_report_fix *r, struct tn_buf *b)
{
    struct tn_buf t, say;
    tn_buf_init(&t);
    tn_buf_init(&say);
    tn_report_say(r->of, &say);
    struct tn_arg a[] = {{"cause", r->cause ? r->cause : ""}};
    tn_text_fill(&t, str(r, r->cause ? TN_S_fx_holds_not : TN_S_fx_nothing), a, 1);
    line(r, b, 0, t.p);
    line(r, b, 0, say.p);
    if (r->of->verdict->first && r->cause) {
        tn_buf_clear(&t);
        if (tn_report_fix_command(r->of, r->of->verdict->first->cause, &t))
            tn_buf_printf(b, "  %s\n", t.p);
    }
    tn_buf_deinit(&t);
    tn_buf_deinit(&say);
}

static void notes(const struct tn_report_fix *r, struct tn_buf *b)
{
    for (unsigned i = 0; i < r->fix->notes.n; i++) {
        struct tn_buf t;
        tn_buf_init(&t);
        tn_text_fill(&t, str(r, r->fix->notes.v[i].id), r->fix->notes.v[i].arg, r->fix->notes.v[i].n_arg);
        tn_buf_str(b, "  ! ");
        tn_report_wrap(r->of, b, t.p, 4, 4);
        tn_buf_ch(b, '\n');
        tn_buf_deinit(&t);
    }
}

/* How the package manager of this system tells what it would do; NULL: not known. */
static const char *try_of(const struct tn_snap *s)
{
    static const char *const apt[] = {"debian", "ubuntu", "linuxmint", "pop", "zorin", "elementary", "kali", NULL};
    static const char *const dnf[] = {"fedora", "rhel", "rocky", "almalinux", "centos", "ol", "amzn", NULL};
    static const char *const suse[] = {"opensuse-leap", "opensuse-tumbleweed", "sles", NULL};
    static const char *const arch[] = {"arch", "manjaro", "endeavouros", NULL};
    const struct tn_rec_host *h = TN_THE(s, host);
    if (!tn_says(h->os, "linux") || !tn_known(h->distro))
        return NULL;
    const char *d = h->distro.v;
    return tn_str_in(d, apt)    ? "LC_ALL=C apt-get -s"
           : tn_str_in(d, dnf)  ? "LC_ALL=C dnf --assumeno"
           : tn_str_in(d, suse) ? "LC_ALL=C zypper --non-interactive install --dry-run"
           : tn_str_in(d, arch) ? "echo n | LC_ALL=C pacman"
                                : NULL;
}

void tn_report_fix_text(const struct tn_report_fix *r, struct tn_buf *b)
{
    struct tn_buf say;
    if (!r->fix) {
        nothing(r, b);
        return;
    }
    tn_buf_init(&say);
    tn_finding_say(&say, r->fix->finding, r->of->lang);
    tn_buf_printf(&say, " [%s]", r->fix->finding->cause);
    line(r, b, 0, say.p);
    tn_buf_deinit(&say);
    if (r->cause && !tn_str_eq(r->cause, r->fix->finding->cause))
        filled(r, b, 0, TN_S_fx_behind, "cause", r->cause);
    notes(r, b);
    if (r->plan) {
        struct tn_report_plan p = {.plan = r->plan,
                                   .steps = r->steps,
                                   .stays = r->stays,
                                   .shell = r->of->shell,
                                   .mem = r->mem,
                                   .lang = r->of->lang,
                                   .color = r->of->color,
                                   .verbose = true,
                                   .width = r->of->width};
        tn_report_plan_text(&p, b);
    } else {
        outcome(r, b);
        tn_buf_printf(b, "%s\n", str(r, TN_S_pl_head_steps));
        for (unsigned i = 0; i < r->fix->n_step; i++)
            step(r, i + 1, &r->fix->step[i], b);
        if (!tn_str_eq(r->fix->chosen.id, "expect-cpu")) /* looks itself */
            check_step(r, r->fix->n_step + 1, b);
        if (r->fix->driver)
            line(r, b, 0, str(r, TN_S_fx_driver_word));
        const char *try = try_of(r->of->judge->s);
        if (r->fix->driver && try)
            filled(r, b, 0, TN_S_fx_simulate, "try", try);
    }
    others(r, b);
}
