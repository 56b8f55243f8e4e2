/* file.c - files, folders and links on POSIX systems.
 *
 * Invariant: data is read from regular files only, and nothing is ever opened for writing except by
 * tn_os_write_file. Rights of other users' folders: guard.c. Links inside a root: root.c. */
#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limits.h"
#include "os/posix/dir.h"
#include "os/posix/posix.h"

enum tn_path_style tn_os_path_style(void)
{
    return TN_PATH_POSIX;
}

int tn_posix_error(struct tn_err *err, const char *path, int e)
{
    int code = TN_E_IO;
    if (e == ENOENT || e == ENOTDIR)
        code = TN_E_NOTFOUND;
    else if (e == EACCES || e == EPERM)
        code = TN_E_DENIED;
    else if (e == ENAMETOOLONG || e == ELOOP)
        code = TN_E_LIMIT;
    else if (e == EINTR || e == ETIMEDOUT)
        code = TN_E_TIMEOUT;
    else if (e == ENOEXEC)
        code = TN_E_FORMAT;
    return tn_err_say(err, code, path, code == TN_E_LIMIT ? TN_OS_TOO_LONG : strerror(e));
}

static char type_of(mode_t m)
{
    return S_ISREG(m)    ? 'f'
           : S_ISDIR(m)  ? 'd'
           : S_ISLNK(m)  ? 'l'
           : S_ISFIFO(m) ? 'p'
           : S_ISSOCK(m) ? 's'
           : S_ISBLK(m)  ? 'b'
           : S_ISCHR(m)  ? 'c'
                         : 'o';
}

void tn_posix_stat_fill(struct tn_os_stat *ret, const struct stat *st)
{
    memset(ret, 0, sizeof *ret);
    ret->type = type_of(st->st_mode);
    ret->mode = st->st_mode & 07777;
    ret->uid = st->st_uid;
    ret->gid = st->st_gid;
    if (ret->type == 'b' || ret->type == 'c') {
        ret->major = major(st->st_rdev);
        ret->minor = minor(st->st_rdev);
    }
    ret->size = (uint64_t)st->st_size;
    ret->dev = st->st_dev;
    ret->ino = st->st_ino;
    ret->nlink = st->st_nlink;
    ret->mtime = st->st_mtime;
    ret->atime = st->st_atime;
}

/* Opens path under the rights that looking at it deserves; flags as for open(2). */
static int open_path(struct tn_os_root *at, const char *path, int flags)
{
    struct tn_posix_guard g;
    tn_posix_guard_enter(&g, at ? at->path : NULL, path, !(flags & O_NOFOLLOW));
    if (g.error) {
        errno = g.error;
        return -1;
    }
    int fd = at ? tn_posix_root_openat(at, path, flags) : open(path, flags | O_CLOEXEC);
    int e = errno;
    tn_posix_guard_leave(&g);
    errno = e;
    return fd;
}

int tn_os_stat(struct tn_os_root *at, const char *path, bool follow, struct tn_os_stat *ret, struct tn_err *err)
{
    struct tn_posix_guard g;
    tn_posix_guard_enter(&g, at ? at->path : NULL, path, follow);
    int e = g.error;
    if (!e && !g.looked && at) {
        int fd = tn_posix_root_openat(at, path, O_PATH | (follow ? 0 : O_NOFOLLOW));
        e = fd < 0 || fstat(fd, &g.st) ? errno : 0;
        if (fd >= 0)
            close(fd);
    } else if (!e && !g.looked) {
        e = (follow ? stat(path, &g.st) : lstat(path, &g.st)) ? errno : 0;
    }
    tn_posix_guard_leave(&g);
    if (e)
        return tn_posix_error(err, path, e);
    tn_posix_stat_fill(ret, &g.st);
    return 0;
}

static ssize_t link_text(struct tn_os_root *at, const char *path, char *text, size_t size)
{
    if (!at)
        return readlink(path, text, size);
    int fd = tn_posix_root_openat(at, path, O_PATH | O_NOFOLLOW);
    if (fd < 0)
        return -1;
    ssize_t n = readlinkat(fd, "", text, size);
    int e = errno == ENOENT ? EINVAL : errno; /* what the kernel says of an open file that is no link */
    close(fd);
    errno = e;
    return n;
}

