/* seek.h - what the searching processes and the one that waits for them share. Private to os/posix/seek*.c. */
#ifndef TN_OS_POSIX_SEEK_H
#define TN_OS_POSIX_SEEK_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"
#include "os/os.h"
#include "os/posix/mounts.h"

#define TN_SEEK_WORKERS 8u
#define TN_SEEK_JOBS 64u
#define TN_SEEK_TREES 1024u

/* A folder that one process gave away for another to search. */
struct tn_seek_job {
    uint32_t tree;
    char path[TN_MAX_PATH_BYTES];
};

/* In memory that all processes share. */
struct tn_seek_shared {
    atomic_flag lock; /* of jobs, n_job, next_tree and busy; never held over a call that may wait */
    unsigned n_job, next_tree, n_tree, busy;
    atomic_uint hungry; /* processes without a job */
    struct {
        atomic_ullong beat; /* grows with each folder */
        atomic_uint tree;   /* where it is */
        atomic_bool busy;
    } worker[TN_SEEK_WORKERS];
    struct {
        atomic_ullong folders, unreadable;
        atomic_bool late;
    } tree[TN_SEEK_TREES];
    struct tn_seek_job job[TN_SEEK_JOBS];
};

/* A file or link on its way through the pipe; its path and its target follow, each with its NUL. */
struct tn_seek_hit {
    uint32_t size; /* of all three */
    uint32_t path_n, target_n;
    struct tn_os_stat st;
};

struct tn_seek {
    const struct tn_os_seek *how;
    struct tn_posix_mount *mount; /* those that are searched: as many as shared->n_tree */
    const char **parent;          /* folders that hold a mount point, sorted */
    const char **point;           /* the mount points themselves, sorted */
    size_t n_point;
    size_t strip; /* so many first bytes of a path are the root folder's */
    struct tn_seek_shared *shared;
};

/* seek_work.c: a process that searches until there is nothing left, and writes hits to fd. */
_Noreturn void tn_seek_work(const struct tn_seek *s, unsigned worker, int fd);

#endif
