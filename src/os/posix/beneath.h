/* beneath.h - a folder that is worked in, and never left.
 *
 * Every path goes from the folder's descriptor down through real folders of the same file system: no link is followed,
 * no mount is crossed, ".." is refused, whoever swaps what meanwhile. openat2(2) with RESOLVE_BENEATH, NO_SYMLINKS and
 * NO_XDEV where the kernel has it (5.6), else component by component with O_NOFOLLOW, each looked at. Paths are
 * relative. Calls return a descriptor or 0, else -1 with errno: ELOOP or ENOTDIR for a link on the way, EXDEV for a
 * mount or "..". */
#ifndef TN_OS_BENEATH_H
#define TN_OS_BENEATH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tn_beneath {
    int root;
    bool walk;      /* without openat2: set by tn_beneath_init where there is none; tests set it themselves */
    uint64_t dev;   /* of the root */
    uint64_t mount; /* its number where the kernel tells it, else 0 */
};

int tn_beneath_init(struct tn_beneath *b, int root);
/* The folder that holds path's last component (O_PATH); *ret_name is that component, inside path. */
int tn_beneath_folder(const struct tn_beneath *b, const char *path, const char **ret_name);
/* A new file, for writing; what is there already is EEXIST, a link, too. */
int tn_beneath_create(const struct tn_beneath *b, const char *path, mode_t mode);
/* A regular file that is there, for reading; anything else is ELOOP, EISDIR or EINVAL, and not opened. */
int tn_beneath_open(const struct tn_beneath *b, const char *path);
int tn_beneath_mkdir(const struct tn_beneath *b, const char *path, mode_t mode);
int tn_beneath_symlink(const struct tn_beneath *b, const char *target, const char *path);
int tn_beneath_link(const struct tn_beneath *b, const char *old, const char *path);
int tn_beneath_unlink(const struct tn_beneath *b, const char *path, bool folder);

#endif
