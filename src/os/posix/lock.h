/* lock.h - private to os/posix: what a lock is. */
#ifndef TN_OS_POSIX_LOCK_H
#define TN_OS_POSIX_LOCK_H

#include "os/change.h"

struct tn_os_lock {
    int fd;
};

#endif
