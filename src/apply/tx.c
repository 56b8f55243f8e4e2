/* tx.c - see tx.h: what a transaction is made of, up to its commit. */
#include "apply/tx.h"

#include <stdio.h>
#include <string.h>

#include "apply/here.h"
#include "apply/inner.h"
#include "base/limits.h"
#include "base/str.h"

const char *tn_tx_path(struct tn_arena *mem, const struct tn_tx_item *i, const char *name)
{
    return tn_here_join(mem, i->folder, name);
}

const char *tn_tx_third(struct tn_arena *mem, const struct tn_tx_item *i)
{
    return tn_arena_printf(mem, "%s-", i->twin);
}

int tn_tx_write(struct tn_tx *t, json_t *line, struct tn_err *err)
{
    struct tn_buf b;
    tn_buf_init(&b);
    if (t->record.torn)
        tn_buf_ch(&b, '\n');
    tn_journal_line(&b, t->record.next, line);
    int rc = tn_os_dir_append(t->folder, TN_TX_JOURNAL, b.p, b.n, err);
    tn_buf_deinit(&b);
    if (!rc) {
        t->record.next++;
        t->record.torn = false;
    }
    return rc;
}

unsigned tn_tx_id_of(const struct tn_tx *t)
{
    return t->id;
}

const struct tn_tx_record *tn_tx_record_of(const struct tn_tx *t)
{
    return &t->record;
}

struct tn_os_lock *tn_tx_lock(const struct tn_tx *t)
{
    return t->state->lock;
}

struct tn_os_dir *tn_tx_folder(const struct tn_tx *t)
{
    return t->folder;
}

int tn_tx_begin(struct tn_state *s, const char *kind, const char *goal, struct tn_tx **ret, struct tn_err *err)
{
    unsigned *ids, last = 0;
    size_t n;
    int rc = tn_state_list(s, &ids, &n, err);
    if (rc)
        return rc;
    if (n)
        last = ids[n - 1];
    struct tn_tx *t = tn_arena_alloc(s->mem, sizeof *t);
    memset(t, 0, sizeof *t);
    t->state = s;
    t->id = last + 1;
    const char *name = tn_arena_printf(s->mem, "%u", t->id);
    rc = tn_os_dir_make(s->transactions, name, 0700, err);
    if (!rc)
        rc = tn_os_dir_sync(s->transactions, err);
    if (!rc)
        rc = tn_os_dir_enter(s->transactions, name, &t->folder, err);
    t->record.kind = kind;
    t->record.goal = tn_arena_strdup(s->mem, goal);
    t->record.time = tn_os_now();
    if (!rc)
        rc = tn_tx_write(t, tn_journal_begin(kind, goal, t->record.time), err);
    if (rc)
        tn_tx_end(t);
    else
        *ret = t;
    return rc;
}

/* The parent of an absolute path, which must be there, and the name in it. */
static int place(struct tn_tx *t, const char *path, struct tn_os_dir **ret_dir, const char **ret_name,
                 struct tn_err *err)
{
    struct tn_arena *mem = t->state->mem;
    char *p = tn_arena_strdup(mem, path);
    size_t n = strlen(p);
    while (n > 1 && tn_path_is_sep(tn_os_path_style(), p[n - 1]))
        p[--n] = 0;
    *ret_name = tn_here_base(p);
    if (!tn_here_is_abs(path) || !**ret_name || strchr(*ret_name, ':'))
        return tn_err_set(err, TN_E_USAGE, path, "not the absolute path of something");
    if (strlen(*ret_name) > TN_MAX_NAME_BYTES - 24)
        return tn_err_set(err, TN_E_LIMIT, path, TN_OS_TOO_LONG);
    return tn_os_dir_open(tn_here_dir(mem, p), ret_dir, err);
}

/* Announces that a name will change. The twin's name is free: it is made with O_EXCL's likes, or the rename refuses. */
static int announce(struct tn_tx *t, enum tn_tx_how how, struct tn_os_dir *d, const char *name, struct tn_os_id before,
                    struct tn_err *err)
{
    struct tn_tx_record *r = &t->record;
    struct tn_arena *mem = t->state->mem;
    if (r->n_item == TN_TX_MAX_ITEMS)
        return tn_err_set(err, TN_E_LIMIT, name, "more than %u changes at once", TN_TX_MAX_ITEMS);
    struct tn_tx_item *i = &r->item[r->n_item];
    uint64_t salt = tn_os_monotonic_us() * 0x9e3779b97f4a7c15u ^ (uint64_t)t->id << 40 ^ (uint64_t)tn_os_now();
    *i = (struct tn_tx_item){.how = how,
                             .folder = tn_arena_strdup(mem, tn_os_dir_path(d)),
                             .name = tn_arena_strdup(mem, name),
                             .twin = tn_arena_printf(mem, ".%s.tenon-%08x", name, (unsigned)(salt >> 32)),
                             .before = {before.ino, before.born}};
    int rc = tn_tx_write(t, tn_journal_item(i), err);
    if (!rc)
        r->n_item++;
    return rc;
}

