/* planned.c - see planned.h. */
#include "cmd/planned.h"

#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "probe/promised.h"
#include "strings.gen.h"

static void python_of(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, const char *spec)
{
    const char *v = spec + strspn(spec, "=");
    size_t n = strcspn(v, "=*");
    if (n > 1 && v[n - 1] == '.')
        n--;
    if (n && tn_is_digit(*v))
        w->python = tn_arena_strndup(c->mem, v, n);
}

static void cuda_of(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, const char *spec)
{
    const char *v = spec + strspn(spec, "=");
    size_t n = strcspn(v, "=*,");
    if (n && tn_is_digit(*v))
        w->cuda = tn_arena_strndup(c->mem, v, n);
}

/* A bound that the repair has added: the plan adds its own. */
static bool is_pin_of_repair(const struct tn_command *k, const char *name)
{
    size_t n = strlen(name);
    for (unsigned i = 0; i < k->n_repair; i++)
        if (k->repair[i].kind == TN_MEND_PIN && strncmp(k->repair[i].now, name, n) == 0 &&
            strchr("=<>!~", k->repair[i].now[n]))
            return true;
    return false;
}

static int part(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, const struct tn_command *k, const struct tn_part *p,
                struct tn_err *err)
{
    if (*p->python)
        w->python = p->python;
    if (*p->env)
        w->env = p->env;
    if (p->tool == TN_TOOL_CONDA && w->method == TN_METHOD_AUTO)
        w->method = TN_METHOD_MIXED;
    for (unsigned i = 0; i < p->n_want; i++) {
        const struct tn_want *want = &p->want[i];
        if (is_pin_of_repair(k, want->name))
            continue;
        if (tn_str_eq(want->name, "python")) {
            python_of(c, w, want->spec);
        } else if (tn_str_eq(want->name, "cudatoolkit") || tn_str_eq(want->name, "cuda-version")) {
            cuda_of(c, w, want->spec);
        } else if (!tn_str_eq(want->name, "cudnn")) {
            const char *text = *want->extras ? tn_arena_printf(c->mem, "%s[%s]%s", want->name, want->extras, want->spec)
                                             : tn_arena_printf(c->mem, "%s%s", want->name, want->spec);
            int rc = tn_plan_wish(c->mem, w, text, err);
            if (rc)
                return rc;
        }
    }
    return 0;
}

int tn_planned_words(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, struct tn_commands *ret_commands,
                     struct tn_err *err)
{
    memset(ret_commands, 0, sizeof *ret_commands);
    ret_commands->alone = ret_commands->talk = true;
    for (unsigned i = 0; i < c->n_arg; i++) {
        struct tn_command *k = strpbrk(c->arg[i], " \t\n") ? tn_command_read(c->mem, c->arg[i]) : NULL;
        int rc = k ? 0 : tn_plan_wish(c->mem, w, c->arg[i], err);
        if (rc)
            return rc;
        if (!k)
            continue;
        if (ret_commands->n < TN_MAX_COMMANDS)
            ret_commands->v[ret_commands->n++] = k;
        for (unsigned p = 0; p < k->n_part; p++)
            if ((rc = part(c, w, k, &k->part[p], err)))
                return rc;
    }
    return 0;
}

/* --- what it comes to --- */

/* "name==1.2", "name[extra]==1.2": exact ones only; what a resolver chooses is not promised. */
static void promise(struct tn_cmd_ctx *c, const char *requirement, struct tn_promise *v, size_t *n)
{
    const char *eq = strstr(requirement, "==");
    size_t name = strcspn(requirement, "[=<>!~ ");
    if (!eq || strchr(eq, '*') || strchr(eq, ','))
        return;
    v[(*n)++] = (struct tn_promise){tn_arena_strndup(c->mem, requirement, name), eq + 2, false};
}

static size_t promises(struct tn_cmd_ctx *c, const struct tn_plan *p, const struct tn_plan_steps *steps,
                       struct tn_promise *v)
{
    size_t n = 0;
    for (unsigned i = 0; i < steps->n; i++)
        for (unsigned k = 0; steps->v[i].kind == TN_STEP_PACKAGES && k < steps->v[i].n_package; k++)
            promise(c, steps->v[i].package[k], v, &n);
    for (unsigned i = 0; i < p->choice.n && p->method == TN_METHOD_CONDA; i++) /* conda's names are others */
        v[n++] = (struct tn_promise){tn_plan_kind_word(p->choice.build[i]->kind), p->choice.build[i]->version, false};
    for (unsigned i = 0; i < p->choice.n_pin; i++)
        if (*p->choice.pin[i].version)
            v[n++] = (struct tn_promise){p->choice.pin[i].name, p->choice.pin[i].version, false};
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        if (b->kind != TN_PLAN_JAX || !b->gpu)
            continue;
        const char *variant = b->variant;
        if (p->method == TN_METHOD_CONDA)
            variant = tn_arena_printf(c->mem, "cuda%.2s", p->choice.cuda);
        size_t digits = strcspn(variant, "_-"); /* as an old jaxlib says it: the tables know the build by that */
        v[n++] =
            (struct tn_promise){"jaxlib", tn_arena_printf(c->mem, "%s+%.*s", b->version, (int)digits, variant), false};
    }
    return n;
}

void tn_planned_simulate(struct tn_cmd_ctx *c, struct tn_snap *s, const struct tn_plan *p,
                         const struct tn_plan_steps *steps, struct tn_planned_outcome *ret)
{
    struct tn_promise *v =
        tn_arena_array(c->mem, TN_PLAN_MAX_STEPS * TN_STEP_MAX_PACKAGES + TN_PLAN_MAX_PINS + 8, sizeof *v);
    struct tn_judge j;
    struct tn_sink found;
    struct tn_verdict verdict = {0};
    struct tn_err err;
    size_t n = promises(c, p, steps, v);
    ret->status = TN_VERDICT_UNKNOWN;
    ret->stays = NULL;
    tn_probe_promised(s, p->choice.python, v, n, p->choice.cuda, p->choice.cudnn);
    if (tn_judge_init(&j, s, p->gpu ? "gpu" : "cpu", &err) != 0)
        return;
    tn_judge_narrow(&j, c->mem);
    tn_sink_init(&found, c->mem);
    tn_check_run(&j, NULL, NULL, &found);
    tn_findings_merge(&found);
    tn_verdict_make(&j, &found, &verdict);
    ret->status = verdict.status;
    ret->stays = verdict.status == TN_VERDICT_PROBLEM ? verdict.first : NULL;
}
