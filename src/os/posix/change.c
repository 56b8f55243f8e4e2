/* change.c - names in an opened folder: made, renamed, written. See os/change.h.
 *
 * Invariant: a name is used with the folder's descriptor only, and never followed. */
#include "os/posix/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/span.h"
#include "base/str.h"
#include "os/posix/posix.h"

int tn_posix_dir_error(struct tn_err *err, const struct tn_os_dir *d, const char *name, int e)
{
    char place[TN_ERR_TEXT];
    int code = e == EEXIST || e == ENOTEMPTY                ? TN_E_EXISTS
               : e == ENOSPC || e == EDQUOT                 ? TN_E_FULL
               : e == EXDEV                                 ? TN_E_REFUSED
               : e == EINVAL || e == ENOSYS || e == ENOTSUP ? TN_E_UNSUPPORTED
                                                            : 0;
    snprintf(place, sizeof place, "%s%s%s", d->path, *name && d->path[1] ? "/" : "", name);
    if (e == EXDEV)
        return tn_err_say(err, code, place, "another file system is mounted there");
    return code ? tn_err_say(err, code, place, strerror(e)) : tn_posix_error(err, place, e);
}

int tn_posix_name(struct tn_err *err, const char *name)
{
    bool ok = *name && strlen(name) <= TN_MAX_NAME_BYTES && !strchr(name, '/') && !tn_str_eq(name, ".") &&
              !tn_str_eq(name, "..");
    return ok ? 0 : tn_err_set(err, TN_E_USAGE, name, "not a name");
}

/* Folders that were opened with openat2(2) lie in the file system of the one above; the fallback sees no bind mount of
 * the same file system. */
int tn_posix_enter(int fd, const char *name)
{
    static const struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                                        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};
    int got = (int)syscall(SYS_openat2, fd, name, &how, sizeof how);
    struct stat up, st;
    if (got >= 0 || (errno != ENOSYS && errno != EPERM))
        return got;
    got = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (got < 0)
        return got;
    int e = fstat(fd, &up) || fstat(got, &st) ? errno : up.st_dev != st.st_dev ? EXDEV : 0;
    if (e) {
        close(got);
        errno = e;
        return -1;
    }
    return got;
}

/* As root: nobody else can put another folder into the path, or a link into the folder. */
static bool is_ours(const char *real)
{
    char path[TN_MAX_PATH_BYTES];
    struct stat st;
    if (geteuid() != 0)
        return true;
    if (strlen(real) >= sizeof path)
        return false;
    memcpy(path, real, strlen(real) + 1);
    for (;;) {
        if (lstat(*path ? path : "/", &st) || st.st_uid != 0 || (st.st_mode & 022 && !(st.st_mode & S_ISVTX)))
            return false;
        if (!path[0] || !path[1])
            return true;
        *strrchr(path, '/') = 0;
    }
}

static int hold(int fd, char *path, struct tn_os_dir **ret)
{
    struct tn_os_dir *d = calloc(1, sizeof *d);
    if (!d) {
        close(fd);
        free(path);
        return ENOMEM;
    }
    d->fd = fd;
    d->path = path;
    *ret = d;
    return 0;
}

int tn_os_dir_open(const char *path, struct tn_os_dir **ret, struct tn_err *err)
{
    if (path[0] != '/')
        return tn_err_set(err, TN_E_USAGE, path, "not an absolute path");
    char *real = realpath(path, NULL);
    if (!real)
        return tn_posix_error(err, path, errno);
    if (!is_ours(real)) {
        free(real);
        return tn_err_set(err, TN_E_REFUSED, path, "another user can write there");
    }
    int fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), e = fd < 0 ? errno : 0;
    if (e)
        free(real);
    else
        e = hold(fd, real, ret);
    return e ? tn_posix_error(err, path, e) : 0;
}

int tn_os_dir_enter(struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err)
{
    int rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    int fd = tn_posix_enter(d->fd, name);
    if (fd < 0)
        return tn_posix_dir_error(err, d, name, errno);
    size_t n = strlen(d->path) + strlen(name) + 2;
    char *path = malloc(n);
    if (!path) {
        close(fd);
        return tn_posix_dir_error(err, d, name, ENOMEM);
    }
    snprintf(path, n, "%s/%s", d->path[1] ? d->path : "", name);
    int e = hold(fd, path, ret);
    return e ? tn_posix_dir_error(err, d, name, e) : 0;
}

int tn_os_dir_ensure(struct tn_os_dir *d, const char *name, struct tn_os_dir **ret, struct tn_err *err)
{
    int rc = tn_os_dir_make(d, name, 0700, err);
    if (rc && rc != TN_E_EXISTS)
        return rc;
    return tn_os_dir_enter(d, name, ret, err);
}

