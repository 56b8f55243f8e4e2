/* clean_settings.c - see clean.h: the settings that lead to what goes, each line before and after. A line that stays is
 * named by its number alone. */
#include <string.h>

#include "base/str.h"
#include "report/clean.h"
#include "report/report.h"
#include "strings.gen.h"

static void say(const struct tn_clean_report *r, struct tn_buf *b, unsigned indent, const char *id,
                const struct tn_arg *a, unsigned n)
{
    struct tn_report w = {.lang = r->lang, .width = r->width};
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, tn_string(id, r->lang), a, n);
    for (unsigned i = 0; i < indent; i++)
        tn_buf_ch(b, ' ');
    tn_report_wrap(&w, b, t.p ? t.p : "", indent, indent + 2);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&t);
}

static void one_line(const struct tn_clean_report *r, struct tn_buf *b, const struct tn_setting_line *l)
{
    struct tn_arg a[] = {
        {"line", tn_arena_printf(r->mem, "%u", l->number)}, {"before", l->before}, {"after", l->after}};
    say(r, b, 4, l->stays ? TN_S_cl_set_stays : TN_S_cl_set_line, a, 2);
    if (!l->stays)
        say(r, b, 6, l->after ? TN_S_cl_set_after : TN_S_cl_set_goes, a, l->after ? 3 : 2);
}

/* A variable of Windows' environment has one line. */
static void variable(const struct tn_clean_report *r, struct tn_buf *b, const struct tn_setting_file *f)
{
    const struct tn_setting_line *l = f->is.line;
    struct tn_arg a[] = {{"before", l->before}, {"after", l->after}};
    say(r, b, 4, TN_S_cl_val_line, a, 1);
    say(r, b, 6, l->after ? TN_S_cl_set_after : TN_S_cl_val_goes, a, l->after ? 2 : 1);
    if (f->left == TN_SETTING_ADMIN)
        say(r, b, 4, TN_S_cl_val_admin, NULL, 0);
}

static void file(const struct tn_clean_report *r, struct tn_buf *b, const struct tn_setting_file *f)
{
    static const char *const left[] = {
        NULL, TN_S_cl_set_left_unread, TN_S_cl_set_left_link, TN_S_cl_set_left_others, TN_S_cl_set_left_unknown, NULL,
        NULL};
    struct tn_report w = {.lang = r->lang, .width = r->width};
    struct tn_arg a[] = {{"line", tn_arena_printf(r->mem, "%u", f->line)}};
    tn_buf_str(b, "  ");
    tn_report_wrap(&w, b, f->path, 2, 4);
    tn_buf_ch(b, '\n');
    if (f->key) {
        variable(r, b, f);
        return;
    }
    if (left[f->left])
        say(r, b, 4, left[f->left], a, 1);
    for (size_t i = 0; i < f->is.n; i++)
        one_line(r, b, &f->is.line[i]);
    if (f->left == TN_SETTING_DONE && f->is.empty)
        say(r, b, 4, TN_S_cl_set_file_goes, NULL, 0);
}

const char *tn_clean_ldconfig(const struct tn_clean_report *r)
{
    const struct tn_clean_settings *x = r->settings;
    bool due = false;
    for (size_t i = 0; x && i < x->n; i++)
        due = due || (x->file[i].loader && x->file[i].left == TN_SETTING_DONE);
    const char *sudo = tn_is(TN_THE(r->clean->s, host)->root, 1) ? "" : "sudo ";
    struct tn_buf q;
    tn_buf_init(&q);
    bool ok = !*r->root || tn_shell_quote(&q, TN_SHELL_SH, r->root);
    const char *s = !due || !ok
                        ? NULL
                        : tn_arena_printf(r->mem, "%sldconfig%s%s", sudo, *r->root ? " -r " : "", *r->root ? q.p : "");
    tn_buf_deinit(&q);
    return s;
}

void tn_clean_settings_text(const struct tn_clean_report *r, struct tn_buf *b)
{
    const struct tn_clean_settings *x = r->settings;
    const char *ldconfig = tn_clean_ldconfig(r);
    if (!x || !(x->n + x->n_link))
        return;
    say(r, b, 0, r->done ? TN_S_cl_set_head_done : TN_S_cl_set_head, NULL, 0);
    for (size_t i = 0; i < x->n; i++)
        file(r, b, &x->file[i]);
    for (size_t i = 0; i < x->n_link; i++) {
        struct tn_arg a[] = {{"path", x->link[i]}};
        say(r, b, 2, TN_S_cl_set_link, a, 1);
    }
    struct tn_arg a[] = {{"command", ldconfig}};
    if (ldconfig)
        say(r, b, 2, TN_S_cl_set_ldconfig, a, 1);
    tn_buf_ch(b, '\n');
}
