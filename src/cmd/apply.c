/* apply.c - a plan is done: shown, agreed to, built beside its place, proven, and put there in one step. */
#include <string.h>

#include "apply/bundle.h"
#include "apply/here.h"
#include "base/limits.h"
#include "base/str.h"
#include "cmd/applied.h"
#include "cmd/apply_place.h"
#include "cmd/applying.h"
#include "cmd/bundle_key.h"
#include "facts/redist.h"
#include "report/plan.h"
#include "strings.gen.h"
#include "version/dotted.h"

/* --- what is to be done --- */

static int from_file(struct tn_applying *d, struct tn_span text, struct tn_snap *ret, struct tn_err *err)
{
    struct tn_plan_machine m;
    return tn_planned_file(d->c, text, ret, &m, &d->steps, err);
}

static bool is_packages(enum tn_step_kind kind)
{
    return kind == TN_STEP_PACKAGES || kind == TN_STEP_CONDA_ENV;
}

static const char *goal_of(struct tn_cmd_ctx *c, const struct tn_plan_steps *all)
{
    struct tn_buf b;
    tn_buf_init(&b);
    for (unsigned i = 0; i < all->n; i++)
        for (unsigned k = 0; is_packages(all->v[i].kind) && k < all->v[i].n_package && b.n < 100; k++)
            tn_buf_printf(&b, "%s%s", b.n ? " " : "", all->v[i].package[k]);
    const char *goal = tn_arena_strdup(c->mem, b.n ? b.p : "an environment");
    tn_buf_deinit(&b);
    return goal;
}

/* Nothing would tell whether its archives are NVIDIA's, and the user names no place of them. */
static bool no_list(const struct tn_applying *d, const struct tn_plan_step *s)
{
    struct tn_facts_redist f;
    const char *product = s->kind == TN_STEP_TOOLKIT ? "cuda" : s->kind == TN_STEP_CUDNN ? "cudnn" : NULL;
    return product && !d->a.n_archives && tn_facts_redist(product, s->version, &f) != TN_ANSWER_YES;
}

/* The first step that tenon does not do; false: it does all of them. */
static bool refused(struct tn_applying *d)
{
    for (unsigned i = 0; i < d->steps.n; i++) {
        const char *why = tn_apply_refuses(&d->steps.v[i]);
        if (!why && no_list(d, &d->steps.v[i]))
            why = TN_S_ap_no_list;
        if (!why)
            continue;
        tn_applied_tell(d->c, TN_S_ap_refused_step, "n", tn_arena_printf(d->c->mem, "%u", i + 1), "what",
                        tn_applying_step_says(d->c, &d->steps.v[i]), "because", tn_s(d->c, why), NULL);
        return true;
    }
    return false;
}

static enum tn_shell shell_here(void)
{
    return tn_here_is_windows() ? TN_SHELL_POWERSHELL : TN_SHELL_SH;
}

static void show(struct tn_applying *d)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (d->plan) {
        struct tn_report_plan r = {.plan = d->plan,
                                   .steps = &d->steps,
                                   .applied = true,
                                   .stays = d->outcome.stays,
                                   .shell = shell_here(),
                                   .mem = d->c->mem,
                                   .lang = d->c->lang,
                                   .color = d->c->color,
                                   .verbose = tn_opt_on(d->c, TN_OPT_VERBOSE),
                                   .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
        tn_report_plan_text(&r, &b);
    } else {
        for (unsigned i = 0; i < d->steps.n; i++) {
            struct tn_buf k;
            tn_buf_init(&k);
            tn_plan_step_command(d->c->mem, &d->steps, &d->steps.v[i], shell_here(), &k);
            tn_buf_printf(&b, "  %u. %s\n     %s", i + 1, tn_applying_step_says(d->c, &d->steps.v[i]),
                          k.n ? k.p : "\n");
            tn_buf_deinit(&k);
        }
    }
    tn_os_print_text(1, b.p, b.n);
    tn_buf_deinit(&b);
}

static const struct tn_plan_step *first_of(const struct tn_plan_steps *all, enum tn_step_kind kind)
{
    for (unsigned i = 0; i < all->n; i++)
        if (all->v[i].kind == kind)
            return &all->v[i];
    return NULL;
}

/* --- before and after --- */

