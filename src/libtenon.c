/* libtenon.c - the public interface over the folders. The only file whose names begin with tenon_.
 *
 * Memory that runs out inside a call leaves through a jump to its entry, and the call says TENON_E_NOMEM. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "facts/table.h"
#include "os/os.h"
#include "probe/describe.h"
#include "probe/probe.h"
#include "report/report.h"
#include "snapshot/read.h"
#include "snapshot/redact.h"
#include "snapshot/write.h"
#include "tenon.h"
#include "world/record.h"

struct tenon {
    struct tn_arena mem; /* texts handed out */
    struct tn_snap snap;
    struct tn_judge judge;
    struct tn_sink found;
    struct tn_verdict verdict;
    struct tn_err err;
    char *env;
    char said[2 * TN_ERR_TEXT + 4];
    int looked, judged;
};

static _Thread_local jmp_buf out;

static void on_oom(void *ctx)
{
    (void)ctx;
    longjmp(out, 1);
}

/* Each public call that allocates begins with this. */
#define GUARD(t, failed)                                                                                               \
    do {                                                                                                               \
        if (setjmp(out)) {                                                                                             \
            tn_oom_hook(NULL, NULL);                                                                                   \
            tn_os_look_end(true);                                                                                      \
            snprintf((t)->said, sizeof(t)->said, "out of memory");                                                     \
            return failed;                                                                                             \
        }                                                                                                              \
        tn_oom_hook(on_oom, NULL);                                                                                     \
    } while (0)

static int ended(struct tenon *t, int rc)
{
    tn_oom_hook(NULL, NULL);
    if (rc)
        snprintf(t->said, sizeof t->said, "%s%s%s", t->err.place, *t->err.place ? ": " : "", t->err.text);
    return rc;
}

const char *tenon_version(void)
{
    return TN_VERSION;
}

const char *tenon_facts_date(void)
{
    return tn_facts_date;
}

struct tenon *tenon_new(void)
{
    struct tenon *t = calloc(1, sizeof *t);
    if (t)
        tn_arena_init(&t->mem);
    return t;
}

static void forget(struct tenon *t)
{
    if (t->looked)
        tn_snap_deinit(&t->snap);
    tn_arena_deinit(&t->mem);
    t->looked = t->judged = 0;
}

void tenon_free(struct tenon *t)
{
    if (!t)
        return;
    forget(t);
    free(t->env);
    free(t);
}

const char *tenon_error(const struct tenon *t)
{
    return t->said;
}

int tenon_set_environment(struct tenon *t, const char *path_or_name)
{
    char *copy = path_or_name ? strdup(path_or_name) : NULL;
    if (path_or_name && !copy)
        return TENON_E_NOMEM;
    free(t->env);
    t->env = copy;
    return TENON_OK;
}

static int look_json(struct tenon *t, const char *text)
{
    struct tn_span json = tn_span_str(text);
    struct tn_record r;
    struct tn_world *w;
    struct tn_want want = {.env = t->env};
    if (!tn_record_looks_like(json))
        return tn_snapshot_read(json, &t->snap, &t->err);
    int rc = tn_record_read(json, &r, &t->err);
    if (rc)
        return rc;
    tn_snap_init(&t->snap);
    tn_world_replay(&r, &w, &t->err);
    tn_probe_all(w, &want, &t->snap);
    tn_world_close(w);
    tn_record_deinit(&r);
    return 0;
}

int tenon_look(struct tenon *t, enum tenon_subject subject, const char *arg)
{
    struct tn_world *w;
    struct tn_want want = {.env = t->env};
    GUARD(t, TENON_E_NOMEM);
    forget(t);
    int rc;
    if (subject != TENON_LIVE && !arg)
        rc = tn_err_set(&t->err, TN_E_USAGE, NULL, "this subject wants an argument");
    else if (subject == TENON_JSON)
        rc = look_json(t, arg);
    else if (subject == TENON_DESCRIPTION)
        rc = tn_describe(arg, &t->snap, &t->err);
    else if (!(rc = subject == TENON_ROOT ? tn_world_root(arg, &w, &t->err) : tn_world_live(&w, &t->err))) {
        tn_snap_init(&t->snap);
        tn_probe_all(w, &want, &t->snap);
        tn_world_close(w);
    }
    t->looked = rc == 0;
    return ended(t, rc);
}