int tn_os_readlink(struct tn_os_root *at, const char *path, struct tn_buf *ret, struct tn_err *err)
{
    char text[TN_MAX_PATH_BYTES + 1];
    struct tn_posix_guard g;
    tn_posix_guard_enter(&g, at ? at->path : NULL, path, false);
    ssize_t n = at && g.error ? -1 : link_text(at, path, text, sizeof text - 1);
    int e = at && g.error ? g.error : errno;
    tn_posix_guard_leave(&g);
    if (n < 0)
        return e == EINVAL ? tn_err_set(err, TN_E_FORMAT, path, "not a link") : tn_posix_error(err, path, e);
    text[n] = 0;
    tn_posix_guard_lend(&g, at ? at->path : NULL, path, text);
    tn_buf_clear(ret);
    tn_buf_add(ret, text, (size_t)n);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tn_os_entry *)a)->name, ((const struct tn_os_entry *)b)->name);
}

static char dirent_type(unsigned char t)
{
    switch (t) {
    case DT_REG: return 'f';
    case DT_DIR: return 'd';
    case DT_LNK: return 'l';
    case DT_FIFO: return 'p';
    case DT_SOCK: return 's';
    case DT_BLK: return 'b';
    case DT_CHR: return 'c';
    default: return '?';
    }
}

struct listing {
    bool (*keep)(const void *ctx, const char *name);
    const void *ctx;
    struct tn_arena *mem;
    struct tn_os_entry *list;
    size_t n, cap, seen;
};

/* What one getdents64(2) gave. False: too many. */
static bool take(struct listing *l, const char *p, size_t size)
{
    for (size_t off = 0; off < size;) {
        const struct dirent64 *e = (const void *)(p + off);
        const char *name = e->d_name;
        off += e->d_reclen;
        if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0)))
            continue;
        if (l->seen++ == TN_MAX_DIR_ENTRIES)
            return false;
        if (l->keep && !l->keep(l->ctx, name))
            continue;
        l->list = tn_arena_grow(l->mem, l->list, l->n, &l->cap, sizeof *l->list);
        l->list[l->n].name = tn_arena_strdup(l->mem, name);
        l->list[l->n++].type = dirent_type(e->d_type);
    }
    return true;
}

int tn_os_list_some(struct tn_os_root *at, const char *path, bool (*keep)(const void *ctx, const char *name),
                    const void *ctx, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err)
{
    _Alignas(struct dirent64) char space[32768];
    struct listing l = {.keep = keep, .ctx = ctx, .mem = mem};
    int fd = open_path(at, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK), rc = 0;
    ssize_t got;
    if (fd < 0)
        return tn_posix_error(err, path, errno);
    while ((got = getdents64(fd, space, sizeof space)) > 0 && rc == 0)
        if (!take(&l, space, (size_t)got))
            rc = tn_err_set(err, TN_E_LIMIT, path, "more than %u entries", TN_MAX_DIR_ENTRIES);
    if (got < 0)
        rc = tn_posix_error(err, path, errno);
    close(fd);
    if (rc)
        return rc;
    if (l.n > 1)
        qsort(l.list, l.n, sizeof *l.list, by_name);
    *ret = l.list;
    *ret_n = l.n;
    return 0;
}

int tn_os_list(struct tn_os_root *at, const char *path, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n,
               struct tn_err *err)
{
    return tn_os_list_some(at, path, NULL, NULL, mem, ret, ret_n, err);
}

static int refuse(struct tn_err *err, const char *path, mode_t m)
{
    return S_ISDIR(m) ? tn_err_set(err, TN_E_FORMAT, path, "is a folder")
                      : tn_err_set(err, TN_E_REFUSED, path, "is not a regular file");
}

/* Opens the regular file that was looked at: through the look itself, or by its path and then looked at again. */
static int open_as(struct tn_os_root *at, const char *path, int look, const struct stat *st, int flags,
                   struct tn_err *err, int *ret_code)
{
    char again[40];
    struct stat now;
    int fd = -1;
    if (look >= 0) {
        snprintf(again, sizeof again, "/proc/self/fd/%d", look);
        fd = open(again, flags);
        if (fd >= 0 || errno != ENOENT)
            return fd;
    }
    fd = at ? tn_posix_root_openat(at, path, flags) : open(path, flags);
    if (fd >= 0 && (fstat(fd, &now) || now.st_dev != st->st_dev || now.st_ino != st->st_ino)) {
        close(fd);
        fd = -1;
        *ret_code = tn_err_set(err, TN_E_REFUSED, path, "was replaced while it was opened");
    }
    return fd;
}

