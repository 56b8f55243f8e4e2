/* run.c - a program run for its user; afterwards, on standard error alone, why it failed or did without the GPU.
 *
 * Invariant: until the program has ended nothing is printed, and never anything to standard output. Nothing is said of
 * a program that failed for another reason, or that was content with the CPU. */
#include <signal.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/explained.h"
#include "explain/failed.h"
#include "explain/script.h"
#include "os/os.h"
#include "probe/describe.h"
#include "report/report.h"
#include "snapshot/redact.h"
#include "strings.gen.h"

#define NOT_FOUND 127 /* POSIX, Shell Command Language 2.8.2 */
#define NOT_STARTED 126
#define MAX_SCRIPT (1u << 20)

struct log {
    int fd;
    bool in_key;
    struct tn_buf cut;
};

static void log_piece(void *ctx, const char *p, size_t n)
{
    struct log *l = ctx;
    tn_buf_clear(&l->cut);
    tn_redact_log(tn_span_of(p, n), &l->in_key, &l->cut);
    if (l->cut.n)
        tn_os_log_write(l->fd, l->cut.p, l->cut.n);
}

static void line(struct tn_cmd_ctx *c, struct tn_buf *b, const char *id, const struct tn_arg *a, unsigned n)
{
    tn_text_fill(b, tn_s(c, id), a, n);
    tn_buf_ch(b, '\n');
}

/* The environment whose interpreter or script the program is, where its path says so. */
static void choose_env(struct tn_cmd_ctx *c)
{
    const char *program = c->arg[0], *at = strrchr(program, '/');
    struct tn_os_stat st;
    if (tn_opt_on(c, TN_OPT_ENV) || tn_opt_on(c, TN_OPT_FROM) || !at)
        return;
    const char *folder = tn_arena_strndup(c->mem, program, (size_t)(at - program));
    const char *env = tn_arena_printf(c->mem, "%s/..", folder);
    struct tn_buf real;
    tn_buf_init(&real);
    if (tn_os_realpath(env, &real, NULL) == 0) {
        const char *sign[] = {"pyvenv.cfg", "conda-meta"};
        for (unsigned i = 0; i < TN_LEN(sign); i++)
            if (tn_os_stat(NULL, tn_arena_printf(c->mem, "%s/%s", real.p, sign[i]), true, &st, NULL) == 0) {
                c->opt[TN_OPT_ENV].v[0] = tn_arena_strdup(c->mem, real.p);
                c->opt[TN_OPT_ENV].n = 1;
                break;
            }
    }
    tn_buf_deinit(&real);
}

/* Was it ended from outside, by its user or the reader of its output? That is no failure of it. */
static bool was_stopped(const struct tn_os_passed *p)
{
    static const int end[] = {129, 130, 131, 141, 143}; /* HUP INT QUIT PIPE TERM */
    for (unsigned i = 0; i < TN_LEN(end); i++)
        if (p->status == end[i])
            return true;
    return false;
}

/* What a shell would have printed: the words that a log of the program would end with. */
static const char *shell_words(int signal)
{
    switch (signal) {
    case 4: return "Illegal instruction";
    case 6: return "Aborted";
    case 7: return "Bus error";
    case 8: return "Floating point exception";
    case 9: return "Killed";
    case 11: return "Segmentation fault";
    default: return NULL;
    }
}

static void open_text(struct tn_long *l, const struct tn_os_passed *p)
{
    const char *words = shell_words(p->signal);
    tn_long_init(l);
    tn_long_add(l, tn_span_of(p->text.p, p->text.n));
    if (words) {
        if (p->text.n && p->text.p[p->text.n - 1] != '\n')
            tn_long_add(l, tn_span_str("\n"));
        tn_long_add(l, tn_span_str(words));
    }
    tn_long_end(l);
}

static const char *program_name(struct tn_cmd_ctx *c)
{
    const char *at = strrchr(c->arg[0], '/');
    return at && at[1] ? at + 1 : c->arg[0];
}

static void say(struct tn_cmd_ctx *c, const struct tn_os_passed *p, const struct tn_buf *b)
{
    struct tn_buf whole;
    tn_buf_init(&whole);
    if (p->open_line)
        tn_buf_ch(&whole, '\n');
    tn_buf_str(&whole, "tenon: ");
    tn_buf_add(&whole, b->p, b->n);
    c->document = false;
    tn_os_print_text(2, whole.p, whole.n);
    tn_buf_deinit(&whole);
}

