/* undo.c - a change is taken back, to the byte. */
#include <string.h>

#include "apply/here.h"
#include "base/str.h"
#include "cmd/applied.h"
#include "snapshot/json.h"
#include "strings.gen.h"

/* The last change that is done; 0: none. */
static int last_done(struct tn_cmd_ctx *c, struct tn_state *s, unsigned *ret, struct tn_err *err)
{
    struct tn_tx_record *t = tn_arena_alloc(c->mem, sizeof *t);
    unsigned *ids;
    size_t n;
    int rc = tn_state_list(s, &ids, &n, err);
    *ret = 0;
    for (size_t i = n; i-- > 0 && !rc && !*ret;)
        if (tn_state_read(s, ids[i], t, NULL) == 0 && t->state == TN_TX_DONE)
            *ret = ids[i];
    return rc;
}

static int say(struct tn_cmd_ctx *c, unsigned id, const struct tn_tx_record *t, const struct tn_tx_rest *rest)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (tn_opt_on(c, TN_OPT_JSON)) {
        tn_json_seed();
        json_t *changed = tn_json_must(json_array());
        for (unsigned i = 0; i < t->n_item; i++)
            tn_json_append(changed, tn_json_text(tn_here_join(c->mem, t->item[i].folder, t->item[i].name)));
        for (unsigned i = 0; i < t->n_value; i++)
            tn_json_append(changed, tn_json_text(tn_arena_printf(c->mem, "%s\\%s", t->value[i].key, t->value[i].name)));
        json_t *j = json_pack("{s:i, s:s, s:s, s:i, s:[], s:o}", "schema_version", 1, "command", "undo", "status",
                              "undone", "id", (int)id, "steps", "changed", changed);
        tn_json_set(tn_json_must(j), "kept", rest->kept ? tn_json_text(rest->kept) : json_null());
        tn_json_set(j, "left", rest->left ? tn_json_text(rest->left) : json_null());
        tn_json_dump(&b, j, 1);
        json_decref(j);
        c->document = true;
    } else {
        tn_applied_add(c, &b, TN_S_ap_undo_done, "goal", t->goal, "id", tn_arena_printf(c->mem, "%u", id), NULL);
        tn_buf_ch(&b, '\n');
        if (rest->kept) {
            tn_applied_add(c, &b, TN_S_ap_undo_kept, "path", rest->kept, NULL);
            tn_buf_ch(&b, '\n');
        }
        if (rest->left) {
            tn_applied_add(c, &b, TN_S_ap_undo_left, "path", rest->left, NULL);
            tn_buf_ch(&b, '\n');
        }
    }
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_state *s;
    struct tn_err err;
    struct tn_tx_record *t = tn_arena_alloc(c->mem, sizeof *t);
    uint64_t number = 0;
    unsigned id = 0;
    struct tn_tx_rest rest = {NULL, NULL};
    if (c->n_arg && (!tn_str_u64(c->arg[0], strlen(c->arg[0]), 10, &number) || !number || number > TN_STATE_MAX)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_undo_usage));
        return TN_EXIT_USAGE;
    }
    tn_os_interrupts_hold();
    int rc = tn_applied_open(c, &s);
    if (rc)
        return rc;
    id = (unsigned)number;
    rc = id ? tn_state_read(s, id, t, &err) : last_done(c, s, &id, &err);
    if (number && rc == TN_E_NOTFOUND) {
        tn_state_close(s);
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_undo_usage));
        return TN_EXIT_USAGE;
    }
    if (!rc && !id) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_undo_none));
        tn_state_close(s);
        return TN_EXIT_USAGE;
    }
    if (!rc)
        rc = tn_tx_undo(s, id, &rest, &err);
    if (!rc)
        rc = tn_state_read(s, id, t, &err);
    tn_state_close(s);
    return rc ? tn_applied_fail(c, &err) : say(c, id, t, &rest);
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON, TN_OPT_COUNT};
static const char *const examples[] = {"tenon undo", "tenon undo 3", NULL};

TN_CMD(undo, "undo", "[ID]", opts, 0, 1, run, TN_S_cmd_undo, examples, 0);