/* When a file was last used stays told, where that is ours to ask: open(2) grants O_NOATIME to the owner. */
static int open_looked(struct tn_os_root *at, const char *path, int look, const struct tn_posix_guard *g,
                       struct tn_err *err, int *ret_code)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (g->own ? O_NOFOLLOW : 0);
    bool ours = g->st.st_uid == (g->uid ? g->uid : geteuid());
    int fd = open_as(at, path, look, &g->st, flags | (ours ? O_NOATIME : 0), err, ret_code);
    if (fd < 0 && ours && !*ret_code && errno == EPERM)
        fd = open_as(at, path, look, &g->st, flags, err, ret_code);
    return fd;
}

/* A descriptor to read from, or -1 with *ret_code set. A device may do something on open, so it is looked at before; by
 * root through a descriptor that nobody can swap, unless the folder is root's alone. Others may only open what is
 * theirs to open: for them two looks by the path are enough, but not in /proc, whose inodes come and go. */
static int open_regular(struct tn_os_root *at, const char *path, struct stat *st, struct tn_err *err, int *ret_code)
{
    struct tn_posix_guard g;
    int fd = -1, look = -1;
    *ret_code = 0;
    tn_posix_guard_enter(&g, at ? at->path : NULL, path, true);
    int e = g.error;
    if (!e && !g.root && !at && strncmp(path, "/proc/", 6) != 0) {
        e = stat(path, &g.st) ? errno : 0;
    } else if (!e && !g.own) {
        look = at ? tn_posix_root_openat(at, path, O_PATH) : open(path, O_PATH | O_CLOEXEC);
        e = look < 0 || fstat(look, &g.st) ? errno : 0;
    }
    if (!e && !S_ISREG(g.st.st_mode))
        *ret_code = refuse(err, path, g.st.st_mode);
    else if (!e && (fd = open_looked(at, path, look, &g, err, ret_code)) < 0)
        e = errno;
    if (look >= 0)
        close(look);
    tn_posix_guard_leave(&g);
    if (fd < 0 && !*ret_code)
        *ret_code = tn_posix_error(err, path, e);
    *st = g.st;
    return fd;
}

enum { PIECE = 16384 };

/* size: as the system states it, 0 for most of /proc. */
static int read_fd(int fd, const char *path, uint64_t size, uint64_t off, size_t max, struct tn_buf *ret,
                   struct tn_err *err)
{
    struct tn_buf got;
    tn_buf_init(&got);
    while (got.n < max) { /* in one piece where the size is known; the kernel states none for /proc */
        size_t left = max - got.n, rest = size > off + got.n ? (size_t)(size - off - got.n) : PIECE;
        size_t want = rest < left ? rest : left;
        tn_buf_room(&got, want);
        ssize_t n = pread(fd, got.p + got.n, want, (off_t)(off + got.n));
        if (n < 0) {
            int e = errno;
            tn_buf_deinit(&got);
            return tn_posix_error(err, path, e);
        }
        if (n == 0)
            break;
        got.n += (size_t)n;
        if (size && off + got.n >= size)
            break;
    }
    if (got.cap)
        got.p[got.n] = 0;
    tn_buf_deinit(ret);
    *ret = got;
    return 0;
}

int tn_os_hold(struct tn_os_root *at, const char *path, struct tn_os_held **ret, struct tn_err *err)
{
    struct stat st;
    int code, fd = open_regular(at, path, &st, err, &code);
    if (fd < 0)
        return code;
    size_t n = strlen(path) + 1;
    struct tn_os_held *f = malloc(sizeof *f + n);
    if (!f) {
        close(fd);
        tn_oom();
    }
    f->fd = fd;
    f->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
    memcpy(f->path, path, n);
    *ret = f;
    return 0;
}

int tn_os_read_held(struct tn_os_held *f, uint64_t off, size_t max, struct tn_buf *ret, uint64_t *ret_size,
                    struct tn_err *err)
{
    if (ret_size)
        *ret_size = f->size;
    return read_fd(f->fd, f->path, f->size, off, max, ret, err);
}

