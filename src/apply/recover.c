/* recover.c - see inner.h: what an interruption has left becomes the old state or the new one.
 *
 * Every rename is made only from a state that was seen: which entry has the name and which one its twin, by inode. So
 * each may be repeated after a crash at any point. What fits neither side of a rename was done by somebody else: it is
 * left alone and named. */
#include <string.h>

#include "apply/inner.h"
#include "base/str.h"

/* Who has which name. */
struct seen {
    struct tn_os_dir *d;
    struct tn_os_id name, twin, third; /* third: only where two names cannot be exchanged in one step */
    const char *third_name;
};

static int look(struct tn_tx *t, const struct tn_tx_item *i, struct seen *ret, struct tn_err *err)
{
    memset(ret, 0, sizeof *ret);
    int rc = tn_os_dir_open(i->folder, &ret->d, err);
    if (rc)
        return rc;
    ret->third_name = tn_tx_third(t->state->mem, i);
    rc = tn_os_dir_id(ret->d, i->name, &ret->name, err);
    if (!rc)
        rc = tn_os_dir_id(ret->d, i->twin, &ret->twin, err);
    if (!rc)
        rc = tn_os_dir_id(ret->d, ret->third_name, &ret->third, err);
    if (rc)
        tn_os_dir_close(ret->d);
    return rc;
}

static int strange(struct tn_tx *t, const struct tn_tx_item *i, struct tn_err *err)
{
    return tn_err_set(err, TN_E_REFUSED, tn_tx_path(t->state->mem, i, i->name),
                      "something else has that name now; left as it is");
}

static bool none(struct tn_os_id id)
{
    return id.ino == 0;
}

/* The name gets "to", which its twin has, and the twin gets "from", which the name has: from, to may be nothing. */
static int move(struct tn_tx *t, const struct tn_tx_item *i, struct tn_tx_id from, struct tn_tx_id to,
                struct tn_err *err)
{
    struct seen s;
    int rc = look(t, i, &s, err);
    if (rc)
        return rc;
    if (tn_tx_same(s.name, to) && (tn_tx_same(s.twin, from) || (none(s.twin) && none(s.third)))) {
        rc = 0; /* it is done; a twin that was removed since is nobody's */
    } else if (tn_tx_same(s.name, from) && tn_tx_same(s.twin, to)) {
        if (!from.ino)
            rc = tn_os_dir_rename(s.d, i->twin, i->name, err);
        else if (!to.ino)
            rc = tn_os_dir_rename(s.d, i->name, i->twin, err);
        else
            rc = tn_os_dir_swap(s.d, i->name, i->twin, err);
        if (rc == TN_E_UNSUPPORTED) {
            rc = tn_os_dir_rename(s.d, i->name, s.third_name, err);
            if (!rc)
                rc = tn_os_dir_rename(s.d, i->twin, i->name, err);
            if (!rc)
                rc = tn_os_dir_rename(s.d, s.third_name, i->twin, err);
        }
    } else if (tn_tx_same(s.third, from) && none(s.name) && tn_tx_same(s.twin, to)) {
        rc = tn_os_dir_rename(s.d, i->twin, i->name, err);
        if (!rc)
            rc = tn_os_dir_rename(s.d, s.third_name, i->twin, err);
    } else if (tn_tx_same(s.third, from) && tn_tx_same(s.name, to) && none(s.twin)) {
        rc = tn_os_dir_rename(s.d, s.third_name, i->twin, err);
    } else {
        rc = strange(t, i, err);
    }
    tn_os_dir_close(s.d);
    return rc;
}

static struct tn_tx_id other_side(const struct tn_tx_item *i)
{
    return i->how == TN_TX_AWAY ? (struct tn_tx_id){0, 0} : i->after;
}

static int forward(struct tn_tx *t, struct tn_err *err)
{
    int rc = 0;
    for (unsigned k = 0; k < t->record.n_item && !rc; k++)
        rc = move(t, &t->record.item[k], t->record.item[k].before, other_side(&t->record.item[k]), err);
    const char *others = NULL;
    if (!rc)
        rc = tn_tx_values_set(t, false, &others, err);
    if (!rc)
        rc = tn_tx_write(t, tn_journal_state("done"), err);
    if (!rc)
        t->record.state = TN_TX_DONE;
    return rc;
}

