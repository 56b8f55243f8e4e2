/* pass.c - a program run for its user, as if nobody stood between: who does what.
 *
 * Three processes in one process group: this one waits for the program, hands on signals that reached it alone, stops
 * when the program stops and ends as it ended; the relay (relay.c) hands on what the program prints; the program
 * itself. The terminal, its foreground group and our standard input stay the program's own, so that the shell's job
 * control works as it is: who stops and continues is decided by the kernel and the program, and only followed here.
 *
 * A signal that the terminal, a shell, systemd or Slurm sends to everybody has reached the program already; one that
 * was sent to us alone has not. The relay tells them apart: it is of the same group, and nobody knows it. */
#include "os/posix/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/posix/posix.h"

#define WITNESS_MS 20 /* so long a signal to everybody may take to reach the relay, too */
#define TOGETHER_US 50000

struct pass {
    const struct tn_os_pass *how;
    struct tn_pass_stream stream[2];
    unsigned n;
    struct tn_pass_shared *shared;
    pid_t relay, program;
    int status;       /* of the program, when ended */
    bool ended, gone; /* program, relay */
    sigset_t old_mask;
    struct sigaction old_child; /* how SIGCHLD was set */
    struct {
        int fd;    /* to read it by; -1: none */
        off_t old; /* what was in it before */
    } file[2];
    bool unseen;
    uint64_t stood_us, resumed_us; /* when we last stopped, and went on */
};

/* Above the standard descriptors, which may be closed in us. */
static int up(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return high;
}

