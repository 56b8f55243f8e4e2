/* doctor.c - one verdict for one machine: snapshot, checks, report, exit status. */
#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "cmd/cmd.h"
#include "cmd/fix.h"
#include "cmd/verify.h"
#include "os/os.h"
#include "report/report.h"
#include "report/verify.h"
#include "strings.gen.h"

/* Every glob must name something: a mistyped one would look like a clean bill of health. */
static int globs(struct tn_cmd_ctx *c, enum tn_opt_id o, const char **ret, struct tn_err *err)
{
    for (unsigned i = 0; i < c->opt[o].n; i++) {
        bool hit = false;
        for (unsigned k = 0; k < tn_n_checks && !hit; k++)
            hit = tn_str_glob(c->opt[o].v[i], tn_checks[k]->name) || tn_str_glob(c->opt[o].v[i], tn_checks[k]->cause);
        if (!hit) {
            struct tn_buf b;
            struct tn_arg a[] = {{"glob", c->opt[o].v[i]}};
            tn_buf_init(&b);
            tn_text_fill(&b, tn_s(c, TN_S_usage_no_check), a, 1);
            tn_err_set(err, TN_E_USAGE, NULL, "%s", b.p);
            tn_buf_deinit(&b);
            return TN_E_USAGE;
        }
        ret[i] = c->opt[o].v[i];
    }
    ret[c->opt[o].n] = NULL;
    return 0;
}

