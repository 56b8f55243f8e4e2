/* walk.h - a path inside another root folder, component by component, links resolved inside it.
 *
 * Invariant: what comes out lies below the root, whatever links say. Knows no system call (the caller looks at
 * each component), so it is tested everywhere and without links. */
#ifndef TN_OS_WIN32_WALK_H
#define TN_OS_WIN32_WALK_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* What is at this path (below the root, without links before its last component)? The type as in tn_os_stat;
 * for a link also its target as the system would use it. */
typedef int (*tn_walk_look_fn)(void *ctx, const char *path, char *ret_type, struct tn_buf *ret_target,
                               struct tn_err *err);

/* path: of a POSIX tree (/usr/lib) or a Windows tree (C:\Windows; the root stands for drive C, other drives are not
 * there). last: resolve a link in the last component too. *ret: root\a\b. */
int tn_win32_walk(const char *root, const char *path, bool last, tn_walk_look_fn look, void *ctx, struct tn_buf *ret,
                  struct tn_err *err);

/* Reparse tags (MS-FSCC 2.1.2.1). */
#define TN_TAG_MOUNT_POINT 0xA0000003u
#define TN_TAG_SYMLINK 0xA000000Cu
#define TN_TAG_LX_SYMLINK 0xA000001Du
#define TN_TAG_APPEXECLINK 0x8000001Bu
#define TN_TAG_AF_UNIX 0x80000023u
#define TN_TAG_LX_FIFO 0x80000024u
#define TN_TAG_LX_CHR 0x80000025u
#define TN_TAG_LX_BLK 0x80000026u

/* The target in a REPARSE_DATA_BUFFER (MS-FSCC 2.1.2): the substitute name, which the system follows, without its
 * \??\ prefix. TN_E_FORMAT: not a link, or lengths that do not fit. */
int tn_win32_reparse_target(struct tn_span data, struct tn_buf *ret, struct tn_err *err);

#endif
