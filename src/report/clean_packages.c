/* clean_packages.c - see clean.h: what a package manager would remove, and why it is not let. */
#include "base/str.h"
#include "report/clean.h"
#include "report/report.h"
#include "strings.gen.h"

#define MAX_NAMED 24u

static void say(const struct tn_clean_report *r, struct tn_buf *b, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_report w = {.lang = r->lang, .width = r->width};
    struct tn_buf t;
    tn_buf_init(&t);
    tn_text_fill(&t, tn_string(id, r->lang), a, n);
    tn_report_wrap(&w, b, t.p ? t.p : "", 0, 2);
    tn_buf_ch(b, '\n');
    tn_buf_deinit(&t);
}

void tn_clean_packages_text(const struct tn_clean_report *r, struct tn_buf *b)
{
    static const char *const why[TN_REMOVAL_KINDS] = {
        TN_S_cl_pk_fine,   TN_S_rm_unclear, TN_S_rm_failed,   TN_S_rm_essential, TN_S_rm_held,
        TN_S_rm_downgrade, TN_S_rm_kernel,  TN_S_cl_pk_other, TN_S_cl_pk_driver, TN_S_rm_new_kernel};
    const char *comma = r->lang == TN_ZH ? "、" : ", ";
    for (size_t i = 0; i < r->n_package; i++) {
        const struct tn_clean_package *p = &r->package[i];
        const char *names = "";
        for (size_t n = 0; n < p->n_gone && n < MAX_NAMED; n++)
            names = tn_arena_printf(r->mem, "%s%s%s", names, n ? comma : "", p->gone[n]);
        if (p->n_gone > MAX_NAMED)
            names = tn_arena_printf(r->mem, "%s%s...", names, comma);
        struct tn_arg a[] = {{"n", tn_arena_printf(r->mem, "%zu", p->n_gone)},
                             {"packages", names},
                             {"package", p->package},
                             {"tool", "apt-get"}};
        if (p->n_gone)
            say(r, b, p->done ? TN_S_cl_pk_gone_done : TN_S_cl_pk_gone, a, TN_LEN(a));
        if (!p->done)
            say(r, b, why[p->kind], a, TN_LEN(a));
        tn_buf_ch(b, '\n');
    }
}
