/* bytes.h - how the parsers of this folder read a view: whole blocks, so that many small fields cost one read.
 *
 * Invariant: every read is of aligned blocks of TN_BLOCK bytes, cut at the file's end; a record of one parser's
 * reads therefore also serves a parser that looks at neighbouring fields.
 * Knows nothing of formats. Private to image/. */
#ifndef TN_IMAGE_BYTES_H
#define TN_IMAGE_BYTES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/view.h"

#define TN_BLOCK 4096u

#define TN_WINDOWS 4u /* tables that refer to each other: headers, entries, versions, texts */

struct tn_bytes {
    const struct tn_view *view;
    struct {
        uint64_t off;
        struct tn_span s;
    } window[TN_WINDOWS];
    unsigned oldest;  /* the window to replace next */
    size_t text_left; /* what tn_image_bytes_text may still copy */
};

void tn_image_bytes_init(struct tn_bytes *b, const struct tn_view *v, size_t text_limit);
/* Exactly n bytes at off; TN_E_FORMAT when they are not all inside the file. */
int tn_image_bytes_at(struct tn_bytes *b, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err);
/* The NUL-ended text at off, copied into a: at most max bytes, which must end before `end` (an offset).
 * TN_E_FORMAT without a NUL, TN_E_LIMIT beyond max or beyond the text limit. */
int tn_image_bytes_text(struct tn_bytes *b, uint64_t off, uint64_t end, size_t max, struct tn_arena *a,
                        const char **ret, struct tn_err *err);
/* 0 if the NUL-ended text at off is name, 1 if not, negative when it cannot be read. */
int tn_image_bytes_differ(struct tn_bytes *b, uint64_t off, const char *name, struct tn_err *err);

#endif
