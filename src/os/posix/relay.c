/* relay.c - hands on what a program prints, byte for byte, and keeps its beginning and end.
 *
 * A process of its own in the program's process group: so it lives as long as something holds the program's output, and
 * it is the witness of signals that reached the whole group, which must not be sent on to the program a second time.
 * A thread for each stream: one whose reader pauses does not hold the other one up.
 *
 * A terminal in between has the settings of the real one, so that the program sees those. What that adds to the output
 * (a carriage return before each line feed: POSIX, Base Definitions 11.1.3, ONLCR) is taken off again, since the real
 * one adds it, too; and what the program sets is set there. */
#include "os/posix/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CHUNK 65536u
#define RESIZE_US 50000
#define ENOUGH (4 * CHUNK) /* handed on since a question: what was there before it is through */

struct work {
    struct tn_pass_stream *stream; /* all, for the size of terminals */
    unsigned n;
    struct tn_pass_shared *shared;
    const struct tn_os_pass *how;
    pid_t waiter;
    pthread_mutex_t keeping;
    atomic_bool busy[2]; /* what was read of each stream is not kept yet */
};

struct job {
    struct work *w;
    unsigned i;
    size_t since; /* bytes since the last question was seen */
    char *buf;
    char *wait; /* the beginning of a line whose end is still to come */
    size_t n_wait;
};

static struct work *the_work; /* for the handler: this process has no other */

/* Carries the size of the real terminal over; true if it changed. */
static bool resize(const struct tn_pass_stream *s)
{
    struct winsize now, old;
    if (!s->pty || ioctl(s->to, TIOCGWINSZ, &now) || ioctl(s->source, TIOCGWINSZ, &old) ||
        memcmp(&now, &old, sizeof now) == 0)
        return false;
    return ioctl(s->source, TIOCSWINSZ, &now) == 0;
}

/* The program may have had its own SIGWINCH before the size was carried over: it gets another. */
static void resize_all(void)
{
    bool changed = false;
    for (unsigned i = 0; i < the_work->n; i++)
        changed |= resize(&the_work->stream[i]);
    int pid = atomic_load(&the_work->shared->program);
    if (changed && pid > 0)
        kill(pid, SIGWINCH);
}

static void on_signal(int sig)
{
    int e = errno;
    atomic_store(&the_work->shared->got_us[sig], tn_os_monotonic_us());
    if (sig == SIGWINCH)
        resize_all();
    errno = e;
}

