/* fix.c - plan --fix [CAUSE]: the remedy of a finding as a plan. Prints; changes nothing. */
#include "cmd/fix.h"

#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "check/look.h"
#include "cmd/planned.h"
#include "os/os.h"
#include "plan/removal.h"
#include "probe/promised.h"
#include "report/fix.h"
#include "snapshot/read.h"
#include "snapshot/write.h"
#include "strings.gen.h"

/* A snapshot and what doctor says of it. */
struct verdict {
    struct tn_judge judge;
    struct tn_sink found;
    struct tn_verdict v;
};

static int judge(struct tn_cmd_ctx *c, const struct tn_snap *s, const char *expect, struct verdict *ret,
                 struct tn_err *err)
{
    memset(ret, 0, sizeof *ret);
    if (tn_judge_init(&ret->judge, s, expect, err))
        return tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_usage_expect));
    tn_judge_narrow(&ret->judge, c->mem);
    tn_sink_init(&ret->found, c->mem);
    tn_check_run(&ret->judge, NULL, NULL, &ret->found);
    tn_findings_merge(&ret->found);
    tn_verdict_make(&ret->judge, &ret->found, &ret->v);
    return 0;
}

static bool holds(const struct tn_finding *f)
{
    return f->status <= TN_POSSIBLE;
}

static const struct tn_finding *find(const struct verdict *v, const char *cause)
{
    for (size_t i = 0; i < v->found.n; i++)
        if (holds(&v->found.v[i]) && tn_str_eq(v->found.v[i].cause, cause))
            return &v->found.v[i];
    return NULL;
}

/* The finding to mend: the first one, or that of the name; a consequence goes with its root. */
static const struct tn_finding *chosen(const struct verdict *v, const char *cause)
{
    const struct tn_finding *f = cause ? find(v, cause) : v->v.first, *root;
    for (unsigned hops = 0; f && f->behind && hops < 8 && (root = find(v, f->behind)); hops++)
        f = root;
    return f;
}

/* Another snapshot with the same facts. */
static int copy(const struct tn_snap *s, struct tn_snap *ret, struct tn_err *err)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_snapshot_write(s, &b);
    int rc = tn_snapshot_read(tn_span_of(b.p, b.n), ret, err);
    tn_buf_deinit(&b);
    return rc;
}

/* The promises of the environment, by the code that reads what is stated. */
static void promise_env(struct tn_cmd_ctx *c, struct tn_snap *s, const struct tn_fix_after *a)
{
    struct tn_promise *v = tn_arena_array(c->mem, a->n + 1, sizeof *v);
    for (unsigned i = 0; i < a->n; i++) /* the texts stay: s keeps its own until it goes */
        v[i] = (struct tn_promise){a->v[i].package, a->v[i].version, a->v[i].stays};
    tn_probe_promised_inside(s, v, a->n, a->keep);
}

/* The run time of its own: the given one, else what the first GPU build among its frameworks was made for. */
static void promise_libraries(struct tn_snap *s, const struct tn_fix_after *a)
{
    const char *cuda = a->cuda, *cudnn = a->cudnn;
    for (size_t i = 0; i < s->framework.n && a->own; i++) {
        const struct tn_rec_framework *f = &s->framework.v[i];
        if (!tn_is(f->gpu_build, 1) || !*tn_look_cuda(s, f))
            continue;
        cuda = *cuda ? cuda : tn_look_cuda(s, f);
        cudnn = *cudnn ? cudnn : tn_look_cudnn(s, f);
        break;
    }
    if (*cuda || *cudnn)
        tn_probe_promised_libraries(s, cuda, cudnn);
}

/* Puts what a fix promises into the copy and judges that. False: it is not told, and why stands in r. */
static bool try_one(struct tn_cmd_ctx *c, struct tn_snap *after, const struct tn_fix *fix, struct tn_report_fix *r)
{
    struct verdict *v = tn_arena_alloc(c->mem, sizeof *v);
    struct tn_fix_after *a = tn_arena_alloc(c->mem, sizeof *a);
    struct tn_err err;
    r->outcome = TN_FIX_UNTOLD;
    r->stays = NULL;
    r->told = tn_fix_effect(c->mem, after, fix, a);
    if (r->told != TN_FIX_TOLD)
        return false;
    if (a->env)
        promise_env(c, after, a);
    promise_libraries(after, a);
    if (a->loads)
        tn_probe_load_again(after, c->mem);
    if (judge(c, after, a->cpu ? "cpu" : tn_opt_value(c, TN_OPT_EXPECT), v, &err))
        return false;
    const struct tn_finding *same = find(v, fix->finding->cause);
    bool stays = a->cpu ? v->v.status == TN_VERDICT_PROBLEM : same && same->status <= TN_LIKELY;
    r->stays = stays && !a->cpu ? same : v->v.first;
    r->outcome = stays ? TN_FIX_KEEPS : v->v.status == TN_VERDICT_UNKNOWN ? TN_FIX_GONE : TN_FIX_MENDS;
    return true;
}

