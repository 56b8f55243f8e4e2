/* measure_work.c - what one entry of a folder takes on the disk; in the searching processes.
 *
 * Invariant: files are opened only on file systems whose files can share blocks (copies by cp --reflink, by uv, by
 * snapshots), and nothing of them is read: the map of their blocks tells (FS_IOC_FIEMAP; kernel, Documentation/
 * filesystems/fiemap.rst: FIEMAP_EXTENT_SHARED). Pieces that are laid out differently but overlap count as two. */
#include "os/posix/seek.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PIECES 128u
#define MAX_PIECES 4096u /* of one file; what lies behind them counts as its own */
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#define BCACHEFS_MAGIC 0xca451a4eu

/* Can files of this device share blocks? The last device is remembered: folders seldom change it. */
static bool may_share(int fd, dev_t dev)
{
    static struct {
        bool known, shares;
        dev_t dev;
    } last; /* of this process, which does nothing else */
    struct statfs fs;
    if (last.known && last.dev == dev)
        return last.shares;
    last.known = true;
    last.dev = dev;
    last.shares = fstatfs(fd, &fs) == 0 &&
                  ((unsigned long)fs.f_type == BTRFS_SUPER_MAGIC || (unsigned long)fs.f_type == XFS_SUPER_MAGIC ||
                   (unsigned long)fs.f_type == OCFS2_SUPER_MAGIC || (unsigned long)fs.f_type == BCACHEFS_MAGIC);
    return last.shares;
}

/* Sends the shared pieces of a file; how much they are together. */
static uint64_t shared_pieces(int dir, const char *name, uint32_t tree, const struct stat *st, struct tn_buf *out)
{
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + PIECES * sizeof(struct fiemap_extent)];
    } u;
    uint64_t sum = 0, from = 0;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool last = fd < 0;
    for (unsigned n = 0; !last && n < MAX_PIECES; n += PIECES) {
        memset(&u, 0, sizeof u);
        u.map.fm_start = from;
        u.map.fm_length = FIEMAP_MAX_OFFSET - from;
        u.map.fm_extent_count = PIECES;
        last = ioctl(fd, FS_IOC_FIEMAP, &u.map) != 0 || u.map.fm_mapped_extents == 0;
        for (unsigned i = 0; !last && i < u.map.fm_mapped_extents && i < PIECES; i++) {
            const struct fiemap_extent *e = &u.map.fm_extents[i];
            from = e->fe_logical + e->fe_length;
            last = (e->fe_flags & FIEMAP_EXTENT_LAST) != 0;
            if (!(e->fe_flags & FIEMAP_EXTENT_SHARED) || !e->fe_physical)
                continue;
            struct tn_os_inode piece = {.dev = st->st_dev, .at = e->fe_physical, .bytes = e->fe_length, .tree = tree};
            tn_buf_add(out, &piece, sizeof piece);
            sum += e->fe_length;
        }
    }
    if (fd >= 0)
        close(fd);
    return sum;
}

static void raise(atomic_ullong *youngest, unsigned long long at)
{
    unsigned long long was = atomic_load_explicit(youngest, memory_order_relaxed);
    while (was < at &&
           !atomic_compare_exchange_weak_explicit(youngest, &was, at, memory_order_relaxed, memory_order_relaxed)) {
    }
}

void tn_seek_measure(const struct tn_seek *s, uint32_t tree, int dir, const char *folder, const char *name,
                     struct tn_buf *out)
{
    struct tn_seek_shared *x = s->shared;
    struct stat st;
    if (name ? fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) : fstat(dir, &st)) {
        raise(&x->tree[tree].youngest, INT64_MAX);
        return;
    }
    uint64_t bytes = (uint64_t)st.st_blocks * 512, size = (uint64_t)st.st_size;
    bool file = S_ISREG(st.st_mode), many = !S_ISDIR(st.st_mode) && st.st_nlink > 1;
    bool large = file && size >= TN_OS_TWIN_BYTES && name;
    atomic_fetch_add_explicit(&x->tree[tree].files, !S_ISDIR(st.st_mode), memory_order_relaxed);
    if (file)
        raise(&x->tree[tree].youngest, st.st_mtime > 0 ? (unsigned long long)st.st_mtime : 0);
    if (file && bytes && name && may_share(dir, st.st_dev)) {
        uint64_t shared = shared_pieces(dir, name, tree, &st, out);
        bytes -= shared < bytes ? shared : bytes;
    }
    if (many || large) {
        bool ask = large && s->how->content;
        struct tn_os_inode i = {.dev = st.st_dev,
                                .at = st.st_ino,
                                .bytes = bytes,
                                .twin = large ? tn_os_twin(ask ? "" : name, size) : 0,
                                .tree = tree,
                                .links = (uint32_t)st.st_nlink,
                                .path_n = ask ? (uint32_t)(strlen(folder) + 1 + strlen(name)) : 0,
                                .size = size};
        tn_buf_add(out, &i, sizeof i);
        if (ask)
            tn_buf_printf(out, "%s/%s", folder, name);
    } else {
        atomic_fetch_add_explicit(&x->tree[tree].bytes, bytes, memory_order_relaxed);
    }
}
