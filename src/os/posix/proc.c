/* proc.c - child programs with a deadline, and the environment.
 *
 * Invariant: the call returns at the deadline even if the child cannot be ended. The child gets no new
 * privileges, an empty stdin, its own process group and only the environment that it is given. */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/posix/posix.h"

const char *tn_os_env(struct tn_arena *mem, const char *name)
{
    const char *v = getenv(name);
    return v ? tn_arena_strdup(mem, v) : NULL;
}

static _Noreturn void become(const char *const *argv, const char *const *env, int out)
{
    static const char *const clean[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (null >= 0)
        dup2(null, 0);
    dup2(out, 1);
    dup2(out, 2);
    execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)(env ? env : clean));
    _exit(127);
}

static int gather(int fd, uint64_t end_us, size_t max, struct tn_os_run *r)
{
    for (;;) {
        uint64_t now = tn_os_monotonic_us();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (now >= end_us)
            return TN_E_TIMEOUT;
        int k = poll(&p, 1, (int)((end_us - now) / 1000 + 1));
        if (k < 0 && errno != EINTR)
            return TN_E_IO;
        if (k <= 0)
            continue;
        char chunk[16384];
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n <= 0)
            return 0;
        size_t room = max - r->out.n, take = (size_t)n < room ? (size_t)n : room;
        tn_buf_add(&r->out, chunk, take);
        if (take < (size_t)n) {
            r->cut = true;
            return 0;
        }
    }
}

/* Waits for the child up to the deadline, then kills its group and gives it 200 ms to be reaped. */
static bool reap(pid_t pid, uint64_t end_us, bool *killed, int *status)
{
    for (;;) {
        pid_t k = waitpid(pid, status, WNOHANG);
        if (k == pid || (k < 0 && errno != EINTR))
            return k == pid;
        uint64_t now = tn_os_monotonic_us();
        if (now >= end_us) {
            if (*killed)
                return false;
            kill(-pid, SIGKILL);
            *killed = true;
            end_us = now + 200000;
        }
        poll(NULL, 0, 1);
    }
}

int tn_os_run(const char *const *argv, const char *const *env, unsigned deadline_ms, size_t max_out,
              struct tn_os_run *ret, struct tn_err *err)
{
    int fd[2], status = 0;
    uint64_t end = tn_os_monotonic_us() + deadline_ms * 1000ull;
    struct tn_os_run r;
    memset(&r, 0, sizeof r);
    tn_buf_init(&r.out);
    if (access(argv[0], X_OK))
        return tn_posix_error(err, argv[0], errno);
    if (pipe2(fd, O_CLOEXEC))
        return tn_posix_error(err, argv[0], errno);
    pid_t pid = fork();
    if (pid == 0)
        become(argv, env, fd[1]);
    close(fd[1]);
    if (pid < 0) {
        int e = errno;
        close(fd[0]);
        return tn_posix_error(err, argv[0], e);
    }
    setpgid(pid, pid);
    int rc = gather(fd[0], end, max_out, &r);
    close(fd[0]);
    bool killed = false;
    if (rc || r.cut) {
        kill(-pid, SIGKILL);
        killed = true;
        end = tn_os_monotonic_us() + 200000;
    }
    bool ended = reap(pid, end, &killed, &status);
    kill(-pid, SIGKILL); /* whatever it started and left */
    r.timed_out = rc == TN_E_TIMEOUT || !ended || (killed && !r.cut);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 255;
    if (r.timed_out) {
        tn_buf_deinit(&r.out);
        return tn_err_set(err, TN_E_TIMEOUT, argv[0], "no answer within %u ms", deadline_ms);
    }
    *ret = r;
    return 0;
}