/* "version = 3.11.2" of venv, "version_info = 3.11.2" of uv: that of the plan? */
static int same_python(struct tn_applying *d, const char *cfg, const char *python)
{
    struct tn_buf text;
    struct tn_span rest, line;
    uint64_t size;
    const char *is = NULL;
    tn_buf_init(&text);
    if (tn_os_read(NULL, cfg, 0, TN_MAX_SMALL_FILE, &text, &size, NULL) == 0) {
        rest = tn_span_of(text.p, text.n);
        while (tn_span_line(&rest, &line)) {
            size_t eq = tn_span_find(line, 0, "=", 1);
            if (tn_span_starts(line, "version") && eq < line.n) {
                struct tn_span v = tn_span_trim(tn_span_from(line, eq + 1));
                is = tn_arena_strndup(d->c->mem, (const char *)v.p, v.n);
            }
        }
    }
    tn_buf_deinit(&text);
    if (!is || !*python || tn_version_dotted_cmp_parts(is, python, 2) == 0)
        return 0;
    tn_applied_tell(d->c, TN_S_ap_other_python, "path", d->a.final, "is", is, "python", python, NULL);
    return TN_EXIT_REFUSED;
}

static int absolute(struct tn_applying *d, const struct tn_plan_step *s, struct tn_err *err)
{
    if (s->kind == TN_STEP_CONDA_ENV && s->named && !strpbrk(s->env, " :#/"))
        return tn_apply_conda_place(d->c->mem, s, &d->a.final, err);
    bool dot = tn_str_starts(s->env, "./") || (tn_here_is_windows() && tn_str_starts(s->env, ".\\"));
    d->a.final = tn_here_is_abs(s->env) ? s->env : tn_here_join(d->c->mem, tn_os_cwd(d->c->mem), s->env + 2 * dot);
    if (tn_here_is_windows())
        d->a.final = tn_path_norm(d->c->mem, TN_PATH_WINDOWS, d->a.final);
    return 0;
}

/* Is there an environment that the plan may change, or make again? */
static int is_env(struct tn_applying *d, const struct tn_plan_step *s, char type)
{
    struct tn_os_stat st;
    bool conda = s->kind == TN_STEP_CONDA_ENV;
    const char *mark = tn_here_join(d->c->mem, d->a.final, conda ? "conda-meta" : "pyvenv.cfg");
    if (type == 'd' && tn_os_stat(NULL, mark, true, &st, NULL) == 0)
        return conda ? 0 : same_python(d, mark, s->python);
    tn_applied_tell(d->c, conda ? TN_S_ap_not_conda_env : TN_S_ap_not_env, "path", d->a.final, NULL);
    return TN_EXIT_REFUSED;
}

static int final_path(struct tn_applying *d, const struct tn_plan_step *s, bool *ret_there)
{
    struct tn_os_stat st;
    struct tn_err err;
    *ret_there = false;
    if (absolute(d, s, &err))
        return tn_applied_fail(d->c, &err);
    if (tn_os_stat(NULL, d->a.final, false, &st, &err) != 0)
        return err.code == TN_E_NOTFOUND ? 0 : tn_applied_fail(d->c, &err);
    *ret_there = true;
    return is_env(d, s, st.type);
}

/* Room for what is fetched and what it becomes: wheels hold their libraries packed to about a half. */
static int enough_space(struct tn_applying *d)
{
    uint64_t room = 0, total, need = 0;
    const char *up = tn_here_dir(d->c->mem, d->a.final);
    for (unsigned i = 0; i < d->steps.n; i++)
        need += d->steps.v[i].mb;
    need *= 3;
    if (!need || tn_os_disk(NULL, up, &room, &total, NULL) != 0 || room >> 20 >= need)
        return 0;
    tn_applied_tell(d->c, TN_S_ap_space, "path", up, "need",
                    tn_arena_printf(d->c->mem, "%llu", (unsigned long long)need), "free",
                    tn_arena_printf(d->c->mem, "%llu", (unsigned long long)(room >> 20)), NULL);
    return TN_EXIT_UNFINISHED;
}

