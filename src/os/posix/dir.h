/* dir.h - what the files of os/posix share that change something below an opened folder. Private. */
#ifndef TN_OS_POSIX_DIR_H
#define TN_OS_POSIX_DIR_H

#include <sys/stat.h>

#include "os/change.h"

struct tn_os_dir {
    int fd;
    char *path;
};

/* An error of an entry of the folder: "FOLDER/NAME". */
int tn_posix_dir_error(struct tn_err *err, const struct tn_os_dir *d, const char *name, int e);
/* Is it one component? 0, or TN_E_USAGE. */
int tn_posix_name(struct tn_err *err, const char *name);
/* Opens a folder in a folder: neither through a link nor onto another file system. -1: errno, EXDEV for the latter. */
int tn_posix_enter(int fd, const char *name);
int64_t tn_posix_mtime_ns(const struct stat *st);
/* Owner, mode and extended attributes (times too) of an open file to another; 0 or errno. */
int tn_posix_copy_meta(int from, int to, const struct stat *st);
void tn_posix_stat_fill(struct tn_os_stat *ret, const struct stat *st);

#endif
