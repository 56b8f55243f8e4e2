/* plan.c - the combination that fits, or the facts that leave none. Prints; changes nothing. */
#include <string.h>

#include "base/str.h"
#include "cmd/fix.h"
#include "cmd/dryrun.h"
#include "cmd/online.h"
#include "cmd/planned.h"
#include "cmd/wishes.h"
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
    unsigned month = n > 4 ? (unsigned)(v[5] - '0') * 10 + (unsigned)(v[6] - '0') : 1;
    unsigned day = n > 7 ? (unsigned)(v[8] - '0') * 10 + (unsigned)(v[9] - '0') : 1;
    static const unsigned char days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

static bool is_python(const char *v)
{
    bool met;
    struct tn_err err;
    if (tn_is_digit(*v))
        return tn_version_dotted_ok(v) && tn_version_dotted_count(v) >= 2 && tn_version_dotted_count(v) <= 3;
    return *v && tn_version_pep440_match("3.10", v, &met, &err) == 0;
}

#define MAX_SIDES 8

/* "1.15,2.10", and no wish beside it but "tensorflow". */
static bool sides_ok(const struct tn_plan_wishes *w, const char *list)
{
    unsigned n = 1;
    if (!list)
        return true;
    for (const char *p = list; *p; p++) {
        bool comma = *p == ',';
        if (comma && (p == list || p[1] == ',' || !p[1]))
            return false;
        n += comma;
    }
    return *list && n <= MAX_SIDES && w->n < 2 && (!w->n || (w->v[0].kind == TN_PLAN_TENSORFLOW && !*w->v[0].spec));
}

static int read_options(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, struct tn_err *err)
{
    const char *method = tn_opt_value(c, TN_OPT_METHOD), *date = tn_opt_value(c, TN_OPT_DATE);
    const char *python = tn_opt_value(c, TN_OPT_PYTHON), *cuda = tn_opt_value(c, TN_OPT_CUDA);
    const char *form = tn_opt_value(c, TN_OPT_EXPORT);
    if (form && tn_plan_form_of(form) < 0)
        return wrong(err, tn_s(c, TN_S_pl_usage_export));
    if (form && (tn_opt_on(c, TN_OPT_JSON) || tn_opt_value(c, TN_OPT_SIDE_BY_SIDE)))
        return wrong(err, tn_s(c, TN_S_pl_usage_export_json));
    if (method && tn_plan_method_of(method) < 0)
        return wrong(err, tn_s(c, TN_S_pl_usage_method));
    if (date && !is_date(date))
        return wrong(err, tn_s(c, TN_S_pl_usage_date));
    if (python && !is_python(python))
        return wrong(err, tn_s(c, TN_S_pl_usage_python));
    if (cuda && (strspn(cuda, "0123456789.") < strlen(cuda) || !tn_version_dotted_ok(cuda) ||
                 tn_version_dotted_count(cuda) > 3))
        return wrong(err, tn_s(c, TN_S_pl_usage_cuda));
    if (method)
        w->method = (enum tn_plan_method)tn_plan_method_of(method);
    w->date = date ? date : w->date;
    w->python = python ? python : w->python;
    w->cuda = cuda ? cuda : w->cuda;
    w->env = tn_opt_value(c, TN_OPT_ENV) ? tn_opt_value(c, TN_OPT_ENV) : w->env;
    w->cpu = tn_opt_on(c, TN_OPT_CPU);
    if (!sides_ok(w, tn_opt_value(c, TN_OPT_SIDE_BY_SIDE)))
        return wrong(err, tn_s(c, TN_S_pl_usage_sides));
    if (*w->env == '~' && (!w->env[1] || strchr("/\\", w->env[1]))) /* whose home it is, only the shell knows */
        return wrong(err, tn_s(c, TN_S_pl_usage_tilde));
    return tn_plan_wishes_check(w, err);
}

static int read_wishes(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, struct tn_commands *commands, struct tn_err *err)
{
    tn_plan_wishes_init(w);
    int rc = tn_planned_words(c, w, commands, err);
    if (rc)
        return rc;
    if (!w->n && w->n_other && !w->say.n && !commands->n)
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

static int say_word(const struct tn_cmd_ctx *c, const char *id, const char *word)
{
    struct tn_buf b;
    struct tn_arg a[] = {{"word", word}};
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, 1);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
    return TN_EXIT_REFUSED;
}

/* The exit status, and a line on standard error, where a word has no safe form on a command line. */
static int status_said(const struct tn_cmd_ctx *c, const struct tn_plan_steps *steps, enum tn_shell shell, int status)
{
    const char *word = tn_plan_steps_refused(c->mem, steps, shell);
    return word ? say_word(c, TN_S_pl_word_refused, word) : status;
}

/* A plan and what is to be printed of it. */
struct planned {
    struct tn_plan plan;
    struct tn_plan_steps steps;
    struct tn_planned_outcome outcome;
    struct tn_online *online; /* NULL: only the tables are asked */
};

