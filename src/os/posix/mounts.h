/* mounts.h - the file systems of this machine that are worth a search (/proc/self/mountinfo). Private to os/posix. */
#ifndef TN_OS_POSIX_MOUNTS_H
#define TN_OS_POSIX_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/path.h"

struct tn_posix_mount {
    const char *path, *type;
    const char *dev, *root; /* "8:1", and which folder of that device is seen here */
    bool network, pseudo;   /* pseudo: nothing of a disk is in it */
    bool twice;             /* the same files are seen through an earlier one */
};

/* The mount points at and below a folder ("/": all), in byte order of their paths; the first is the folder itself, with
 * the file system that holds it. Of several on one folder the last, which hides the others. text: of mountinfo. */
size_t tn_posix_mounts(struct tn_arena *mem, const char *text, const char *below, struct tn_posix_mount **ret);

#endif
