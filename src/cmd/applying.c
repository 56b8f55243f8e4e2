/* applying.c - see applying.h. */
#include "cmd/applying.h"

#include <string.h>

#include "apply/here.h"
#include "apply/settle.h"
#include "base/str.h"
#include "check/check.h"
#include "cmd/applied.h"
#include "cmd/prove.h"
#include "report/escape.h"
#include "snapshot/json.h"
#include "strings.gen.h"

const char *tn_applying_step_says(struct tn_cmd_ctx *c, const struct tn_plan_step *s)
{
    struct tn_plan_say what, changes, undo;
    struct tn_buf b;
    tn_plan_step_says(c->mem, s, &what, &changes, &undo);
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, what.id), what.arg, what.n_arg);
    const char *r = tn_arena_strdup(c->mem, b.p);
    tn_buf_deinit(&b);
    return r;
}

/* --- while it is done --- */

static void clear_line(const struct tn_applying *d)
{
    tn_apply_progress_clear(&d->at);
}

static void begin(struct tn_applying *d, const char *what)
{
    d->n++;
    d->what = what;
    clear_line(d);
    tn_apply_progress_begin(&d->at, d->c, d->a.stage, d->n, d->all, what);
    tn_tx_step(d->a.tx, what, "", NULL);
    if (!tn_opt_on(d->c, TN_OPT_QUIET) && !tn_opt_on(d->c, TN_OPT_JSON)) {
        struct tn_buf b;
        tn_buf_init(&b);
        tn_applied_add(d->c, &b, TN_S_ap_step, "n", tn_arena_printf(d->c->mem, "%u", d->n), "all",
                       tn_arena_printf(d->c->mem, "%u", d->all), "what", what, NULL);
        tn_buf_ch(&b, '\n');
        tn_os_print_text(2, b.p, b.n);
        tn_buf_deinit(&b);
    }
}

static void tick(void *ctx)
{
    struct tn_applying *d = ctx;
    tn_apply_progress_tick(&d->at);
}

static void heard(void *ctx, const char *line, size_t n)
{
    struct tn_applying *d = ctx;
    tn_apply_progress_line(&d->at, line, n);
    if (!tn_opt_on(d->c, TN_OPT_VERBOSE))
        return;
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_str(&b, "    ");
    tn_escape_terminal(&b, tn_arena_strndup(d->c->mem, line, n));
    tn_buf_ch(&b, '\n');
    tn_os_print_text(2, b.p, b.n);
    tn_buf_deinit(&b);
}

static void fetched(void *ctx, const char *file, uint64_t now, uint64_t of)
{
    struct tn_applying *d = ctx;
    tn_apply_progress_told(&d->at, file, now, of);
}

static void ended(struct tn_applying *d, const char *outcome)
{
    tn_tx_step(d->a.tx, d->what, outcome, NULL);
}

/* What failed before the commit; the exit status. */
static int give_up(struct tn_applying *d, const char *id, const char *status, const struct tn_err *err)
{
    clear_line(d);
    ended(d, "failed");
    struct tn_err later;
    int rc = tn_tx_cancel(d->a.tx, &later);
    if (err && err->code == TN_E_INTERRUPTED) {
        tn_cmd_say(d->c, "%s", tn_s(d->c, TN_S_ap_interrupted));
        return TN_EXIT_INTERRUPTED;
    }
    tn_applied_tail(d->c, &d->a.tail);
    tn_applied_tell(d->c, id, "n", tn_arena_printf(d->c->mem, "%u", d->n), "what", d->what, "status", status, "why",
                    err ? tn_arena_printf(d->c->mem, "%s%s%s", err->place, *err->place ? ": " : "", err->text) : "",
                    NULL);
    if (rc)
        tn_cmd_fail(d->c, &later);
    return err && (err->code == TN_E_REFUSED || err->code == TN_E_DENIED) ? TN_EXIT_REFUSED : TN_EXIT_UNFINISHED;
}

/* --- it is done --- */

static int do_steps(struct tn_applying *d)
{
    struct tn_err err = {0};
    for (unsigned i = 0; i < d->steps.n; i++) {
        const struct tn_plan_step *s = &d->steps.v[i];
        int status = 0;
        if (s->kind == TN_STEP_CHECK)
            continue;
        begin(d, tn_applying_step_says(d->c, s));
        if (tn_os_interrupted())
            return give_up(d, TN_S_ap_failed, "", &(struct tn_err){.code = TN_E_INTERRUPTED});
        if (tn_apply_step(&d->a, s, &status, &err))
            return give_up(d, TN_S_ap_failed, "", &err);
        if (status)
            return give_up(d, TN_S_ap_failed_step, tn_arena_printf(d->c->mem, "%d", status), NULL);
        ended(d, "done");
    }
    return 0;
}