void tn_os_dir_close(struct tn_os_dir *d)
{
    if (d) {
        close(d->fd);
        free(d->path);
        free(d);
    }
}

const char *tn_os_dir_path(const struct tn_os_dir *d)
{
    return d->path;
}

bool tn_os_id_eq(struct tn_os_id a, struct tn_os_id b)
{
    return a.ino == b.ino && (a.born == b.born || !a.born || !b.born);
}

int tn_os_dir_id(struct tn_os_dir *d, const char *name, struct tn_os_id *ret, struct tn_err *err)
{
    struct statx st;
    if (statx(d->fd, name, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &st)) {
        if (errno == ENOENT) {
            *ret = (struct tn_os_id){0, 0};
            return 0;
        }
        return tn_posix_dir_error(err, d, name, errno);
    }
    ret->ino = st.stx_ino;
    ret->born = st.stx_mask & STATX_BTIME ? (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec : 0;
    return 0;
}

int tn_os_dir_stat(struct tn_os_dir *d, const char *name, struct tn_os_stat *ret, struct tn_err *err)
{
    struct stat st;
    if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW))
        return tn_posix_dir_error(err, d, name, errno);
    tn_posix_stat_fill(ret, &st);
    return 0;
}

int tn_os_dir_make(struct tn_os_dir *d, const char *name, uint32_t mode, struct tn_err *err)
{
    int rc = tn_posix_name(err, name);
    if (!rc && mkdirat(d->fd, name, mode))
        rc = tn_posix_dir_error(err, d, name, errno);
    return rc;
}

int tn_os_dir_symlink(struct tn_os_dir *d, const char *name, const char *target, struct tn_err *err)
{
    int rc = tn_posix_name(err, name);
    if (!rc && symlinkat(target, d->fd, name))
        rc = tn_posix_dir_error(err, d, name, errno);
    return rc;
}

static int write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return errno;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

static int write_whole(struct tn_os_dir *d, const char *name, struct tn_span text, uint32_t mode, bool sync,
                       struct tn_err *err)
{
    char temp[TN_MAX_NAME_BYTES + 1];
    int rc = tn_posix_name(err, name), fd = -1;
    if (rc)
        return rc;
    for (unsigned i = 0; fd < 0 && i < 100; i++) { /* no name is trusted to be free: it is made by us or not at all */
        snprintf(temp, sizeof temp, ".tenon-%lx-%x", (long)getpid(), (unsigned)(tn_os_monotonic_us() + i));
        fd = openat(d->fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return tn_posix_dir_error(err, d, name, errno);
    int e = write_all(fd, (const char *)text.p, text.n);
    if (!e && (fchmod(fd, mode) || (sync && fsync(fd))))
        e = errno;
    if (close(fd) && !e)
        e = errno;
    if (!e && renameat(d->fd, temp, d->fd, name))
        e = errno;
    if (e)
        unlinkat(d->fd, temp, 0);
    else
        return sync ? tn_os_dir_sync(d, err) : 0;
    return tn_posix_dir_error(err, d, name, e);
}

int tn_os_dir_write(struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode, struct tn_err *err)
{
    return write_whole(d, name, tn_span_of(p, n), mode, true, err);
}

int tn_os_dir_replace(struct tn_os_dir *d, const char *name, const void *p, size_t n, uint32_t mode, struct tn_err *err)
{
    return write_whole(d, name, tn_span_of(p, n), mode, false, err);
}

/* What has the owner's rights is made private first, so that nobody reads it meanwhile who may not. */
static int fill_like(int from, int to, const void *p, size_t n)
{
    struct stat st;
    int e = fstat(from, &st) ? errno : tn_posix_copy_meta(from, to, &st);
    if (!e)
        e = write_all(to, p, n);
    if (!e && (fchmod(to, st.st_mode & 07777) || fsync(to))) /* writing takes set-user-ID away */
        e = errno;
    return e;
}

int tn_os_file_like(struct tn_os_dir *d, const char *like, const char *name, const void *p, size_t n,
                    struct tn_err *err)
{
    struct tn_os_stat st = {.type = 0};
    int rc = tn_os_dir_stat(d, like, &st, err);
    if (!rc && st.type != 'f')
        rc = tn_err_set(err, TN_E_REFUSED, like, "not a regular file");
    if (!rc)
        rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    int from = openat(d->fd, like, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), e = from < 0 ? errno : 0;
    int to = e ? -1 : openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (!e && to < 0)
        e = errno;
    if (!e)
        e = fill_like(from, to, p, n);
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) && !e)
        e = errno;
    return e ? tn_posix_dir_error(err, d, e == EEXIST ? name : like, e) : tn_os_dir_sync(d, err);
}

