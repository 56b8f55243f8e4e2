/* install.c - a program that changes a folder, watched while it works; and the user's wish to end. See os/change.h. */
#include "os/posix/dir.h"
#include "os/posix/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/lines.h"
#include "os/posix/posix.h"

#define TICK_MS 100
#define KEPT_LOCK 3 /* the lock's descriptor in the program */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

void tn_os_interrupts_hold(void)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction a, was;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (sigaction(all[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(all[i], &a, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool tn_os_interrupted(void)
{
    return interrupted != 0;
}

void tn_os_interrupts_release(void)
{
    if (!interrupted)
        return;
    signal(interrupted, SIG_DFL);
    raise(interrupted);
}

#define HIGH 256 /* out of the way of what is given */

/* Copies first, since the numbers may be taken by each other. Returns the first descriptor that is not given. */
static unsigned give(const struct tn_os_install *how)
{
    int copy[TN_OS_MAX_GIVEN];
    int folder = how->folder ? fcntl(how->folder->fd, F_DUPFD_CLOEXEC, HIGH) : -1;
    for (size_t i = 0; i < how->n_file; i++)
        copy[i] = fcntl(how->file[i]->fd, F_DUPFD_CLOEXEC, HIGH);
    if (folder >= 0)
        dup2(folder, TN_OS_GIVEN_FOLDER);
    for (size_t i = 0; i < how->n_file; i++)
        dup2(copy[i], TN_OS_GIVEN_FILE + (int)i);
    return how->n_file ? TN_OS_GIVEN_FILE + (unsigned)how->n_file : how->folder ? TN_OS_GIVEN_FOLDER + 1u : 0;
}

/* Its standard input: a file in memory, so that nobody has to write while it reads. */
static int text_of(const void *p, size_t n)
{
    int fd = memfd_create("tenon", MFD_CLOEXEC);
    for (size_t k = 0; fd >= 0 && k < n;) {
        ssize_t w = write(fd, (const char *)p + k, n - k);
        if (w < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        k += w > 0 ? (size_t)w : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static _Noreturn void become(const struct tn_os_install *how, const int *io, pid_t parent)
{
    sigset_t none;
    int nul = how->in ? text_of(how->in, how->n_in) : open("/dev/null", O_RDONLY), lock = -1;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (how->lock)
        lock = fcntl(how->lock->fd, F_DUPFD, HIGH);
    int out = fcntl(io[1], F_DUPFD_CLOEXEC, HIGH), bad = fcntl(io[3], F_DUPFD_CLOEXEC, HIGH);
    dup2(nul, 0);
    dup2(out, 1);
    dup2(out, 2);
    if (lock >= 0)
        dup2(lock, KEPT_LOCK);
    unsigned first = give(how);
    if (lock < 0 && first)
        close(KEPT_LOCK);
#ifdef SYS_close_range
    syscall(SYS_close_range, first ? first : lock >= 0 ? KEPT_LOCK + 1u : 3u, ~0u, CLOSE_RANGE_CLOEXEC);
#endif
    int e = how->cwd && chdir(how->cwd) ? errno : 0;
    if (!e)
        execve(how->argv[0], (char *const *)(uintptr_t)how->argv, (char *const *)(uintptr_t)how->env);
    e = e ? e : errno;
    if (write(bad, &e, sizeof e) < 0) {
    }
    _exit(127);
}

#define GONE_MS 10000 /* what was killed may wait for a disk */

/* Whether this entry of /proc is a process of the group that still runs (proc_pid_stat(5): its name in brackets, state,
 * parent, group, and as the 20th its threads: one that ended first leaves others at work). What cannot be read is gone.
 */
static bool runs_in(int proc, const char *name, pid_t group)
{
    char path[32], text[512];
    if (name[0] < '1' || name[0] > '9' || strlen(name) > 12)
        return false;
    snprintf(path, sizeof path, "%s/stat", name);
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *behind = strrchr(text, ')');
    char state = 0;
    int of = 0, threads = 0;
    int got = behind ? sscanf(behind, ") %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &state,
                              &of, &threads)
                     : 0;
    return got == 3 && of == group && (state != 'Z' || threads > 1);
}

/* What has ended stays in its group until its parent asks, and a container's first process may never ask. Without /proc
 * the group is all that is known. */
static bool runs(pid_t group)
{
    DIR *d = opendir("/proc");
    bool any = false, seen = false;
    for (struct dirent *e; d && !any && (e = readdir(d));) {
        seen |= strcmp(e->d_name, "self") == 0;
        any = runs_in(dirfd(d), e->d_name, group);
    }
    if (d)
        closedir(d);
    return any || !seen;
}

/* No process of the group is left: nothing of it writes any more. */
static void until_gone(pid_t group)
{
    for (unsigned i = 0; i < GONE_MS / 5 && kill(-group, 0) == 0 && runs(group); i++)
        poll(NULL, 0, 5);
}

/* A killed tenon takes the program along (PR_SET_PDEATHSIG), but not what that has started, which may hold no lock:
 * Python closes what it does not know. This one outlives tenon for a moment, ends all of the group, and holds the lock
 * until then, so that nobody takes back what is still being written. */
static pid_t guard(pid_t group, int *ret_alive)
{
    int alive[2];
    char c;
    if (pipe2(alive, O_CLOEXEC))
        return -1;
    pid_t pid = fork();
    close(alive[pid == 0]);
    if (pid < 0)
        close(alive[1]);
    *ret_alive = alive[1];
    if (pid)
        return pid;
    setpgid(0, 0); /* what is typed at a terminal is for others */
    for (int i = 0; i < 3; i++)
        close(i);
    while (read(alive[0], &c, 1) < 0 && errno == EINTR)
        ;
    kill(-group, SIGKILL);
    until_gone(group);
    _exit(0);
}

static bool ended(pid_t pid)
{
    siginfo_t i;
    i.si_pid = 0;
    if (waitid(P_PID, (id_t)pid, &i, WEXITED | WNOHANG | WNOWAIT))
        return errno == ECHILD;
    return i.si_pid == pid;
}

/* Until it has ended and its pipe is empty; what it left running may hold the pipe open. */
static int watch(const struct tn_os_install *how, pid_t pid, int out)
{
    struct tn_os_lines *l = calloc(1, sizeof *l);
    uint64_t heard = tn_os_monotonic_us();
    int rc = l ? 0 : TN_E_IO;
    bool last = false;
    while (!rc) {
        struct pollfd p = {.fd = out, .events = POLLIN};
        int k = poll(&p, 1, last ? 0 : TICK_MS);
        if (how->tick)
            how->tick(how->ctx);
        if (interrupted) {
            rc = TN_E_INTERRUPTED;
        } else if (k > 0) {
            ssize_t n = read(out, l->p + l->n, sizeof l->p - l->n);
            if (n == 0 || (n < 0 && errno != EINTR))
                break;
            l->n += n > 0 ? (size_t)n : 0;
            tn_os_lines_hand_on(how, l, false);
            heard = tn_os_monotonic_us();
        } else if (last) {
            break;
        } else {
            last = ended(pid);
            if (!last && how->idle_ms && tn_os_monotonic_us() - heard > how->idle_ms * 1000ull)
                rc = TN_E_TIMEOUT;
        }
    }
    if (l && !rc)
        tn_os_lines_hand_on(how, l, true);
    free(l);
    return rc;
}

/* It has closed its output and still runs: as long as nobody interrupts. */
static int wait_for(const struct tn_os_install *how, pid_t pid)
{
    while (!ended(pid)) {
        if (interrupted)
            return TN_E_INTERRUPTED;
        if (how->tick)
            how->tick(how->ctx);
        poll(NULL, 0, 10);
    }
    return 0;
}

int tn_os_install(const struct tn_os_install *how, int *ret_status, struct tn_err *err)
{
    int io[4] = {-1, -1, -1, -1}, e = 0, status = 0;
    pid_t self = getpid(), pid = -1;
    if (pipe2(io, O_CLOEXEC) || pipe2(io + 2, O_CLOEXEC) || (pid = fork()) < 0)
        e = errno;
    if (pid == 0)
        become(how, io, self);
    for (int i = 1; i < 4; i += 2)
        if (io[i] >= 0)
            close(io[i]);
    if (e) {
        for (int i = 0; i < 4; i += 2)
            if (io[i] >= 0)
                close(io[i]);
        return tn_posix_error(err, how->argv[0], e);
    }
    setpgid(pid, pid);
    int alive = -1;
    pid_t other = guard(pid, &alive);
    int rc = other < 0 ? tn_posix_error(err, how->argv[0], errno) : watch(how, pid, io[0]);
    if (!rc)
        rc = wait_for(how, pid);
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    until_gone(pid);
    if (other > 0) {
        close(alive);
        while (waitpid(other, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (!rc && read(io[2], &e, sizeof e) == (ssize_t)sizeof e)
        rc = tn_posix_error(err, how->argv[0], e);
    else if (rc == TN_E_TIMEOUT)
        tn_err_set(err, rc, how->argv[0], "silent for %u s, ended", how->idle_ms / 1000);
    else if (rc && other > 0)
        tn_err_set(err, rc, how->argv[0], "%s", rc == TN_E_INTERRUPTED ? "interrupted" : "out of memory");
    close(io[0]);
    close(io[2]);
    if (!rc)
        *ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return rc;
}