/* Removes what was built. What had the name before is never removed, whatever the journal says. */
static int discard(struct tn_tx *t, const struct tn_tx_item *i, struct tn_err *err)
{
    struct seen s;
    int rc = look(t, i, &s, err);
    if (rc == TN_E_NOTFOUND) /* its folder is gone */
        return 0;
    if (rc)
        return rc;
    if (i->before.ino && none(s.name) && tn_tx_same(s.third, i->before)) { /* it was tried whether it can go */
        rc = tn_os_dir_rename(s.d, s.third_name, i->name, err);
        s.third = (struct tn_os_id){0, 0};
    }
    if (rc) {
        tn_os_dir_close(s.d);
        return rc;
    }
    if (i->how == TN_TX_AWAY || (!none(s.twin) && i->before.ino && tn_tx_same(s.twin, i->before)))
        rc = none(s.twin) ? 0 : strange(t, i, err);
    else
        rc = tn_os_tree_remove(s.d, i->twin, err);
    if (!rc && i->how == TN_TX_PUT) /* tn_tx_flatten was at work */
        rc = tn_os_tree_remove(s.d, s.third_name, err);
    tn_os_dir_close(s.d);
    return rc;
}

int tn_tx_cancel(struct tn_tx *t, struct tn_err *err)
{
    int rc = 0;
    for (unsigned k = t->record.n_item; k-- > 0 && !rc;)
        rc = discard(t, &t->record.item[k], err);
    if (!rc)
        rc = tn_tx_write(t, tn_journal_state("cancelled"), err);
    if (!rc)
        t->record.state = TN_TX_CANCELLED;
    return rc;
}

/* What others have made of the file since stays; *ret_left is then what it was before. */
static int edit_back(struct tn_tx *t, unsigned k, const char **ret_left, struct tn_err *err)
{
    const struct tn_tx_item *i = &t->record.item[k];
    const char *first = NULL;
    struct seen s;
    int rc = look(t, i, &s, err);
    if (rc)
        return rc;
    bool ours = tn_tx_same(s.name, i->after), back = tn_tx_same(s.name, i->before);
    if (ours)
        rc = tn_tx_compare_tree(t, s.d, i->name, tn_arena_printf(t->state->mem, "after-%u", k), false, &first, err);
    tn_os_dir_close(s.d);
    if (rc || back)
        return rc;
    if (ours && !first)
        return move(t, i, i->after, i->before, err);
    *ret_left = tn_tx_path(t->state->mem, i, i->twin);
    return 0;
}

/* Removes what was made, unless it is kept for what others did in it. */
static int undone(struct tn_tx *t, const char **ret_left, struct tn_err *err)
{
    int rc = tn_tx_values_set(t, true, ret_left, err);
    for (unsigned k = t->record.n_item; k-- > 0 && !rc;) {
        const struct tn_tx_item *i = &t->record.item[k];
        rc = i->how == TN_TX_EDIT ? edit_back(t, k, ret_left, err) : move(t, i, other_side(i), i->before, err);
    }
    for (unsigned k = 0; k < t->record.n_item && !rc; k++) {
        const struct tn_tx_item *i = &t->record.item[k];
        struct seen s;
        if (i->how == TN_TX_AWAY || (t->record.kept && i->how != TN_TX_EDIT))
            continue;
        rc = look(t, i, &s, err);
        if (rc)
            break;
        if (tn_tx_same(s.twin, i->after))
            rc = tn_os_tree_remove(s.d, i->twin, err);
        tn_os_dir_close(s.d);
    }
    if (!rc)
        rc = tn_tx_write(t, tn_journal_state("undone"), err);
    if (!rc)
        t->record.state = TN_TX_UNDONE;
    return rc;
}

/* Only what went: whatever else has the twin's name by now is nobody's here. */
static int forgotten(struct tn_tx *t, struct tn_err *err)
{
    int rc = 0;
    for (unsigned k = 0; k < t->record.n_item && !rc; k++) {
        const struct tn_tx_item *i = &t->record.item[k];
        struct seen s;
        rc = look(t, i, &s, err);
        if (rc == TN_E_NOTFOUND) { /* its folder is gone */
            rc = 0;
            continue;
        }
        if (rc)
            break;
        if (!none(s.twin) && tn_tx_same(s.twin, i->before))
            rc = tn_os_tree_remove(s.d, i->twin, err);
        tn_os_dir_close(s.d);
    }
    if (!rc)
        rc = tn_tx_write(t, tn_journal_state("forgotten"), err);
    if (!rc)
        t->record.state = TN_TX_FORGOTTEN;
    return rc;
}

