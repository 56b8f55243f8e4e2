/* seek.h - what the searching processes and the one that waits for them share. Private to os/posix/seek*.c. */
#ifndef TN_OS_POSIX_SEEK_H
#define TN_OS_POSIX_SEEK_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"
#include "os/os.h"
#include "os/posix/mounts.h"
#include "os/sum.h"

#define TN_SEEK_WORKERS 8u
#define TN_SEEK_JOBS 64u
#define TN_SEEK_TREES (TN_MAX_ENV_DIRS + 1024u)

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
        atomic_ullong files, bytes; /* that have one name; measuring alone */
        atomic_ullong youngest;     /* the same: seconds; a file that could not be looked at is the youngest of all */
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

/* What measuring sends instead: a file of several names, a large one, or a piece of a disk that copies share. */
struct tn_seek {
    const struct tn_os_seek *how;
    bool measure;                 /* send inodes, not hits */
    struct tn_posix_mount *mount; /* those that are searched: as many as shared->n_tree */
    const char **parent;          /* folders that hold a mount point, sorted */
    const char **point;           /* the mount points themselves, sorted */
    size_t n_point;
    size_t strip; /* so many first bytes of a path are the root folder's */
    struct tn_seek_shared *shared;
};

/* The processes, and what they write. */
struct tn_seek_child {
    pid_t pid;
    int fd; /* -1: it has ended */
    struct tn_buf in;
    unsigned long long beat;
    uint64_t moved; /* when the beat was last another one */
};
struct tn_seek_pool {
    const struct tn_seek *s;
    struct tn_seek_child child[TN_SEEK_WORKERS];
    unsigned n;
    size_t (*take)(void *ctx, const char *p, size_t n); /* so many bytes of what a process has written are dealt with */
    void *ctx;
};
/* seek.c: starts them and waits for all; how many could be started. */
unsigned tn_seek_run(struct tn_seek_pool *w);
unsigned tn_seek_workers(void); /* as many as are of use */
/* Sorts parents and points (n_point). */
void tn_seek_sort(struct tn_seek *s);

/* measure_work.c: adds what the entry of an open folder (its path: folder) takes, the folder itself (name NULL). */
void tn_seek_measure(const struct tn_seek *s, uint32_t tree, int dir, const char *folder, const char *name,
                     struct tn_buf *out);

/* seek_work.c: a process that searches until there is nothing left, and writes hits to fd. */
_Noreturn void tn_seek_work(const struct tn_seek *s, unsigned worker, int fd);

#endif