/* A terminal like the one behind fd. */
static bool open_pty(struct tn_pass_stream *s, int fd)
{
    struct winsize size;
    if (tcgetattr(fd, &s->set))
        return false;
    s->source = up(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (s->source < 0)
        return false;
    if (grantpt(s->source) || unlockpt(s->source))
        return false;
#ifdef TIOCGPTPEER
    s->theirs = up(ioctl(s->source, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
#endif
    if (s->theirs < 0) {
        char name[64];
        if (ptsname_r(s->source, name, sizeof name))
            return false;
        s->theirs = up(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    }
    if (s->theirs < 0 || tcsetattr(s->theirs, TCSANOW, &s->set))
        return false;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        ioctl(s->theirs, TIOCSWINSZ, &size);
    tcgetattr(s->source, &s->set); /* as the system keeps it */
    s->pty = true;
    return true;
}

static bool open_pipe(struct tn_pass_stream *s, int fd, bool is_socket)
{
    int two[2], flags = fcntl(fd, F_GETFL);
    if (is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, two) : pipe2(two, O_CLOEXEC))
        return false;
    s->source = up(two[0]);
    s->theirs = up(two[1]);
    if (flags >= 0 && (flags & O_NONBLOCK))
        fcntl(s->theirs, F_SETFL, O_WRONLY | O_NONBLOCK);
    if (!is_socket && (flags = fcntl(fd, F_GETPIPE_SZ)) > 65536)
        fcntl(s->source, F_SETPIPE_SZ, flags);
    return s->source >= 0 && s->theirs >= 0;
}

static void close_stream(struct tn_pass_stream *s)
{
    int *const fd[] = {&s->source, &s->theirs, &s->wake};
    for (unsigned i = 0; i < 3; i++) {
        if (*fd[i] >= 0)
            close(*fd[i]);
        *fd[i] = -1;
    }
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Stands between where there is something to see and a way to. */
static void streams(struct pass *p)
{
    struct stat st[2];
    for (int i = 0; i < 2; i++) {
        struct tn_pass_stream *s = &p->stream[p->n];
        int fd = i + 1;
        p->file[i].fd = -1;
        if (fstat(fd, &st[i])) {
            memset(&st[i], 0, sizeof st[i]); /* closed, and so it is for the program */
            continue;
        }
        bool stands = S_ISFIFO(st[i].st_mode) || S_ISSOCK(st[i].st_mode) || (isatty(fd) && !p->how->own_terminal);
        int flags = fcntl(fd, F_GETFL);
        if (!stands || (flags & O_ACCMODE) == O_RDONLY || (i == 1 && p->n && same_file(&st[0], &st[1])))
            continue;
        *s = (struct tn_pass_stream){.to = fd, .source = -1, .theirs = -1, .wake = -1};
        bool ok = isatty(fd) ? open_pty(s, fd) : open_pipe(s, fd, S_ISSOCK(st[i].st_mode));
        s->wake = ok ? up(eventfd(0, EFD_CLOEXEC)) : -1;
        if (s->wake >= 0) {
            p->n++;
        } else {
            close_stream(s);
            p->unseen = true;
        }
    }
}

/* The stream that stands for a descriptor of the program, or NULL: it keeps ours. */
static const struct tn_pass_stream *stream_of(const struct pass *p, int fd)
{
    struct stat a, b;
    for (unsigned i = 0; i < p->n; i++) {
        if (p->stream[i].to == fd)
            return &p->stream[i];
        if (fstat(fd, &a) == 0 && fstat(p->stream[i].to, &b) == 0 && same_file(&a, &b))
            return &p->stream[i];
    }
    return NULL;
}

static void hold_only(const int *fd, unsigned n)
{
    int from = 3;
    for (;;) { /* the lowest that is to stay, again and again */
        int next = INT_MAX;
        for (unsigned i = 0; i < n; i++)
            if (fd[i] >= from && fd[i] < next)
                next = fd[i];
        int last = next == INT_MAX ? INT_MAX : next - 1;
#ifdef SYS_close_range
        if (from <= last && syscall(SYS_close_range, (unsigned)from, (unsigned)last, 0u))
#endif
            for (int k = from; k <= last && k < 1024; k++)
                close(k);
        if (next == INT_MAX)
            return;
        from = next + 1;
    }
}

static void to_nothing(int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && null != fd) {
        dup2(null, fd);
        close(null);
    }
}

static _Noreturn void be_relay(struct pass *p, pid_t waiter)
{
    int fd[5];
    unsigned n = 0;
    bool used[3] = {false, false, false};
    for (unsigned i = 0; i < p->n; i++) {
        fd[n++] = p->stream[i].source;
        fd[n++] = p->stream[i].wake;
        used[p->stream[i].to] = true;
    }
    if (p->n == 0)
        fd[n++] = p->stream[0].wake;
    if (p->how->log)
        fd[n++] = p->how->log_fd;
    for (int i = 0; i < 3; i++)
        if (!used[i])
            to_nothing(i);
    hold_only(fd, n);
    if (p->n == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    tn_pass_relay(p->stream, p->n, p->shared, p->how, waiter);
    _exit(0);
}

static _Noreturn void be_program(const struct pass *p, int failed, pid_t parent)
{
    const struct tn_pass_stream *way[2] = {stream_of(p, 1), stream_of(p, 2)};
    for (int i = 0; i < 2; i++)
        if (way[i])
            dup2(way[i]->theirs, i + 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* who kills us means the program */
    if (getppid() != parent)
        _exit(127);
    sigaction(SIGPIPE, tn_posix_sigpipe(), NULL);
    sigaction(SIGCHLD, &p->old_child, NULL);
    sigprocmask(SIG_SETMASK, &p->old_mask, NULL);
    execvp(p->how->argv[0], (char *const *)(uintptr_t)p->how->argv);
    int e = errno;
    if (write(failed, &e, sizeof e) < 0) {
    }
    _exit(127);
}

static bool make_shared(struct pass *p)
{
    size_t n = sizeof *p->shared + p->how->head + p->how->tail;
    p->shared = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p->shared == MAP_FAILED)
        return false;
    p->shared->head = p->how->head;
    p->shared->tail = p->how->tail;
    return true;
}

/* Starts both. An errno; 0: they run. */
static int start(struct pass *p)
{
    int failed[2], e = 0;
    pid_t self = getpid();
    if (pipe2(failed, O_CLOEXEC))
        return errno;
    for (int i = 0; i < 2; i++)
        failed[i] = up(failed[i]);
    if (p->n == 0)
        p->stream[0] = (struct tn_pass_stream){.source = -1, .theirs = -1, .wake = up(eventfd(0, EFD_CLOEXEC))};
    p->relay = fork();
    if (p->relay == 0)
        be_relay(p, self);
    p->gone = p->relay <= 0;
    p->program = p->relay < 0 ? -1 : fork();
    if (p->program == 0)
        be_program(p, failed[1], self);
    if (p->program < 0)
        e = errno;
    else
        atomic_store(&p->shared->program, (int)p->program);
    close(failed[1]);
    if (!e && read(failed[0], &e, sizeof e) != (ssize_t)sizeof e)
        e = 0;
    close(failed[0]);
    return e;
}

/* What the program, the reader of its output and their peers watch must not be held open by us. */
static void let_go(struct pass *p)
{
    int keep[3];
    unsigned n = 0;
    for (unsigned i = 0; i < p->n || i == 0; i++) {
        keep[n++] = p->stream[i].wake;
        close(p->stream[i].source);
        close(p->stream[i].theirs);
        p->stream[i].source = p->stream[i].theirs = -1;
    }
    if (p->how->log)
        keep[n++] = p->how->log_fd;
    hold_only(keep, n);
    for (int i = 0; i < 2; i++) {
        struct stat st;
        if (fstat(i + 1, &st) || !S_ISREG(st.st_mode))
            continue;
        int flags = fcntl(i + 1, F_GETFL);
        off_t at = flags & O_APPEND ? st.st_size : lseek(i + 1, 0, SEEK_CUR);
        p->file[i].fd = up(open(i ? "/proc/self/fd/2" : "/proc/self/fd/1", O_RDONLY | O_CLOEXEC));
        p->file[i].old = at < 0 ? 0 : at;
    }
    to_nothing(0);
    to_nothing(1);
}

/* Did everybody here get this signal, not we alone? */
static bool was_for_all(const struct pass *p, int sig)
{
    uint64_t now = tn_os_monotonic_us();
    if (p->gone || sig >= TN_PASS_SIGNALS)
        return false;
    for (int i = 0; i <= WITNESS_MS; i++) {
        uint64_t at = atomic_load(&p->shared->got_us[sig]);
        bool while_standing = at >= p->stood_us && now < p->resumed_us + TOGETHER_US;
        if (at && (at + TOGETHER_US > now || while_standing))
            return true;
        struct timespec ms = {0, 1000000};
        nanosleep(&ms, NULL);
    }
    return false;
}

/* Has the relay handed on what the program had written until now? It may wait for its reader, and so do we. */
static bool is_through(const struct pass *p, unsigned ask)
{
    for (unsigned i = 0; i < p->n; i++) {
        unsigned a = atomic_load(&p->shared->answer[i]);
        if (a != ask && a != ~0u)
            return false;
    }
    return true;
}

static unsigned question(const struct pass *p)
{
    unsigned ask = atomic_fetch_add(&p->shared->ask, 1) + 1;
    uint64_t one = 1;
    for (unsigned i = 0; i < p->n || i == 0; i++)
        if (write(p->stream[i].wake, &one, sizeof one) < 0)
            return ask;
    return ask;
}

/* The program stopped: so do we, by the same signal, for whoever waits for us. */
static void stop(struct pass *p, int sig)
{
    struct sigaction def, old;
    sigset_t one;
    atomic_store(&p->shared->standing, true);
    unsigned ask = question(p);
    for (int i = 0; i < 100 && !p->gone && !is_through(p, ask); i++) {
        struct timespec ms = {0, 1000000};
        nanosleep(&ms, NULL);
    }
    p->stood_us = tn_os_monotonic_us();
    memset(&def, 0, sizeof def);
    def.sa_handler = SIG_DFL;
    sigemptyset(&one);
    sigaddset(&one, sig);
    if (sig != SIGSTOP)
        sigaction(sig, &def, &old);
    kill(getpid(), sig);
    sigprocmask(SIG_UNBLOCK, &one, NULL); /* here we stand still */
    sigprocmask(SIG_BLOCK, &one, NULL);
    p->resumed_us = tn_os_monotonic_us();
    atomic_store(&p->shared->standing, false);
    if (sig != SIGSTOP)
        sigaction(sig, &old, NULL);
}

/* As process 1, or in its place, orphans come to us as well. */
static void reap(struct pass *p)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0 || (pid < 0 && errno == EINTR)) {
        if (pid == p->program && WIFSTOPPED(status)) {
            stop(p, WSTOPSIG(status));
        } else if (pid == p->program) {
            p->status = status;
            p->ended = true;
        } else if (pid == p->relay && !WIFSTOPPED(status)) {
            p->gone = true;
        }
    }
    if (pid < 0 && errno == ECHILD)
        p->ended = p->gone = true;
}

static void hand_signal(struct pass *p, const siginfo_t *info)
{
    int sig = info->si_signo;
    if (sig == SIGCHLD) {
        reap(p);
    } else if (!p->ended && !was_for_all(p, sig)) {
        if (info->si_code == SI_QUEUE)
            sigqueue(p->program, sig, info->si_value);
        else
            kill(p->program, sig);
    }
}

/* Until the program has ended and its output is through. */
static void attend(struct pass *p, const sigset_t *all)
{
    struct timespec wait = {3600, 0};
    unsigned ask = 0;
    siginfo_t info;
    reap(p);
    while (!p->ended) {
        if (sigtimedwait(all, &info, &wait) > 0)
            hand_signal(p, &info);
    }
    ask = question(p);
    wait = (struct timespec){0, 200000};
    while (!p->gone && !is_through(p, ask)) {
        int sig = sigtimedwait(all, &info, &wait);
        if (sig == SIGCHLD)
            reap(p);
        else if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT)
            break;
        if (wait.tv_nsec < 20000000)
            wait.tv_nsec *= 2;
    }
    if (p->n == 0 && !p->gone)
        kill(p->relay, SIGKILL);
}

static void read_file(struct tn_buf *b, int fd, off_t from, off_t to)
{
    char chunk[16384];
    while (from < to) {
        size_t want = to - from < (off_t)sizeof chunk ? (size_t)(to - from) : sizeof chunk;
        ssize_t k = pread(fd, chunk, want, from);
        if (k <= 0)
            return;
        tn_buf_add(b, chunk, (size_t)k);
        from += k;
    }
}

/* What went into a file: its head and its tail, of what is new. */
static void take_file(struct pass *p, int i, struct tn_buf *b)
{
    struct stat st;
    off_t head = (off_t)p->how->head, tail = (off_t)p->how->tail;
    if (p->file[i].fd < 0 || fstat(p->file[i].fd, &st))
        return;
    off_t from = st.st_size < p->file[i].old ? 0 : p->file[i].old, n = st.st_size - from;
    size_t before = b->n;
    read_file(b, p->file[i].fd, from, n > head ? from + head : st.st_size);
    if (n > head + tail)
        tn_buf_str(b, "\n...\n");
    if (n > head)
        read_file(b, p->file[i].fd, n > head + tail ? st.st_size - tail : from + head, st.st_size);
    if (p->how->log && b->n > before)
        p->how->log(p->how->ctx, b->p + before, b->n - before);
    if (b->n && b->p[b->n - 1] != '\n')
        tn_buf_ch(b, '\n');
    close(p->file[i].fd);
}

static void take_text(struct pass *p, struct tn_os_passed *r)
{
    const struct tn_pass_shared *s = p->shared;
    size_t tail = s->n_tail < s->tail ? s->n_tail : s->tail, at = s->n_tail % s->tail;
    struct stat a, b;
    bool one = p->file[0].fd >= 0 && p->file[1].fd >= 0 && fstat(p->file[0].fd, &a) == 0 &&
               fstat(p->file[1].fd, &b) == 0 && same_file(&a, &b);
    take_file(p, 0, &r->text);
    tn_buf_add(&r->text, s->byte, s->n_head);
    if (s->n_tail > s->tail)
        tn_buf_str(&r->text, "\n...\n");
    if (s->n_tail > s->tail)
        tn_buf_add(&r->text, s->byte + s->head + at, s->tail - at);
    tn_buf_add(&r->text, s->byte + s->head, s->n_tail > s->tail ? at : tail);
    if (!one)
        take_file(p, 1, &r->text);
    for (unsigned i = 0; i < p->n; i++)
        if (p->stream[i].to == 2 || stream_of(p, 2) == &p->stream[i])
            r->open_line = atomic_load(&s->open_line[i]);
}

static void block(struct pass *p, sigset_t *all)
{
    sigfillset(all);
    sigdelset(all, SIGTTOU); /* our writing from the background is the program's */
    sigdelset(all, SIGKILL);
    sigdelset(all, SIGSTOP);
    for (const int *f = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE, 0}; *f; f++)
        sigdelset(all, *f);
    sigprocmask(SIG_BLOCK, all, &p->old_mask);
}

