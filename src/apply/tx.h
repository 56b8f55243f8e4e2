/* tx.h - changes of a machine that are made whole or not at all, and taken back.
 *
 * A transaction changes names in folders, each by one rename: what is new is built under a hidden name beside its
 * place, what goes is hidden beside it (.NAME.tenon-HEX). Its folder in tenon's state holds the journal (journal.h), a
 * list of what was made, and what the installers said. Up to the line "commit" everything is as before, and what was
 * built is removed again; from there on the renames are made, again after a crash, until all are.
 *
 * One process at a time works with a state; what an interrupted one has left is put right by the next one that takes
 * the state, before anything else. */
#ifndef TN_APPLY_TX_H
#define TN_APPLY_TX_H

#include "apply/journal.h"
#include "os/change.h"

#define TN_STATE_MAX 100000u /* transactions */

struct tn_state;

/* $XDG_STATE_HOME/tenon, else ~/.local/state/tenon; made where it is not there. */
const char *tn_state_folder(struct tn_arena *mem, struct tn_err *err);

/* Called for each transaction that an interruption has left and that was put right (why NULL), or could not be: its
 * journal is damaged, or somebody else has changed what it was to change. That one stays, and stops no other. */
typedef void tn_state_mended(void *ctx, unsigned id, const struct tn_tx_record *t, const struct tn_err *why);

/* For changes: with the lock, and after recovery. TN_E_TIMEOUT: another process (*ret_holder) works with it. */
int tn_state_open(struct tn_arena *mem, const char *folder, tn_state_mended *mended, void *ctx, struct tn_state **ret,
                  long *ret_holder, struct tn_err *err);
/* For looking: nothing is made or changed. TN_E_NOTFOUND: there is none. */
int tn_state_look(struct tn_arena *mem, const char *folder, struct tn_state **ret, struct tn_err *err);
void tn_state_close(struct tn_state *s);

/* Ids, ascending. */
int tn_state_list(struct tn_state *s, unsigned **ret, size_t *ret_n, struct tn_err *err);
int tn_state_read(struct tn_state *s, unsigned id, struct tn_tx_record *ret, struct tn_err *err);

struct tn_tx;
int tn_tx_begin(struct tn_state *s, const char *kind, const char *goal, struct tn_tx **ret, struct tn_err *err);
unsigned tn_tx_id_of(const struct tn_tx *t);
const struct tn_tx_record *tn_tx_record_of(const struct tn_tx *t);
/* Held by installers, too: as long as one runs, nobody else changes anything. */
struct tn_os_lock *tn_tx_lock(const struct tn_tx *t);
/* The transaction's own folder in the state. */
struct tn_os_dir *tn_tx_folder(const struct tn_tx *t);

/* A new folder at an absolute path where nothing is yet; its parent must be there. *ret_stage: the folder to build it
 * in, which exists, empty. TN_E_EXISTS. */
int tn_tx_put(struct tn_tx *t, const char *path, const char **ret_stage, struct tn_err *err);
/* The folder at path is to be changed: *ret_stage is a copy, whose files are the same inodes. They must be replaced,
 * not written to. */
int tn_tx_swap(struct tn_tx *t, const char *path, const char **ret_stage, struct tn_err *err);
/* What is at path, a file or a tree, goes out of sight. TN_E_REFUSED where something is mounted in it. */
int tn_tx_away(struct tn_tx *t, const char *path, struct tn_err *err);
/* The regular file at path gets another content: a new file with the same owner, mode and attributes changes places
 * with it. TN_E_EXISTS at the commit where somebody else has changed it meanwhile. */
int tn_tx_edit(struct tn_tx *t, const char *path, const void *p, size_t n, struct tn_err *err);
/* A value of the Windows registry gets other bytes, or goes. TN_E_EXISTS at the commit where somebody else has changed
 * it meanwhile. */
int tn_tx_value(struct tn_tx *t, const struct tn_tx_value *v, struct tn_err *err);
/* What was built for the last tn_tx_put is a file that lies in its stage under the stage's own name: it takes the
 * stage's place, and all else there goes. */
int tn_tx_flatten(struct tn_tx *t, struct tn_err *err);
/* For the journal and for people; outcome "" when it begins. */
int tn_tx_step(struct tn_tx *t, const char *what, const char *outcome, struct tn_err *err);

/* On the disk, then real. What failed before the commit leaves everything as before (the transaction is cancelled). */
int tn_tx_commit(struct tn_tx *t, struct tn_err *err);
/* Removes what was built. */
int tn_tx_cancel(struct tn_tx *t, struct tn_err *err);
void tn_tx_end(struct tn_tx *t); /* frees; an open one is cancelled */

/* Is all that a transaction has made as it left it? What Python compiles by itself does not count. */
bool tn_tx_untouched(struct tn_state *s, unsigned id);
/* What undo has left, or NULL. */
struct tn_tx_rest {
    const char *kept; /* a tree that was made and that others have changed since: its hidden twin */
    const char *left; /* a file that others have changed since, and that stays as they made it: what it was before; or a
                         value of the registry by its name */
};
/* Takes a transaction back. What was changed by others since then is never deleted. TN_E_REFUSED: not done, or
 * something else has the place now; TN_E_USAGE: it was undone already, or forgotten. */
int tn_tx_undo(struct tn_state *s, unsigned id, struct tn_tx_rest *ret, struct tn_err *err);
/* Deletes what a transaction keeps for undo: there is no way back then. Only what is still what went is deleted.
 * TN_E_REFUSED: it is not done. */
int tn_tx_forget(struct tn_state *s, unsigned id, struct tn_err *err);

#endif