/* What the environment's activation will lead to, while it lies in the stage (plan/hooks.h). */
static const char *library_path(const struct tn_applying *d)
{
    for (unsigned i = 0; i < d->steps.n; i++)
        if (d->steps.v[i].kind == TN_STEP_SEARCH && tn_str_eq(d->steps.v[i].into, "lib"))
            return tn_arena_printf(d->c->mem, "%s/lib", d->a.stage);
        else if (d->steps.v[i].kind == TN_STEP_SEARCH)
            return tn_arena_printf(d->c->mem, "%s/cuda/lib64:%s/cuda/extras/CUPTI/lib64", d->a.stage, d->a.stage);
    return NULL;
}

/* A sentence about the stage is one about the environment for whoever reads it. */
static const char *of_final(const struct tn_applying *d, const char *text)
{
    struct tn_buf b;
    size_t n = strlen(d->a.stage);
    tn_buf_init(&b);
    for (const char *at; (at = strstr(text, d->a.stage)) != NULL; text = at + n) {
        tn_buf_add(&b, text, (size_t)(at - text));
        tn_buf_str(&b, d->a.final);
    }
    tn_buf_str(&b, text);
    const char *r = tn_arena_strdup(d->c->mem, b.p);
    tn_buf_deinit(&b);
    return r;
}

static int unhealthy(struct tn_applying *d, const struct tn_prove_verdict *v)
{
    clear_line(d);
    ended(d, "failed");
    tn_tx_cancel(d->a.tx, NULL);
    tn_applied_tell(d->c, TN_S_ap_failed_check, "cause", v->cause, "title", v->title, "says", of_final(d, v->says),
                    NULL);
    if (*v->command)
        tn_applied_tell(d->c, TN_S_ap_failed_help, "what", of_final(d, v->help), "command", of_final(d, v->command),
                        NULL);
    return TN_EXIT_UNFINISHED;
}

#define MAX_MENDED 8u

/* What doctor says of what was built: a problem that the plan did not foretell is a failure. Packages of an environment
 * that was there and have lost files are installed once more first. */
static int check(struct tn_applying *d)
{
    struct tn_prove_verdict v;
    struct tn_err err;
    begin(d, tn_s(d->c, TN_S_ap_step_check));
    d->a.library_path = library_path(d);
    for (unsigned mended = 0;; mended++) {
        int status = 0;
        if (tn_prove_doctor(d->c, d->a.stage, d->a.library_path, d->plan && !d->plan->gpu ? "cpu" : NULL, &v, &err))
            return give_up(d, TN_S_ap_failed, "", &err);
        bool foretold = d->outcome.stays && v.cause && tn_str_eq(d->outcome.stays->cause, v.cause);
        if (!v.in_environment || foretold)
            break;
        if (!d->a.changes || !*v.damaged || mended == MAX_MENDED)
            return unhealthy(d, &v);
        if (tn_apply_reinstall(&d->a, v.damaged, &status, &err))
            return give_up(d, TN_S_ap_failed, "", &err);
        if (status)
            return unhealthy(d, &v);
    }
    if (v.cause) {
        tn_applied_add(d->c, &d->said, TN_S_ap_stays, "title", v.title, "cause", v.cause, NULL);
        tn_buf_ch(&d->said, '\n');
    }
    ended(d, "done");
    return 0;
}

static int prove(struct tn_applying *d)
{
    struct tn_err err;
    int status = 0;
    begin(d, tn_s(d->c, TN_S_ap_step_prove));
    if (tn_prove_run(&d->a, &status, &err))
        return give_up(d, TN_S_ap_failed, "", &err);
    if (status)
        return give_up(d, TN_S_ap_failed_prove, "", NULL);
    ended(d, "done");
    return 0;
}

