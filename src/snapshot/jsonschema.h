/* jsonschema.h - the form of a snapshot for other programs and for people, from the schema table alone. */
#ifndef TN_SNAPSHOT_JSONSCHEMA_H
#define TN_SNAPSHOT_JSONSCHEMA_H

#include "base/buf.h"

/* A JSON Schema (draft 2020-12) that accepts what tn_snapshot_read accepts, members of newer versions included, but for
 * what it cannot say: duplicates, limits, base64 in detail. Appends; the text ends with a newline. */
void tn_snapshot_json_schema(struct tn_buf *ret);

/* Tables of all records and fields in Markdown: kind, privacy class, weight, meaning. Appends. */
void tn_snapshot_schema_markdown(struct tn_buf *ret);

#endif
