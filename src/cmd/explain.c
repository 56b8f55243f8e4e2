/* explain.c - a pasted error, log or bug report: what it says, what the checks make of that, and what its messages
 * prove; joined with the machine when it is the same one. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/explained.h"
#include "explain/code.h"
#include "os/os.h"
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

/* A log that ends in the middle: since when nothing came. Of words and of a pipe it is not known. */
static void age(struct tn_cmd_ctx *c, struct tn_snap *s)
{
    struct tn_os_stat st;
    struct tn_err err;
    if (c->n_arg != 1 || tn_os_stat(NULL, c->arg[0], true, &st, &err) || st.type != 'f')
        return;
    int64_t minutes = (tn_os_now() - st.mtime) / 60;
    if (minutes <= 0)
        return;
    uint32_t src = tn_snap_src(s, TN_KNOWN, NULL, "stat %s", c->arg[0]);
    struct tn_rec_observation *o = TN_ADD(s, observation);
    o->fact = tn_fact_str(s, src, "here.log_unchanged_minutes");
    o->value = tn_fact_str(s, src, tn_arena_printf(c->mem, "%lld", (long long)minutes));
}

/* head: stands behind the first line, which is the answer. */
static int explain(struct tn_cmd_ctx *c, const struct tn_long *text, const char *head, struct tn_err *err)
{
    struct tn_explained x;
    struct tn_err why;
    struct tn_buf b;
    tn_explained_read(c, text, &x);
    age(c, &x.s);
    tn_explained_commands(c, text, &x);
    if (!tn_explained_join(c, &x, NULL, &why) && *why.text)
        tn_cmd_say(c, "%s", why.text);
    int rc = tn_explained_rank(c, &x, err);
    if (rc) {
        rc = tn_cmd_fail(c, err);
    } else {
        tn_buf_init(&b);
        c->document = tn_opt_on(c, TN_OPT_JSON);
        tn_explained_report(c, &x, 1, &b);
        if (*head)
            second_line(&b, head);
        rc = tn_cmd_print(c, &b, tn_explained_status(&x));
        tn_buf_deinit(&b);
    }
    tn_explained_close(&x);
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

TN_CMD(explain, "explain", "[FILE|TEXT|-]", opts, 0, 64, run, TN_S_cmd_explain, examples, 0);
