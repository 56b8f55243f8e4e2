/* sys.c - what the system says of itself, the clock, and what must happen before anything else. */
#include "os/os.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "os/posix/pass.h"
#include "os/posix/posix.h"

static struct sigaction sigpipe; /* written once, before anything else */

const struct sigaction *tn_posix_sigpipe(void)
{
    return &sigpipe;
}

void tn_os_start(void)
{
    tn_posix_lend_nothing();
    sigaction(SIGPIPE, NULL, &sigpipe);
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write(2), not the end of us */
#ifdef __GLIBC__
    /* What one probe gave back the next one uses: returning pages and getting them anew costs more than the work. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
#endif
}

void tn_os_sys(struct tn_arena *mem, struct tn_os_sys *ret)
{
    struct utsname u;
    memset(ret, 0, sizeof *ret);
    ret->uid = (uint32_t)getuid();
    ret->root = geteuid() == 0;
    if (uname(&u))
        return;
    char *name = tn_arena_strdup(mem, u.sysname);
    for (char *p = name; *p; p++)
        *p = tn_lower(*p);
    ret->name = strcmp(name, "darwin") == 0 ? "macos" : name;
    ret->release = tn_arena_strdup(mem, u.release);
    ret->arch = tn_arena_strdup(mem, u.machine);
    ret->node = tn_arena_strdup(mem, u.nodename);
}

int64_t tn_os_now(void)
{
    return (int64_t)time(NULL);
}

uint64_t tn_os_monotonic_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

static void wake(int signal)
{
    (void)signal; /* it is here to end a blocked call with EINTR */
}

void tn_os_deadline(unsigned ms)
{
    struct sigaction a;
    struct itimerval t = {{0, ms ? 50000 : 0}, {ms / 1000, (suseconds_t)(ms % 1000) * 1000}};
    memset(&a, 0, sizeof a);
    a.sa_handler = wake; /* without SA_RESTART */
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &t, NULL); /* and again every 50 ms: the next blocked call must end too */
}

/* syslog(2): 10 asks for the size of the buffer, 3 reads without taking anything out of it. */
int tn_os_kernel_log(size_t max, struct tn_buf *ret, struct tn_err *err)
{
    int size = klogctl(10, NULL, 0);
    if (size < 0 || (size_t)size > max)
        size = (int)max;
    char *p = tn_xmalloc((size_t)size);
    int n = klogctl(3, p, size), e = errno;
    if (n > 0)
        tn_buf_add(ret, p, (size_t)n);
    free(p);
    return n < 0 ? tn_posix_error(err, "the kernel's log", e) : 0;
}
