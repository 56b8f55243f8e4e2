/* long.h - a text too long to be read whole: its first and last part, and of what lies between the lines that a message
 * form matches, with their neighbours. Fed in pieces; memory is bounded whatever comes. Pure. */
#ifndef TN_EXPLAIN_LONG_H
#define TN_EXPLAIN_LONG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "explain/encoding.h"

#define TN_LONG_HEAD (4u << 20) /* read whole */
#define TN_LONG_TAIL (1u << 20) /* the end, read whole, too */
#define TN_LONG_KEPT (8u << 20) /* of what lies between */

struct tn_long_piece {
    size_t at, n;  /* bytes of text */
    unsigned line; /* number of its first line */
};

struct tn_long {
    struct tn_buf text; /* pieces one behind the other, each ends with a line feed */
    struct tn_buf wait; /* what came last and is not looked through yet */
    struct tn_long_piece piece[4096];
    size_t n_piece;
    size_t kept;              /* bytes of the middle pieces */
    unsigned char full[4096]; /* forms that are not looked for (any more) */
    unsigned char seen[4096]; /* matches kept of each form: the thousandth says nothing new */
    unsigned line;            /* of the first byte of wait */
    uint64_t total;
    bool head_done;
    bool decided;              /* whether it is UTF-16, which is put into UTF-8 as it comes */
    enum tn_encoding encoding; /* TN_UTF8: taken as it is, the pieces are decoded later */
    unsigned char rest[4];     /* the beginning of a character whose end has not come */
    unsigned n_rest;
};

void tn_long_init(struct tn_long *l);
void tn_long_add(struct tn_long *l, struct tn_span bytes);
/* After the last byte: what waits becomes the last piece. */
void tn_long_end(struct tn_long *l);
void tn_long_deinit(struct tn_long *l);

#endif
