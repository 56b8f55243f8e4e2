/* main.c - from the command line to a command: language, terminal, which command, what to do when it is mistyped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "facts/table.h"
#include "os/os.h"
#include "report/escape.h"
#include "strings.gen.h"

const char *tn_s(const struct tn_cmd_ctx *c, const char *id)
{
    const char *s = tn_string(id, c->lang);
    return s ? s : id;
}

void tn_cmd_say(const struct tn_cmd_ctx *c, const char *fmt, ...)
{
    struct tn_buf raw, b;
    va_list ap;
    (void)c;
    tn_buf_init(&raw);
    tn_buf_init(&b);
    va_start(ap, fmt);
    tn_buf_vprintf(&raw, fmt, ap);
    va_end(ap);
    tn_buf_str(&b, "tenon: ");
    tn_escape_terminal(&b, raw.p); /* names from outside may hold escapes */
    tn_buf_ch(&b, '\n');
    tn_os_print_text(2, b.p, b.n);
    tn_buf_deinit(&raw);
    tn_buf_deinit(&b);
}

int tn_cmd_fail(const struct tn_cmd_ctx *c, const struct tn_err *err)
{
    if (*err->place)
        tn_cmd_say(c, "%s: %s", err->place, err->text);
    else
        tn_cmd_say(c, "%s", err->text);
    switch (err->code) {
    case TN_E_USAGE: return TN_EXIT_USAGE;
    case TN_E_REFUSED: return TN_EXIT_REFUSED;
    default: return TN_EXIT_UNKNOWN;
    }
}

int tn_cmd_print(struct tn_cmd_ctx *c, const struct tn_buf *b, int status)
{
    bool ok = c->document ? tn_os_print(1, b->p, b->n) : tn_os_print_text(1, b->p, b->n);
    return ok ? status : TN_EXIT_UNFINISHED;
}

static const struct tn_cmd *find_cmd(const char *name)
{
    for (unsigned i = 0; i < tn_n_cmds; i++)
        if (strcmp(tn_cmds[i]->name, name) == 0)
            return tn_cmds[i];
    return NULL;
}

static enum tn_lang language(struct tn_cmd_ctx *c, int argc, char **argv)
{
    const char *v = NULL;
    bool utf8;
    const struct tn_cmd *cmd = argc > 1 ? find_cmd(argv[1]) : NULL;
    for (int i = 1; i < argc && !(cmd && cmd->how & TN_CMD_REST);
         i++) { /* before parsing: messages about the command line are in that language too */
        if (strcmp(argv[i], "--") == 0)
            break;
        if (strncmp(argv[i], "--lang=", 7) == 0)
            v = argv[i] + 7;
        else if (strcmp(argv[i], "--lang") == 0 && i + 1 < argc)
            v = argv[i + 1];
    }
    const char *locale = tn_os_locale(c->mem, &utf8);
    if (!v)
        v = tn_os_env(c->mem, "TENON_LANG");
    if (!v || !*v) /* our Chinese is simplified: Big5 lacks half of it */
        v = !utf8 && (tn_str_starts(locale, "zh_TW") || tn_str_starts(locale, "zh_HK")) ? "en" : locale;
    return tn_str_starts(v, "zh") ? TN_ZH : TN_EN;
}

static int wrong_use(struct tn_cmd_ctx *c, const char *message)
{
    tn_cmd_say(c, "%s", message);
    return TN_EXIT_USAGE;
}

int tn_cmd_unknown(struct tn_cmd_ctx *c, const char *word)
{
    const char *known[64];
    unsigned n = 0;
    struct tn_buf b;
    for (unsigned i = 0; i < tn_n_cmds && n < TN_LEN(known); i++)
        known[n++] = tn_cmds[i]->name;
    const char *near = tn_cmd_near(word, known, n);
    struct tn_arg a[] = {{"word", word}, {"near", near ? near : ""}};
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, near ? TN_S_usage_unknown_command_near : TN_S_usage_unknown_command), a, 2);
    int rc = wrong_use(c, b.p);
    tn_buf_deinit(&b);
    return rc;
}

static int version(struct tn_cmd_ctx *c)
{
    struct tn_buf b;
    struct tn_arg a[] = {{"version", TN_VERSION}, {"date", tn_facts_date}};
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, TN_S_version), a, 2);
    tn_buf_ch(&b, '\n');
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

