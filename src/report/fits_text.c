/* fits_text.c - see fits.h: the answer, a line for each requirement of the GPU stack, then what is said besides. */
#include "base/str.h"
#include "report/escape.h"
#include "report/fits.h"
#include "report/plan.h"
#include "strings.gen.h"

static const char *str(const struct tn_report_fits *r, const char *id)
{
    const char *s = tn_string(id, r->lang);
    return s ? s : id;
}

static void line(const struct tn_report_fits *r, struct tn_buf *b, const char *mark, const char *text,
                 const struct tn_cite *cite)
{
    struct tn_report w = {.lang = r->lang, .width = r->width};
    tn_buf_printf(b, "  %s ", mark);
    tn_report_wrap(&w, b, text, 4, 4);
    tn_buf_ch(b, '\n');
    if (r->verbose && cite && cite->source && *cite->source) {
        tn_buf_str(b, "    [");
        tn_escape_terminal(b, cite->source);
        tn_buf_str(b, "]\n");
    }
}

static void say(const struct tn_report_fits *r, const struct tn_plan_say *s, struct tn_buf *ret)
{
    tn_text_fill(ret, str(r, s->id), s->arg, s->n_arg);
}

static void rows(const struct tn_report_fits *r, struct tn_buf *b)
{
    static const char *const marks[] = {"+", "?", "-"};
    for (size_t i = 0; i < r->fits->n_row; i++) {
        const struct tn_fits_row *row = &r->fits->row[i];
        struct tn_buf t;
        tn_buf_init(&t);
        if (row->line && row->line->line) {
            struct tn_buf n;
            tn_buf_init(&n);
            tn_buf_printf(&n, "%u", row->line->line);
            struct tn_arg a[] = {{"line", n.p}, {"text", row->line->text}};
            tn_text_fill(&t, str(r, TN_S_ft_row), a, 2);
            tn_buf_deinit(&n);
            tn_buf_str(&t, r->lang == TN_ZH ? "：" : ": ");
        }
        say(r, &row->say, &t);
        line(r, b, marks[row->status], t.p, &row->say.cite);
        tn_buf_deinit(&t);
    }
}

/* Is it what a row has said? */
static bool in_rows(const struct tn_report_fits *r, const struct tn_plan_say *s)
{
    bool hit = false;
    struct tn_buf a, b;
    tn_buf_init(&a);
    say(r, s, &a);
    for (size_t i = 0; i < r->fits->n_row && !hit; i++) {
        tn_buf_init(&b);
        say(r, &r->fits->row[i].say, &b);
        hit = tn_str_eq(a.p, b.p);
        tn_buf_deinit(&b);
    }
    tn_buf_deinit(&a);
    return hit;
}

static bool said_before(const struct tn_report_fits *r, const struct tn_plan_says *all, unsigned at)
{
    bool hit = false;
    struct tn_buf a, b;
    tn_buf_init(&a);
    say(r, &all->v[at], &a);
    for (unsigned i = 0; i < at && !hit; i++) {
        tn_buf_init(&b);
        say(r, &all->v[i], &b);
        hit = tn_str_eq(a.p, b.p);
        tn_buf_deinit(&b);
    }
    tn_buf_deinit(&a);
    return hit;
}

static void says(const struct tn_report_fits *r, const struct tn_plan_says *all, const char *mark, struct tn_buf *b)
{
    for (unsigned i = 0; i < all->n; i++) {
        struct tn_buf t;
        if (in_rows(r, &all->v[i]) || said_before(r, all, i))
            continue;
        tn_buf_init(&t);
        say(r, &all->v[i], &t);
        line(r, b, mark, t.p, &all->v[i].cite);
        tn_buf_deinit(&t);
    }
}

static void ways(const struct tn_report_fits *r, struct tn_buf *b)
{
    const struct tn_plan *p = r->fits->plan;
    if (!p || p->end != TN_PLAN_NONE || !p->n_way)
        return;
    tn_buf_printf(b, "%s\n", str(r, TN_S_ft_ways));
    for (unsigned i = 0; i < p->n_way; i++) {
        struct tn_buf t;
        tn_buf_init(&t);
        tn_report_changes(&p->way[i], r->lang, &t);
        for (unsigned k = 0; k < p->way[i].choice.n; k++) {
            const struct tn_plan_build *x = p->way[i].choice.build[k];
            const char *first = r->lang == TN_ZH ? "：" : ": ", *more = r->lang == TN_ZH ? "、" : ", ";
            tn_buf_printf(&t, "%s%s %s", k ? more : first, x->package, x->version);
        }
        tn_buf_printf(&t, r->lang == TN_ZH ? "、Python %s" : ", Python %s", p->way[i].choice.python);
        line(r, b, "*", t.p, NULL);
        tn_buf_deinit(&t);
    }
}

void tn_report_fits_text(const struct tn_report_fits *r, struct tn_buf *b)
{
    static const char *const heads[] = {TN_S_ft_head_fits, TN_S_ft_head_unknown, TN_S_ft_head_no};
    struct tn_arg a[] = {{"file", r->name}};
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, str(r, heads[r->fits->status]), a, 1);
    tn_escape_terminal(b, t.p);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&t);
    rows(r, b);
    says(r, &r->fits->reasons, r->fits->status == TN_FITS_YES ? "+" : r->fits->status == TN_FITS_NO ? "-" : "?", b);
    says(r, &r->fits->rewritten, "!", b);
    says(r, &r->fits->notes, "!", b);
    ways(r, b);
    if (r->online)
        tn_report_online_text(r->online, r->lang, r->width, b);
}
