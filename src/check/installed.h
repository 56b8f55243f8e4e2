/* installed.h - the parts of the driver as they lie on the disk, and whether they fit each other: asked by the checks
 * of several causes.
 *
 * Invariant: "lacks" is said only where every module file in question has told its version. */
#ifndef TN_CHECK_INSTALLED_H
#define TN_CHECK_INSTALLED_H

#include "check/look.h"

/* The file of a driver's library of 64 bits that is no stub, no compatibility copy, no environment's. */
bool tn_installed_library(const struct tn_rec_library *l, const char *stem);
/* The one of this soname that programs meet first; library.n if there is none. */
size_t tn_installed_met(const struct tn_snap *s, const char *stem);
/* A libcuda of this version, wherever it lies; library.n if there is none. */
size_t tn_installed_libcuda(const struct tn_snap *s, const char *version);

/* Main module files of the running kernel, or of all kernels: has one this version? *ret_row: a row that tells. */
enum tn_on_disk { TN_DISK_UNKNOWN, TN_DISK_HAS, TN_DISK_LACKS };
enum tn_on_disk tn_installed_module(const struct tn_snap *s, const char *version, bool all, size_t *ret_row);

/* A package of the driver that dpkg has begun with and not ended; package.n if there is none. */
size_t tn_installed_half(const struct tn_snap *s);
/* One that is held back from upgrades; package.n if there is none. */
size_t tn_installed_held(const struct tn_snap *s);
/* "libcuda1 535.309.01-0+deb12u1": the name, or NULL. */
/* Which of a remedy's commands is for what brought a package ("dpkg", "rpm" ...): SUSE's rpm has zypper before it. */
const char *tn_installed_way(const struct tn_snap *s, const char *by);
const char *tn_installed_owner(struct tn_arena *mem, const struct tn_rec_library *l);

/* How libcuda stands where no program finds one of 64 bits: its row, or library.n. */
size_t tn_installed_32(const struct tn_judge *j);       /* only one of 32 bits is found */
size_t tn_installed_unlinked(const struct tn_judge *j); /* one is there, and no link leads to it */

#endif
