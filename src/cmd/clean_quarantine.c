/* clean_quarantine.c - see clean_quarantine.h: what changes keep on the disk so that undo brings it back, and its
 * deletion for good.
 *
 * Invariant: only what a journal names as kept is measured or deleted, and only while it is still what went (by inode,
 * apply/recover.c). */
#include "cmd/clean_quarantine.h"

#include <string.h>

#include "base/str.h"
#include "cmd/applied.h"
#include "report/report.h"
#include "snapshot/json.h"
#include "strings.gen.h"

#define MAX_CHANGES 4096u

struct kept {
    unsigned id;
    struct tn_tx_record *t;
    uint64_t bytes, freed;
    bool late; /* not measured whole */
};

struct quarantine {
    struct tn_cmd_ctx *c;
    struct kept *v;
    size_t n, cap;
    struct tn_os_folder *folder; /* of all of them, group by group */
    size_t n_folder, cap_folder;
    uint64_t bytes, freed;
};

static const char *twin(struct quarantine *q, const struct tn_tx_item *i)
{
    return tn_path_join(q->c->mem, TN_PATH_POSIX, i->folder, i->twin);
}

/* What of a change is there. */
static void add(struct quarantine *q, unsigned id, const struct tn_tx_record *t)
{
    struct kept k = {.id = id};
    bool there = false;
    for (unsigned i = 0; i < t->n_item; i++) {
        struct tn_os_stat st;
        const char *path = twin(q, &t->item[i]);
        if (t->item[i].how == TN_TX_PUT || tn_os_stat(NULL, path, false, &st, NULL))
            continue;
        there = true;
        if (st.type != 'd') {
            k.bytes += st.size;
            k.freed += st.nlink > 1 ? 0 : st.size;
            continue;
        }
        q->folder = tn_arena_grow(q->c->mem, q->folder, q->n_folder, &q->cap_folder, sizeof *q->folder);
        q->folder[q->n_folder++] = (struct tn_os_folder){path, (unsigned)q->n};
    }
    if (!there || q->n == MAX_CHANGES)
        return;
    k.t = tn_arena_memdup(q->c->mem, t, sizeof *t);
    q->v = tn_arena_grow(q->c->mem, q->v, q->n, &q->cap, sizeof *q->v);
    q->v[q->n++] = k;
}

/* Is the change one that the words ask for? None: all are. */
static bool is_meant(const struct tn_cmd_ctx *c, unsigned id)
{
    uint64_t number;
    for (unsigned i = 1; i < c->n_arg; i++)
        if (tn_str_u64(c->arg[i], strlen(c->arg[i]), 10, &number) && number == id)
            return true;
    return c->n_arg == 1;
}

static int collect(struct quarantine *q, struct tn_state *s, struct tn_err *err)
{
    struct tn_tx_record *t = tn_arena_alloc(q->c->mem, sizeof *t);
    unsigned *ids = NULL;
    size_t n = 0;
    int rc = s ? tn_state_list(s, &ids, &n, err) : 0;
    for (size_t i = 0; i < n && !rc; i++)
        if (is_meant(q->c, ids[i]) && tn_state_read(s, ids[i], t, NULL) == 0 && t->state == TN_TX_DONE)
            add(q, ids[i], t);
    return rc;
}

static int measure(struct quarantine *q, struct tn_err *err)
{
    static const struct tn_os_seek plain;
    struct tn_os_measured m;
    int rc = q->n_folder ? tn_os_measure(NULL, q->folder, q->n_folder, (unsigned)q->n, &plain, q->c->mem, &m, err) : 0;
    for (size_t i = 0; i < q->n && !rc; i++) {
        if (q->n_folder) {
            q->v[i].bytes += m.group[i].bytes;
            q->v[i].freed += m.group[i].freed;
            q->v[i].late = m.group[i].late;
        }
        q->bytes += q->v[i].bytes;
        q->freed += q->v[i].freed;
    }
    return rc;
}

