/* prefix.h - an environment's place where files hold it: the rules by which it is put right, over bytes. Pure.
 *
 * conda writes the place of an environment into texts and programs alike (conda, core/portability.py): a text is
 * replaced as it is, in a binary file a string that ends in NUL keeps its length by further NULs, which serves as long
 * as the new place is not longer. A file with a NUL is binary (conda-build, have_prefix_files). Of compiled modules
 * conda has no rule, since it compiles them in place: there strings have their length before them (CPython,
 * Python/marshal.c). */
#ifndef TN_APPLY_PREFIX_H
#define TN_APPLY_PREFIX_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum tn_prefix_found {
    TN_PREFIX_NONE,  /* it does not name the place */
    TN_PREFIX_MOVED, /* ret holds what it has to be */
    TN_PREFIX_UNSAID /* a compiled module that names it in a way that is not understood: to be compiled again */
};

/* path: of the file, which says whether it is a compiled module (".pyc"). "to" is no longer than "from". */
enum tn_prefix_found tn_prefix_move(const char *path, struct tn_span text, const char *from, const char *to,
                                    struct tn_buf *ret);

/* A file that was put right. */
struct tn_prefix_file {
    const char *path; /* below the environment */
    unsigned char sha256[32];
    uint64_t size;
};
/* A record of conda-meta with the digests of those files put right ("sha256_in_prefix", see prefix.c); file: in byte
 * order of paths. false: it lists none of them, or it is no record. */
bool tn_prefix_record(struct tn_span json, const struct tn_prefix_file *file, size_t n, struct tn_buf *ret);

#endif
