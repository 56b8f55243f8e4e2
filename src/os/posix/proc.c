/* proc.c - child programs with a deadline, and the environment.
 *
 * Invariant: the call returns at the deadline even if the child cannot be ended. The child gets no new
 * privileges, an empty stdin, its own process group and only the environment that it is given. A descendant that
 * leaves the group (setsid) is out of reach: to hold those as well, we would have to adopt every orphan of a program
 * that embeds us. */
#include "os/change.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/posix/posix.h"

const char *tn_os_env(struct tn_arena *mem, const char *name)
{
    const char *v = getenv(name);
    return v ? tn_arena_strdup(mem, v) : NULL;
}

void tn_os_env_set(const char *name, const char *value)
{
    if (value ? setenv(name, value, 1) : unsetenv(name))
        tn_oom();
}

struct child {
    pid_t pid;
    int out;    /* its output */
    int failed; /* an errno comes out when the program could not be started, else nothing */
};

/* What the child is to do: become a program, or work. */
struct task {
    const char *const *argv, *const *env;
    tn_os_work *work;
    const struct tn_os_labour *how; /* of work; NULL: it is confined and quickly done */
};

/* The child's end of the pipes: NUL for input, output, failure. */
static void take_over(const int *io, bool with_errors, bool freely)
{
    sigset_t none;
    setpgid(0, 0);
    if (!freely)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    signal(SIGPIPE, SIG_DFL); /* what is ignored stays so over exec */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(io[0], 0);
    dup2(io[1], 1);
    dup2(io[with_errors ? 1 : 0], 2);
}

static _Noreturn void become(const struct task *t, const int *io)
{
    static const char *const clean[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    take_over(io, true, false);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC); /* descriptors of a program that embeds us */
#endif
    execve(t->argv[0], (char *const *)(uintptr_t)t->argv, (char *const *)(uintptr_t)(t->env ? t->env : clean));
    int e = errno;
    if (write(io[2], &e, sizeof e) < 0) {
    }
    _exit(127);
}

static _Noreturn void labour(const struct task *t, const int *io, pid_t parent)
{
    const bool freely = t->how && t->how->free;
    take_over(io, t->how && t->how->with_errors, freely);
    tn_posix_confine(parent, freely);
    _exit(t->work(t->argv));
}

/* Moves a descriptor above the standard ones, which may be closed in us. */
static int lift(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, 3), e = errno;
    close(fd);
    errno = e;
    return up;
}

