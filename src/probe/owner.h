/* owner.h - what the parts of the owner probe share: files whose package is wanted, packages of the GPU stack.
 *
 * Private to owner*.c and runfile.c. */
#ifndef TN_PROBE_OWNER_H
#define TN_PROBE_OWNER_H

#include "probe/ask.h"

struct tn_owner_wanted {
    const char *path; /* as a list may have it */
    struct tn_str *slot;
    const char *package; /* with its version */
    uint32_t src;
    const char *only, *not_by; /* a diversion: the one package that may own the path, or the one that may not */
};

struct tn_owners {
    struct tn_probe_ctx *c;
    struct tn_owner_wanted *v;
    size_t n, cap;
    uint64_t ends[64];         /* how the wanted paths end, see tn_owner_may */
    struct tn_span diversions; /* of dpkg */
    bool any;                  /* files of any package are wanted, not only of a vendor's */
    unsigned n_list;
    int64_t n_installed;
    uint32_t src; /* of the database */
};

/* Packages that can bring such files, by name; headers and documents only lengthen the work. */
bool tn_owner_is_vendor(const char *name);
/* Sorted, once all are wanted. */
void tn_owner_sort(struct tn_owners *o);
/* May a path of n bytes that ends with this be wanted? Most lines of a list are left with that. */
bool tn_owner_may(const struct tn_owners *o, size_t n, struct tn_span end);
/* This package lists this path. */
void tn_owner_match(struct tn_owners *o, const char *package, uint32_t src, const char *path);
/* A row for a package of the GPU stack. */
struct tn_rec_package *tn_owner_package(struct tn_owners *o, const char *manager, const char *name, const char *version,
                                        const char *state);
/* owner_rpm.c: all of an rpm database in SQLite's format. known, or failed with *ret_note. */
enum tn_know tn_owner_rpm(struct tn_owners *o, const char *file, const char **ret_note);

/* owner_driver.c: libcuda, libnvidia-ml and the JIT compiler of the system's driver; do these, the loaded module and
 * the modules on disk contradict each other, so that a verdict asks who brought them; library.by of each. deep: not
 * only what its path says. */
bool tn_owner_is_driver_package(const char *name);
bool tn_owner_is_driver(const struct tn_rec_library *l);
bool tn_owner_unclear(const struct tn_probe_ctx *c);
void tn_owner_by(struct tn_probe_ctx *c, bool deep);

/* runfile.c, owner_driver.c: the list of NVIDIA's own installer: its version, NULL if the text is none; does it list
 * this file? */
#define TN_RUNFILE_LOG "/var/lib/nvidia/log"
const char *tn_runfile_version(struct tn_span text, struct tn_arena *mem);
bool tn_runfile_lists(struct tn_span text, const char *path);
/* Is this a mount point, by /proc/self/mountinfo? */
bool tn_owner_is_mount(struct tn_span mounts, const char *path);

/* owner_env.c: what wheels and conda packages record of the libraries in environments. */
void tn_owner_env(struct tn_owners *o);

#endif
