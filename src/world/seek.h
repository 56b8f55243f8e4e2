/* seek.h - the lines that TN_Q_SEEK and TN_Q_MEASURE answer with (world.h), made and read; and the same search in a
 * record.
 *
 * Invariant: what was written is read back byte for byte, whatever is in a name. */
#ifndef TN_WORLD_SEEK_H
#define TN_WORLD_SEEK_H

#include "base/buf.h"
#include "base/span.h"
#include "world/tree.h"

struct tn_seek_line {
    char type;                /* f file, l link, t tree, s size, a all */
    const char *path, *other; /* other: where a link leads, the type of a file system; "" */
    const char *state;        /* of a tree, of a size */
    uint64_t size, links, dev, ino, folders, unreadable;
    uint64_t freed, shared, doubled, files; /* of a size, whose bytes are in size */
    uint64_t youngest;                      /* the same: seconds since 1970 of its youngest file; 0: not known */
};

void tn_seek_add_hit(struct tn_buf *b, const char *path, const char *target, uint64_t size, uint64_t links,
                     uint64_t dev, uint64_t ino);
void tn_seek_add_tree(struct tn_buf *b, const char *path, const char *type, const char *state, uint64_t folders,
                      uint64_t unreadable);
void tn_seek_add_size(struct tn_buf *b, const struct tn_seek_line *l); /* s or a */
/* The next line; lines that are none are passed over. False at the end. */
bool tn_seek_next(struct tn_arena *mem, struct tn_span *rest, struct tn_seek_line *ret);
/* The same lines for the files that a record holds. */
void tn_seek_tree(const struct tn_tree *t, bool (*keep)(const void *ctx, const char *name), const void *ctx,
                  struct tn_buf *b);

#endif
