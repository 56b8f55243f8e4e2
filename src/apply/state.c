/* state.c - tenon's own folder: which transactions there are, one process at a time, and what was left is put right. */
#include <stdlib.h>
#include <string.h>

#include "apply/here.h"
#include "apply/inner.h"
#include "base/limits.h"
#include "base/str.h"

#define WAIT_MS 500u

const char *tn_state_folder(struct tn_arena *mem, struct tn_err *err)
{
    const char *state = tn_os_env(mem, "XDG_STATE_HOME"), *home = tn_os_env(mem, "HOME");
    if (tn_here_is_windows()) { /* known folders: what stays on this machine */
        const char *local = tn_os_env(mem, "LOCALAPPDATA");
        if (local && tn_here_is_abs(local))
            return tn_here_join(mem, local, "tenon");
        tn_err_set(err, TN_E_NOTFOUND, NULL, "LOCALAPPDATA is not set: no place for tenon's records");
        return NULL;
    }
    if (state && state[0] == '/') /* XDG Base Directory Specification: relative ones are to be ignored */
        return tn_arena_printf(mem, "%s/tenon", state);
    if (home && home[0] == '/')
        return tn_arena_printf(mem, "%s/.local/state/tenon", home);
    tn_err_set(err, TN_E_NOTFOUND, NULL, "neither XDG_STATE_HOME nor HOME is set: no place for tenon's records");
    return NULL;
}

/* The folder and those above it that are not there. */
static int make_all(struct tn_arena *mem, const char *path, struct tn_os_dir **ret, struct tn_err *err)
{
    struct tn_os_dir *d, *in;
    int rc = tn_os_dir_open(path, ret, err);
    const char *name = tn_here_base(path);
    if (rc != TN_E_NOTFOUND || name == path || !*name)
        return rc;
    rc = make_all(mem, tn_here_dir(mem, path), &d, err);
    if (rc)
        return rc;
    rc = tn_os_dir_ensure(d, name, &in, err);
    if (!rc) {
        rc = tn_os_dir_sync(d, err);
        if (rc)
            tn_os_dir_close(in);
        else
            *ret = in;
    }
    tn_os_dir_close(d);
    return rc;
}

int tn_tx_open(struct tn_state *s, unsigned id, struct tn_tx **ret, struct tn_err *err)
{
    struct tn_tx *t = tn_arena_alloc(s->mem, sizeof *t);
    memset(t, 0, sizeof *t);
    t->state = s;
    t->id = id;
    int rc = tn_os_dir_enter(s->transactions, tn_arena_printf(s->mem, "%u", id), &t->folder, err);
    if (rc)
        return rc;
    struct tn_buf b;
    tn_buf_init(&b);
    rc = tn_os_dir_read(t->folder, TN_TX_JOURNAL, TN_JOURNAL_MAX_BYTES, &b, err);
    if (!rc)
        rc = tn_journal_read(s->mem, tn_span_of(b.p, b.n), &t->record, err);
    tn_buf_deinit(&b);
    if (rc)
        tn_os_dir_close(t->folder);
    else
        *ret = t;
    return rc;
}