static int list(struct tn_cmd_ctx *c)
{
    struct tn_buf b;
    tn_buf_init(&b);
    for (unsigned i = 0; i < tn_n_checks; i++) {
        const struct tn_cause *cause = tn_cause_find(tn_checks[i]->cause);
        tn_buf_printf(&b, "%-28s %s\n", tn_checks[i]->cause, cause ? tn_cause_title(cause, c->lang) : "");
    }
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static int status(const struct tn_cmd_ctx *c, const struct tn_verdict *v)
{
    switch (v->status) {
    case TN_VERDICT_OK: return v->warnings && tn_opt_on(c, TN_OPT_STRICT) ? TN_EXIT_PROBLEM : TN_EXIT_OK;
    case TN_VERDICT_PROBLEM: return TN_EXIT_PROBLEM;
    default: return TN_EXIT_UNKNOWN;
    }
}

static const char *about(const struct tn_cmd_ctx *c)
{
    static const enum tn_opt_id o[] = {TN_OPT_FROM, TN_OPT_ROOT, TN_OPT_MACHINE};
    for (unsigned i = 0; i < TN_LEN(o); i++)
        if (tn_opt_on(c, o[i]))
            return tn_opt_value(c, o[i]);
    return NULL;
}

/* The words that chose machine and environment, for a command that judges them again. */
const char *const *tn_cmd_again(const struct tn_cmd_ctx *c)
{
    static const struct {
        enum tn_opt_id opt;
        const char *word;
    } o[] = {{TN_OPT_FROM, "--from"}, {TN_OPT_ROOT, "--root"}, {TN_OPT_MACHINE, "--machine"}, {TN_OPT_ENV, "--env"}};
    const char **words = tn_arena_array(c->mem, 2 * TN_LEN(o) + 1, sizeof *words);
    size_t n = 0;
    for (unsigned i = 0; i < TN_LEN(o); i++)
        if (tn_opt_on(c, o[i].opt)) {
            words[n++] = o[i].word;
            words[n++] = tn_opt_value(c, o[i].opt);
        }
    words[n] = NULL;
    return words;
}

/* With --only or --skip, "nothing found" is no clean bill of health. */
static void say_partial(struct tn_cmd_ctx *c, unsigned ran, struct tn_verdict *v)
{
    if (ran == tn_n_checks || v->status != TN_VERDICT_OK)
        return;
    v->status = ran ? TN_VERDICT_OK : TN_VERDICT_UNKNOWN;
    v->say = TN_S_verdict_ok_partial;
    v->n_arg = 2;
    v->arg[0] = (struct tn_arg){"ran", tn_arena_printf(c->mem, "%u", ran)};
    v->arg[1] = (struct tn_arg){"all", tn_arena_printf(c->mem, "%u", tn_n_checks)};
}

/* What --only left out is said to be left out, not to be missing. */
static bool looked(const struct tn_cmd_ctx *c, tn_record_set at)
{
    return !c->records || (c->records & at) == at;
}

static void say_left_out(const struct tn_cmd_ctx *c, struct tn_judge *j, struct tn_verdict *v)
{
    static const tn_record_set of[TN_LAYERS] = {TN_HAS(gpu),
                                                TN_HAS(gpu) | TN_HAS(driver),
                                                TN_HAS(container),
                                                TN_HAS(framework),
                                                TN_HAS(framework) | TN_HAS(library) | TN_HAS(toolkit),
                                                TN_HAS(framework) | TN_HAS(library),
                                                TN_HAS(framework),
                                                TN_HAS(env) | TN_HAS(dist)};
    for (unsigned i = 0; i < TN_LAYERS; i++)
        if (!v->layer[i].finding && !looked(c, of[i])) {
            v->layer[i].status = TN_LAYER_NOTHING;
            v->layer[i].say = TN_S_layer_left_out;
            v->layer[i].n_fact = 0;
        }
    if (!looked(c, TN_NEEDS_EXPECT) && !tn_opt_on(c, TN_OPT_EXPECT))
        j->why = TN_S_expect_left_out;
}

struct chosen {
    const char *only[TN_MAX_REPEAT + 1], *skip[TN_MAX_REPEAT + 1];
};

/* --verify: said behind the verdict, since what was not tried is no finding. */
static void say_verified(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_buf *ret)
{
    const struct tn_verify_report r = {.s = s, .mem = c->mem, .lang = c->lang};
    if (!tn_opt_on(c, TN_OPT_VERIFY) || c->document || tn_opt_on(c, TN_OPT_QUIET))
        return;
    tn_buf_str(ret, "\ntenon verify: ");
    tn_verify_headline(&r, ret);
}

static int judge(struct tn_cmd_ctx *c, const struct tn_snap *s, const struct chosen *ch, struct tn_err *err)
{
    struct tn_judge j;
    struct tn_sink found;
    struct tn_verdict v;
    struct tn_buf b;
    bool shown = tn_opt_on(c, TN_OPT_JSON) || tn_opt_on(c, TN_OPT_VERBOSE) || tn_opt_on(c, TN_OPT_ROOT);
    if (tn_judge_init(&j, s, tn_opt_value(c, TN_OPT_EXPECT), err)) {
        tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_usage_expect));
        return tn_cmd_fail(c, err);
    }
    tn_judge_narrow(&j, c->mem);
    tn_sink_init(&found, c->mem);
    unsigned ran = tn_check_run(&j, ch->only[0] ? ch->only : NULL, ch->skip[0] ? ch->skip : NULL, &found);
    tn_findings_merge(&found);
    v.others = v.others_not_ready = 0;
    if (!c->records) /* they are judged by all checks */
        tn_check_others(&j, &v);
    tn_verdict_make(&j, &found, &v);
    say_left_out(c, &j, &v);
    say_partial(c, ran, &v);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    struct tn_report r = {.judge = &j,
                          .findings = &found,
                          .verdict = &v,
                          .about = about(c),
                          .again = tn_cmd_again(c),
                          .lang = c->lang,
                          .shell = tn_snap_style(s) == TN_PATH_WINDOWS ? TN_SHELL_POWERSHELL : TN_SHELL_SH,
                          .color = c->color,
                          .quiet = tn_opt_on(c, TN_OPT_QUIET),
                          .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                          .plans = true,
                          .inventory = shown && looked(c, TN_HAS(toolkit) | TN_HAS(library)),
                          .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    tn_buf_init(&b);
    if (c->document)
        tn_report_json(&r, "doctor", &b);
    else
        tn_report_text(&r, &b);
    say_verified(c, s, &b);
    int rc = tn_cmd_print(c, &b, status(c, &v));
    tn_buf_deinit(&b);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    struct chosen ch;
    if (tn_opt_on(c, TN_OPT_LIST))
        return list(c);
    if (globs(c, TN_OPT_ONLY, ch.only, &err) || globs(c, TN_OPT_SKIP, ch.skip, &err))
        return tn_cmd_fail(c, &err);
    if (ch.only[0])
        c->records = tn_check_needs(ch.only, ch.skip, !tn_opt_on(c, TN_OPT_EXPECT));
    if (tn_opt_on(c, TN_OPT_VERIFY) && about(c)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_vf_this_machine));
        return TN_EXIT_USAGE;
    }
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    if (tn_opt_on(c, TN_OPT_VERIFY))
        tn_cmd_measure(c, &s, false, -1);
    rc = judge(c, &s, &ch, &err);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON, TN_OPT_QUIET,   TN_OPT_VERBOSE, TN_OPT_ENV,    TN_OPT_ROOT,
                                      TN_OPT_FROM, TN_OPT_MACHINE, TN_OPT_EXPECT,  TN_OPT_STRICT, TN_OPT_DEADLINE,
                                      TN_OPT_LIST, TN_OPT_ONLY,    TN_OPT_SKIP,    TN_OPT_VERIFY, TN_OPT_COUNT};
static const char *const examples[] = {"tenon",
                                       "tenon doctor --env ~/venv --lang zh",
                                       "tenon doctor --expect cpu --json",
                                       "tenon doctor --verify",
                                       "tenon doctor --root /mnt/image",
                                       "tenon doctor --from snapshot.json --verbose",
                                       "nvidia-smi | tenon doctor --from -",
                                       "tenon doctor --machine os=windows,driver=451.67,gpu=\"GTX 1660\"",
                                       NULL};

TN_CMD(doctor, "doctor", "", opts, 0, 0, run, TN_S_cmd_doctor, examples, 0);
