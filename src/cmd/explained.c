/* explained.c - see explained.h. */
#include "cmd/explained.h"

#include <string.h>

#include "check/check.h"
#include "explain/explain.h"
#include "os/os.h"
#include "probe/stated.h"
#include "report/command.h"
#include "report/explain.h"
#include "strings.gen.h"

#define MAX_PROSE (64u * 1024) /* a report that a person wrote */

const struct tn_finding *tn_explained_first(const struct tn_explained *x)
{
    return x->found.n && x->found.v[0].status <= TN_POSSIBLE ? &x->found.v[0] : NULL;
}

const struct tn_finding *tn_explained_cause(const struct tn_explained *x)
{
    const struct tn_finding *f = tn_explained_first(x);
    return f && f->status <= TN_LIKELY && f->severity != TN_NOTE ? f : NULL;
}

int tn_explained_status(const struct tn_explained *x)
{
    bool refused;
    if (tn_explained_cause(x))
        return TN_EXIT_PROBLEM;
    return !tn_explained_first(x) && tn_report_commands_count(x->commands, &refused) && refused ? TN_EXIT_PROBLEM
                                                                                                : TN_EXIT_OK;
}

static void verdict(const struct tn_explained *x, struct tn_verdict *v)
{
    bool refused;
    memset(v, 0, sizeof *v);
    v->first = tn_explained_first(x);
    v->say = x->found.n && !v->first ? TN_S_ex_not_here : TN_S_ex_nothing;
    if (!x->found.n && tn_report_commands_count(x->commands, &refused))
        v->say = TN_S_ex_commands;
    v->status = !v->first ? TN_VERDICT_UNKNOWN : tn_explained_cause(x) ? TN_VERDICT_PROBLEM : TN_VERDICT_OK;
    static const char *const layer[] = {"hardware", "driver", "container", "platform",
                                        "cuda",     "cudnn",  "framework", "python"};
    for (unsigned i = 0; i < TN_LAYERS; i++) {
        v->layer[i].name = layer[i];
        v->layer[i].status = TN_LAYER_NOTHING;
        v->layer[i].say = TN_S_layer_left_out;
    }
}

void tn_explained_report(struct tn_cmd_ctx *c, const struct tn_explained *x, int fd, struct tn_buf *ret)
{
    struct tn_verdict v;
    if (x->commands)
        x->commands->talk = x->commands->alone || !tn_explained_first(x);
    verdict(x, &v);
    struct tn_report r = {.judge = &x->j,
                          .findings = &x->found,
                          .verdict = &v,
                          .commands = x->commands,
                          .lang = c->lang,
                          .shell = tn_snap_style(x->j.s) == TN_PATH_WINDOWS ? TN_SHELL_POWERSHELL : TN_SHELL_SH,
                          .color = c->color,
                          .quiet = tn_opt_on(c, TN_OPT_QUIET),
                          .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                          .width = tn_os_is_tty(fd) ? tn_os_tty_width(fd) : 0};
    if (c->document)
        tn_report_json(&r, c->cmd->name, ret);
    else
        tn_report_explain(&r, ret);
}

/* As it is, and what it says in another language. */
static void signs_of(struct tn_explained *x, struct tn_span clean, unsigned line)
{
    struct tn_english *e = tn_arena_array(x->signs.mem, 1, sizeof *e);
    tn_signs_scan(&x->signs, clean, line, &x->s);
    tn_buf_init(&e->text);
    if (tn_english_read(clean, e)) {
        tn_signs_scan_english(&x->signs, e, clean, line, &x->s);
    }
    tn_buf_deinit(&e->text);
}

/* What stands in a piece of the middle of a huge text is a sign or nothing. */
void tn_explained_read(struct tn_cmd_ctx *c, const struct tn_long *l, struct tn_explained *x)
{
    struct tn_buf clean;
    struct tn_snap *s = &x->s;
    memset(x, 0, sizeof *x);
    x->signs.mem = c->mem;
    x->signs.forget = tn_opt_value(c, TN_OPT_FORGET);
    tn_snap_init(s);
    tn_buf_init(&clean);
    for (size_t i = 0; i < l->n_piece; i++) {
        struct tn_span text = tn_span_of(l->text.p + l->piece[i].at, l->piece[i].n);
        tn_buf_clear(&clean);
        tn_explain_clean(text, &clean);
        if (i == 0)
            tn_explain_text(text, s);
        if (clean.n && (i == 0 || i + 1 == l->n_piece))
            tn_explain_stated(tn_span_of(clean.p, clean.n), s);
        if (clean.n)
            signs_of(x, tn_span_of(clean.p, clean.n), l->piece[i].line);
    }
    if (l->n_piece == 1 && clean.n <= MAX_PROSE) {
        bool complains = tn_explain_complaints(tn_span_of(clean.p, clean.n), s);
        if (complains || tn_signs_speak(&x->signs))
            tn_explain_prose(tn_span_of(clean.p, clean.n), s);
    }
    tn_cmd_complete(s);
    tn_probe_stated(s);
    tn_buf_deinit(&clean);
}

