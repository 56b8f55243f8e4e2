/* json.h - the little that tenon adds to jansson: a seed without /dev/urandom, bytes that are no UTF-8, safe dumps.
 *
 * Every document comes in through tn_json_load and leaves through tn_json_dump. A text that leaves holds no control
 * character and no bidirectional override, whatever was in the facts. */
#ifndef TN_SNAPSHOT_JSON_H
#define TN_SNAPSHOT_JSON_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* Call before the first object: jansson would read /dev/urandom otherwise. The order of members is that of insertion,
 * so the seed never shows in a result. */
void tn_json_seed(void);

/* A whole document, within TN_MAX_TEXT_FILE bytes and TN_MAX_JSON_DEPTH; duplicate members are refused. NULL and err
 * (place "line:column") otherwise. A UTF-8 byte order mark is skipped. */
json_t *tn_json_load(struct tn_span text, struct tn_err *err);

/* Appends j on one line, or with indent > 0 on several; v may be of any type. */
void tn_json_dump(struct tn_buf *ret, const json_t *j, unsigned indent);

/* A text as a string when it is valid UTF-8, else {"bytes": base64, "text": shown form}. */
json_t *tn_json_text(const char *s);
/* Back: NULL when j is no such thing, or holds a NUL or more than TN_MAX_SMALL_FILE bytes; *ret_why says what was
 * expected. */
const char *tn_json_untext(struct tn_arena *mem, const json_t *j, const char **ret_why);

/* json_object_set_new and json_array_append_new that leave through tn_oom() when memory is out. */
void tn_json_set(json_t *object, const char *key, json_t *value);
void tn_json_append(json_t *array, json_t *value);
json_t *tn_json_must(json_t *j); /* j, or tn_oom() when it is NULL */

#endif