/* Judges the machine as the steps would leave it. What the finding had explained, or what only shows once it is gone,
 * is mended by further steps; what stands for itself is only said. */
static void simulate(struct tn_cmd_ctx *c, const struct verdict *now, struct tn_snap *after, struct tn_fix *fix,
                     struct tn_report_fix *r)
{
    bool told = try_one(c, after, fix, r);
    for (unsigned round = 0; told && round < 3 && r->outcome == TN_FIX_MENDS && r->stays; round++) {
        const struct tn_finding *was = find(now, r->stays->cause);
        struct tn_fix *next = tn_arena_alloc(c->mem, sizeof *next);
        if ((was && !was->behind) || !tn_fix_make(c->mem, after, r->stays, next) || next->scope == TN_FIX_LOOKS ||
            next->driver || fix->n_step == TN_FIX_MAX_STEPS)
            return;
        next->finding = r->stays;
        fix->step[fix->n_step++] = next->chosen;
        told = try_one(c, after, next, r);
    }
}

/* Another build or Python: what fits is planned as `plan` does, the same release first. */
static void plan_instead(struct tn_cmd_ctx *c, struct tn_snap *s, const struct tn_fix *fix, struct tn_report_fix *r)
{
    struct tn_plan *p = tn_arena_alloc(c->mem, sizeof *p);
    struct tn_plan_steps *steps = tn_arena_alloc(c->mem, sizeof *steps);
    struct tn_planned_outcome o;
    for (int same = 1; same >= 0; same--) {
        struct tn_plan_wishes w;
        struct tn_err err;
        const char *wish = tn_fix_wish(c->mem, s, fix, same);
        tn_plan_wishes_init(&w);
        if (!*wish || tn_plan_wish(c->mem, &w, wish, &err))
            return;
        tn_plan_make(c->mem, &w, s, p);
        if (p->end != TN_PLAN_FITS || w.refused)
            continue;
        tn_plan_steps_of(c->mem, p, steps);
        tn_planned_simulate(c, s, p, steps, &o);
        r->plan = p;
        r->steps = steps;
        r->stays = o.stays;
        r->outcome = o.stays && tn_str_eq(o.stays->cause, fix->finding->cause) ? TN_FIX_KEEPS : TN_FIX_MENDS;
        return;
    }
}

static int print(struct tn_cmd_ctx *c, const struct tn_report_fix *r, int status)
{
    struct tn_buf b;
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_report_fix_json(r, &b);
    else
        tn_report_fix_text(r, &b);
    int rc = tn_cmd_print(c, &b, status);
    tn_buf_deinit(&b);
    return rc;
}

