/* diff.c - compares two snapshots or raw records: what changed, and of it what may change a verdict. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "report/escape.h"
#include "snapshot/diff.h"
#include "snapshot/redact.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static void as_text(const struct tn_cmd_ctx *c, const struct tn_diff *d, struct tn_buf *b)
{
    unsigned hidden = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct tn_change *x = &d->v[i];
        if (!x->matters && !tn_opt_on(c, TN_OPT_ALL)) {
            hidden++;
            continue;
        }
        const char *word = tn_s(c, x->matters ? TN_S_diff_matters : TN_S_diff_noise);
        tn_buf_printf(b, "%s: ", word);
        tn_escape_terminal(b, x->fact);
        tn_buf_str(b, ": ");
        tn_escape_terminal(b, x->old_text ? x->old_text : "-");
        tn_buf_str(b, " -> ");
        tn_escape_terminal(b, x->new_text ? x->new_text : "-");
        tn_buf_ch(b, '\n');
    }
    struct tn_arg a[] = {{"n", tn_arena_printf(c->mem, "%u", hidden)}};
    if (d->n == 0)
        tn_buf_printf(b, "%s\n", tn_s(c, TN_S_diff_none));
    if (hidden) {
        tn_text_fill(b, tn_s(c, TN_S_diff_hidden), a, 1);
        tn_buf_ch(b, '\n');
    }
}

static void as_json(const struct tn_diff *d, struct tn_buf *b)
{
    tn_json_seed();
    json_t *top = json_pack("{s:i,s:s}", "schema_version", 1, "command", "diff"), *list = json_array();
    for (size_t i = 0; i < d->n; i++) {
        json_t *o = json_object();
        tn_json_set(o, "fact", tn_json_text(d->v[i].fact));
        tn_json_set(o, "before", d->v[i].old_text ? tn_json_text(d->v[i].old_text) : json_null());
        tn_json_set(o, "after", d->v[i].new_text ? tn_json_text(d->v[i].new_text) : json_null());
        tn_json_set(o, "matters", json_boolean(d->v[i].matters));
        tn_json_append(list, o);
    }
    tn_json_set(top, "changes", list);
    tn_json_dump(b, top, 1);
    tn_buf_ch(b, '\n');
    json_decref(top);
}

/* The i-th snapshot: a file, or this machine when only one file is named. */
static int load(struct tn_cmd_ctx *c, unsigned i, struct tn_snap *ret, struct tn_err *err)
{
    c->opt[TN_OPT_FROM].n = i < c->n_arg;
    c->opt[TN_OPT_FROM].v[0] = i < c->n_arg ? c->arg[i] : NULL;
    return tn_cmd_subject(c, ret, err);
}

/* A masked snapshot can be compared with a masked one only: the other is masked by the same rules. */
static int make_alike(struct tn_snap s[2], struct tn_err *err)
{
    struct tn_snap shared;
    if (s[0].redacted == s[1].redacted)
        return 0;
    struct tn_snap *raw = s[0].redacted ? &s[1] : &s[0];
    int rc = tn_snapshot_redact(raw, &shared, NULL, err);
    if (rc)
        return rc;
    tn_snap_deinit(raw);
    *raw = shared;
    return 0;
}

static int compare(struct tn_cmd_ctx *c, const struct tn_snap s[2])
{
    struct tn_diff d;
    struct tn_buf b;
    tn_snapshot_diff(&s[0], &s[1], &d);
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        as_json(&d, &b);
    else
        as_text(c, &d, &b);
    int rc = tn_cmd_print(c, &b, d.n_matters ? TN_EXIT_PROBLEM : TN_EXIT_OK);
    tn_buf_deinit(&b);
    tn_diff_deinit(&d);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s[2];
    struct tn_err err;
    if (load(c, 0, &s[0], &err))
        return tn_cmd_fail(c, &err);
    if (load(c, 1, &s[1], &err)) {
        tn_snap_deinit(&s[0]);
        return tn_cmd_fail(c, &err);
    }
    int rc = make_alike(s, &err) ? tn_cmd_fail(c, &err) : compare(c, s);
    tn_snap_deinit(&s[0]);
    tn_snap_deinit(&s[1]);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON, TN_OPT_ALL, TN_OPT_COUNT};
static const char *const examples[] = {"tenon diff before.json after.json",
                                       "tenon diff before.json     (against this machine)", NULL};

TN_CMD(diff, "diff", "BEFORE [AFTER]", opts, 1, 2, run, TN_S_cmd_diff, examples, 0);