static bool wants_gpu(const struct tn_cmd_ctx *c)
{
    const char *v = tn_opt_value(c, TN_OPT_EXPECT);
    return v && strcmp(v, "cpu") != 0 && strcmp(v, "0") != 0;
}

/* The program failed: for a cause of ours? Then its finding, joined with the machine. */
static bool failed(struct tn_cmd_ctx *c, const struct tn_long *text, struct tn_explained *x)
{
    struct tn_err err;
    unsigned from = 0;
    for (size_t i = text->n_piece; i > 0 && !from; i--)
        from = tn_failed_from(tn_span_of(text->text.p + text->piece[i - 1].at, text->piece[i - 1].n),
                              text->piece[i - 1].line);
    if (tn_explained_rank(c, x, &err) || !tn_failed_by(&x->s, &x->found, from))
        return false;
    if (tn_explained_join(c, x, tn_opt_value(c, TN_OPT_EXPECT), &err) && tn_explained_rank(c, x, &err))
        return false;
    return tn_explained_cause(x) != NULL;
}

static bool has_gpu(const struct tn_explained *x)
{
    const struct tn_judge j = {.s = &x->here};
    size_t row = 0;
    return x->joined && tn_judge_gpu(&j, &row);
}

/* It asked for a GPU and got none; what: the part that says so. */
static bool fell_back(struct tn_cmd_ctx *c, struct tn_explained *x, const char **ret_what)
{
    struct tn_err err;
    enum tn_fell how = tn_fell_back(&x->s, ret_what);
    if (how == TN_FELL_NOT || (how == TN_FELL_IF_GPU && tn_opt_on(c, TN_OPT_NO_JOIN)))
        return false;
    tn_explained_join(c, x, "gpu", &err);
    if ((how == TN_FELL_IF_GPU && !has_gpu(x)) || tn_explained_rank(c, x, &err))
        return false;
    if (!tn_explained_cause(x))
        tn_explained_here(c, x);
    return true;
}

/* The user expects a GPU: what this machine lacks for one, and what the program's own script says of its figures. */
static bool misses_gpu(struct tn_cmd_ctx *c, struct tn_explained *x)
{
    struct tn_err err;
    if (!wants_gpu(c))
        return false;
    tn_explained_join(c, x, tn_opt_value(c, TN_OPT_EXPECT), &err);
    return !tn_explained_rank(c, x, &err) && tn_explained_here(c, x);
}

/* The Python script among the program's words, where it can be read. */
static bool script_of(struct tn_cmd_ctx *c, struct tn_buf *ret)
{
    uint64_t size;
    for (unsigned i = 1; i < c->n_arg; i++)
        if (tn_str_ends(c->arg[i], ".py"))
            return tn_os_read(NULL, c->arg[i], 0, MAX_SCRIPT, ret, &size, NULL) == 0;
    return false;
}

static void script_notes(struct tn_cmd_ctx *c, const struct tn_os_passed *p, struct tn_buf *b)
{
    struct tn_script script;
    struct tn_buf source;
    tn_buf_init(&source);
    if (script_of(c, &source)) {
        tn_script_read(tn_span_of(source.p, source.n), &script);
        struct tn_arg a[] = {{"line", NULL}, {"n", tn_arena_printf(c->mem, "%u", script.number)}};
        const struct {
            unsigned line;
            const char *id;
        } note[] = {
            {script.summed, TN_S_time_summed}, {script.data, TN_S_time_data}, {script.unsynced, TN_S_time_no_sync}};
        if (script.lists_gpus && tn_script_list_is_empty(tn_span_of(p->text.p, p->text.n)))
            line(c, b, TN_S_list_empty, a, 0);
        for (unsigned i = 0; i < TN_LEN(note); i++)
            if (note[i].line) {
                a[0].value = tn_arena_printf(c->mem, "%u", note[i].line);
                line(c, b, note[i].id, a, TN_LEN(a));
            }
    }
    tn_buf_deinit(&source);
}

