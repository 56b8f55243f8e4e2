/* lock.h - the lock of a state as install.c hands it to a program. Private. */
#ifndef TN_OS_WIN32_LOCK_H
#define TN_OS_WIN32_LOCK_H

#include "os/change.h"
#include "os/win32/win32.h"

struct tn_os_lock {
    HANDLE h;
};

#endif
