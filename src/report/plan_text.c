/* plan_text.c - see plan.h: the answer first, then why, then what else has to be known. */
#include <string.h>

#include "base/str.h"
#include "report/escape.h"
#include "report/command.h"
#include "report/plan.h"
#include "strings.gen.h"

static const char *str(const struct tn_report_plan *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

static void wrap(const struct tn_report_plan *r, struct tn_buf *b, const char *text, unsigned start, unsigned indent)
{
    struct tn_report w = {.lang = r->lang, .width = r->width};
    tn_report_wrap(&w, b, text, start, indent);
}

static void say(const struct tn_report_plan *r, const struct tn_plan_say *s, struct tn_buf *ret)
{
    tn_text_fill(ret, str(r, s->id), s->arg, s->n_arg);
}

static void says(const struct tn_report_plan *r, const struct tn_plan_says *all, const char *mark, struct tn_buf *b)
{
    for (unsigned i = 0; i < all->n; i++) {
        struct tn_buf line;
        tn_buf_init(&line);
        say(r, &all->v[i], &line);
        tn_buf_printf(b, "  %s ", mark);
        wrap(r, b, line.p, 4, 4);
        tn_buf_ch(b, '\n');
        if (r->verbose && all->v[i].cite.source && *all->v[i].cite.source) {
            tn_buf_str(b, "    [");
            tn_escape_terminal(b, all->v[i].cite.source);
            tn_buf_str(b, "]\n");
        }
        tn_buf_deinit(&line);
    }
}

/* "tensorflow 2.20.0, Python 3.12, CUDA 12.5, cuDNN 9.3" */
static void choice(const struct tn_report_plan *r, const struct tn_plan_choice *c, struct tn_buf *b)
{
    const char *comma = r->lang == TN_ZH ? "、" : ", ";
    for (unsigned i = 0; i < c->n; i++) {
        const struct tn_plan_build *x = c->build[i];
        tn_buf_printf(b, "%s%s %s%s%s", i ? comma : "", x->package, x->version, *x->variant ? "+" : "", x->variant);
    }
    if (*c->python)
        tn_buf_printf(b, "%sPython %s", c->n ? comma : "", c->python);
    if (*c->cuda)
        tn_buf_printf(b, "%sCUDA %s", comma, c->cuda);
    if (*c->cudnn)
        tn_buf_printf(b, "%scuDNN %s", comma, c->cudnn);
}

static const char *quality(const struct tn_report_plan *r, enum tn_plan_quality q)
{
    static const char *const ids[] = {TN_S_pl_quality_tested, TN_S_pl_quality_documented, TN_S_pl_quality_untested};
    return str(r, ids[q]);
}

static void head(const struct tn_report_plan *r, struct tn_buf *b)
{
    struct tn_buf what, line;
    tn_buf_init(&what);
    tn_buf_init(&line);
    choice(r, &r->plan->choice, &what);
    struct tn_arg a[] = {{"what", what.p}};
    bool refused = r->online && r->online->refused;
    tn_text_fill(&line, str(r, refused ? TN_S_pl_head_refused_online : TN_S_pl_head_fits), a, 1);
    tn_buf_printf(&line, r->lang == TN_ZH ? "（%s）" : " (%s)", quality(r, r->plan->choice.quality));
    wrap(r, b, line.p, 0, 2);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&what);
    tn_buf_deinit(&line);
}

/* With --verbose: what a step needs, changes, and how that is undone. */
static void needs(const struct tn_report_plan *r, const struct tn_plan_step *s, const struct tn_plan_say *changes,
                  const struct tn_plan_say *undo, struct tn_buf *b)
{
    static const char *const ids[] = {TN_S_pl_step_changes, TN_S_pl_step_undo};
    const struct tn_plan_say *all[] = {changes, undo};
    for (unsigned i = 0; i < TN_LEN(all); i++) {
        struct tn_buf text, line;
        tn_buf_init(&text);
        tn_buf_init(&line);
        say(r, all[i], &text);
        struct tn_arg a[] = {{"text", text.p}};
        tn_text_fill(&line, str(r, ids[i]), a, 1);
        tn_buf_str(b, "     ");
        wrap(r, b, line.p, 5, 5);
        tn_buf_ch(b, '\n');
        tn_buf_deinit(&text);
        tn_buf_deinit(&line);
    }
    if (s->network)
        tn_buf_printf(b, "     %s\n", str(r, TN_S_pl_step_network));
    if (s->root)
        tn_buf_printf(b, "     %s\n", str(r, TN_S_pl_step_root));
}

