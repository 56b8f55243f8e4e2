/* settle.h - an environment that was built under another name than it will have. */
#ifndef TN_APPLY_SETTLE_H
#define TN_APPLY_SETTLE_H

#include "apply/prefix.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* Puts right what installers wrote of the environment's place: the first lines of its
 * programs, its activation, pyvenv.cfg, and the digests of those programs in the RECORD of their packages. Files are
 * replaced, never written into, and are on the disk with the commit. */
int tn_apply_settle(struct tn_arena *mem, const char *stage, const char *final, struct tn_err *err);
/* The same of an environment of conda, whose packages hold its place anywhere (prefix.h): every file that is not a
 * further name of one elsewhere (conda links what holds no place out of its cache), links, and the digests in
 * conda-meta. from is what they hold, at least as long as "to". */
int tn_apply_settle_all(struct tn_arena *mem, const char *stage, const char *from, const char *to, struct tn_err *err);

/* The text with every "from" as "to"; false: there is none, and nothing is appended. */
bool tn_apply_replaced(struct tn_span text, const char *from, const char *to, struct tn_buf *ret);
/* A RECORD (PEP 376, "Recording installed projects") with the digest and size of one path put right; false: it does not
 * list the path. */
bool tn_apply_rerecorded(struct tn_span record, const char *path, const struct tn_prefix_file *is, struct tn_buf *ret);

#endif
