/* clean.c - what could go and who still uses it; nothing is changed unless it is asked for. */
#include <string.h>

#include "base/str.h"
#include "clean/clean.h"
#include "cmd/applied.h"
#include "cmd/clean_do.h"
#include "cmd/clean_packages.h"
#include "cmd/clean_quarantine.h"
#include "cmd/clean_settings.h"
#include "cmd/cmd.h"
#include "os/os.h"
#include "probe/probe.h"
#include "report/clean.h"
#include "strings.gen.h"

#define WORD "driver" /* that is typed */

static void say(const struct tn_cmd_ctx *c, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, n);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
}

/* What would do it: the same words, and --yes. */
static const char *next(struct tn_cmd_ctx *c)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_str(&b, "tenon clean");
    bool ok = true;
    for (unsigned i = 0; ok && i < c->n_arg; i++) {
        tn_buf_ch(&b, ' ');
        ok = tn_shell_quote(&b, TN_SHELL_SH, c->arg[i]);
    }
    if (tn_opt_on(c, TN_OPT_ROOT)) {
        tn_buf_str(&b, " --root ");
        ok = ok && tn_shell_quote(&b, TN_SHELL_SH, tn_opt_value(c, TN_OPT_ROOT));
    }
    tn_buf_str(&b, " --yes");
    const char *s = ok ? tn_arena_strdup(c->mem, b.p) : NULL;
    tn_buf_deinit(&b);
    return s;
}

/* Asked for by itself, and it stays. */
static const struct tn_clean_item *refused(const struct tn_clean *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->item[i].by_itself && !tn_clean_goes(&k->item[i]))
            return &k->item[i];
    return NULL;
}

/* Is there anything that tenon itself would do? */
static bool moves(const struct tn_clean *k, const struct tn_clean_settings *settings)
{
    for (size_t i = 0; i < k->n; i++)
        if (tn_clean_goes(&k->item[i]) && k->item[i].how == TN_CLEAN_ASIDE)
            return true;
    for (size_t i = 0; settings && i < settings->n; i++)
        if (settings->file[i].key && settings->file[i].left == TN_SETTING_DONE)
            return true;
    return false;
}

/* Anything that a package manager would do within its bounds? */
static bool may_remove(const struct tn_clean_report *r)
{
    for (size_t i = 0; i < r->n_package; i++)
        if (r->package[i].kind == TN_REMOVAL_FINE)
            return true;
    return false;
}

/* Anything that it was not let do? */
static bool is_bounded(const struct tn_clean_report *r)
{
    for (size_t i = 0; i < r->n_package; i++)
        if (r->package[i].kind != TN_REMOVAL_FINE)
            return true;
    return false;
}

