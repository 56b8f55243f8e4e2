/* plan.c - the combination that fits, or the facts that leave none. Prints; changes nothing. */
#include <string.h>

#include "base/str.h"
#include "cmd/planned.h"
#include "os/os.h"
#include "report/command.h"
#include "report/plan.h"
#include "strings.gen.h"
#include "version/dotted.h"
#include "version/pep440.h"

static int wrong(struct tn_err *err, const char *text)
{
    return tn_err_set(err, TN_E_USAGE, NULL, "%s", text);
}

static bool is_date(const char *v)
{
    static const char form[] = "dddd-dd-dd";
    size_t n = strlen(v);
    if (n != 4 && n != 7 && n != 10)
        return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == 'd' ? !tn_is_digit(v[i]) : v[i] != '-')
            return false;
    return true;
}

static bool is_python(const char *v)
{
    bool met;
    struct tn_err err;
    if (tn_is_digit(*v))
        return tn_version_dotted_ok(v) && tn_version_dotted_count(v) >= 2 && tn_version_dotted_count(v) <= 3;
    return *v && tn_version_pep440_match("3.10", v, &met, &err) == 0;
}

static int read_options(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, struct tn_err *err)
{
    const char *method = tn_opt_value(c, TN_OPT_METHOD), *date = tn_opt_value(c, TN_OPT_DATE);
    const char *python = tn_opt_value(c, TN_OPT_PYTHON), *cuda = tn_opt_value(c, TN_OPT_CUDA);
    if (method && tn_plan_method_of(method) < 0)
        return wrong(err, tn_s(c, TN_S_pl_usage_method));
    if (date && !is_date(date))
        return wrong(err, tn_s(c, TN_S_pl_usage_date));
    if (python && !is_python(python))
        return wrong(err, tn_s(c, TN_S_pl_usage_python));
    if (cuda && (!tn_version_dotted_ok(cuda) || tn_version_dotted_count(cuda) > 3))
        return wrong(err, tn_s(c, TN_S_pl_usage_cuda));
    if (method)
        w->method = (enum tn_plan_method)tn_plan_method_of(method);
    w->date = date ? date : w->date;
    w->python = python ? python : w->python;
    w->cuda = cuda ? cuda : w->cuda;
    w->env = tn_opt_value(c, TN_OPT_ENV) ? tn_opt_value(c, TN_OPT_ENV) : w->env;
    w->cpu = tn_opt_on(c, TN_OPT_CPU);
    return 0;
}

static int read_wishes(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, struct tn_commands *commands, struct tn_err *err)
{
    tn_plan_wishes_init(w);
    int rc = tn_planned_words(c, w, commands, err);
    if (rc)
        return rc;
    if (!w->n && w->n_other && !w->refused && !commands->n)
        return wrong(err, tn_s(c, TN_S_pl_usage_no_framework));
    return read_options(c, w, err);
}

/* A pasted command that names no framework is put right, and that is all. */
static int print_commands(struct tn_cmd_ctx *c, const struct tn_commands *commands)
{
    struct tn_report r = {.lang = c->lang, .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    struct tn_buf b;
    bool refused;
    tn_buf_init(&b);
    if (!tn_report_commands_count(commands, &refused))
        tn_buf_printf(&b, "%s\n", tn_s(c, TN_S_pl_nothing_to_plan));
    tn_report_commands(&r, commands, &b);
    int rc = tn_cmd_print(c, &b, refused ? TN_EXIT_PROBLEM : TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static int status_of(const struct tn_plan *p)
{
    if (p->end == TN_PLAN_LIMIT)
        return TN_EXIT_UNKNOWN;
    return p->end == TN_PLAN_FITS && !p->wishes.refused ? TN_EXIT_OK : TN_EXIT_PROBLEM;
}

static int print(struct tn_cmd_ctx *c, const struct tn_plan *p, struct tn_snap *s, const struct tn_commands *commands)
{
    struct tn_buf b;
    struct tn_planned_outcome outcome = {0};
    struct tn_plan_steps *steps = tn_arena_alloc(c->mem, sizeof *steps);
    tn_plan_steps_of(c->mem, p, steps);
    if (p->end == TN_PLAN_FITS)
        tn_planned_simulate(c, s, p, steps, &outcome);
    struct tn_report_plan r = {.plan = p,
                               .steps = steps,
                               .stays = outcome.stays,
                               .commands = commands,
                               .shell = p->machine.windows ? TN_SHELL_POWERSHELL : TN_SHELL_SH,
                               .mem = c->mem,
                               .lang = c->lang,
                               .color = c->color,
                               .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                               .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_report_plan_json(&r, &b);
    else
        tn_report_plan_text(&r, &b);
    int rc = tn_cmd_print(c, &b, status_of(p));
    tn_buf_deinit(&b);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_plan_wishes w;
    struct tn_commands commands;
    struct tn_plan *p = tn_arena_alloc(c->mem, sizeof *p);
    struct tn_snap s;
    struct tn_err err;
    int rc = read_wishes(c, &w, &commands, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    if (!w.n && commands.n && !tn_opt_on(c, TN_OPT_JSON))
        return print_commands(c, &commands);
    c->makes_env = true;
    c->records = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(env) | TN_HAS(installer) | TN_HAS(program) | TN_HAS(container) |
                 TN_HAS(cpu);
    rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    tn_plan_make(c->mem, &w, &s, p);
    rc = print(c, p, &s, &commands);
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,    TN_OPT_VERBOSE,  TN_OPT_PYTHON, TN_OPT_METHOD, TN_OPT_ENV,
                                      TN_OPT_CUDA,    TN_OPT_DATE,     TN_OPT_CPU,    TN_OPT_FROM,   TN_OPT_ROOT,
                                      TN_OPT_MACHINE, TN_OPT_DEADLINE, TN_OPT_COUNT};
static const char *const examples[] = {"tenon plan tensorflow", "tenon plan tensorflow==2.10 --python 3.10",
                                       "tenon plan tensorflow torch \"jax[cuda12]\"",
                                       "tenon plan tensorflow --machine gpu=\"RTX 3090\",driver=535.54.03", NULL};

TN_CMD(plan, "plan", "[SPEC...]", opts, 0, 64, run, TN_S_cmd_plan, examples, 0);