void tn_os_release(struct tn_os_held *f)
{
    if (!f)
        return;
    close(f->fd);
    free(f);
}

int tn_os_read(struct tn_os_root *at, const char *path, uint64_t off, size_t max, struct tn_buf *ret,
               uint64_t *ret_size, struct tn_err *err)
{
    struct stat st;
    int code, fd = open_regular(at, path, &st, err, &code);
    if (fd < 0)
        return code;
    uint64_t size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
    code = read_fd(fd, path, size, off, max, ret, err);
    close(fd);
    if (!code && ret_size)
        *ret_size = size;
    return code;
}

int tn_os_read_stdin(size_t max, struct tn_buf *ret, struct tn_err *err)
{
    for (;;) {
        char chunk[65536];
        ssize_t n = read(0, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tn_posix_error(err, "-", errno);
        if (n == 0)
            return 0;
        if ((size_t)n > max - ret->n)
            return tn_err_set(err, TN_E_LIMIT, "-", "more than %zu bytes", max);
        tn_buf_add(ret, chunk, (size_t)n);
    }
}

int tn_os_stdin_some(void *buf, size_t n, size_t *ret_n, struct tn_err *err)
{
    ssize_t got;
    do
        got = read(0, buf, n);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return tn_posix_error(err, "-", errno);
    *ret_n = (size_t)got;
    return 0;
}

int tn_os_disk(struct tn_os_root *at, const char *path, uint64_t *ret_free, uint64_t *ret_total, struct tn_err *err)
{
    struct statvfs v;
    int fd = open_path(at, path, O_PATH);
    if (fd < 0)
        return tn_posix_error(err, path, errno);
    int rc = fstatvfs(fd, &v);
    int e = errno;
    close(fd);
    if (rc)
        return tn_posix_error(err, path, e);
    *ret_free = (uint64_t)v.f_bavail * v.f_frsize;
    *ret_total = (uint64_t)v.f_blocks * v.f_frsize;
    return 0;
}

int tn_os_realpath(const char *path, struct tn_buf *ret, struct tn_err *err)
{
    struct tn_posix_guard g;
    tn_posix_guard_enter(&g, NULL, path, true);
    char *p = realpath(path, NULL);
    int e = errno;
    tn_posix_guard_leave(&g);
    if (!p)
        return tn_posix_error(err, path, e);
    tn_buf_clear(ret);
    tn_buf_str(ret, p);
    free(p);
    return 0;
}

char *tn_os_cwd(struct tn_arena *mem)
{
    char text[TN_MAX_PATH_BYTES];
    return tn_arena_strdup(mem, getcwd(text, sizeof text) ? text : ".");
}

static int write_all(int fd, const char *from, size_t n)
{
    while (n) {
        ssize_t k = write(fd, from, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return errno;
        from += k;
        n -= (size_t)k;
    }
    return 0;
}

/* A device, a pipe, a socket: what is there is written into. A rename would put a file in the device's place. */
static bool is_stream(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int write_stream(const char *path, const void *p, size_t n, struct tn_err *err)
{
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), e = fd < 0 ? errno : write_all(fd, p, n);
    if (fd >= 0 && close(fd) && !e)
        e = errno;
    return e ? tn_posix_error(err, path, e) : 0;
}

int tn_os_write_file(const char *path, const void *p, size_t n, bool private_file, struct tn_err *err)
{
    struct tn_arena mem;
    if (is_stream(path))
        return write_stream(path, p, n, err);
    tn_arena_init(&mem);
    char *temp = tn_arena_printf(&mem, "%s.XXXXXX", path);
    int e = 0, fd = mkostemp(temp, O_CLOEXEC);
    if (fd < 0) {
        e = errno;
        tn_arena_deinit(&mem);
        return tn_posix_error(err, path, e);
    }
    e = write_all(fd, p, n);
    mode_t mask = umask(0);
    umask(mask);
    if (!e && (fchmod(fd, private_file ? 0600 : 0666 & ~mask) || fsync(fd)))
        e = errno;
    if (close(fd) && !e)
        e = errno;
    if (!e && rename(temp, path))
        e = errno;
    if (e)
        unlink(temp);
    tn_arena_deinit(&mem);
    return e ? tn_posix_error(err, path, e) : 0;
}
