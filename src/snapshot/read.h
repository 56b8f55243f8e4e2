/* read.h - a snapshot from JSON: hostile bytes in, facts or a message with its place out.
 *
 * What is missing reads as not asked. What a newer version added is kept aside and written again (struct tn_extra).
 * A wrong type is an error that names the field: a fact is never guessed. */
#ifndef TN_SNAPSHOT_READ_H
#define TN_SNAPSHOT_READ_H

#include "base/span.h"
#include "snapshot/snapshot.h"

/* *ret needs no tn_snap_init and is untouched on failure; free it with tn_snap_deinit. ret->schema is the version in
 * the file, which may be newer than TN_SCHEMA_VERSION. err->place: "line:column" of a text that is no JSON, else
 * "gpu[2].capability". TN_E_FORMAT, or TN_E_LIMIT for more than limits.h allows. */
int tn_snapshot_read(struct tn_span json, struct tn_snap *ret, struct tn_err *err);

#endif
