/* watch.c - a deadline over looking at a machine, even where the kernel lets nobody wake up.
 *
 * A read from a file system that hangs (FUSE, NFS) ends by SIGKILL alone. So a copy of the process looks and goes on,
 * and the first one waits: for the end of the copy, or for the deadline, after which it kills the copy and goes on
 * without. */
#include "os/os.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS 300u /* calls that can be woken end at the deadline by themselves: then what was found is kept */

static int line = -1; /* in the copy: closed when it has looked */
static uint64_t end;

bool tn_os_expired(void)
{
    return end && tn_os_monotonic_us() >= end;
}

unsigned tn_os_left_ms(void)
{
    uint64_t now = tn_os_monotonic_us();
    return !end ? ~0u : now >= end ? 0 : (unsigned)((end - now) / 1000);
}

static bool has_looked(int fd, unsigned ms)
{
    uint64_t stop = tn_os_monotonic_us() + ms * 1000ull, now;
    while ((now = tn_os_monotonic_us()) < stop) {
        struct pollfd p = {fd, 0, 0}; /* POLLHUP */
        int n = poll(&p, 1, (int)((stop - now + 999) / 1000));
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            break;
    }
    return false;
}

int tn_os_watch(unsigned ms, int *ret_status)
{
    int pair[2], st = 0;
    pid_t parent = getpid();
    if (pipe(pair))
        return 0;
    pid_t pid = fork();
    if (pid < 0) {
        close(pair[0]);
        close(pair[1]);
        return 0;
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever kills the one that waits means both */
        if (getppid() != parent)
            _exit(130);
        close(pair[0]);
        line = pair[1];
        end = tn_os_monotonic_us() + ms * 1000ull;
        tn_os_deadline(ms);
        return 0;
    }
    close(pair[1]);
    bool looked = has_looked(pair[0], ms + GRACE_MS);
    close(pair[0]);
    if (!looked) {
        kill(pid, SIGKILL); /* not waited for: in state D it may take its time */
        return -1;
    }
    while (waitpid(pid, &st, 0) < 0 && errno == EINTR) {
    }
    *ret_status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
    return 1;
}

void tn_os_watch_done(void)
{
    if (line >= 0)
        close(line);
    line = -1;
    if (end) {
        end = 0;
        tn_os_deadline(0);
    }
}