int tenon_diagnose(struct tenon *t, const char *expect)
{
    GUARD(t, TENON_E_NOMEM);
    t->judged = 0;
    if (!t->looked)
        return ended(t, tn_err_set(&t->err, TN_E_USAGE, NULL, "tenon_look comes first"));
    int rc = tn_judge_init(&t->judge, &t->snap, expect, &t->err);
    if (rc)
        return ended(t, rc);
    tn_judge_narrow(&t->judge, &t->mem);
    tn_sink_init(&t->found, &t->mem);
    tn_check_run(&t->judge, NULL, NULL, &t->found);
    tn_findings_merge(&t->found);
    tn_check_others(&t->judge, &t->verdict);
    tn_verdict_make(&t->judge, &t->found, &t->verdict);
    t->judged = 1;
    return ended(t, 0);
}

enum tenon_verdict tenon_verdict(const struct tenon *t)
{
    return t->judged ? (enum tenon_verdict)t->verdict.status : TENON_VERDICT_UNKNOWN;
}

const char *tenon_cause(const struct tenon *t)
{
    return t->judged && t->verdict.first ? t->verdict.first->cause : NULL;
}

static enum tn_lang lang_of(const char *lang)
{
    return lang && strncmp(lang, "zh", 2) == 0 ? TN_ZH : TN_EN;
}

/* Moves a text into the handle's memory. */
static const char *keep(struct tenon *t, struct tn_buf *b)
{
    const char *s = tn_arena_strndup(&t->mem, b->p, b->n);
    tn_buf_deinit(b);
    tn_oom_hook(NULL, NULL);
    return s;
}

const char *tenon_finding_summary(struct tenon *t, size_t i, const char *lang)
{
    struct tn_buf b;
    if (!t->judged || i >= t->found.n)
        return NULL;
    GUARD(t, NULL);
    tn_buf_init(&b);
    tn_finding_say(&b, &t->found.v[i], lang_of(lang));
    return keep(t, &b);
}

const char *tenon_summary(struct tenon *t, const char *lang)
{
    struct tn_buf b;
    if (!t->judged)
        return NULL;
    GUARD(t, NULL);
    tn_buf_init(&b);
    if (t->verdict.first)
        tn_finding_say(&b, t->verdict.first, lang_of(lang));
    else
        tn_text_fill(&b, tn_string(t->verdict.say, lang_of(lang)), t->verdict.arg, t->verdict.n_arg);
    return keep(t, &b);
}

size_t tenon_finding_count(const struct tenon *t)
{
    return t->judged ? t->found.n : 0;
}

const char *tenon_finding_cause(const struct tenon *t, size_t i)
{
    return t->judged && i < t->found.n ? t->found.v[i].cause : NULL;
}

const char *tenon_finding_status(const struct tenon *t, size_t i)
{
    return t->judged && i < t->found.n ? tn_status_word(t->found.v[i].status) : NULL;
}

static enum tn_shell shell_of(const struct tenon *t)
{
    return tn_snap_style(&t->snap) == TN_PATH_WINDOWS ? TN_SHELL_POWERSHELL : TN_SHELL_SH;
}

const char *tenon_finding_command(struct tenon *t, size_t i)
{
    struct tn_buf b;
    if (!t->judged || i >= t->found.n || !t->found.v[i].n_remedy)
        return NULL;
    GUARD(t, NULL);
    tn_buf_init(&b);
    if (!tn_remedy_command(&b, &t->found.v[i].remedy[0], &t->snap, shell_of(t))) {
        tn_buf_deinit(&b);
        tn_oom_hook(NULL, NULL);
        return NULL;
    }
    return keep(t, &b);
}

const char *tenon_report_json(struct tenon *t, const char *lang)
{
    struct tn_buf b;
    if (!t->judged)
        return NULL;
    GUARD(t, NULL);
    struct tn_report r = {.judge = &t->judge,
                          .findings = &t->found,
                          .verdict = &t->verdict,
                          .lang = lang_of(lang),
                          .shell = shell_of(t),
                          .inventory = true};
    tn_buf_init(&b);
    tn_report_json(&r, "doctor", &b);
    return keep(t, &b);
}

const char *tenon_snapshot_json(struct tenon *t, int redacted)
{
    struct tn_buf b;
    struct tn_snap shared;
    struct tn_redact_count count;
    if (!t->looked)
        return NULL;
    GUARD(t, NULL);
    tn_buf_init(&b);
    if (!redacted) {
        tn_snapshot_write(&t->snap, &b);
    } else {
        if (ended(t, tn_snapshot_redact(&t->snap, &shared, &count, &t->err)))
            return NULL;
        tn_oom_hook(on_oom, NULL);
        tn_snapshot_write(&shared, &b);
        tn_snap_deinit(&shared);
    }
    return keep(t, &b);
}
