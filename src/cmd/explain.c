/* explain.c - a pasted error, log or bug report: what it says, what the checks make of that, and what its messages
 * prove; joined with the machine when it is the same one. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "check/check.h"
#include "cmd/cmd.h"
#include "explain/code.h"
#include "explain/explain.h"
#include "explain/long.h"
#include "explain/signs.h"
#include "os/os.h"
#include "probe/stated.h"
#include "report/explain.h"
#include "strings.gen.h"

#define CHUNK (1u << 20)

static int from_stdin(struct tn_cmd_ctx *c, struct tn_long *ret, struct tn_err *err)
{
    unsigned char *chunk = tn_arena_alloc(c->mem, CHUNK);
    size_t n;
    int rc;
    while ((rc = tn_os_stdin_some(chunk, CHUNK, &n, err)) == 0 && n)
        tn_long_add(ret, tn_span_of(chunk, n));
    return rc;
}

/* A file is read by pieces; one that grows meanwhile is read to where its end was met. */
static int from_file(const char *name, struct tn_long *ret, struct tn_err *err)
{
    struct tn_buf b;
    uint64_t size, off = 0;
    int rc = 0;
    tn_buf_init(&b);
    do {
        tn_buf_clear(&b);
        rc = tn_os_read(NULL, name, off, CHUNK, &b, &size, err);
        if (!rc)
            tn_long_add(ret, tn_span_of(b.p, b.n));
        off += b.n;
    } while (!rc && b.n == CHUNK);
    tn_buf_deinit(&b);
    return rc;
}

/* The text of FILE, of - or of the words themselves. */
static int text_of(struct tn_cmd_ctx *c, struct tn_long *ret, struct tn_err *err)
{
    const char *name = c->n_arg ? c->arg[0] : "-";
    if (!c->n_arg && tn_os_is_tty(0))
        return tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_ex_usage));
    if (strcmp(name, "-") == 0)
        return from_stdin(c, ret, err);
    if (c->n_arg == 1) {
        int rc = from_file(name, ret, err);
        if (rc != TN_E_NOTFOUND)
            return rc;
    }
    for (unsigned i = 0; i < c->n_arg; i++) {
        tn_long_add(ret, tn_span_str(i ? "\n" : ""));
        tn_long_add(ret, tn_span_str(c->arg[i]));
    }
    return 0;
}

static const struct tn_finding *first_of(const struct tn_sink *found)
{
    return found->n && found->v[0].status <= TN_POSSIBLE ? &found->v[0] : NULL;
}

static int status_of(const struct tn_sink *found)
{
    const struct tn_finding *f = first_of(found);
    if (!f || f->status > TN_LIKELY || f->severity == TN_NOTE)
        return TN_EXIT_OK;
    return TN_EXIT_PROBLEM;
}

static void verdict(const struct tn_sink *found, struct tn_verdict *v)
{
    memset(v, 0, sizeof *v);
    v->first = first_of(found);
    v->say = found->n && !v->first ? TN_S_ex_not_here : TN_S_ex_nothing;
    v->status = !v->first ? TN_VERDICT_UNKNOWN : status_of(found) ? TN_VERDICT_PROBLEM : TN_VERDICT_OK;
    static const char *const layer[] = {"hardware", "driver", "container", "platform",
                                        "cuda",     "cudnn",  "framework", "python"};
    for (unsigned i = 0; i < TN_LAYERS; i++) {
        v->layer[i].name = layer[i];
        v->layer[i].status = TN_LAYER_NOTHING;
        v->layer[i].say = TN_S_layer_left_out;
    }
}

static void second_line(struct tn_buf *b, const char *text)
{
    struct tn_buf whole;
    size_t n = b->n ? strcspn(b->p, "\n") + 1 : 0;
    tn_buf_init(&whole);
    tn_buf_add(&whole, b->p, n < b->n ? n : b->n);
    tn_buf_str(&whole, text);
    if (n < b->n)
        tn_buf_add(&whole, b->p + n, b->n - n);
    tn_buf_clear(b);
    tn_buf_add(b, whole.p, whole.n);
    tn_buf_deinit(&whole);
}

static int report(struct tn_cmd_ctx *c, const struct tn_judge *j, const struct tn_sink *found, const char *head)
{
    struct tn_verdict v;
    struct tn_buf b;
    verdict(found, &v);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    struct tn_report r = {.judge = j,
                          .findings = found,
                          .verdict = &v,
                          .lang = c->lang,
                          .shell = tn_snap_style(j->s) == TN_PATH_WINDOWS ? TN_SHELL_POWERSHELL : TN_SHELL_SH,
                          .color = c->color,
                          .quiet = tn_opt_on(c, TN_OPT_QUIET),
                          .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                          .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    tn_buf_init(&b);
    if (c->document)
        tn_report_json(&r, "explain", &b);
    else
        tn_report_explain(&r, &b);
    if (*head) /* behind the first line, which is the answer */
        second_line(&b, head);
    int rc = tn_cmd_print(c, &b, status_of(found));
    tn_buf_deinit(&b);
    return rc;
}

/* The text's own facts, and its signs. What stands in a piece of the middle of a huge text is a sign or nothing. */
static void read_text(const struct tn_long *l, struct tn_snap *s, struct tn_signs *signs)
{
    struct tn_buf clean;
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
            tn_signs_scan(signs, tn_span_of(clean.p, clean.n), l->piece[i].line, s);
    }
    tn_cmd_complete(s);
    tn_probe_stated(s);
    tn_buf_deinit(&clean);
}

