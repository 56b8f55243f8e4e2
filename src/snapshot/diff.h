/* diff.h - what changed between two snapshots, and whether it may change a verdict.
 *
 * Pure. Rows are matched by the fields that name a thing (a GPU by its bus address), never by their place in the list,
 * so that one new file is one change. Sources are not compared: the same fact from elsewhere is no change. */
#ifndef TN_SNAPSHOT_DIFF_H
#define TN_SNAPSHOT_DIFF_H

#include "snapshot/snapshot.h"

struct tn_change {
    struct tn_ref before, after;     /* of the fact; before.row or after.row is meaningless when that side has none */
    const char *fact;                /* "driver.version", "gpu[0000:01:00.0].name", "gpu[0000:01:00.0]", "gpu" */
    const char *old_text, *new_text; /* value; a state that is not known in brackets: "(absent)"; NULL: no such row */
    enum tn_know old_know, new_know;
    bool matters;
};

struct tn_diff {
    struct tn_arena mem;
    struct tn_change *v;
    size_t n, cap;
    size_t n_matters;
};

/* Changes in the order of the schema, then of the rows' names. A row that only one side has is one change, named
 * without field; a listing whose state changed is one named by the record alone. An empty diff is equal snapshots.
 * Free with tn_diff_deinit. */
void tn_snapshot_diff(const struct tn_snap *before, const struct tn_snap *after, struct tn_diff *ret);
void tn_diff_deinit(struct tn_diff *d);

/* The name of a row by its key fields, as in tn_change: "0000:01:00.0", "env1 tensorflow". Appends. */
void tn_snapshot_row_name(const struct tn_snap *s, unsigned rec, size_t row, struct tn_buf *ret);

#endif
