/* write.h - a snapshot as JSON.
 *
 * The same snapshot gives the same bytes: members in the order of schema.def, one fact a line, unknown members of a
 * newer file last. What was not asked and has no source is left out. */
#ifndef TN_SNAPSHOT_WRITE_H
#define TN_SNAPSHOT_WRITE_H

#include "snapshot/snapshot.h"

/* Document: {"schema_version", "command": "snapshot", "redacted", then one member a record}. A record that every
 * machine has once is an object of facts; another is {"listed": fact without value, "rows": [objects of facts]}.
 * A fact is {"is", "value", "from", "note", "got"}: value only when known; from and note of its source; got, the state
 * of the source's answer, only when it differs from "is". ret is emptied first. */
void tn_snapshot_write(const struct tn_snap *s, struct tn_buf *ret);

/* The inner part of one fact of a row, as in the document: {"is": ...}; for reports that quote facts. Appends. */
void tn_snapshot_write_fact(const struct tn_snap *s, const void *row, const struct tn_field_desc *f,
                            struct tn_buf *ret);

#endif