/* The change that made it as it is to be, if nobody has touched it since; 0: there is none. */
static unsigned made_by(struct tn_applying *d, struct tn_state *s)
{
    struct tn_tx_record *t = tn_arena_alloc(d->c->mem, sizeof *t);
    unsigned *ids;
    size_t n;
    if (tn_state_list(s, &ids, &n, NULL))
        return 0;
    for (size_t i = n; i-- > 0;) {
        if (tn_state_read(s, ids[i], t, NULL) || t->n_item != 1 || t->state != TN_TX_DONE)
            continue;
        const char *path = tn_here_join(d->c->mem, t->item[0].folder, t->item[0].name);
        if (tn_path_same(tn_os_path_style(), path, d->a.final))
            return tn_str_eq(t->goal, d->goal) && tn_tx_untouched(s, ids[i]) ? ids[i] : 0;
    }
    return 0;
}

static int apply(struct tn_applying *d)
{
    struct tn_state *s;
    int status = 0;
    struct tn_buf q;
    tn_buf_init(&q);
    tn_applied_add(d->c, &q, d->a.changes ? TN_S_ap_ask_change : TN_S_ap_ask_new, "path", d->a.final, NULL);
    bool agreed = tn_applied_agreed(d->c, q.p, &status);
    tn_buf_deinit(&q);
    if (!agreed)
        return status;
    tn_os_interrupts_hold();
    s = d->state;
    int rc = s ? 0 : tn_applied_open(d->c, &s);
    if (rc)
        return rc;
    unsigned by = d->a.changes ? made_by(d, s) : 0;
    if (by) {
        tn_applied_tell(d->c, TN_S_ap_already, "path", d->a.final, "id", tn_arena_printf(d->c->mem, "%u", by), NULL);
        rc = TN_EXIT_OK;
    } else if (d->a.conda && d->a.changes) {
        tn_applied_tell(d->c, TN_S_ap_conda_there, "path", d->a.final, NULL);
        rc = TN_EXIT_REFUSED;
    } else {
        rc = tn_applying(d, s);
        tn_tx_end(d->a.tx);
    }
    if (!d->state)
        tn_state_close(s);
    return rc;
}

static int ready(struct tn_applying *d, struct tn_snap *s)
{
    const struct tn_plan_step *env = first_of(&d->steps, TN_STEP_VENV);
    const struct tn_plan_step *conda = first_of(&d->steps, TN_STEP_CONDA_ENV);
    if (d->plan && (d->plan->end != TN_PLAN_FITS || d->plan->wishes.refused)) {
        show(d);
        return TN_EXIT_PROBLEM;
    }
    env = env ? env : conda ? conda : first_of(&d->steps, TN_STEP_PACKAGES);
    d->a.conda = conda != NULL;
    if (refused(d)) {
        show(d);
        return TN_EXIT_REFUSED;
    }
    if (!env) {
        tn_cmd_say(d->c, "%s", tn_s(d->c, TN_S_ap_no_env));
        return TN_EXIT_REFUSED;
    }
    d->a.python = tn_apply_interpreter(s, env->python);
    int rc = final_path(d, env, &d->a.changes);
    if (rc)
        return rc;
    d->goal = goal_of(d->c, &d->steps);
    if (d->plan) /* s is another machine from here on */
        tn_planned_simulate(d->c, s, d->plan, &d->steps, &d->outcome);
    if (!tn_opt_on(d->c, TN_OPT_JSON))
        show(d);
    rc = enough_space(d);
    return rc ? rc : apply(d);
}

