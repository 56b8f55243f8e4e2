/* posix.h - what the files of os/posix share. */
#ifndef TN_OS_POSIX_H
#define TN_OS_POSIX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"

struct tn_os_root {
    int fd;
    char *path;
};

struct tn_os_held {
    int fd;
    uint64_t size;
    char path[];
};

/* From an errno to a TN_E code with the path as place. */
int tn_posix_error(struct tn_err *err, const char *path, int e);

/* What a child that loads foreign code may not do (confine.c). parent: it ends with that process. freely: it leaves no
 * core and keeps no descriptor, and may do the rest. */
void tn_posix_confine(pid_t parent, bool freely);

/* trust.c. As root: is every folder of LD_LIBRARY_PATH out of others' reach? */
bool tn_posix_search_trusted(void);
/* From now on private mappings of files that the filter stops are looked at; false: they need not be. */
bool tn_posix_look_at_maps(void);
#define TN_POSIX_MAP_LOOKED_AT 0x1000 /* MAP_EXECUTABLE: "this flag is ignored", mmap(2), and ld.so does not use it */
/* Gives up what a setuid bit or file capabilities gave us. */
void tn_posix_lend_nothing(void);

/* openat(2) with every link, absolute ones too, resolved inside the root (root.c). */
int tn_posix_root_openat(const struct tn_os_root *root, const char *path, int flags);

/* As root: takes on the file rights of the user whose folder the path goes through (guard.c). What it saw on the way
 * need not be asked for again. */
struct tn_posix_guard {
    bool root; /* the looker is */
    uid_t uid; /* 0: nothing was changed */
    gid_t gid;
    int error;   /* not 0: the path leads nowhere, as errno says */
    bool looked; /* st is that of the path, which has no links that are followed */
    bool own;    /* and its folder is root's alone: what was seen is what will be opened */
    struct stat st;
};
/* follow: is a link at the end of the path followed? */
void tn_posix_guard_enter(struct tn_posix_guard *g, const char *root, const char *path, bool follow);
void tn_posix_guard_leave(struct tn_posix_guard *g);
/* Between both, or after: the link at path was read, and leads to target. */
void tn_posix_guard_lend(const struct tn_posix_guard *g, const char *root, const char *path, const char *target);

#endif