static int show(struct tn_cmd_ctx *c, const struct tn_snap *s)
{
    struct tn_clean_wish wish = {c->arg, c->n_arg};
    struct tn_clean k = {.mem = c->mem, .s = s};
    const char *bad;
    struct tn_buf b;
    tn_clean_make(&k, &wish, &bad);
    if (bad) {
        struct tn_arg a[] = {{"word", bad}};
        say(c, TN_S_cl_bad_word, a, 1);
        return TN_EXIT_PROBLEM;
    }
    struct tn_clean_report r = {.mem = c->mem,
                                .clean = &k,
                                .lang = c->lang,
                                .asked = c->n_arg > 0,
                                .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    const struct tn_clean_item *stays = refused(&k);
    int status = tn_clean_root(c, &r.root);
    if (status)
        return status;
    if (!tn_opt_on(c, TN_OPT_FROM))
        tn_clean_settings(c, &r, r.root);
    if (!tn_opt_on(c, TN_OPT_FROM) && !tn_opt_on(c, TN_OPT_ROOT))
        tn_clean_packages(c, &r);
    struct tn_clean_done done;
    if (tn_opt_on(c, TN_OPT_YES) && !stays) {
        status = tn_clean_do(c, &r, &done);
        if (!status)
            status = tn_clean_packages_do(c, &r);
        if (status)
            return status;
        r.done = &done;
    } else if (moves(&k, r.settings) || may_remove(&r)) {
        r.command = next(c);
    }
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_clean_json(&r, &b);
    else
        tn_clean_text(&r, &b);
    bool refuses = stays || (tn_opt_on(c, TN_OPT_YES) && is_bounded(&r));
    int rc = tn_cmd_print(c, &b, refuses ? TN_EXIT_REFUSED : TN_EXIT_OK);
    tn_buf_deinit(&b);
    if (stays && rc == TN_EXIT_REFUSED) {
        struct tn_arg a[] = {{"what", tn_clean_name(&r, stays)}, {"why", tn_clean_reason(&r, stays)}};
        say(c, TN_S_cl_refused, a, TN_LEN(a));
    }
    return rc;
}

/* Is the word typed? Of a pipe a whole line counts as well. */
static bool typed(const struct tn_cmd_ctx *c)
{
    char line[sizeof WORD + 2] = "";
    size_t n = 0, got = 1;
    if (tn_os_is_tty(0) && tn_os_is_tty(2)) {
        struct tn_arg a[] = {{"word", WORD}};
        say(c, TN_S_cl_driver_type, a, 1);
    }
    while (n + 1 < sizeof line && got && !memchr(line, '\n', n) &&
           tn_os_stdin_some(line + n, sizeof line - 1 - n, &got, NULL) == 0)
        n += got;
    line[n] = 0;
    line[strcspn(line, "\r\n")] = 0;
    return strcmp(line, WORD) == 0;
}

/* The driver's own flag and the typed word: then what removes it is shown. It is done by who installed it. */
static int driver(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    struct tn_buf b;
    if (!tn_opt_on(c, TN_OPT_REMOVE_DRIVER) || c->n_arg > 1 || !typed(c)) {
        struct tn_arg a[] = {{"word", WORD}};
        say(c, TN_S_cl_driver_refused, a, 1);
        return TN_EXIT_REFUSED;
    }
    c->records = TN_HAS(package) | TN_HAS(driver);
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    const char *names, *command = tn_clean_driver_command(c->mem, &s, &names);
    bool runfile = tn_known(TN_THE(&s, driver)->runfile);
    tn_buf_init(&b);
    struct tn_arg a[] = {{"packages", names}, {"command", command ? command : "nvidia-uninstall"}};
    tn_text_fill(&b,
                 tn_s(c, command   ? TN_S_cl_driver_by
                         : runfile ? TN_S_cl_driver_runfile
                                   : TN_S_cl_driver_none),
                 a, 2);
    tn_buf_ch(&b, '\n');
    rc = tn_cmd_print(c, &b, command || runfile ? TN_EXIT_OK : TN_EXIT_UNKNOWN);
    tn_buf_deinit(&b);
    tn_snap_deinit(&s);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    for (unsigned i = 0; i < c->n_arg; i++)
        if (strcmp(c->arg[i], "driver") == 0)
            return driver(c);
    if (c->n_arg && strcmp(c->arg[0], "quarantine") == 0)
        return tn_clean_quarantine(c);
    if (tn_opt_on(c, TN_OPT_YES) && tn_opt_on(c, TN_OPT_FROM)) { /* a record is nothing that could be changed */
        struct tn_arg a[] = {{"about", tn_opt_value(c, TN_OPT_FROM)}};
        say(c, TN_S_cl_no_facts, a, 1);
        return TN_EXIT_USAGE;
    }
    c->sizes = c->clean = true;
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    if (s.stock.listed == TN_KNOWN) {
        rc = show(c, &s);
    } else {
        struct tn_arg a[] = {{"about", tn_opt_on(c, TN_OPT_FROM) ? tn_opt_value(c, TN_OPT_FROM) : "?"}};
        say(c, tn_snap_style(&s) == TN_PATH_WINDOWS ? TN_S_cl_windows : TN_S_cl_no_facts, a, 1);
        rc = TN_EXIT_UNKNOWN;
    }
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,     TN_OPT_YES,           TN_OPT_ROOT, TN_OPT_FROM,
                                      TN_OPT_DEADLINE, TN_OPT_REMOVE_DRIVER, TN_OPT_COUNT};
static const char *const examples[] = {"tenon clean",
                                       "tenon clean cuda 11.6",
                                       "tenon clean cuda 11.6 --yes",
                                       "tenon clean envs caches",
                                       "tenon clean quarantine",
                                       "tenon clean wheels --json",
                                       "tenon clean --root /mnt/image",
                                       NULL};

TN_CMD(clean, "clean", "[WHAT...]", opts, 0, 16, run, TN_S_cmd_clean, examples, 0);