static void after(struct tn_cmd_ctx *c, const struct tn_os_passed *p)
{
    struct tn_explained x;
    struct tn_buf b;
    const char *what = "", *signal = shell_words(p->signal), *head = NULL;
    struct tn_long *text = tn_arena_array(c->mem, 1, sizeof *text);
    bool stopped = was_stopped(p);
    open_text(text, p);
    tn_explained_read(c, text, &x);
    tn_buf_init(&b);
    if (p->status && !stopped && failed(c, text, &x))
        head = signal ? TN_S_run_killed : TN_S_run_failed;
    else if (misses_gpu(c, &x))
        head = TN_S_run_no_gpu;
    else if ((!p->status || stopped) && fell_back(c, &x, &what))
        head = tn_explained_cause(&x) ? TN_S_run_fell_back : TN_S_run_fell_back_unknown;
    else if (p->unseen && p->status && !stopped)
        head = TN_S_run_console;
    struct tn_arg a[] = {{"program", program_name(c)},
                         {"status", tn_arena_printf(c->mem, "%d", p->status)},
                         {"signal", signal ? signal : ""},
                         {"what", what}};
    if (head)
        line(c, &b, head, a, TN_LEN(a));
    if (head && tn_explained_cause(&x) && strcmp(head, TN_S_run_console) != 0)
        tn_explained_report(c, &x, 2, &b);
    if (wants_gpu(c))
        script_notes(c, p, &b);
    if (b.n)
        say(c, p, &b);
    tn_buf_deinit(&b);
    tn_explained_close(&x);
    tn_long_deinit(text);
}

/* A shell without a script leads jobs of its own on the terminal that is its standard error. */
static bool is_shell(struct tn_cmd_ctx *c)
{
    static const char *const shell[] = {"sh",   "bash", "dash", "zsh",  "ksh",   "mksh",
                                        "fish", "tcsh", "csh",  "tmux", "screen"};
    bool hit = false;
    for (unsigned i = 0; i < TN_LEN(shell); i++)
        hit |= strcmp(program_name(c), shell[i]) == 0;
    for (unsigned i = 1; i < c->n_arg; i++)
        hit &= c->arg[i][0] == '-' && strcmp(c->arg[i], "-c") != 0;
    return hit;
}

/* What is wrong with the options is said before the program runs, not after. */
static int check_options(struct tn_cmd_ctx *c)
{
    const char *machine = tn_opt_value(c, TN_OPT_MACHINE), *from = tn_opt_value(c, TN_OPT_FROM);
    struct tn_snap s;
    struct tn_judge j;
    struct tn_os_stat st;
    struct tn_err err;
    if (machine && tn_describe(machine, &s, &err))
        return tn_cmd_fail(c, &err);
    if (!machine)
        tn_snap_init(&s);
    int rc = tn_judge_init(&j, &s, tn_opt_value(c, TN_OPT_EXPECT), &err);
    tn_snap_deinit(&s);
    if (rc) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_usage_expect));
        return TN_EXIT_USAGE;
    }
    return from && tn_os_stat(NULL, from, true, &st, &err) ? tn_cmd_fail(c, &err) : 0;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_err err;
    struct tn_os_passed p;
    struct log l = {-1, false, {0}};
    struct tn_os_pass how = {.argv = c->arg, .head = TN_LONG_HEAD, .tail = TN_LONG_TAIL, .own_terminal = is_shell(c)};
    const char *file = tn_opt_value(c, TN_OPT_LOG);
    int rc = check_options(c);
    if (rc)
        return rc;
    tn_buf_init(&l.cut);
    if (file && strcmp(file, "-") == 0) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_run_log_dash));
        return TN_EXIT_USAGE;
    }
    if (file) {
        if (tn_os_log_open(file, &l.fd, &err))
            return tn_cmd_fail(c, &err);
        how.log = log_piece;
        how.ctx = &l;
        how.log_fd = l.fd;
    }
    if (tn_os_pass(&how, &p, &err)) {
        tn_cmd_say(c, "%s: %s", err.place, err.text);
        return err.code == TN_E_NOTFOUND ? NOT_FOUND : NOT_STARTED;
    }
    c->color = c->color_wanted && tn_os_takes_escapes(2);
    c->over = true;
    choose_env(c);
    if (p.signal != SIGINT || wants_gpu(c))
        after(c, &p);
    tn_os_pass_end(&p);
}

static const enum tn_opt_id opts[] = {TN_OPT_LOG,     TN_OPT_EXPECT, TN_OPT_ENV,     TN_OPT_FROM, TN_OPT_MACHINE,
                                      TN_OPT_NO_JOIN, TN_OPT_QUIET,  TN_OPT_VERBOSE, TN_OPT_COUNT};
static const char *const examples[] = {"tenon run -- python train.py", "tenon run --log train.log -- torchrun train.py",
                                       "tenon run --expect gpu -- python check.py", NULL};

TN_CMD(run, "run", "[--] PROGRAM [ARGUMENT...]", opts, 1, 1u << 20, run, TN_S_cmd_run, examples, TN_CMD_REST);
