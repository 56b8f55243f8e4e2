/* root.c - another root folder: links, absolute ones too, are resolved inside it, so the host is never read.
 *
 * openat2(2) with RESOLVE_IN_ROOT does it in the kernel (Linux 5.6); an older kernel gets a walk by
 * components, each opened with O_NOFOLLOW, so that a link swapped during the walk cannot lead out. */
#include "os/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limits.h"
#include "os/os.h"

int tn_os_root_open(const char *path, struct tn_os_root **ret, struct tn_err *err)
{
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return tn_posix_error(err, path, errno);
    struct tn_os_root *r = tn_xmalloc(sizeof *r);
    r->fd = fd;
    r->path = realpath(path, NULL);
    if (!r->path)
        r->path = strdup(path);
    *ret = r;
    return 0;
}

void tn_os_root_close(struct tn_os_root *root)
{
    if (!root)
        return;
    close(root->fd);
    free(root->path);
    free(root);
}

/* The folders walked through, as descriptors: ".." goes back one and stops at the root. */
struct walk {
    int fd[TN_MAX_PATH_BYTES / 2];
    int n;
    unsigned links;
};

static int fail(struct walk *w, int e)
{
    while (w->n)
        close(w->fd[--w->n]);
    errno = e;
    return -1;
}

/* Prepends a link's target to what is left of the path. */
static int put_target(int fd, char *rest, size_t cap)
{
    char target[TN_MAX_PATH_BYTES];
    ssize_t n = readlinkat(fd, "", target, sizeof target);
    size_t left = strlen(rest);
    if (n < 0)
        return errno;
    if ((size_t)n + 1 + left >= cap)
        return ENAMETOOLONG;
    memmove(rest + n + 1, rest, left + 1);
    memcpy(rest, target, (size_t)n);
    rest[n] = '/';
    return 0;
}

static int walk_in_root(const struct tn_os_root *root, const char *path, int flags)
{
    static const int LIMIT = (int)(TN_MAX_PATH_BYTES / 2) - 1;
    struct walk w = {.n = 0, .links = 0};
    char rest[2 * TN_MAX_PATH_BYTES];
    if (strlen(path) >= TN_MAX_PATH_BYTES)
        return fail(&w, ENAMETOOLONG);
    memcpy(rest, path, strlen(path) + 1);
    for (;;) {
        char *p = rest + strspn(rest, "/");
        memmove(rest, p, strlen(p) + 1);
        size_t n = strcspn(rest, "/");
        int here = w.n ? w.fd[w.n - 1] : root->fd;
        if (n == 0) {
            int fd = openat(here, ".", flags | O_CLOEXEC);
            int e = errno;
            fail(&w, e);
            return fd;
        }
        char name[TN_MAX_PATH_BYTES];
        memcpy(name, rest, n);
        name[n] = 0;
        size_t after = n + strspn(rest + n, "/");
        bool last = rest[after] == 0;
        memmove(rest, rest + after, strlen(rest + after) + 1);
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            if (w.n)
                close(w.fd[--w.n]);
            continue;
        }
        struct stat st;
        int fd = openat(here, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &st))
            return fail(&w, errno);
        if (S_ISLNK(st.st_mode) && !(last && (flags & O_NOFOLLOW))) {
            int e = ++w.links > TN_MAX_LINKS ? ELOOP : put_target(fd, rest, sizeof rest);
            bool absolute = rest[0] == '/';
            close(fd);
            if (e)
                return fail(&w, e);
            if (absolute)
                while (w.n)
                    close(w.fd[--w.n]);
            continue;
        }
        if (last && !S_ISDIR(st.st_mode)) {
            int got = fd;
            if (!(flags & O_PATH)) {
                got = openat(here, name, flags | O_NOFOLLOW | O_CLOEXEC);
                close(fd);
            }
            int e = errno;
            fail(&w, e);
            return got;
        }
        if (!S_ISDIR(st.st_mode) || w.n == LIMIT) {
            close(fd);
            return fail(&w, S_ISDIR(st.st_mode) ? ENAMETOOLONG : ENOTDIR);
        }
        w.fd[w.n++] = fd;
    }
}

int tn_posix_root_openat(const struct tn_os_root *root, const char *path, int flags)
{
    static int have = 1;
    if (have && !getenv("TENON_TEST_NO_OPENAT2")) {
        struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
                               .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
        long fd;
        int tries = 0;
        do /* EAGAIN: a rename elsewhere was seen during the walk */
            fd = syscall(SYS_openat2, root->fd, path, &how, sizeof how);
        while (fd < 0 && errno == EAGAIN && ++tries < 32);
        if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
            return (int)fd;
        have = errno != ENOSYS;
    }
    return walk_in_root(root, path, flags);
}