int tn_tx_finish(struct tn_tx *t, struct tn_err *err)
{
    const char *left = NULL;
    switch (t->record.state) {
    case TN_TX_OPEN: return tn_tx_cancel(t, err);
    case TN_TX_COMMITTED: return forward(t, err);
    case TN_TX_UNDOING: return undone(t, &left, err);
    case TN_TX_FORGETTING: return forgotten(t, err);
    default: return 0;
    }
}

/* Is every name as the transaction left it, so that each can go back? *ret_kept: a tree that others have changed. */
static int may_undo(struct tn_tx *t, const char **ret_kept, struct tn_err *err)
{
    struct tn_arena *mem = t->state->mem;
    const char *first;
    int rc = 0;
    for (unsigned k = 0; k < t->record.n_item && !rc; k++) {
        const struct tn_tx_item *i = &t->record.item[k];
        struct seen s;
        if (i->how == TN_TX_EDIT)
            continue;
        rc = look(t, i, &s, err);
        if (rc)
            break;
        if (i->how == TN_TX_PUT && none(s.name)) { /* somebody has removed it */
            tn_os_dir_close(s.d);
            continue;
        }
        if (!tn_tx_same(s.name, other_side(i)))
            rc = tn_err_set(err, TN_E_REFUSED, tn_tx_path(mem, i, i->name),
                            none(s.name) ? "it is not there any more" : "something else has that name now");
        else if (i->before.ino && !tn_tx_same(s.twin, i->before))
            rc = tn_err_set(err, TN_E_REFUSED, tn_tx_path(mem, i, i->twin), "what was there before is gone");
        first = NULL;
        if (!rc && i->how != TN_TX_AWAY)
            rc = tn_tx_compare_tree(t, s.d, i->name, tn_arena_printf(mem, "after-%u", k), true, &first, err);
        if (!rc && first && !*ret_kept)
            *ret_kept = tn_tx_path(mem, i, i->twin);
        tn_os_dir_close(s.d);
    }
    return rc;
}

bool tn_tx_untouched(struct tn_state *s, unsigned id)
{
    struct tn_tx *t;
    const char *kept = NULL;
    if (tn_tx_open(s, id, &t, NULL))
        return false;
    bool same = t->record.state == TN_TX_DONE && may_undo(t, &kept, NULL) == 0 && !kept;
    tn_os_dir_close(t->folder);
    return same;
}

int tn_tx_undo(struct tn_state *s, unsigned id, struct tn_tx_rest *ret, struct tn_err *err)
{
    struct tn_tx *t;
    struct tn_tx_rest rest = {NULL, NULL};
    int rc = tn_tx_open(s, id, &t, err);
    if (rc)
        return rc;
    if (t->record.state == TN_TX_UNDONE || t->record.state == TN_TX_CANCELLED || t->record.state == TN_TX_FORGOTTEN)
        rc = tn_err_set(err, TN_E_USAGE, NULL, "%u is %s already", id, tn_tx_state_word(t->record.state));
    else if (t->record.state != TN_TX_DONE)
        rc = tn_err_set(err, TN_E_REFUSED, NULL, "%u is not done", id);
    if (!rc)
        rc = may_undo(t, &rest.kept, err);
    if (!rc)
        rc = tn_tx_write(t, tn_journal_state("undo"), err);
    if (!rc) {
        t->record.state = TN_TX_UNDOING;
        if (rest.kept)
            rc = tn_tx_write(t, tn_journal_state("kept"), err);
        t->record.kept = rest.kept != NULL;
        if (!rc)
            rc = undone(t, &rest.left, err);
    }
    tn_tx_end(t);
    if (!rc)
        *ret = rest;
    return rc;
}

int tn_tx_forget(struct tn_state *s, unsigned id, struct tn_err *err)
{
    struct tn_tx *t;
    int rc = tn_tx_open(s, id, &t, err);
    if (rc)
        return rc;
    if (t->record.state != TN_TX_DONE)
        rc = tn_err_set(err, TN_E_REFUSED, NULL, "%u is %s", id, tn_tx_state_word(t->record.state));
    if (!rc)
        rc = tn_tx_write(t, tn_journal_state("forget"), err);
    if (!rc) {
        t->record.state = TN_TX_FORGETTING;
        rc = forgotten(t, err);
    }
    tn_tx_end(t);
    return rc;
}
