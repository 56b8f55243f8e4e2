/* helper.h - tenon-unpack asked, and its answer. For src/place; where a helper lies, for src/apply too. */
#ifndef TN_PLACE_HELPER_H
#define TN_PLACE_HELPER_H

#include "base/buf.h"
#include "place/place.h"

struct tn_helped {
    struct tn_arena *mem;
    struct tn_placed placed;
    size_t cap;
    uint64_t *archive_size; /* of the archives, in order */
    const char **archive_sha256;
    size_t n_archive;
    const char *refused; /* what it says: "N MEMBER: words" */
    const char *failed;  /* "ERRNO PATH" */
    bool done;
    uint64_t of; /* packed bytes of all; for progress */
    void (*told)(void *ctx, uint64_t packed, uint64_t of);
    void *ctx;
};

/* The program beside this one; NULL: there is none. */
const char *tn_helper_path(struct tn_arena *mem, const char *name);
/* request: lines (src/unpack/main.c). names: of the archives, for messages. Digest lines of a "digest" request come as
 * entries of type f; what is no file there is left out. */
int tn_helper_ask(struct tn_helped *h, const char *program, const struct tn_buf *request, struct tn_os_dir *folder,
                  struct tn_os_held *const *file, size_t n_file, const char *const *names, struct tn_err *err);
/* Bytes of names that could end a line, as the helper writes them, and back. */
void tn_placed_name(struct tn_buf *ret, const char *name);
const char *tn_placed_unname(struct tn_arena *mem, struct tn_span text);

#endif
