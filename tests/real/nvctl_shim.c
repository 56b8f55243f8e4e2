/* LD_PRELOAD stand-in for /dev/nvidiactl, so that the vendor's real nvidia-smi, libnvidia-ml and libcuda
 * walk their error paths on a machine without a GPU. Tests only. No driver protocol is copied: only the
 * request number (low byte of the ioctl) and the version check's reply word are known here.
 *   TN_NV=mismatch  the version check is refused      NVML 18, "Driver/library version mismatch"
 *   TN_NV=ok        every ioctl succeeds with zeros   nvmlInit 0, then "Unable to determine the device handle", cuInit
 * 803 TN_NV=hang      every ioctl sleeps TN_NV_S (60) s a stuck driver, for deadlines TN_NV=ERRNO     open fails with
 * that number build: cc -shared -fPIC -O1 -o nvctl_shim.so nvctl_shim.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAXFD = 256, VERSION_CHECK = 0xd2 };
static char ours[MAXFD];

static const char *mode(void)
{
    const char *m = getenv("TN_NV");
    return m ? m : "mismatch";
}

static int node(void)
{
    int e = atoi(mode()), fd;
    if (e > 0) {
        errno = e;
        return -1;
    }
    fd = memfd_create("nvidiactl", 0);
    if (fd >= 0 && fd < MAXFD)
        ours[fd] = 1;
    return fd;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list a;                                                                                                     \
        int perm = 0;                                                                                                  \
        va_start(a, flags);                                                                                            \
        if (flags & (O_CREAT | O_TMPFILE))                                                                             \
            perm = va_arg(a, int);                                                                                     \
        va_end(a);                                                                                                     \
        return !strcmp(path, "/dev/nvidiactl") ? node() : openat(AT_FDCWD, path, flags, perm);                         \
    }
OPEN(open)
OPEN(open64)

int ioctl(int fd, unsigned long rq, ...)
{
    static int (*real)(int, unsigned long, void *);
    va_list a;
    void *arg;
    va_start(a, rq);
    arg = va_arg(a, void *);
    va_end(a);
    if (fd < 0 || fd >= MAXFD || !ours[fd]) {
        if (!real)
            *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
        return real(fd, rq, arg);
    }
    if (!strcmp(mode(), "hang"))
        sleep(getenv("TN_NV_S") ? (unsigned)atoi(getenv("TN_NV_S")) : 60);
    if (strcmp(mode(), "ok")) {
        errno = EINVAL;
        return -1;
    }
    if ((rq & 0xff) == VERSION_CHECK)
        ((unsigned *)arg)[1] = 1;
    return 0;
}
