/* journal.h - what a transaction has promised, as lines of its journal. Pure.
 *
 * A line is "CRC32 {json}\n", written and synced before what it announces is done. Lines are numbered: one that was cut
 * short (the last one, by a crash or a full disk) is passed over, since nothing it announced was done; a gap or any
 * other damage is an error, since then nobody knows what was done. */
#ifndef TN_APPLY_JOURNAL_H
#define TN_APPLY_JOURNAL_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "os/change.h"

#define TN_TX_MAX_ITEMS 256u
#define TN_JOURNAL_MAX_BYTES (4u << 20)

/* What becomes of a name. Its twin is a hidden name in the same folder, so that each is one rename. */
enum tn_tx_how {
    TN_TX_PUT,  /* the twin is built, then takes the name; there was nothing of that name */
    TN_TX_SWAP, /* the twin is built from what is there, then both change names; the old one stays as the twin */
    TN_TX_AWAY, /* what is there becomes the twin */
    TN_TX_EDIT  /* as SWAP, of a small file of a person's: what others make of it later wins over undo */
};

struct tn_tx_id { /* what an entry is, whatever it is called: os/change.h */
    uint64_t ino, born;
};

struct tn_tx_item {
    enum tn_tx_how how;
    const char *folder, *name, *twin;
    struct tn_tx_id before, after; /* what had the name; what has it then. Zeroes: nothing */
};

/* A value of the Windows registry: as it was, and as it is afterwards, byte for byte. */
struct tn_tx_value {
    const char *key, *name;
    struct tn_os_reg_raw before, after;
};
#define TN_TX_MAX_VALUES 32u

enum tn_tx_state {
    TN_TX_OPEN,      /* being made; nothing is real yet: to be cancelled */
    TN_TX_COMMITTED, /* to be finished */
    TN_TX_DONE,
    TN_TX_CANCELLED,
    TN_TX_UNDOING, /* to be finished */
    TN_TX_UNDONE,
    TN_TX_FORGETTING, /* to be finished */
    TN_TX_FORGOTTEN   /* what was kept for undo is deleted */
};

struct tn_tx_step {
    const char *what, *outcome; /* "" while it runs */
};

#define TN_TX_MAX_STEPS 64u

/* A transaction as its journal tells it. */
struct tn_tx_record {
    const char *kind, *goal; /* "apply", "clean"; in words */
    int64_t time;
    struct tn_tx_item item[TN_TX_MAX_ITEMS];
    unsigned n_item;
    struct tn_tx_value value[TN_TX_MAX_VALUES];
    unsigned n_value;
    struct tn_tx_step step[TN_TX_MAX_STEPS];
    unsigned n_step;
    enum tn_tx_state state;
    bool kept;     /* undone, but what was changed meanwhile still lies beside its place */
    unsigned next; /* number of the next line */
    bool torn;     /* the last line is half a line */
};

/* Appends a line for v, a new reference to an object, which is taken over; its member "n" is set here. */
void tn_journal_line(struct tn_buf *ret, unsigned number, json_t *v);

json_t *tn_journal_begin(const char *kind, const char *goal, int64_t time);
json_t *tn_journal_item(const struct tn_tx_item *i); /* before it is touched */
json_t *tn_journal_value(const struct tn_tx_value *v);
json_t *tn_journal_step(const char *what, const char *outcome);
json_t *tn_journal_commit(const struct tn_tx_record *t); /* with what has each name afterwards */
json_t *tn_journal_state(const char *word);              /* done, cancelled, undo, undone, kept, forget, forgotten */

/* TN_E_FORMAT: damaged, place is the line. */
int tn_journal_read(struct tn_arena *mem, struct tn_span text, struct tn_tx_record *ret, struct tn_err *err);

const char *
tn_tx_state_word(enum tn_tx_state s); /* open, committed, done, cancelled, undoing, undone, forgetting, forgotten */

#endif