static int mend(struct tn_cmd_ctx *c, const struct tn_snap *s, const char *cause, struct tn_err *err)
{
    struct verdict *now = tn_arena_alloc(c->mem, sizeof *now);
    struct tn_fix *fix = tn_arena_alloc(c->mem, sizeof *fix);
    struct tn_snap after;
    int rc = judge(c, s, tn_opt_value(c, TN_OPT_EXPECT), now, err);
    if (rc)
        return tn_cmd_fail(c, err);
    struct tn_report of = {.judge = &now->judge,
                           .findings = &now->found,
                           .verdict = &now->v,
                           .again = tn_cmd_again(c),
                           .lang = c->lang,
                           .shell = tn_snap_style(s) == TN_PATH_WINDOWS ? TN_SHELL_POWERSHELL : TN_SHELL_SH,
                           .color = c->color,
                           .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
    struct tn_report_fix r = {.of = &of, .cause = cause, .mem = c->mem};
    const struct tn_finding *f = chosen(now, cause);
    if (!f)
        return print(c, &r, !cause && now->v.status == TN_VERDICT_UNKNOWN ? TN_EXIT_UNKNOWN : TN_EXIT_OK);
    bool any = tn_fix_make(c->mem, s, f, fix);
    fix->finding = f;
    r.fix = fix;
    if (!any)
        return print(c, &r, TN_EXIT_PROBLEM);
    rc = copy(s, &after, err);
    if (rc)
        return tn_cmd_fail(c, err);
    plan_instead(c, &after, fix, &r);
    if (!r.plan)
        simulate(c, now, &after, fix, &r);
    rc = print(c, &r, TN_EXIT_OK);
    tn_snap_deinit(&after);
    return rc;
}

/* The packages that dpkg holds back, as far as the snapshot knows. */
static const char *const *held(struct tn_cmd_ctx *c, const struct tn_snap *s)
{
    const char **list = tn_arena_array(c->mem, s->package.n + 1, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_is(s->package.v[i].held, 1) && tn_known(s->package.v[i].name))
            list[n++] = s->package.v[i].name.v;
    return list;
}

/* What the package manager says that it would do: within the bounds of work on the driver, or refused. */
static int bounded(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_err *err)
{
    static const char *const say[TN_REMOVAL_KINDS] = {
        TN_S_rm_fine,      TN_S_rm_unclear, TN_S_rm_failed, TN_S_rm_essential, TN_S_rm_held,
        TN_S_rm_downgrade, TN_S_rm_kernel,  TN_S_rm_other,  TN_S_rm_last,      TN_S_rm_new_kernel};
    struct tn_transaction *t = tn_arena_alloc(c->mem, sizeof *t);
    struct tn_removal_answer a;
    struct tn_str kernel = TN_THE(s, host)->kernel;
    struct tn_removal_bound bound = {.held = held(c, s), .running = tn_known(kernel) ? kernel.v : NULL};
    struct tn_buf text, b;
    tn_buf_init(&text);
    int rc = tn_cmd_slurp(c, tn_opt_value(c, TN_OPT_SIMULATED), &text, err);
    if (rc) {
        tn_buf_deinit(&text);
        return tn_cmd_fail(c, err);
    }
    tn_transaction_read(c->mem, tn_span_of(text.p, text.n), t);
    tn_buf_deinit(&text);
    tn_removal_judge(t, &bound, &a);
    struct tn_arg args[] = {{"package", *a.package ? a.package : "?"},
                            {"n", tn_arena_printf(c->mem, "%u", a.n)},
                            {"tool", tn_removal_manager(t)}};
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, say[a.kind]), args, TN_LEN(args));
    tn_buf_ch(&b, '\n');
    rc = tn_cmd_print(c, &b, a.kind == TN_REMOVAL_FINE ? TN_EXIT_OK : TN_EXIT_REFUSED);
    tn_buf_deinit(&b);
    return rc;
}

static int unknown_cause(struct tn_cmd_ctx *c, const char *slug, struct tn_err *err)
{
    const char **known = tn_arena_array(c->mem, tn_n_cause_defs, sizeof *known);
    for (unsigned i = 0; i < tn_n_cause_defs; i++)
        known[i] = tn_cause_def_at(i).slug;
    const char *near = tn_cmd_near(slug, known, tn_n_cause_defs);
    struct tn_arg a[] = {{"slug", slug}, {"near", near ? near : ""}};
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, near ? TN_S_causes_unknown_near : TN_S_causes_unknown), a, TN_LEN(a));
    tn_err_set(err, TN_E_USAGE, NULL, "%s", b.p);
    tn_buf_deinit(&b);
    return tn_cmd_fail(c, err);
}

int tn_cmd_fix(struct tn_cmd_ctx *c)
{
    static const enum tn_opt_id other[] = {TN_OPT_METHOD, TN_OPT_PYTHON, TN_OPT_CUDA,        TN_OPT_DATE,
                                           TN_OPT_CPU,    TN_OPT_EXPORT, TN_OPT_REQUIREMENT, TN_OPT_SIDE_BY_SIDE};
    const char *cause = c->n_arg ? c->arg[0] : NULL;
    struct tn_snap s;
    struct tn_err err;
    bool simulated = tn_opt_on(c, TN_OPT_SIMULATED);
    bool wrong = c->n_arg > 1 || (simulated && tn_opt_on(c, TN_OPT_JSON));
    for (unsigned i = 0; i < TN_LEN(other); i++)
        wrong = wrong || tn_opt_on(c, other[i]);
    if (wrong) {
        tn_err_set(&err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_fx_usage));
        return tn_cmd_fail(c, &err);
    }
    bool known = !cause;
    for (unsigned i = 0; i < tn_n_cause_defs && !known; i++)
        known = tn_str_eq(tn_cause_def_at(i).slug, cause);
    if (!known)
        return unknown_cause(c, cause, &err);
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    rc = simulated ? bounded(c, &s, &err) : mend(c, &s, cause, &err);
    tn_snap_deinit(&s);
    return rc;
}
