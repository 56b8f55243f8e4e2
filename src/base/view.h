/* view.h - a file seen through a window: parsers of large files ask for the bytes that they need.
 *
 * A view over a span is for tests, fuzzers and small files; one over a world's file reads ranges, so that
 * the version of a 700 MB library costs a few kilobytes, and a replayed record holds only those bytes. */
#ifndef TN_BASE_VIEW_H
#define TN_BASE_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct tn_view {
    uint64_t size; /* bytes of the whole file */
    /* Exactly n bytes at off, valid as long as the view's owner lives. TN_E_FORMAT when they are not all
     * inside the file; TN_E_NOTFOUND when a record does not hold them. */
    int (*at)(void *ctx, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err);
    void *ctx;
};

/* A view over *s, which must outlive it. */
struct tn_view tn_view_of_span(struct tn_span *s);
int tn_view_at(const struct tn_view *v, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err);

#endif
