/* history.c - what tenon has changed. Looks only. */
#include <string.h>

#include "cmd/applied.h"
#include "snapshot/json.h"
#include "strings.gen.h"

static const char *const words[] = {TN_S_ap_state_open,       TN_S_ap_state_committed, TN_S_ap_state_done,
                                    TN_S_ap_state_cancelled,  TN_S_ap_state_undoing,   TN_S_ap_state_undone,
                                    TN_S_ap_state_forgetting, TN_S_ap_state_forgotten};

static json_t *entry(unsigned id, const struct tn_tx_record *t, const char *damage)
{
    json_t *j = tn_json_must(json_object());
    tn_json_set(j, "id", json_integer(id));
    tn_json_set(j, "time", damage ? json_null() : json_integer(t->time));
    tn_json_set(j, "goal", damage ? json_null() : tn_json_text(t->goal));
    tn_json_set(j, "status", json_string(damage ? "damaged" : tn_tx_state_word(t->state)));
    tn_json_set(j, "undoable", json_boolean(!damage && t->state == TN_TX_DONE));
    if (damage)
        tn_json_set(j, "error", tn_json_text(damage));
    return j;
}

static int list(struct tn_cmd_ctx *c, struct tn_state *s, json_t *entries, struct tn_buf *b, struct tn_err *err)
{
    struct tn_tx_record *t = tn_arena_alloc(c->mem, sizeof *t);
    unsigned *ids = NULL;
    size_t n = 0;
    int rc = s ? tn_state_list(s, &ids, &n, err) : 0;
    for (size_t i = n; i-- > 0 && !rc;) {
        struct tn_err why;
        const char *number = tn_arena_printf(c->mem, "%u", ids[i]);
        int damaged = tn_state_read(s, ids[i], t, &why);
        if (damaged == TN_E_NOTFOUND)
            continue; /* just begun, or ended before its first line */
        tn_json_append(entries, entry(ids[i], t, damaged ? why.text : NULL));
        if (damaged)
            tn_applied_add(c, b, TN_S_ap_history_damaged, "id", number, "why", why.text, NULL);
        else
            tn_applied_add(c, b, TN_S_ap_history_line, "id", number, "time", tn_applied_time(c->mem, t->time), "state",
                           tn_s(c, words[t->state]), "goal", t->goal, NULL);
        tn_buf_ch(b, '\n');
    }
    if (!rc && !b->n) {
        tn_applied_add(c, b, TN_S_ap_history_none, NULL);
        tn_buf_ch(b, '\n');
    }
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct tn_state *s;
    struct tn_err err;
    struct tn_buf b;
    int rc = tn_applied_look(c, &s);
    if (rc)
        return rc;
    tn_buf_init(&b);
    tn_json_seed();
    json_t *entries = tn_json_must(json_array());
    rc = list(c, s, entries, &b, &err);
    tn_state_close(s);
    if (!rc && tn_opt_on(c, TN_OPT_JSON)) {
        json_t *j = json_pack("{s:i, s:s, s:O}", "schema_version", 1, "command", "history", "entries", entries);
        tn_buf_clear(&b);
        tn_json_dump(&b, tn_json_must(j), 1);
        json_decref(j);
        c->document = true;
    }
    json_decref(entries);
    rc = rc ? tn_cmd_fail(c, &err) : tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON, TN_OPT_COUNT};
static const char *const examples[] = {"tenon history", "tenon history --json", NULL};

TN_CMD(history, "history", "", opts, 0, 0, run, TN_S_cmd_history, examples, 0);