static json_t *as_json(struct quarantine *q, bool deleted)
{
    json_t *entries = tn_json_must(json_array()), *changed = tn_json_must(json_array());
    for (size_t i = 0; i < q->n; i++) {
        const struct kept *k = &q->v[i];
        json_t *o = tn_json_must(json_object()), *paths = tn_json_must(json_array());
        for (unsigned n = 0; n < k->t->n_item; n++)
            if (k->t->item[n].how != TN_TX_PUT) {
                tn_json_append(paths, tn_json_text(twin(q, &k->t->item[n])));
                if (deleted)
                    tn_json_append(changed, tn_json_text(twin(q, &k->t->item[n])));
            }
        tn_json_set(o, "id", json_integer(k->id));
        tn_json_set(o, "time", json_integer(k->t->time));
        tn_json_set(o, "goal", tn_json_text(k->t->goal));
        tn_json_set(o, "bytes", json_integer((json_int_t)k->bytes));
        tn_json_set(o, "bytes_freed", json_integer((json_int_t)k->freed));
        tn_json_set(o, "paths", paths);
        tn_json_append(entries, o);
    }
    json_t *j = json_pack("{s:i, s:s, s:s, s:n, s:[], s:o, s:o, s:I, s:I}", "schema_version", 1, "command", "clean",
                          "status", deleted ? "deleted" : "kept", "id", "steps", "changed", changed, "entries", entries,
                          "bytes", (json_int_t)q->bytes, "bytes_freed", (json_int_t)q->freed);
    return tn_json_must(j);
}

static void say(struct quarantine *q, struct tn_buf *b, bool deleted)
{
    struct tn_cmd_ctx *c = q->c;
    const char *all = tn_report_size(c->mem, q->bytes), *freed = tn_report_size(c->mem, q->freed);
    tn_applied_add(c, b,
                   !q->n     ? TN_S_cl_q_none
                   : deleted ? TN_S_cl_q_deleted
                             : TN_S_cl_q_head,
                   "size", all, "freed", freed, NULL);
    tn_buf_ch(b, '\n');
    for (size_t i = 0; i < q->n; i++) {
        const struct kept *k = &q->v[i];
        tn_buf_str(b, "  ");
        tn_applied_add(c, b, k->late ? TN_S_cl_q_line_late : TN_S_cl_q_line, "id", tn_arena_printf(c->mem, "%u", k->id),
                       "time", tn_applied_time(c->mem, k->t->time), "goal", k->t->goal, "size",
                       tn_report_size(c->mem, k->bytes), NULL);
        tn_buf_ch(b, '\n');
    }
    if (!q->n || deleted)
        return;
    const char *command = "tenon clean quarantine";
    for (unsigned i = 1; i < c->n_arg; i++)
        command = tn_arena_printf(c->mem, "%s %s", command, c->arg[i]);
    tn_applied_add(c, b, TN_S_cl_q_next, "command", tn_arena_printf(c->mem, "%s --yes", command), NULL);
    tn_buf_ch(b, '\n');
}

static int answer(struct quarantine *q, bool deleted)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (tn_opt_on(q->c, TN_OPT_JSON)) {
        tn_json_seed();
        json_t *j = as_json(q, deleted);
        tn_json_dump(&b, j, 1);
        json_decref(j);
        q->c->document = true;
    } else {
        say(q, &b, deleted);
    }
    int rc = tn_cmd_print(q->c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

/* Numbers of changes, nothing else. */
static bool words_are_good(struct tn_cmd_ctx *c)
{
    uint64_t number;
    for (unsigned i = 1; i < c->n_arg; i++)
        if (!tn_str_u64(c->arg[i], strlen(c->arg[i]), 10, &number) || !number || number > TN_STATE_MAX)
            return false;
    return true;
}

int tn_clean_quarantine(struct tn_cmd_ctx *c)
{
    struct quarantine q = {.c = c};
    struct tn_state *s = NULL;
    struct tn_err err;
    bool yes = tn_opt_on(c, TN_OPT_YES);
    if (!words_are_good(c)) {
        tn_cmd_say(c, "%s", tn_s(c, TN_S_ap_undo_usage));
        return TN_EXIT_USAGE;
    }
    if (yes)
        tn_os_interrupts_hold();
    int rc = yes ? tn_applied_open(c, &s) : tn_applied_look(c, &s);
    if (rc)
        return rc;
    rc = collect(&q, s, &err);
    if (!rc)
        rc = measure(&q, &err);
    for (size_t i = 0; yes && i < q.n && !rc; i++) {
        rc = tn_tx_forget(s, q.v[i].id, &err);
        if (!rc && i + 1 < q.n && tn_os_interrupted())
            rc = tn_err_set(&err, TN_E_INTERRUPTED, NULL, "interrupted");
    }
    tn_state_close(s);
    return rc ? tn_applied_fail(c, &err) : answer(&q, yes && q.n);
}
