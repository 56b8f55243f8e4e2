/* inner.h - what the files of src/apply share. */
#ifndef TN_APPLY_INNER_H
#define TN_APPLY_INNER_H

#include "apply/tx.h"

#define TN_TX_JOURNAL "journal"
#define TN_STATE_TRANSACTIONS "transactions"
#define TN_STATE_LOCK "lock"
#define TN_STATE_ARCHIVES "archives" /* fetched, until the change that wants them is made */
#define TN_STATE_BUNDLE "bundle"     /* unpacked, as long as one is applied */

struct tn_state {
    struct tn_arena *mem;
    struct tn_os_dir *top, *transactions;
    struct tn_os_lock *lock; /* NULL: for looking */
    bool bundle;             /* one is unpacked */
};

struct tn_tx {
    struct tn_state *state;
    unsigned id;
    struct tn_os_dir *folder;
    struct tn_tx_record record;
    bool failed; /* something that was announced could not be prepared: it is never committed */
};

static inline bool tn_tx_same(struct tn_os_id a, struct tn_tx_id b)
{
    return tn_os_id_eq(a, (struct tn_os_id){b.ino, b.born});
}

const char *tn_tx_path(struct tn_arena *mem, const struct tn_tx_item *i, const char *name);
/* A third name, beside the twin, for the moment between two renames. */
const char *tn_tx_third(struct tn_arena *mem, const struct tn_tx_item *i);
/* Appends a line to the journal. */
int tn_tx_write(struct tn_tx *t, json_t *line, struct tn_err *err);

/* recover.c: an open one is cancelled, a committed or half undone one finished; nothing for the others. May be called
 * again and again. */
int tn_tx_finish(struct tn_tx *t, struct tn_err *err);
/* value.c: before the commit: is each what it was? Then each becomes what it shall be, or (back) what it was.
 * *ret_left: one that others have changed since, and that stays as they made it. */
int tn_tx_values_check(struct tn_tx *t, struct tn_err *err);
int tn_tx_values_set(struct tn_tx *t, bool back, const char **ret_left, struct tn_err *err);
/* state.c: a transaction that is there. */
int tn_tx_open(struct tn_state *s, unsigned id, struct tn_tx **ret, struct tn_err *err);

/* tree.c: what is in a tree, into a file of the transaction's folder; and compared with one. *ret_first: the first
 * entry that differs, NULL: none does. made: what Python makes by itself (__pycache__) is no difference. */
int tn_tx_note_tree(struct tn_tx *t, struct tn_os_dir *d, const char *name, const char *file, struct tn_err *err);
int tn_tx_compare_tree(struct tn_tx *t, struct tn_os_dir *d, const char *name, const char *file, bool made,
                       const char **ret_first, struct tn_err *err);

#endif
