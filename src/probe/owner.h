/* owner.h - what the parts of the owner probe share: files whose package is wanted, packages of the GPU stack.
 *
 * Private to owner*.c. */
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
    struct tn_span diversions; /* of dpkg */
    unsigned n_list;
    int64_t n_installed;
    uint32_t src; /* of the database */
};

/* Packages that can bring such files, by name; headers and documents only lengthen the work. */
bool tn_owner_is_vendor(const char *name);
/* This package lists this path. */
void tn_owner_match(struct tn_owners *o, const char *package, uint32_t src, const char *path);
/* A row for a package of the GPU stack. */
void tn_owner_package(struct tn_owners *o, const char *manager, const char *name, const char *version,
                      const char *state);
/* owner_rpm.c: all of an rpm database in SQLite's format. known, or failed with *ret_note. */
enum tn_know tn_owner_rpm(struct tn_owners *o, const char *file, const char **ret_note);

/* owner_env.c: what wheels and conda packages record of the libraries in environments. */
void tn_owner_env(struct tn_owners *o);

#endif