int tn_os_dir_append(struct tn_os_dir *d, const char *name, const void *p, size_t n, struct tn_err *err)
{
    int rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    int fd = openat(d->fd, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return tn_posix_dir_error(err, d, name, errno);
    off_t was = lseek(fd, 0, SEEK_END);
    int e = write_all(fd, p, n);
    if (!e && fdatasync(fd))
        e = errno;
    if (e && was >= 0 && ftruncate(fd, was)) { /* half a line: whoever reads it passes over it */
    }
    close(fd);
    return e ? tn_posix_dir_error(err, d, name, e) : was == 0 ? tn_os_dir_sync(d, err) : 0;
}

int tn_os_dir_read(struct tn_os_dir *d, const char *name, size_t max, struct tn_buf *ret, struct tn_err *err)
{
    struct stat st;
    int rc = tn_posix_name(err, name);
    if (rc)
        return rc;
    int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return tn_posix_dir_error(err, d, name, errno);
    int e = fstat(fd, &st) ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
    while (!e && max) {
        char chunk[65536];
        ssize_t k = read(fd, chunk, max < sizeof chunk ? max : sizeof chunk);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            e = errno;
        if (k <= 0)
            break;
        tn_buf_add(ret, chunk, (size_t)k);
        max -= (size_t)k;
    }
    close(fd);
    return e ? tn_posix_dir_error(err, d, name, e) : 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tn_os_entry *)a)->name, ((const struct tn_os_entry *)b)->name);
}

static char type_of(unsigned char t)
{
    switch (t) {
    case DT_REG: return 'f';
    case DT_DIR: return 'd';
    case DT_LNK: return 'l';
    case DT_UNKNOWN: return '?';
    default: return 'o';
    }
}

int tn_os_dir_list(struct tn_os_dir *d, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n,
                   struct tn_err *err)
{
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        int e = errno;
        if (fd >= 0)
            close(fd);
        return tn_posix_dir_error(err, d, "", e);
    }
    struct tn_buf b;
    size_t n = 0;
    tn_buf_init(&b);
    errno = 0;
    for (struct dirent *e; n < TN_MAX_DIR_ENTRIES && (e = readdir(dir)); errno = 0) {
        if (tn_str_eq(e->d_name, ".") || tn_str_eq(e->d_name, ".."))
            continue;
        struct tn_os_entry one = {.name = tn_arena_strdup(mem, e->d_name), .type = type_of(e->d_type)};
        tn_buf_add(&b, &one, sizeof one);
        n++;
    }
    int e = errno;
    closedir(dir);
    if (!e && n) {
        struct tn_os_entry *all = tn_arena_memdup(mem, b.p, b.n);
        qsort(all, n, sizeof *all, by_name);
        *ret = all;
    }
    tn_buf_deinit(&b);
    if (e)
        return tn_posix_dir_error(err, d, "", e);
    *ret_n = n;
    return 0;
}

static int rename2(struct tn_os_dir *d, const char *from, const char *to, unsigned flags, struct tn_err *err)
{
    int rc = tn_posix_name(err, from);
    if (!rc)
        rc = tn_posix_name(err, to);
    if (rc)
        return rc;
    if (syscall(SYS_renameat2, d->fd, from, d->fd, to, flags) == 0)
        return tn_os_dir_sync(d, err);
    if (flags == RENAME_NOREPLACE && (errno == EINVAL || errno == ENOSYS)) { /* a file system that has no such step */
        struct stat st;
        if (fstatat(d->fd, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
            return tn_posix_dir_error(err, d, to, EEXIST);
        if (errno == ENOENT && renameat(d->fd, from, d->fd, to) == 0)
            return tn_os_dir_sync(d, err);
    }
    return tn_posix_dir_error(err, d, errno == EEXIST ? to : from, errno);
}

int tn_os_dir_rename(struct tn_os_dir *d, const char *from, const char *to, struct tn_err *err)
{
    return rename2(d, from, to, RENAME_NOREPLACE, err);
}

int tn_os_dir_swap(struct tn_os_dir *d, const char *a, const char *b, struct tn_err *err)
{
    return rename2(d, a, b, RENAME_EXCHANGE, err);
}

int tn_os_dir_may_go(struct tn_os_dir *d, const char *name, const char *aside, struct tn_err *err)
{
    (void)d;
    (void)name;
    (void)aside;
    (void)err;
    return 0;
}

int tn_os_dir_sync(struct tn_os_dir *d, struct tn_err *err)
{
    if (fsync(d->fd) && errno != EINVAL) /* some network file systems sync no folder: what they do is done */
        return tn_posix_dir_error(err, d, "", errno);
    return 0;
}

int tn_os_dir_sync_all(struct tn_os_dir *d, const char *name, struct tn_err *err)
{
    (void)name;
    return syncfs(d->fd) ? tn_posix_dir_error(err, d, "", errno) : 0;
}
