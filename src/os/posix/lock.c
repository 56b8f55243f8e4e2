/* lock.c - one at a time: an flock(2) on an open file goes with the last process that has it, whatever kills it. */
#include "os/posix/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "os/posix/dir.h"

static long holder(int fd)
{
    char text[24] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    return n > 0 ? strtol(text, NULL, 10) : 0;
}

/* Who has it stands in the file, for people; the lock itself is the kernel's. */
static void sign(int fd)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n) {
    }
}

int tn_os_lock_take(struct tn_os_dir *d, const char *name, unsigned wait_ms, struct tn_os_lock **ret, long *ret_holder,
                    struct tn_err *err)
{
    int rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    int fd = openat(d->fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return tn_posix_dir_error(err, d, name, errno);
    uint64_t end = tn_os_monotonic_us() + wait_ms * 1000ull;
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        int e = errno;
        if (e != EWOULDBLOCK && e != EINTR) {
            close(fd);
            return tn_posix_dir_error(err, d, name, e);
        }
        if (tn_os_monotonic_us() >= end) {
            *ret_holder = holder(fd);
            close(fd);
            return tn_err_set(err, TN_E_TIMEOUT, name, "held by another process");
        }
        poll(NULL, 0, 20);
    }
    struct tn_os_lock *l = malloc(sizeof *l);
    if (!l) {
        close(fd);
        return tn_posix_dir_error(err, d, name, ENOMEM);
    }
    sign(fd);
    l->fd = fd;
    *ret = l;
    return 0;
}

void tn_os_lock_drop(struct tn_os_lock *l)
{
    if (l) {
        close(l->fd);
        free(l);
    }
}