/* Finds the place of a path, sees whether something is there as it should be, and announces the change; on success the
 * folder is the caller's to close. */
static int claim(struct tn_tx *t, enum tn_tx_how how, const char *path, struct tn_os_dir **ret,
                 const struct tn_tx_item **ret_item, struct tn_err *err)
{
    struct tn_os_dir *d = NULL;
    const char *name = NULL;
    struct tn_os_id was = {0, 0};
    int rc = place(t, path, &d, &name, err);
    if (rc)
        return rc;
    rc = tn_os_dir_id(d, name, &was, err);
    if (!rc && how == TN_TX_PUT && was.ino)
        rc = tn_err_set(err, TN_E_EXISTS, path, "something of that name is there");
    else if (!rc && how != TN_TX_PUT && !was.ino)
        rc = tn_err_set(err, TN_E_NOTFOUND, path, "nothing of that name is there");
    if (!rc)
        rc = announce(t, how, d, name, was, err);
    if (rc) {
        tn_os_dir_close(d);
        return rc;
    }
    *ret = d;
    *ret_item = &t->record.item[t->record.n_item - 1];
    return 0;
}

int tn_tx_put(struct tn_tx *t, const char *path, const char **ret_stage, struct tn_err *err)
{
    struct tn_os_dir *d = NULL;
    const struct tn_tx_item *i = NULL;
    int rc = claim(t, TN_TX_PUT, path, &d, &i, err);
    if (rc)
        return rc;
    rc = tn_os_dir_make(d, i->twin, 0755, err);
    tn_os_dir_close(d);
    if (!rc)
        *ret_stage = tn_tx_path(t->state->mem, i, i->twin);
    t->failed = t->failed || rc;
    return rc;
}

int tn_tx_swap(struct tn_tx *t, const char *path, const char **ret_stage, struct tn_err *err)
{
    struct tn_os_dir *d = NULL;
    const struct tn_tx_item *i = NULL;
    int rc = claim(t, TN_TX_SWAP, path, &d, &i, err);
    if (rc)
        return rc;
    /* what others change meanwhile would be lost: compared again at the commit */
    rc = tn_tx_note_tree(t, d, i->name, tn_arena_printf(t->state->mem, "before-%u", t->record.n_item - 1), err);
    if (!rc)
        rc = tn_os_tree_copy(d, i->name, i->twin, err);
    tn_os_dir_close(d);
    if (!rc)
        *ret_stage = tn_tx_path(t->state->mem, i, i->twin);
    t->failed = t->failed || rc;
    return rc;
}

int tn_tx_edit(struct tn_tx *t, const char *path, const void *p, size_t n, struct tn_err *err)
{
    struct tn_os_dir *d = NULL;
    const struct tn_tx_item *i = NULL;
    int rc = claim(t, TN_TX_EDIT, path, &d, &i, err);
    if (rc)
        return rc;
    rc = tn_tx_note_tree(t, d, i->name, tn_arena_printf(t->state->mem, "before-%u", t->record.n_item - 1), err);
    if (!rc)
        rc = tn_os_file_like(d, i->name, i->twin, p, n, err);
    tn_os_dir_close(d);
    t->failed = t->failed || rc;
    return rc;
}

static int nothing(void *ctx, const struct tn_os_tree_entry *e, struct tn_err *err)
{
    (void)ctx;
    (void)e;
    (void)err;
    return 0;
}

int tn_tx_away(struct tn_tx *t, const char *path, struct tn_err *err)
{
    struct tn_os_dir *d = NULL;
    const struct tn_tx_item *i = NULL;
    int rc = claim(t, TN_TX_AWAY, path, &d, &i, err);
    if (rc)
        return rc;
    rc = tn_os_tree_walk(d, i->name, nothing, NULL,
                         err); /* what is mounted in it would be hidden as well: not entered */
    tn_os_dir_close(d);
    t->failed = t->failed || rc;
    return rc;
}

