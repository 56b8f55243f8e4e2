/* snapshot.c - what is known of a machine as a file: facts, redacted; or with --raw its answers, private. */
#include <string.h>

#include "cmd/cmd.h"
#include "os/os.h"
#include "snapshot/jsonschema.h"
#include "snapshot/redact.h"
#include "snapshot/write.h"
#include "strings.gen.h"

static void say_written(struct tn_cmd_ctx *c, const char *id, const char *file)
{
    struct tn_buf b;
    struct tn_arg a[] = {{"file", file}};
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, 1);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
}

static int give(struct tn_cmd_ctx *c, const struct tn_buf *b, struct tn_err *err)
{
    const char *file = tn_opt_value(c, TN_OPT_OUTPUT);
    c->document = true;
    if (!file || strcmp(file, "-") == 0)
        return tn_cmd_print(c, b, TN_EXIT_OK);
    if (tn_os_write_file(file, b->p, b->n, false, err))
        return tn_cmd_fail(c, err);
    say_written(c, TN_S_snapshot_written, file);
    return TN_EXIT_OK;
}

static int facts(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_err *err)
{
    struct tn_snap shared;
    struct tn_redact_count count;
    struct tn_buf b;
    int rc;
    tn_buf_init(&b);
    if (tn_opt_on(c, TN_OPT_INCLUDE_IDS) || s->redacted) {
        tn_snapshot_write(s, &b);
        rc = give(c, &b, err);
    } else if (tn_snapshot_redact(s, &shared, &count, err)) {
        rc = tn_cmd_fail(c, err);
    } else {
        tn_snapshot_write(&shared, &b);
        tn_snap_deinit(&shared);
        rc = give(c, &b, err);
    }
    tn_buf_deinit(&b);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_snap s;
    struct tn_err err;
    const char *file = tn_opt_value(c, TN_OPT_OUTPUT);
    if (tn_opt_on(c, TN_OPT_SCHEMA)) {
        struct tn_buf b;
        tn_buf_init(&b);
        tn_snapshot_json_schema(&b);
        int status = give(c, &b, &err);
        tn_buf_deinit(&b);
        return status;
    }
    if (tn_opt_on(c, TN_OPT_RAW) && (!file || strcmp(file, "-") == 0)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_raw_to_terminal));
        return TN_EXIT_USAGE;
    }
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    if (tn_opt_on(c, TN_OPT_RAW)) { /* written while it was probed */
        say_written(c, TN_S_snapshot_private, file);
        rc = TN_EXIT_OK;
    } else {
        rc = facts(c, &s, &err);
    }
    tn_snap_deinit(&s);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_RAW,      TN_OPT_OUTPUT, TN_OPT_INCLUDE_IDS, TN_OPT_SCHEMA,
                                      TN_OPT_ENV,      TN_OPT_ROOT,   TN_OPT_FROM,        TN_OPT_MACHINE,
                                      TN_OPT_DEADLINE, TN_OPT_JSON,   TN_OPT_COUNT};
static const char *const examples[] = {"tenon snapshot > machine.json", "tenon snapshot --raw -o machine.record.json",
                                       "tenon snapshot --from machine.record.json", "tenon snapshot --schema", NULL};

TN_CMD(snapshot, "snapshot", "", opts, 0, 0, run, TN_S_cmd_snapshot, examples, 0);