static int make_real(struct tn_applying *d)
{
    struct tn_err err;
    begin(d, tn_s(d->c, TN_S_ap_step_settle));
    if (d->a.conda ? tn_apply_settle_all(d->c->mem, d->a.stage, d->a.stage, d->a.final, &err)
                   : tn_apply_settle(d->c->mem, d->a.stage, d->a.final, &err))
        return give_up(d, TN_S_ap_failed, "", &err);
    ended(d, "done");
    begin(d, tn_s(d->c, TN_S_ap_step_sync));
    if (tn_os_interrupted())
        return give_up(d, TN_S_ap_failed, "", &(struct tn_err){.code = TN_E_INTERRUPTED});
    int rc = tn_tx_commit(d->a.tx, &err);
    enum tn_tx_state state = tn_tx_record_of(d->a.tx)->state;
    clear_line(d);
    if (rc) {
        tn_applied_tell(d->c, state == TN_TX_COMMITTED ? TN_S_ap_failed_late : TN_S_ap_failed, "why",
                        tn_arena_printf(d->c->mem, "%s%s%s", err.place, *err.place ? ": " : "", err.text), NULL);
        return TN_EXIT_UNFINISHED;
    }
    tn_apply_forget_archives(&d->a);
    return 0;
}

/* ". ENV/bin/activate", "& ENV\\Scripts\\Activate.ps1", "conda activate ENV". */
static bool activation(const struct tn_applying *d, struct tn_buf *ret)
{
    const char *program = "";
    for (unsigned i = 0; i < d->steps.n; i++)
        if (d->steps.v[i].kind == TN_STEP_CONDA_ENV)
            program = d->steps.v[i].program;
    if (*program)
        tn_buf_printf(ret, "%s activate ", program);
    else if (tn_here_is_windows())
        tn_buf_str(ret, "& ");
    else
        tn_buf_str(ret, ". ");
    const char *script = tn_here_is_windows() ? "Scripts\\Activate.ps1" : "bin/activate";
    return tn_shell_quote(ret, tn_here_is_windows() ? TN_SHELL_POWERSHELL : TN_SHELL_SH,
                          *program ? d->a.final : tn_here_join(d->c->mem, d->a.final, script));
}

static int say_done(struct tn_applying *d)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (tn_opt_on(d->c, TN_OPT_JSON)) {
        const struct tn_tx_record *t = tn_tx_record_of(d->a.tx);
        tn_json_seed();
        json_t *list = tn_json_must(json_array());
        for (unsigned i = 0; i < t->n_step; i++)
            tn_json_append(list, json_pack("{s:o, s:s}", "what", tn_json_text(t->step[i].what), "outcome",
                                           *t->step[i].outcome ? t->step[i].outcome : "done"));
        json_t *j =
            json_pack("{s:i, s:s, s:s, s:i, s:o, s:[o]}", "schema_version", 1, "command", "apply", "status", "done",
                      "id", (int)tn_tx_id_of(d->a.tx), "steps", list, "changed", tn_json_text(d->a.final));
        tn_json_dump(&b, tn_json_must(j), 1);
        json_decref(j);
        d->c->document = true;
    } else {
        struct tn_buf q;
        tn_buf_init(&q);
        tn_applied_add(d->c, &b, d->a.changes ? TN_S_ap_done_change : TN_S_ap_done_new, "path", d->a.final, NULL);
        tn_buf_ch(&b, '\n');
        tn_buf_add(&b, d->said.p, d->said.n);
        if (d->a.unlisted) {
            tn_applied_add(d->c, &b, TN_S_ap_archives_unlisted, NULL);
            tn_buf_ch(&b, '\n');
        }
        if (activation(d, &q))
            tn_applied_add(d->c, &b, TN_S_ap_use, "command", q.p, NULL);
        tn_buf_ch(&b, '\n');
        tn_applied_add(d->c, &b, TN_S_ap_back, "command",
                       tn_arena_printf(d->c->mem, "tenon undo %u", tn_tx_id_of(d->a.tx)), NULL);
        tn_buf_ch(&b, '\n');
        tn_buf_deinit(&q);
    }
    int rc = tn_cmd_print(d->c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

int tn_applying(struct tn_applying *d, struct tn_state *s)
{
    struct tn_err err;
    d->a.watch = (struct tn_apply_watch){heard, tick, fetched, d};
    int rc = tn_tx_begin(s, "apply", d->goal, &d->a.tx, &err);
    if (rc)
        return tn_applied_fail(d->c, &err);
    d->what = "";
    rc = d->a.changes ? tn_tx_swap(d->a.tx, d->a.final, &d->a.stage, &err)
                      : tn_tx_put(d->a.tx, d->a.final, &d->a.stage, &err);
    if (rc)
        return give_up(d, TN_S_ap_failed, "", &err);
    rc = do_steps(d);
    if (!rc)
        rc = check(d);
    if (!rc)
        rc = prove(d);
    if (!rc)
        rc = make_real(d);
    return rc ? rc : say_done(d);
}