void tn_explained_commands(struct tn_cmd_ctx *c, const struct tn_long *l, struct tn_explained *x)
{
    struct tn_buf clean;
    tn_buf_init(&clean);
    x->commands = tn_arena_array(c->mem, 1, sizeof *x->commands);
    if (l->n_piece)
        tn_explain_clean(tn_span_of(l->text.p + l->piece[0].at, l->piece[0].n), &clean);
    if (clean.n)
        tn_commands_find(c->mem, tn_span_of(clean.p, clean.n), x->commands);
    tn_buf_deinit(&clean);
}

static int judge(struct tn_cmd_ctx *c, const struct tn_snap *s, const char *expect, struct tn_judge *j,
                 struct tn_sink *found, struct tn_err *err)
{
    int rc = tn_judge_init(j, s, expect, err);
    if (rc)
        return rc;
    tn_judge_narrow(j, c->mem);
    tn_sink_init(found, c->mem);
    tn_check_run(j, NULL, NULL, found);
    tn_findings_merge(found);
    return 0;
}

/* Of a shell that was not looked at, nothing is ruled out (a machine that was only described has none). */
static bool was_looked_at(const struct tn_check *check, const struct tn_snap *s)
{
    return !(check->needs & TN_HAS(shell)) || TN_THE(s, shell)->name.k == TN_KNOWN;
}

static const char *const *checked(struct tn_cmd_ctx *c, const struct tn_snap *s, size_t *ret_n)
{
    const char **slug = tn_arena_array(c->mem, tn_n_checks, sizeof *slug);
    *ret_n = 0;
    for (unsigned i = 0; i < tn_n_checks; i++)
        if (was_looked_at(tn_checks[i], s))
            slug[(*ret_n)++] = tn_checks[i]->cause;
    return slug;
}

bool tn_explained_join(struct tn_cmd_ctx *c, struct tn_explained *x, const char *expect, struct tn_err *ret)
{
    ret->text[0] = 0;
    if (tn_opt_on(c, TN_OPT_NO_JOIN) || tn_cmd_subject(c, &x->here, ret))
        return false;
    if (tn_signs_elsewhere(&x->s, &x->here))
        tn_err_set(ret, TN_E_FORMAT, NULL, "%s", tn_s(c, TN_S_ex_elsewhere));
    else if (!judge(c, &x->here, expect, &x->j_here, &x->live, ret))
        x->joined = true;
    if (!x->joined) {
        tn_snap_deinit(&x->here);
        return false;
    }
    x->join = (struct tn_join){.s = &x->here, .found = &x->live};
    x->join.checked = checked(c, &x->here, &x->join.n_checked);
    return true;
}

int tn_explained_rank(struct tn_cmd_ctx *c, struct tn_explained *x, struct tn_err *err)
{
    int rc = judge(c, &x->s, NULL, &x->j, &x->stated, err);
    if (rc)
        return rc;
    tn_sink_init(&x->found, c->mem);
    tn_signs_rank(&x->signs, &x->s, &x->stated, x->joined ? &x->join : NULL, &x->found);
    return 0;
}

bool tn_explained_here(struct tn_cmd_ctx *c, struct tn_explained *x)
{
    struct tn_sink out;
    tn_sink_init(&out, c->mem);
    for (size_t i = 0; x->joined && i < x->live.n; i++) {
        const struct tn_finding *f = &x->live.v[i];
        if (f->status > TN_LIKELY || f->severity != TN_ERROR)
            continue;
        out.cause = f->cause;
        *tn_find(&out, f->status, f->subject) = *f;
    }
    if (!out.n)
        return false;
    x->found = out;
    x->j = x->j_here;
    return true;
}

void tn_explained_close(struct tn_explained *x)
{
    if (x->joined)
        tn_snap_deinit(&x->here);
    tn_snap_deinit(&x->s);
}