static int start(const struct task *t, struct child *c)
{
    pid_t self = getpid();
    int fd[5] = {-1, -1, -1, -1, -1}, e = 0; /* output: read, write; failure: read, write; NUL */
    if (pipe2(fd, O_CLOEXEC) || pipe2(fd + 2, O_CLOEXEC) || (fd[4] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
        e = errno;
    for (int i = 0; i < 5 && !e; i++)
        if ((fd[i] = lift(fd[i])) < 0)
            e = errno;
    if (!e) {
        const int io[3] = {fd[4], fd[1], fd[3]};
        c->pid = fork();
        if (c->pid == 0 && t->work)
            labour(t, io, self);
        if (c->pid == 0)
            become(t, io);
        if (c->pid < 0)
            e = errno;
        else
            setpgid(c->pid, c->pid);
    }
    for (int i = 0; i < 5; i++)
        if (fd[i] >= 0 && (e || i == 1 || i >= 3))
            close(fd[i]);
    c->out = fd[0];
    c->failed = fd[2];
    return e;
}

/* Has it ended? It is left as a zombie, so that its process group stays its own until we have killed the rest. */
static bool ended(pid_t pid)
{
    siginfo_t i;
    i.si_pid = 0;
    if (waitid(P_PID, (id_t)pid, &i, WEXITED | WNOHANG | WNOWAIT))
        return errno == ECHILD; /* SIGCHLD is ignored here: its status is lost */
    return i.si_pid == pid;
}

/* Until end of output, or the child has ended and the pipe is empty (what it left running may hold it open). */
static int gather(const struct child *c, const struct tn_os_labour *how, uint64_t end_us, size_t max,
                  struct tn_os_run *r)
{
    bool last = false;
    for (;;) {
        uint64_t now = tn_os_monotonic_us();
        struct pollfd p = {.fd = c->out, .events = POLLIN};
        if (now >= end_us)
            return TN_E_TIMEOUT;
        if (how && tn_os_interrupted())
            return TN_E_INTERRUPTED;
        int left = (int)((end_us - now) / 1000 + 1), k = poll(&p, 1, last ? 0 : left < 20 ? left : 20);
        if (k < 0 && errno != EINTR)
            return TN_E_IO;
        if (k == 0 && last)
            return 0;
        if (k <= 0) {
            last = ended(c->pid);
            continue;
        }
        char chunk[16384];
        ssize_t n = read(c->out, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        size_t room = max - r->out.n, take = (size_t)n < room ? (size_t)n : room;
        tn_buf_add(&r->out, chunk, take);
        if (how && how->out)
            how->out(how->ctx, chunk, take);
        if (take < (size_t)n) {
            r->cut = true;
            return 0;
        }
    }
}

static bool wait_until(pid_t pid, uint64_t end_us)
{
    while (!ended(pid)) {
        if (tn_os_monotonic_us() >= end_us)
            return false;
        poll(NULL, 0, 1);
    }
    return true;
}

/* Why the program could not be started, 0 if it was. */
static int start_error(const struct child *c)
{
    int e = 0;
    return read(c->failed, &e, sizeof e) == (ssize_t)sizeof e ? e : 0;
}

/* Ends the child and all that it left, and takes its status. */
static void finish(const struct child *c, struct tn_os_run *r, int *ret_start_error)
{
    int status = 0;
    kill(-c->pid, SIGKILL);
    bool gone = wait_until(c->pid, tn_os_monotonic_us() + 200000);
    bool known = gone && waitpid(c->pid, &status, 0) == c->pid;
    *ret_start_error = gone ? start_error(c) : 0;
    close(c->failed);
    r->timed_out = r->timed_out || !gone;
    r->status = !known ? 255 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const struct task *t, unsigned deadline_ms, size_t max_out, struct tn_os_run *r, struct tn_err *err)
{
    struct child c;
    uint64_t end = tn_os_monotonic_us() + deadline_ms * 1000ull;
    const char *what = t->argv[0];
    memset(r, 0, sizeof *r);
    tn_buf_init(&r->out);
    int e = start(t, &c);
    if (e)
        return tn_posix_error(err, what, e);
    int rc = gather(&c, t->how, end, max_out, r);
    close(c.out);
    r->timed_out = rc != 0 || (!r->cut && !wait_until(c.pid, end));
    finish(&c, r, &e);
    return e ? tn_posix_error(err, what, e) : 0;
}

int tn_os_run(const char *const *argv, const char *const *env, unsigned deadline_ms, size_t max_out,
              struct tn_os_run *ret, struct tn_err *err)
{
    const struct task t = {argv, env, NULL, NULL};
    struct tn_os_run r;
    if (access(argv[0], X_OK))
        return tn_posix_error(err, argv[0], errno);
    int rc = run(&t, deadline_ms, max_out, &r, err);
    if (rc == 0 && r.timed_out)
        rc = tn_err_set(err, TN_E_TIMEOUT, argv[0], "no answer within %u ms", deadline_ms);
    if (rc)
        tn_buf_deinit(&r.out);
    else
        *ret = r;
    return rc;
}

bool tn_os_is_child(int argc, char *const *argv)
{
    (void)argc;
    (void)argv;
    return false; /* forked, not started */
}

static int run_work(const struct task *t, unsigned deadline_ms, size_t max_out, struct tn_os_run *ret,
                    struct tn_err *err)
{
    struct tn_os_run r;
    int rc = run(t, deadline_ms, max_out, &r, err);
    if (rc)
        tn_buf_deinit(&r.out);
    else
        *ret = r;
    return rc;
}

int tn_os_child(tn_os_work *work, const char *const *argv, unsigned deadline_ms, size_t max_out, struct tn_os_run *ret,
                struct tn_err *err)
{
    const struct task t = {argv, NULL, work, NULL};
    return run_work(&t, deadline_ms, max_out, ret, err);
}

int tn_os_labour(tn_os_work *work, const char *const *argv, const struct tn_os_labour *how, struct tn_os_run *ret,
                 struct tn_err *err)
{
    const struct task t = {argv, NULL, work, how};
    return run_work(&t, how->deadline_ms, how->max_out, ret, err);
}

void tn_os_step(unsigned ms)
{
    const struct itimerval t = {{0, 0}, {ms / 1000, (ms % 1000) * 1000}};
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &t, NULL);
}

bool tn_os_cap_memory(uint64_t bytes)
{
    const struct rlimit l = {bytes, bytes};
    return setrlimit(RLIMIT_DATA, &l) == 0; /* private pages that can be written; since Linux 4.7 mappings, too */
}