static void be_witness(void)
{
    struct sigaction a;
    sigset_t none;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    a.sa_flags = SA_RESTART;
    sigfillset(&a.sa_mask);
    for (int sig = 1; sig < TN_PASS_SIGNALS; sig++)
        switch (sig) {
        case SIGKILL:
        case SIGSTOP:
        case SIGSEGV:
        case SIGBUS:
        case SIGFPE:
        case SIGILL: break;
        case SIGTTOU: /* our writing is the program's: it stops all of us */
        case SIGCHLD: signal(sig, SIG_DFL); break;
        case SIGPIPE: signal(sig, SIG_IGN); break;
        default: sigaction(sig, &a, NULL); /* those of the C library refuse */
        }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool same_settings(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

/* What the program set on its terminal is set on the real one. Only then: in the background it would stop us all. */
static void follow(struct tn_pass_stream *s)
{
    struct termios t;
    if (s->pty && tcgetattr(s->source, &t) == 0 && !same_settings(&t, &s->set)) {
        tcsetattr(s->to, TCSADRAIN, &t);
        s->set = t;
    }
}

/* Takes off the carriage returns that the terminal between put before line feeds. */
static size_t undo(const struct tn_pass_stream *s, char *p, size_t n)
{
    const char *from = p, *end = p + n, *cr;
    char *to = p;
    if (!s->pty || (s->set.c_oflag & (OPOST | ONLCR)) != (OPOST | ONLCR))
        return n;
    while ((cr = memchr(from, '\r', (size_t)(end - from))) != NULL) {
        bool added = cr + 1 < end && cr[1] == '\n';
        size_t k = (size_t)(cr - from) + !added;
        memmove(to, from, k);
        to += k;
        from = cr + 1;
    }
    memmove(to, from, (size_t)(end - from));
    return (size_t)(to + (end - from) - p);
}

/* A line feed may stand at the beginning of the next piece. */
static size_t rest_of_pair(const struct tn_pass_stream *s, char *p, size_t n)
{
    struct pollfd f = {.fd = s->source, .events = POLLIN};
    if (!s->pty || p[n - 1] != '\r' || poll(&f, 1, 5) <= 0 || !(f.revents & POLLIN))
        return n;
    ssize_t k = read(s->source, p + n, 1);
    return k == 1 ? n + 1 : n;
}

static void keep(struct tn_pass_shared *s, const char *p, size_t n)
{
    size_t k = s->head - s->n_head < n ? s->head - s->n_head : n;
    memcpy(s->byte + s->n_head, p, k);
    s->n_head += k;
    p += k;
    n -= k;
    if (n > s->tail) {
        s->n_tail += n - s->tail;
        p += n - s->tail;
        n = s->tail;
    }
    while (n) {
        size_t at = s->n_tail % s->tail, room = s->tail - at < n ? s->tail - at : n;
        memcpy(s->byte + s->head + at, p, room);
        s->n_tail += room;
        p += room;
        n -= room;
    }
}

static void keep_lines(struct job *j, const char *p, size_t n)
{
    struct work *w = j->w;
    pthread_mutex_lock(&w->keeping);
    keep(w->shared, p, n);
    if (w->how->log && n)
        w->how->log(w->how->ctx, p, n);
    pthread_mutex_unlock(&w->keeping);
}

/* Keeps whole lines, so that those of two streams do not run into each other. */
static void take(struct job *j, const char *p, size_t n)
{
    const char *last = memrchr(p, '\n', n);
    size_t whole = last ? (size_t)(last - p) + 1 : 0;
    if (whole || j->n_wait + n > CHUNK) {
        keep_lines(j, j->wait, j->n_wait);
        j->n_wait = 0;
        keep_lines(j, p, whole);
        p += whole;
        n -= whole;
    }
    memcpy(j->wait + j->n_wait, p, n);
    j->n_wait += n;
}

/* What is kept stands in the order of writing where that can be known: what lies in the other stream, or is on its way
 * from there, when an error was read was written before it. A while at most: the other stream may be a flood, or its
 * reader slow. */
static void let_pass(const struct job *j)
{
    struct work *w = j->w;
    if (j->i == 0)
        return;
    struct pollfd f = {.fd = w->stream[0].source, .events = POLLIN};
    for (int tries = 0; tries < 20 && atomic_load(&w->shared->answer[0]) != ~0u; tries++) {
        bool more = poll(&f, 1, 0) > 0 && (f.revents & POLLIN);
        if (!more && !atomic_load(&w->busy[0]))
            return;
        poll(NULL, 0, 1);
    }
}

/* False: the reader is gone. */
static bool hand_on(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EAGAIN) { /* somebody else made it non-blocking */
            struct pollfd f = {.fd = fd, .events = POLLOUT};
            poll(&f, 1, -1);
            continue;
        }
        if (k < 0 && errno != EINTR)
            return false;
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        }
    }
    return true;
}

/* Who waits stopped because the program did. Somebody may let the program alone go on: then nobody else would. */
static int while_standing(const struct work *w)
{
    char name[40], text[512], *after;
    if (!atomic_load(&w->shared->standing))
        return -1;
    snprintf(name, sizeof name, "/proc/%d/stat", atomic_load(&w->shared->program));
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    after = strrchr(text, ')'); /* proc(5): pid (name) state */
    if (!after || after[1] != ' ' || !strchr("Tt", after[2])) {
        atomic_store(&w->shared->standing, false);
        kill(w->waiter, SIGCONT);
        return -1;
    }
    return 100;
}

static void drain(int wake)
{
    uint64_t n;
    if (read(wake, &n, sizeof n) < 0) /* it is there to end a poll */
        return;
}

