/* sum.h - what groups of folders hold together: the arithmetic of measure.c, the same on every system.
 *
 * Invariant: an inode, and a piece of a disk that copies share, counts once in each group that holds it and once in the
 * whole. Knows no system call. */
#ifndef TN_OS_SUM_H
#define TN_OS_SUM_H

#include "base/arena.h"
#include "os/os.h"

struct tn_os_inode {
    uint64_t dev, at;     /* inode, or place on the disk */
    uint64_t bytes, twin; /* twin: of a large file, what its name and size come to; else 0 */
    uint32_t tree, links; /* links: 0: a piece of a disk */
    uint32_t path_n;      /* while it is sent: so many bytes of its path follow */
    uint64_t size;
    const char *path; /* of a large file whose content may be asked for; else NULL */
};

struct tn_os_sum {
    struct tn_os_inode *inode;
    size_t n, cap;
    const struct tn_os_folder *folder; /* by path; each path and group once */
    const size_t *first;               /* for each tree: its first folder; the next tree's is the end */
    struct tn_os_measured *ret;
    uint64_t serial, *stamp; /* for each group: the last that was counted there */
    unsigned *held, n_held;  /* groups that hold what is looked at */
    const struct tn_os_seek *how;
};

/* False when there are too many: that one is not counted. */
bool tn_os_sum_add(struct tn_os_sum *s, const struct tn_os_inode *i);
/* Adds all of them to ret. The inodes are gone then. */
void tn_os_sum(struct tn_os_sum *s, unsigned n_group, struct tn_arena *mem);
/* FNV-1a of the name and the size: two large files that agree in both are taken for copies of each other, where their
 * content is not asked for. Never 0. */
uint64_t tn_os_twin(const char *name, uint64_t size);

#endif