static int judge(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_judge *j, struct tn_sink *found,
                 struct tn_err *err)
{
    int rc = tn_judge_init(j, s, NULL, err);
    if (rc)
        return rc;
    tn_judge_narrow(j, c->mem);
    tn_sink_init(found, c->mem);
    tn_check_run(j, NULL, NULL, found);
    tn_findings_merge(found);
    return 0;
}

static const char *const *checked(struct tn_cmd_ctx *c)
{
    const char **slug = tn_arena_array(c->mem, tn_n_checks, sizeof *slug);
    for (unsigned i = 0; i < tn_n_checks; i++)
        slug[i] = tn_checks[i]->cause;
    return slug;
}

/* The machine that the text is believed to come from: this one, or that of --from. False: it is not joined. */
static bool machine(struct tn_cmd_ctx *c, const struct tn_snap *text, struct tn_snap *ret, struct tn_sink *found,
                    struct tn_join *join)
{
    struct tn_err err;
    struct tn_judge j;
    if (tn_opt_on(c, TN_OPT_NO_JOIN))
        return false;
    if (tn_cmd_subject(c, ret, &err)) {
        tn_cmd_say(c, "%s", err.text);
        return false;
    }
    if (tn_signs_elsewhere(text, ret)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ex_elsewhere));
        tn_snap_deinit(ret);
        return false;
    }
    if (judge(c, ret, &j, found, &err)) {
        tn_snap_deinit(ret);
        return false;
    }
    *join = (struct tn_join){ret, found, checked(c), tn_n_checks};
    return true;
}

static int explain(struct tn_cmd_ctx *c, const struct tn_long *text, const char *head, struct tn_err *err)
{
    struct tn_snap s, here;
    struct tn_judge j;
    struct tn_signs signs = {.mem = c->mem, .forget = tn_opt_value(c, TN_OPT_FORGET)};
    struct tn_sink stated, live, found;
    struct tn_join join;
    tn_snap_init(&s);
    read_text(text, &s, &signs);
    bool joined = machine(c, &s, &here, &live, &join);
    int rc = judge(c, &s, &j, &stated, err);
    if (!rc) {
        tn_sink_init(&found, c->mem);
        tn_signs_rank(&signs, &s, &stated, joined ? &join : NULL, &found);
        rc = report(c, &j, &found, head);
    } else {
        rc = tn_cmd_fail(c, err);
    }
    if (joined)
        tn_snap_deinit(&here);
    tn_snap_deinit(&s);
    return rc;
}

/* A code alone: what it is, and the words in which programs print it. */
static void code(struct tn_cmd_ctx *c, struct tn_long *text, struct tn_buf *ret_head)
{
    struct tn_code k;
    struct tn_buf words;
    if (text->total > 64 || !text->wait.n || !tn_explain_code(c->mem, text->wait.p, &k))
        return;
    if (!tn_opt_on(c, TN_OPT_JSON) && !tn_opt_on(c, TN_OPT_QUIET)) {
        struct tn_arg a[] = {{"name", k.name},
                             {"number", tn_arena_printf(c->mem, "%d", k.number)},
                             {"library", k.library},
                             {"meaning", k.meaning},
                             {"source", k.source}};
        tn_text_fill(ret_head, tn_s(c, TN_S_ex_code), a, TN_LEN(a));
        tn_buf_ch(ret_head, '\n');
    }
    tn_buf_init(&words);
    tn_explain_code_words(&k, &words);
    tn_buf_clear(&text->wait);
    tn_long_add(text, tn_span_of(words.p, words.n));
    tn_buf_deinit(&words);
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_err err;
    struct tn_buf head;
    struct tn_long *text = tn_arena_array(c->mem, 1, sizeof *text);
    tn_long_init(text);
    tn_buf_init(&head);
    int rc = text_of(c, text, &err);
    if (!rc)
        code(c, text, &head);
    tn_long_end(text);
    rc = rc ? tn_cmd_fail(c, &err) : explain(c, text, head.n ? head.p : "", &err);
    tn_buf_deinit(&head);
    tn_long_deinit(text);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,     TN_OPT_QUIET,  TN_OPT_VERBOSE, TN_OPT_NO_JOIN,
                                      TN_OPT_ENV,      TN_OPT_ROOT,   TN_OPT_FROM,    TN_OPT_MACHINE,
                                      TN_OPT_DEADLINE, TN_OPT_FORGET, TN_OPT_COUNT};
static const char *const examples[] = {"python train.py 2>&1 | tenon explain -", "tenon explain train.log",
                                       "tenon explain CUDA_ERROR_OUT_OF_MEMORY", NULL};

TN_CMD(explain, "explain", "[FILE|TEXT|-]", opts, 0, 64, run, TN_S_cmd_explain, examples, false);