int tn_os_pass(const struct tn_os_pass *how, struct tn_os_passed *ret, struct tn_err *err)
{
    struct pass p;
    sigset_t all;
    struct sigaction def;
    memset(&p, 0, sizeof p);
    memset(&def, 0, sizeof def);
    p.how = how;
    if (!make_shared(&p))
        return tn_posix_error(err, how->argv[0], errno);
    streams(&p);
    block(&p, &all);
    def.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &def, &p.old_child); /* ignored, it would lose the program's status */
    int e = start(&p);
    memset(ret, 0, sizeof *ret);
    tn_buf_init(&ret->text);
    if (e) {
        for (unsigned i = 0; i < p.n; i++)
            close_stream(&p.stream[i]);
        sigprocmask(SIG_SETMASK, &p.old_mask, NULL);
        return tn_posix_error(err, how->argv[0], e);
    }
    let_go(&p);
    attend(&p, &all);
    ret->signal = WIFSIGNALED(p.status) ? WTERMSIG(p.status) : 0;
    ret->status = ret->signal ? 128 + ret->signal : WEXITSTATUS(p.status);
    ret->unseen = p.unseen;
    take_text(&p, ret);
    if (fcntl(2, F_GETFD) < 0)
        to_nothing(2); /* closed: what is opened next is not to be taken for it */
    sigprocmask(SIG_SETMASK, &p.old_mask, NULL);
    return 0;
}

_Noreturn void tn_os_pass_end(const struct tn_os_passed *p)
{
    if (p->signal && getpid() != 1) { /* who waits for us is told the same as of the program */
        struct sigaction def;
        struct rlimit none = {0, 0};
        sigset_t one;
        memset(&def, 0, sizeof def);
        def.sa_handler = SIG_DFL;
        setrlimit(RLIMIT_CORE, &none);
        sigemptyset(&one);
        sigaddset(&one, p->signal);
        sigaction(p->signal, &def, NULL);
        kill(getpid(), p->signal);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
    _exit(p->status);
}

int tn_os_log_open(const char *path, int *ret, struct tn_err *err)
{
    struct stat st;
    int fd = up(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd < 0 && errno == EEXIST)
        fd = up(open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd < 0)
        return tn_posix_error(err, path, errno);
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077)) {
        close(fd);
        return tn_err_set(err, TN_E_REFUSED, path, "there already, and not a file that only its owner, you, can read");
    }
    *ret = fd;
    return 0;
}

void tn_os_log_write(int fd, const char *p, size_t n)
{
    tn_os_print(fd, p, n); /* a full disk is not the program's fault, and no reason to stop it */
}