/* Unpacked into tenon's own folder, compared with its list, read. *ret_status: all is said. */
static int from_bundle(struct tn_applying *d, struct tn_snap *ret, int *ret_status, struct tn_err *err)
{
    struct tn_buf plan;
    const char *env = tn_opt_value(d->c, TN_OPT_ENV);
    *ret_status = d->c->n_arg ? TN_EXIT_USAGE : 0;
    if (*ret_status) {
        tn_cmd_say(d->c, "%s", tn_s(d->c, TN_S_bu_alone));
        return 0;
    }
    tn_os_interrupts_hold();
    *ret_status = tn_applied_open(d->c, &d->state);
    if (*ret_status)
        return 0;
    tn_buf_init(&plan);
    const char *file = tn_opt_value(d->c, TN_OPT_BUNDLE);
    const struct tn_minisign *by = NULL;
    int rc = tn_opt_on(d->c, TN_OPT_KEY) ? tn_bundle_key(d->c, file, &by, err) : 0;
    if (!rc)
        rc = tn_bundle_open(d->c->mem, file, by, d->state, &d->a, &plan, err);
    d->c->opt[TN_OPT_ENV].n = 0; /* whose name it is to have, not what the plan is about */
    if (!rc)
        rc = from_file(d, tn_span_of(plan.p, plan.n), ret, err);
    tn_buf_deinit(&plan);
    for (unsigned i = 0; !rc && env && i < d->steps.n; i++)
        d->steps.v[i].env = env;
    d->a.offline = true;
    if (!rc && by)
        tn_applied_tell(d->c, TN_S_bu_authenticated, "key", by->name, "comment", by->comment, NULL);
    else if (!rc)
        tn_cmd_say(d->c, "%s", tn_s(d->c, TN_S_bu_not_authenticated));
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_applying *d = tn_arena_alloc(c->mem, sizeof *d);
    struct tn_buf text;
    struct tn_snap s;
    struct tn_err err;
    memset(d, 0, sizeof *d);
    d->c = c;
    if (tn_here_is_windows() && (tn_apply_is_place(c) || tn_opt_on(c, TN_OPT_BUNDLE))) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_windows));
        return TN_EXIT_REFUSED;
    }
    if (tn_apply_is_place(c))
        return tn_apply_place(c);
    if (tn_opt_on(c, TN_OPT_INTO)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_into_alone));
        return TN_EXIT_USAGE;
    }
    if (tn_opt_on(c, TN_OPT_KEY) && !tn_opt_on(c, TN_OPT_BUNDLE)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_bu_key_alone));
        return TN_EXIT_USAGE;
    }
    tn_buf_init(&text);
    int rc, status = 0;
    if (tn_opt_on(c, TN_OPT_BUNDLE)) {
        rc = from_bundle(d, &s, &status, &err);
        if (status)
            return status;
    } else if (tn_planned_is_file(c, &text)) {
        rc = from_file(d, tn_span_of(text.p, text.n), &s, &err);
    } else {
        d->plan = tn_arena_alloc(c->mem, sizeof *d->plan);
        rc = tn_planned_ready(c, &s, d->plan, &d->steps, &err);
    }
    tn_buf_deinit(&text);
    if (rc) {
        if (d->state)
            tn_state_close(d->state);
        return tn_applied_fail(c, &err);
    }
    for (unsigned i = 0; i < d->steps.n; i++)
        d->all += d->steps.v[i].kind != TN_STEP_CHECK;
    d->all += 4; /* checked, proven, put right, on the disk */
    d->a.mem = c->mem;
    d->a.steps = &d->steps;
    if (tn_opt_on(c, TN_OPT_ARCHIVES) && !d->a.offline) { /* a bundle has its own */
        d->a.archives = c->opt[TN_OPT_ARCHIVES].v;
        d->a.n_archives = c->opt[TN_OPT_ARCHIVES].n;
    }
    tn_buf_init(&d->a.tail);
    tn_buf_init(&d->a.log);
    tn_buf_init(&d->said);
    rc = ready(d, &s);
    tn_snap_deinit(&s);
    if (d->state)
        tn_state_close(d->state);
    tn_buf_deinit(&d->a.tail);
    tn_buf_deinit(&d->a.log);
    tn_buf_deinit(&d->said);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,   TN_OPT_YES,         TN_OPT_QUIET,    TN_OPT_VERBOSE,
                                      TN_OPT_PYTHON, TN_OPT_METHOD,      TN_OPT_ENV,      TN_OPT_CUDA,
                                      TN_OPT_DATE,   TN_OPT_REQUIREMENT, TN_OPT_CPU,      TN_OPT_INTO,
                                      TN_OPT_BUNDLE, TN_OPT_KEY,         TN_OPT_ARCHIVES, TN_OPT_COUNT};
static const char *const examples[] = {
    "tenon apply tensorflow",
    "tenon apply tensorflow==2.15 --env ~/tf --yes",
    "tenon plan torch --json > plan.json && tenon apply plan.json",
    "tenon apply tensorflow==2.15 --method manual --yes",
    "tenon apply cudnn:cudnn-linux-x86_64-8.9.7.29_cuda12-archive.tar.xz --into ~/cuda-12.2",
    NULL};

TN_CMD(apply, "apply", "[SPEC...|PLAN.json|cudnn:FILE...]", opts, 0, 64, run, TN_S_cmd_apply, examples, 0);
