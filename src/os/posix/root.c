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

#define MAX_DEPTH 256

/* The folders walked through, as descriptors: ".." goes back one and stops at the root. */
struct walk {
    int fd[MAX_DEPTH];
    int n;
    unsigned links;
    char rest[2 * TN_MAX_PATH_BYTES]; /* still to walk */
};

static void up(struct walk *w, int steps)
{
    while (steps--)
        close(w->fd[--w->n]);
}

static int fail(struct walk *w, int e)
{
    up(w, w->n);
    errno = e;
    return -1;
}

/* Puts a link's target before what is left of the path. */
static int put_target(struct walk *w, int fd)
{
    char target[TN_MAX_PATH_BYTES];
    ssize_t n = readlinkat(fd, "", target, sizeof target);
    size_t left = strlen(w->rest);
    if (n < 0)
        return errno;
    if (n == 0)
        return ENOENT;
    if (++w->links > TN_MAX_LINKS)
        return ELOOP;
    if ((size_t)n + 1 + left >= sizeof w->rest)
        return ENAMETOOLONG;
    memmove(w->rest + n, w->rest, left + 1); /* what is left starts with '/' or is empty */
    memcpy(w->rest, target, (size_t)n);
    if (target[0] == '/')
        up(w, w->n);
    return 0;
}

/* Takes the next name off the path; false at its end. *ret_folder: a '/' follows it. */
static bool next_name(struct walk *w, char *name, bool *ret_folder)
{
    char *p = w->rest + strspn(w->rest, "/");
    size_t n = strcspn(p, "/");
    if (n >= TN_MAX_PATH_BYTES)
        n = TN_MAX_PATH_BYTES - 1; /* too long for any system: refused by openat */
    memcpy(name, p, n);
    name[n] = 0;
    *ret_folder = p[n] == '/';
    memmove(w->rest, p + n, strlen(p + n) + 1);
    return n > 0;
}

/* The last component, looked at through fd: the descriptor asked for. */
static int open_last(struct walk *w, int here, const char *name, int fd, mode_t mode, int flags)
{
    if ((flags & O_DIRECTORY) && !S_ISDIR(mode)) {
        close(fd);
        return fail(w, ENOTDIR);
    }
    if (!(flags & O_PATH)) {
        int got = openat(here, name, flags | O_NOFOLLOW | O_CLOEXEC), e = errno;
        close(fd);
        errno = e;
        fd = got;
    }
    int e = errno;
    fail(w, e);
    return fd;
}

static int walk_in_root(const struct tn_os_root *root, const char *path, int flags)
{
    struct walk w = {.n = 0, .links = 0};
    char name[TN_MAX_PATH_BYTES];
    bool folder;
    if (!*path || strlen(path) >= TN_MAX_PATH_BYTES)
        return fail(&w, *path ? ENAMETOOLONG : ENOENT);
    memcpy(w.rest, path, strlen(path) + 1);
    while (next_name(&w, name, &folder)) {
        struct stat st;
        int here = w.n ? w.fd[w.n - 1] : root->fd;
        if (strcmp(name, ".") == 0)
            continue;
        if (strcmp(name, "..") == 0) {
            up(&w, w.n ? 1 : 0);
            continue;
        }
        int fd = openat(here, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return fail(&w, errno);
        int e = fstat(fd, &st) ? errno : 0;
        bool link = !e && S_ISLNK(st.st_mode) && (folder || !(flags & O_NOFOLLOW));
        if (link)
            e = put_target(&w, fd);
        else if (!e && folder && !S_ISDIR(st.st_mode))
            e = ENOTDIR;
        else if (!e && folder && w.n == MAX_DEPTH)
            e = ENAMETOOLONG;
        if (!e && !link && !folder)
            return open_last(&w, here, name, fd, st.st_mode, flags);
        if (e || link)
            close(fd);
        if (e)
            return fail(&w, e);
        if (!link)
            w.fd[w.n++] = fd;
    }
    int fd = openat(w.n ? w.fd[w.n - 1] : root->fd, ".", flags | O_CLOEXEC), e = errno;
    fail(&w, e);
    return fd;
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
        if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EAGAIN))
            return (int)fd;
        have = errno != ENOSYS;
    }
    return walk_in_root(root, path, flags);
}