/* Code that we did not ask for runs in us: as root always worth a line, else a matter of the user's own. */
static void say_preloaded(struct tn_cmd_ctx *c)
{
    struct tn_os_sys sys;
    struct tn_arg a[] = {{"files", tn_os_preloaded(c->mem)}};
    struct tn_buf b;
    if (!a[0].value)
        return;
    tn_os_sys(c->mem, &sys);
    if (!sys.root && !tn_opt_on(c, TN_OPT_VERBOSE))
        return;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, TN_S_preloaded), a, 1);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
}

/* "tenon --lang zh why": options that every command takes may stand before its name. */
static void name_first(int argc, char **argv)
{
    int at = 1;
    while (at < argc && argv[at][0] == '-') {
        if (strcmp(argv[at], "--lang") == 0 || strcmp(argv[at], "--debug") == 0)
            at += 2;
        else if (tn_str_starts(argv[at], "--lang=") || tn_str_starts(argv[at], "--debug=") ||
                 strcmp(argv[at], "--plain") == 0)
            at++;
        else
            return;
    }
    if (at >= argc || !find_cmd(argv[at]))
        return;
    char *name = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = name;
}

static int run(struct tn_cmd_ctx *c, int argc, char **argv)
{
    struct tn_buf b;
    name_first(argc, argv);
    bool named = argc > 1 && argv[1][0] != '-';
    tn_buf_init(&b);
    c->lang = language(c, argc, argv);
    c->cmd = find_cmd(named ? argv[1] : "doctor");
    if (!c->cmd)
        return tn_cmd_unknown(c, argv[1]);
    int rc = tn_cmd_parse(c, argc - 1 - named, argv + 1 + named, &b);
    const char *lang = tn_opt_value(c, TN_OPT_LANG);
    if (!rc && lang && !tn_str_starts(lang, "zh") && !tn_str_starts(lang, "en")) {
        tn_buf_str(&b, tn_s(c, TN_S_usage_lang));
        rc = TN_E_USAGE;
    } else if (lang) {
        c->lang = tn_str_starts(lang, "zh") ? TN_ZH : TN_EN;
    }
    const char *no_color = tn_os_env(c->mem, "NO_COLOR"), *term = tn_os_env(c->mem, "TERM");
    c->color_wanted = !tn_opt_on(c, TN_OPT_PLAIN) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
    c->color = c->color_wanted && tn_os_takes_escapes(1);
    if (rc) {
        rc = wrong_use(c, b.p);
    } else if (tn_opt_on(c, TN_OPT_VERSION)) {
        rc = version(c);
    } else if (tn_opt_on(c, TN_OPT_HELP)) {
        if (named)
            tn_cmd_help_text(c, &b);
        else
            tn_cmd_overview(c, &b);
        rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    } else {
        if (!(c->cmd->how & TN_CMD_REST)) /* what it says is another program's */
            say_preloaded(c);
        rc = c->cmd->run(c);
    }
    tn_buf_deinit(&b);
    return rc;
}

/* A window that closes with us would take the answer along. */
static void wait_for_reader(struct tn_cmd_ctx *c)
{
    if (!tn_os_console_is_ours())
        return;
    const char *text = tn_s(c, TN_S_console_close);
    tn_os_print_text(2, text, strlen(text));
    tn_os_console_wait();
}

static jmp_buf out_of_memory;

static void on_oom(void *ctx)
{
    (void)ctx;
    longjmp(out_of_memory, 1);
}

int tn_main(int argc, char **argv)
{
    static struct tn_arena mem;
    static struct tn_cmd_ctx c;
    memset(&c, 0, sizeof c);
    tn_arena_init(&mem);
    c.mem = &mem;
    if (setjmp(out_of_memory)) {
        static const char text[] = "tenon: out of memory; nothing was changed\n";
        tn_os_print(2, text, sizeof text - 1);
        return TN_EXIT_UNFINISHED;
    }
    tn_oom_hook(on_oom, NULL);
    int rc = run(&c, argc, argv);
    wait_for_reader(&c);
    tn_arena_deinit(&mem);
    return rc;
}