static void no_command(const struct tn_report_plan *r, const struct tn_plan_step *s, struct tn_buf *b)
{
    const char *word = tn_plan_step_refused(r->mem, r->steps, s, r->shell);
    struct tn_arg a[] = {{"word", word}};
    struct tn_buf line;
    tn_buf_init(&line);
    tn_text_fill(&line, str(r, word ? TN_S_pl_step_refused : TN_S_pl_step_no_command), a, word ? 1 : 0);
    tn_buf_str(b, "     ");
    tn_escape_terminal(b, line.p);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&line);
}

static void step(const struct tn_report_plan *r, unsigned i, struct tn_buf *b)
{
    const struct tn_plan_step *s = &r->steps->v[i];
    struct tn_plan_say what, changes, undo;
    struct tn_buf line;
    tn_buf_init(&line);
    tn_plan_step_says(r->mem, s, &what, &changes, &undo);
    say(r, &what, &line);
    if (s->mb) {
        struct tn_arg a[] = {{"mb", tn_arena_printf(r->mem, "%u", s->mb)}};
        tn_buf_str(&line, r->lang == TN_ZH ? "（" : " (");
        tn_text_fill(&line, str(r, TN_S_pl_step_size), a, 1);
        tn_buf_str(&line, r->lang == TN_ZH ? "）" : ")");
    }
    tn_buf_printf(b, "  %u. ", i + 1);
    wrap(r, b, line.p, 5, 5);
    tn_buf_ch(b, '\n');
    tn_buf_clear(&line);
    if (tn_plan_step_command(r->mem, r->steps, s, r->shell, &line)) {
        for (char *one = line.p, *end; *one; one = end + 1) { /* a command is never wrapped */
            end = strchr(one, '\n');
            *end = 0;
            tn_buf_str(b, "     ");
            tn_escape_terminal(b, one);
            tn_buf_ch(b, '\n');
        }
    } else {
        no_command(r, s, b);
    }
    if (r->verbose)
        needs(r, s, &changes, &undo, b);
    tn_buf_deinit(&line);
}

static void steps(const struct tn_report_plan *r, struct tn_buf *b)
{
    if (r->steps->n)
        tn_buf_printf(b, "%s\n", str(r, r->applied ? TN_S_ap_head_steps : TN_S_pl_head_steps));
    for (unsigned i = 0; i < r->steps->n; i++)
        step(r, i, b);
}

static void ways(const struct tn_report_plan *r, const char *title, struct tn_buf *b)
{
    if (r->plan->n_way)
        tn_buf_printf(b, "%s\n", str(r, title));
    for (unsigned i = 0; i < r->plan->n_way; i++) {
        const struct tn_plan_way *w = &r->plan->way[i];
        struct tn_buf line;
        tn_buf_init(&line);
        tn_report_changes(w, r->lang, &line);
        tn_buf_str(&line, r->lang == TN_ZH ? "：" : ": ");
        choice(r, &w->choice, &line);
        tn_buf_printf(b, "  %u. ", i + 1);
        wrap(r, b, line.p, 5, 5);
        tn_buf_ch(b, '\n');
        tn_buf_deinit(&line);
    }
}

/* What doctor would still find. */
static void stays(const struct tn_report_plan *r, struct tn_buf *b)
{
    struct tn_buf line;
    if (!r->stays)
        return;
    tn_buf_init(&line);
    tn_buf_printf(&line, "%s", str(r, TN_S_pl_stays));
    tn_finding_say(&line, r->stays, r->lang);
    wrap(r, b, line.p, 0, 2);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&line);
}

void tn_report_plan_text(const struct tn_report_plan *r, struct tn_buf *b)
{
    const struct tn_plan *p = r->plan;
    struct tn_report w = {.lang = r->lang, .width = r->width};
    if (r->commands)
        tn_report_commands(&w, r->commands, b);
    if (p->wishes.refused)
        tn_buf_printf(b, "%s\n", str(r, TN_S_pl_head_refused));
    if (p->wishes.refused && !p->wishes.n) {
        says(r, &p->wishes.say, "!", b);
        return;
    }
    switch (p->end) {
    case TN_PLAN_FITS:
        head(r, b);
        says(r, &p->wishes.say, "!", b);
        says(r, &p->why, "-", b);
        says(r, &p->warning, "!", b);
        ways(r, TN_S_pl_head_also, b);
        stays(r, b);
        steps(r, b);
        break;
    case TN_PLAN_NONE:
        tn_buf_printf(b, "%s\n", str(r, TN_S_pl_head_none));
        says(r, &p->conflict, "-", b);
        says(r, &p->wishes.say, "!", b);
        ways(r, TN_S_pl_head_ways, b);
        break;
    case TN_PLAN_LIMIT: tn_buf_printf(b, "%s\n", str(r, TN_S_pl_head_limit)); break;
    }
    if (r->online)
        tn_report_online_text(r->online, r->lang, r->width, b);
}