static void answer(struct job *j, bool idle)
{
    struct tn_pass_shared *s = j->w->shared;
    unsigned ask = atomic_load(&s->ask);
    if (atomic_load(&s->answer[j->i]) == ask)
        return;
    if (idle || j->since > ENOUGH) {
        follow(&j->w->stream[j->i]);
        atomic_store(&s->answer[j->i], ask);
        j->since = 0;
    }
}

/* Until there is something to read. False: our reader is gone. */
static bool await(struct job *j)
{
    struct tn_pass_stream *s = &j->w->stream[j->i];
    struct pollfd f[3] = {{s->source, POLLIN, 0}, {s->to, 0, 0}, {s->wake, POLLIN, 0}};
    for (;;) {
        unsigned ask = atomic_load(&j->w->shared->ask);
        int k = poll(f, 3, 0);
        if (k == 0 || (k > 0 && !f[0].revents)) {
            if (f[1].revents & (POLLERR | POLLHUP | POLLNVAL) && k > 0)
                return false;
            if (ask == atomic_load(&j->w->shared->ask))
                answer(j, true);
            k = poll(f, 3, while_standing(j->w));
        }
        if (k > 0 && f[2].revents)
            drain(s->wake);
        if (k > 0 && (f[1].revents & (POLLERR | POLLHUP | POLLNVAL)))
            return false;
        if (k > 0 && f[0].revents)
            return true;
    }
}

static void *run(void *ctx)
{
    struct job *j = ctx;
    struct tn_pass_stream *s = &j->w->stream[j->i];
    uint64_t sized = 0;
    while (await(j)) {
        atomic_store(&j->w->busy[j->i], true);
        ssize_t k = read(s->source, j->buf, CHUNK);
        if (k < 0 && (errno == EINTR || errno == EAGAIN)) {
            atomic_store(&j->w->busy[j->i], false);
            continue;
        }
        if (k <= 0) /* EIO: the last holder of the terminal is gone */
            break;
        size_t n = rest_of_pair(s, j->buf, (size_t)k);
        follow(s);
        if (tn_os_monotonic_us() - sized > RESIZE_US) { /* the signal may be another group's */
            sized = tn_os_monotonic_us();
            if (resize(s))
                resize_all();
        }
        n = undo(s, j->buf, n);
        if (!hand_on(s->to, j->buf, n))
            break; /* the program's next write fails as it would have on ours */
        if (n)
            atomic_store(&j->w->shared->open_line[j->i], j->buf[n - 1] != '\n');
        let_pass(j);
        take(j, j->buf, n);
        atomic_store(&j->w->busy[j->i], false);
        j->since += n;
        answer(j, false);
    }
    follow(s);
    if (j->n_wait)
        keep_lines(j, j->wait, j->n_wait);
    int source = s->source;
    s->pty = false;
    close(source);
    close(s->to);
    atomic_store(&j->w->shared->answer[j->i], ~0u);
    return NULL;
}

void tn_pass_relay(struct tn_pass_stream *stream, unsigned n, struct tn_pass_shared *shared,
                   const struct tn_os_pass *how, pid_t waiter)
{
    static struct work w;
    struct job job[2];
    pthread_t other;
    w = (struct work){.stream = stream, .n = n, .shared = shared, .how = how, .waiter = waiter};
    pthread_mutex_init(&w.keeping, NULL);
    the_work = &w;
    for (unsigned i = 0; i < n; i++) {
        job[i] = (struct job){&w, i, 0, malloc(CHUNK + 1), malloc(CHUNK + 1), 0};
        if (!job[i].buf || !job[i].wait)
            _exit(1);
    }
    be_witness();
    if (n == 0)
        for (;;) {
            struct pollfd f = {.fd = stream[0].wake, .events = POLLIN};
            if (poll(&f, 1, while_standing(&w)) > 0)
                drain(f.fd);
        }
    bool second = n > 1 && pthread_create(&other, NULL, run, &job[1]) == 0;
    run(&job[0]);
    if (second)
        pthread_join(other, NULL);
    else if (n > 1)
        run(&job[1]);
    for (unsigned i = 0; i < n; i++) {
        free(job[i].buf);
        free(job[i].wait);
    }
    if (how->log)
        how->log(how->ctx, NULL, 0);
}