static struct tn_report_plan report_of(struct tn_cmd_ctx *c, const struct planned *one)
{
    return (struct tn_report_plan){.plan = &one->plan,
                                   .steps = &one->steps,
                                   .stays = one->outcome.stays,
                                   .online = one->online ? &one->online->said : NULL,
                                   .shell = one->plan.machine.windows ? TN_SHELL_POWERSHELL : TN_SHELL_SH,
                                   .mem = c->mem,
                                   .lang = c->lang,
                                   .color = c->color,
                                   .verbose = tn_opt_on(c, TN_OPT_VERBOSE),
                                   .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
}

static void make(struct tn_cmd_ctx *c, const struct tn_plan_wishes *w, const struct tn_snap *s, struct planned *ret)
{
    memset(&ret->outcome, 0, sizeof ret->outcome);
    tn_plan_make(c->mem, w, s, &ret->plan);
    tn_plan_steps_of(c->mem, &ret->plan, &ret->steps);
}

static void simulate(struct tn_cmd_ctx *c, struct tn_snap *s, struct planned *one)
{
    bool inside = one->plan.method == TN_METHOD_DOCKER || one->plan.method == TN_METHOD_WSL;
    if (one->plan.end == TN_PLAN_FITS && !inside) /* else another system's environment is judged */
        tn_planned_simulate(c, s, &one->plan, &one->steps, &one->outcome);
}

/* The plan as another tool's file on standard output, or nothing there. */
static int print_export(struct tn_cmd_ctx *c, const struct planned *one, enum tn_plan_form form)
{
    const char *why, *word;
    struct tn_buf b;
    tn_buf_init(&b);
    int rc = TN_EXIT_REFUSED;
    c->document = true;
    if (tn_plan_export(c->mem, &one->plan, &one->steps, form, &b, &why, &word))
        rc = tn_cmd_print(c, &b, status_of(&one->plan));
    else if (word)
        say_word(c, TN_S_pl_word_refused_export, word);
    else
        tn_cmd_say(c, "%s", tn_s(c, why));
    tn_buf_deinit(&b);
    return rc;
}

/* --online: w is made to know what the index has. before: of the plan before this one, or NULL. Nonzero: said. */
static int look_up(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, struct tn_snap *s, const struct tn_online *before,
                   struct planned *ret)
{
    struct tn_err err;
    ret->online = NULL;
    if (!tn_opt_on(c, TN_OPT_ONLINE))
        return 0;
    ret->online = tn_arena_alloc(c->mem, sizeof *ret->online);
    if (tn_online_ask(c, w, s, before, ret->online, &err) == 0)
        return 0;
    tn_cmd_fail(c, &err);
    return TN_EXIT_UNFINISHED;
}

/* The plan in the hands of the user's resolver. */
static bool is_refused(struct tn_cmd_ctx *c, struct planned *one)
{
    if (!one->online || one->plan.end != TN_PLAN_FITS)
        return false;
    one->online->said.refused = tn_dryrun(c, &one->plan, &one->steps, one->online) || one->online->refused;
    return one->online->said.refused;
}

static int run_one(struct tn_cmd_ctx *c, const struct tn_plan_wishes *wishes, const struct tn_commands *commands,
                   struct tn_snap *s)
{
    struct planned *one = tn_arena_alloc(c->mem, sizeof *one);
    struct tn_plan_wishes *w = tn_arena_memdup(c->mem, wishes, sizeof *wishes);
    struct tn_buf b;
    int failed = look_up(c, w, s, NULL, one);
    if (failed)
        return failed;
    make(c, w, s, one);
    const char *form = tn_opt_value(c, TN_OPT_EXPORT);
    if (form && one->plan.end == TN_PLAN_FITS && !w->refused && !(one->online && one->online->refused))
        return print_export(c, one, (enum tn_plan_form)tn_plan_form_of(form));
    simulate(c, s, one);
    struct tn_report_plan r = report_of(c, one);
    r.commands = commands;
    bool refused = is_refused(c, one);
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_report_plan_json(&r, &b);
    else
        tn_report_plan_text(&r, &b);
    int rc = status_said(c, &one->steps, r.shell, refused ? TN_EXIT_PROBLEM : status_of(&one->plan));
    if (form) /* nothing to export: standard output stays empty, it may be a file */
        tn_os_print_text(2, b.p, b.n);
    else
        rc = tn_cmd_print(c, &b, rc);
    tn_buf_deinit(&b);
    return rc;
}

/* "1.15,2.10": each release in an environment of its own, with its own run time. All are planned before the first is
 * judged, since judging changes the facts. */
static int run_sides(struct tn_cmd_ctx *c, const struct tn_plan_wishes *w, struct tn_snap *s, struct tn_err *err)
{
    struct planned *all = tn_arena_array(c->mem, MAX_SIDES, sizeof *all);
    struct tn_report_plan *r = tn_arena_array(c->mem, MAX_SIDES, sizeof *r);
    const char *list = tn_opt_value(c, TN_OPT_SIDE_BY_SIDE);
    unsigned n = 0;
    int status = TN_EXIT_OK;
    struct tn_buf b;
    while (*list && n < MAX_SIDES) {
        size_t len = strcspn(list, ",");
        struct tn_plan_wishes one = *w;
        one.n = 0;
        int rc = tn_plan_wish(c->mem, &one, tn_arena_printf(c->mem, "tensorflow==%.*s", (int)len, list), err);
        if (rc)
            return tn_cmd_fail(c, err);
        if (*w->env)
            one.env = tn_arena_printf(c->mem, "%s-%.*s", w->env, (int)len, list);
        rc = look_up(c, &one, s, n ? all[n - 1].online : NULL, &all[n]);
        if (rc)
            return rc;
        make(c, &one, s, &all[n++]);
        list += len + (list[len] == ',');
    }
    tn_buf_init(&b);
    for (unsigned i = 0; i < n; i++) {
        simulate(c, s, &all[i]);
        r[i] = report_of(c, &all[i]);
        int one = is_refused(c, &all[i]) ? TN_EXIT_PROBLEM : status_of(&all[i].plan);
        one = status_said(c, &all[i].steps, r[i].shell, one);
        status = one == TN_EXIT_OK ? status : one;
    }
    c->document = tn_opt_on(c, TN_OPT_JSON);
    tn_report_plans(r, n, c->document, &b);
    int rc = tn_cmd_print(c, &b, status);
    tn_buf_deinit(&b);
    return rc;
}

/* What decides, and what the checks want to know of the machine besides its environments, which the plan replaces. */
#define RECORDS                                                                                                        \
    (TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(env) | TN_HAS(installer) | TN_HAS(config) | TN_HAS(program) |               \
     TN_HAS(container) | TN_HAS(cpu) | TN_HAS(module) | TN_HAS(node) | TN_HAS(library) | TN_HAS(variable) |            \
     TN_HAS(search) | TN_HAS(service) | TN_HAS(modprobe) | TN_HAS(engine) | TN_HAS(scheduler) | TN_HAS(wsl))

static int run(struct tn_cmd_ctx *c)
{
    struct tn_plan_wishes w;
    struct tn_commands commands;
    struct tn_snap s;
    struct tn_err err;
    if (tn_opt_on(c, TN_OPT_FIX) || tn_opt_on(c, TN_OPT_SIMULATED))
        return tn_cmd_fix(c);
    int rc = read_wishes(c, &w, &commands, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    if (!w.n && commands.n && !tn_opt_on(c, TN_OPT_JSON))
        return print_commands(c, &commands);
    c->makes_env = true;
    c->records = RECORDS;
    rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    rc = tn_cmd_required(c, &s, &w, &err);
    if (rc) {
        tn_snap_deinit(&s);
        return tn_cmd_fail(c, &err);
    }
    rc = tn_opt_on(c, TN_OPT_SIDE_BY_SIDE) ? run_sides(c, &w, &s, &err) : run_one(c, &w, &commands, &s);
    tn_snap_deinit(&s);
    return rc;
}

int tn_planned_ready(struct tn_cmd_ctx *c, struct tn_snap *ret_machine, struct tn_plan *ret,
                     struct tn_plan_steps *steps, struct tn_err *err)
{
    struct tn_plan_wishes w;
    struct tn_commands commands;
    int rc = read_wishes(c, &w, &commands, err);
    if (rc)
        return rc;
    c->makes_env = true;
    c->records = RECORDS;
    rc = tn_cmd_subject(c, ret_machine, err);
    if (rc)
        return rc;
    rc = tn_cmd_required(c, ret_machine, &w, err);
    if (rc) {
        tn_snap_deinit(ret_machine);
        return rc;
    }
    tn_plan_make(c->mem, &w, ret_machine, ret);
    tn_plan_steps_of(c->mem, ret, steps);
    return 0;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,         TN_OPT_VERBOSE,     TN_OPT_PYTHON,  TN_OPT_METHOD,
                                      TN_OPT_ENV,          TN_OPT_CUDA,        TN_OPT_DATE,    TN_OPT_CPU,
                                      TN_OPT_FROM,         TN_OPT_ROOT,        TN_OPT_MACHINE, TN_OPT_DEADLINE,
                                      TN_OPT_SIDE_BY_SIDE, TN_OPT_REQUIREMENT, TN_OPT_EXPORT,  TN_OPT_FIX,
                                      TN_OPT_SIMULATED,    TN_OPT_EXPECT,      TN_OPT_ONLINE,  TN_OPT_COUNT};
static const char *const examples[] = {"tenon plan tensorflow",
                                       "tenon plan tensorflow==2.10 --python 3.10",
                                       "tenon plan tensorflow torch \"jax[cuda12]\"",
                                       "tenon plan tensorflow --machine gpu=\"RTX 3090\",driver=535.54.03",
                                       "tenon plan -r requirements.txt",
                                       "tenon plan tensorflow --online",
                                       "tenon plan --side-by-side 1.15,2.10",
                                       "tenon plan --fix",
                                       "tenon plan tensorflow --export requirements > requirements.txt",
                                       NULL};

TN_CMD(plan, "plan", "[SPEC...]", opts, 0, 64, run, TN_S_cmd_plan, examples, 0);
