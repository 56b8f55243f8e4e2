/* beneath.c - see beneath.h. */
#include "os/posix/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/limits.h"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000u
#endif

#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int place_of(int fd, uint64_t *ret_dev, uint64_t *ret_mount)
{
    struct stat st;
    struct statx x;
    if (fstat(fd, &st))
        return -1;
    *ret_dev = st.st_dev;
    *ret_mount = statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &x) == 0 && x.stx_mask & STATX_MNT_ID ? x.stx_mnt_id : 0;
    return 0;
}

int tn_beneath_init(struct tn_beneath *b, int root)
{
    const struct open_how how = {.flags = FOLDER, .resolve = RESOLVE_BENEATH};
    b->root = root;
    if (place_of(root, &b->dev, &b->mount))
        return -1;
    long fd = syscall(SYS_openat2, root, ".", &how, sizeof how);
    b->walk = fd < 0;
    if (fd >= 0)
        close((int)fd);
    return 0;
}

/* One folder further down; at is closed unless it is the root. */
static int step(const struct tn_beneath *b, int at, const char *name, size_t n)
{
    char one[TN_MAX_NAME_BYTES + 1];
    uint64_t dev, mount;
    int fd = -1, e = n > TN_MAX_NAME_BYTES ? ENAMETOOLONG : n == 2 && name[0] == '.' && name[1] == '.' ? EXDEV : 0;
    if (!e) {
        memcpy(one, name, n);
        one[n] = 0;
        fd = openat(at, one, FOLDER);
        e = fd < 0 ? errno : place_of(fd, &dev, &mount) ? errno : dev != b->dev || mount != b->mount ? EXDEV : 0;
    }
    if (at != b->root)
        close(at);
    if (e && fd >= 0)
        close(fd);
    errno = e;
    return e ? -1 : fd;
}

static int walk(const struct tn_beneath *b, const char *path, size_t n)
{
    int at = b->root;
    for (size_t i = 0; i < n && at >= 0;) {
        size_t k = 0;
        while (i + k < n && path[i + k] != '/')
            k++;
        if (k && !(k == 1 && path[i] == '.'))
            at = step(b, at, path + i, k);
        i += k + 1;
    }
    return at == b->root ? fcntl(at, F_DUPFD_CLOEXEC, 3) : at;
}

/* The kernel lets those pass that lead back inside. */
static bool climbs(const char *path)
{
    for (const char *p = path; (p = strstr(p, "..")); p++)
        if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
            return true;
    return false;
}

int tn_beneath_folder(const struct tn_beneath *b, const char *path, const char **ret_name)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char way[TN_MAX_PATH_BYTES + 1];
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (*path == '/' || climbs(path)) {
        errno = EXDEV;
        return -1;
    }
    if (!*name || strcmp(name, ".") == 0 || n > TN_MAX_PATH_BYTES) {
        errno = EINVAL;
        return -1;
    }
    *ret_name = name;
    if (b->walk || !n)
        return walk(b, path, n);
    const struct open_how how = {.flags = FOLDER, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};
    memcpy(way, path, n);
    way[n] = 0;
    for (unsigned tries = 0;; tries++) { /* a rename elsewhere at that moment: EAGAIN */
        long fd = syscall(SYS_openat2, b->root, way, &how, sizeof how);
        if (fd >= 0 || errno != EAGAIN || tries >= 100)
            return (int)fd;
    }
}

static int done(int folder, int ret)
{
    int e = errno;
    close(folder);
    errno = e;
    return ret;
}

int tn_beneath_create(const struct tn_beneath *b, const char *path, mode_t mode)
{
    const char *name;
    int at = tn_beneath_folder(b, path, &name);
    return at < 0 ? -1 : done(at, openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
}

int tn_beneath_open(const struct tn_beneath *b, const char *path)
{
    const char *name;
    struct stat st;
    uint64_t dev, mount;
    int at = tn_beneath_folder(b, path, &name);
    if (at < 0)
        return -1;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
        return done(at, -1);
    errno = S_ISLNK(st.st_mode) ? ELOOP : S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (!S_ISREG(st.st_mode))
        return done(at, -1);
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || place_of(fd, &dev, &mount) || dev != b->dev ||
                    mount != b->mount)) { /* swapped meanwhile, or a file mounted there */
        close(fd);
        fd = -1;
        errno = EXDEV;
    }
    return done(at, fd);
}

int tn_beneath_mkdir(const struct tn_beneath *b, const char *path, mode_t mode)
{
    const char *name;
    int at = tn_beneath_folder(b, path, &name);
    return at < 0 ? -1 : done(at, mkdirat(at, name, mode));
}

int tn_beneath_symlink(const struct tn_beneath *b, const char *target, const char *path)
{
    const char *name;
    int at = tn_beneath_folder(b, path, &name);
    return at < 0 ? -1 : done(at, symlinkat(target, at, name));
}

int tn_beneath_link(const struct tn_beneath *b, const char *old, const char *path)
{
    const char *from, *name;
    int source = tn_beneath_folder(b, old, &from);
    int at = source < 0 ? -1 : tn_beneath_folder(b, path, &name);
    int rc = at < 0 ? -1 : linkat(source, from, at, name, 0); /* not of what a link leads to */
    if (source >= 0)
        done(source, 0);
    return at < 0 ? -1 : done(at, rc);
}

int tn_beneath_unlink(const struct tn_beneath *b, const char *path, bool folder)
{
    const char *name;
    int at = tn_beneath_folder(b, path, &name);
    return at < 0 ? -1 : done(at, unlinkat(at, name, folder ? AT_REMOVEDIR : 0));
}