int tn_state_read(struct tn_state *s, unsigned id, struct tn_tx_record *ret, struct tn_err *err)
{
    struct tn_tx *t;
    int rc = tn_tx_open(s, id, &t, err);
    if (rc)
        return rc;
    *ret = t->record;
    tn_os_dir_close(t->folder);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

int tn_state_list(struct tn_state *s, unsigned **ret, size_t *ret_n, struct tn_err *err)
{
    struct tn_os_entry *e = NULL;
    size_t n, k = 0;
    int rc = tn_os_dir_list(s->transactions, s->mem, &e, &n, err);
    if (rc)
        return rc;
    unsigned *ids = tn_arena_array(s->mem, n + 1, sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        if (tn_str_u64(e[i].name, strlen(e[i].name), 10, &id) && id && id <= TN_STATE_MAX)
            ids[k++] = (unsigned)id;
    }
    qsort(ids, k, sizeof *ids, by_number);
    *ret = ids;
    *ret_n = k;
    return 0;
}

static bool is_its_own(int rc)
{
    return rc == TN_E_FORMAT || rc == TN_E_REFUSED || rc == TN_E_NOTFOUND || rc == TN_E_DENIED;
}

/* A folder without a journal was made by a process that ended before it wrote a line: nothing was done. */
static int put_right_one(struct tn_state *s, unsigned id, tn_state_mended *mended, void *ctx, struct tn_err *err)
{
    struct tn_tx *t;
    static const struct tn_tx_record unknown = {.kind = "", .goal = ""};
    int rc = tn_tx_open(s, id, &t, err);
    if (rc == TN_E_NOTFOUND)
        return tn_os_tree_remove(s->transactions, tn_arena_printf(s->mem, "%u", id), err);
    if (rc) {
        if (is_its_own(rc) && mended)
            mended(ctx, id, &unknown, err);
        return is_its_own(rc) ? 0 : rc;
    }
    enum tn_tx_state was = t->record.state;
    rc = tn_tx_finish(t, err);
    bool changed = was != t->record.state;
    if (mended && ((!rc && changed) || (rc && is_its_own(rc))))
        mended(ctx, id, &t->record, rc ? err : NULL);
    tn_os_dir_close(t->folder);
    return is_its_own(rc) ? 0 : rc;
}

static int put_right(struct tn_state *s, tn_state_mended *mended, void *ctx, struct tn_err *err)
{
    struct tn_err own;
    unsigned *ids = NULL;
    size_t n = 0;
    int rc = tn_state_list(s, &ids, &n, &own);
    for (size_t i = n; i-- > 0 && !rc;)
        rc = put_right_one(s, ids[i], mended, ctx, &own);
    if (rc && err)
        *err = own;
    return rc;
}

int tn_state_open(struct tn_arena *mem, const char *folder, tn_state_mended *mended, void *ctx, struct tn_state **ret,
                  long *ret_holder, struct tn_err *err)
{
    struct tn_state *s = tn_arena_alloc(mem, sizeof *s);
    memset(s, 0, sizeof *s);
    s->mem = mem;
    int rc = make_all(mem, folder, &s->top, err);
    if (!rc)
        rc = tn_os_lock_take(s->top, TN_STATE_LOCK, WAIT_MS, &s->lock, ret_holder, err);
    if (!rc)
        rc = tn_os_dir_ensure(s->top, TN_STATE_TRANSACTIONS, &s->transactions, err);
    if (!rc)
        rc = put_right(s, mended, ctx, err);
    if (!rc)
        rc = tn_os_tree_remove(s->top, TN_STATE_BUNDLE, err);
    if (rc)
        tn_state_close(s);
    else
        *ret = s;
    return rc;
}

int tn_state_look(struct tn_arena *mem, const char *folder, struct tn_state **ret, struct tn_err *err)
{
    struct tn_state *s = tn_arena_alloc(mem, sizeof *s);
    memset(s, 0, sizeof *s);
    s->mem = mem;
    int rc = tn_os_dir_open(folder, &s->top, err);
    if (!rc)
        rc = tn_os_dir_enter(s->top, TN_STATE_TRANSACTIONS, &s->transactions, err);
    if (rc)
        tn_state_close(s);
    else
        *ret = s;
    return rc;
}

void tn_state_close(struct tn_state *s)
{
    if (s) {
        if (s->bundle) /* what is left of it, the next one removes */
            tn_os_tree_remove(s->top, TN_STATE_BUNDLE, NULL);
        tn_os_dir_close(s->transactions);
        tn_os_dir_close(s->top);
        tn_os_lock_drop(s->lock);
        memset(s, 0, sizeof *s);
    }
}