int tn_tx_flatten(struct tn_tx *t, struct tn_err *err)
{
    const struct tn_tx_item *i = &t->record.item[t->record.n_item - 1];
    const char *third = tn_tx_third(t->state->mem, i);
    struct tn_os_entry *e = NULL;
    struct tn_os_dir *d = NULL, *in = NULL;
    size_t n = 0;
    int rc = tn_os_dir_open(i->folder, &d, err);
    if (rc)
        return rc;
    rc = tn_os_dir_rename(d, i->twin, third, err);
    if (!rc)
        rc = tn_os_dir_enter(d, third, &in, err);
    if (!rc)
        rc = tn_os_dir_list(in, t->state->mem, &e, &n, err);
    for (size_t k = 0; k < n && !rc; k++)
        if (!tn_str_eq(e[k].name, i->twin))
            rc = tn_os_tree_remove(in, e[k].name, err);
    tn_os_dir_close(in);
    if (!rc)
        rc = tn_os_tree_merge(d, third, err);
    tn_os_dir_close(d);
    return rc;
}

int tn_tx_step(struct tn_tx *t, const char *what, const char *outcome, struct tn_err *err)
{
    return tn_tx_write(t, tn_journal_step(what, outcome), err);
}

/* What was built is what will be there. */
static int identify(struct tn_tx *t, struct tn_tx_item *i, struct tn_err *err)
{
    struct tn_os_dir *d = NULL;
    struct tn_os_id now, twin;
    int rc = tn_os_dir_open(i->folder, &d, err);
    if (rc)
        return rc;
    rc = tn_os_dir_id(d, i->name, &now, err);
    if (!rc && !tn_tx_same(now, i->before))
        rc = tn_err_set(err, TN_E_EXISTS, tn_tx_path(t->state->mem, i, i->name), "it was changed meanwhile");
    if (!rc && i->how != TN_TX_AWAY) {
        rc = tn_os_dir_id(d, i->twin, &twin, err);
        if (!rc && !twin.ino)
            rc = tn_err_set(err, TN_E_NOTFOUND, tn_tx_path(t->state->mem, i, i->twin), "what was built is gone");
        i->after = (struct tn_tx_id){twin.ino, twin.born};
        if (!rc)
            rc = tn_os_dir_sync_all(d, i->twin, err);
    }
    tn_os_dir_close(d);
    return rc;
}

/* What has the name can leave it. After the commit it is too late to find out. */
static int may_go(struct tn_tx *t, const struct tn_tx_item *i, struct tn_err *err)
{
    struct tn_os_dir *d = NULL;
    int rc = i->before.ino ? tn_os_dir_open(i->folder, &d, err) : 0;
    if (d)
        rc = tn_os_dir_may_go(d, i->name, tn_tx_third(t->state->mem, i), err);
    tn_os_dir_close(d);
    return rc;
}

static int prepare(struct tn_tx *t, struct tn_err *err)
{
    struct tn_tx_record *r = &t->record;
    int rc = 0;
    for (unsigned k = 0; k < r->n_item && !rc; k++) {
        struct tn_tx_item *i = &r->item[k];
        struct tn_os_dir *d = NULL;
        if (i->how == TN_TX_AWAY)
            continue;
        rc = tn_os_dir_open(i->folder, &d, err);
        if (rc)
            break;
        const char *note = tn_arena_printf(t->state->mem, "after-%u", k);
        rc = tn_tx_note_tree(t, d, i->twin, note, err);
        const char *first = NULL;
        if (!rc && (i->how == TN_TX_SWAP || i->how == TN_TX_EDIT))
            rc = tn_tx_compare_tree(t, d, i->name, tn_arena_printf(t->state->mem, "before-%u", k), false, &first, err);
        if (!rc && first)
            rc = tn_err_set(err, TN_E_EXISTS, first, "changed by somebody else meanwhile");
        tn_os_dir_close(d);
    }
    for (unsigned k = 0; k < r->n_item && !rc; k++)
        rc = identify(t, &r->item[k], err);
    if (!rc)
        rc = tn_tx_values_check(t, err);
    for (unsigned k = 0; k < r->n_item && !rc; k++)
        rc = may_go(t, &r->item[k], err);
    return rc;
}

int tn_tx_commit(struct tn_tx *t, struct tn_err *err)
{
    int rc =
        t->failed ? tn_err_set(err, TN_E_USAGE, NULL, "a change of which a part failed is not made") : prepare(t, err);
    if (!rc)
        rc = tn_tx_write(t, tn_journal_commit(&t->record), err);
    if (rc) {
        tn_tx_cancel(t, NULL);
        return rc;
    }
    t->record.state = TN_TX_COMMITTED;
    return tn_tx_finish(t, err);
}

void tn_tx_end(struct tn_tx *t)
{
    if (t) {
        if (t->folder && t->record.state == TN_TX_OPEN && t->record.next)
            tn_tx_cancel(t, NULL);
        tn_os_dir_close(t->folder);
        t->folder = NULL;
    }
}
