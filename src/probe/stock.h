/* stock.h - what the parts of the stock probe share: what could be cleaned away, as rows and as folders to measure.
 *
 * Private to stock*.c. Invariant: nothing is looked for that `clean` does not know by a record of an installer, by a
 * tool's own setting or by the table of usual places; a link is never followed out of what is looked at. */
#ifndef TN_PROBE_STOCK_H
#define TN_PROBE_STOCK_H

#include "probe/ask.h"

struct tn_stock_group {
    size_t row;          /* of the record stock */
    const char **folder; /* what is measured for it: absolute, without links */
    size_t n, cap;
    int64_t youngest; /* seconds since 1970, of all files in it; 0: not known */
};

/* One entry of a folder that is walked through. */
struct tn_stock_entry {
    const char *path; /* whole */
    const char *tail; /* below the folder */
    char type;
    int64_t youngest; /* of the whole folder: no file in it is younger, so that none must be asked; 0: not known */
};
typedef bool tn_stock_known(const void *ctx, const struct tn_stock_entry *e);

struct tn_stock_due {
    size_t row;
    const char *folder;
    tn_stock_known *known;
    const void *ctx;
};

struct tn_stock {
    struct tn_probe_ctx *c;
    struct tn_stock_group *group;
    size_t n_group, cap_group;
    struct tn_stock_due *due; /* walks, once all is measured */
    size_t n_due, cap_due;
    const char **mount; /* mount points, sorted */
    size_t n_mount, cap_mount;
};

/* A new row. The pointer is valid until the next one. */
struct tn_rec_stock *tn_stock_add(struct tn_stock *k, const char *kind, const char *name, const char *path,
                                  uint32_t src);
/* A folder that is measured with the newest row. */
void tn_stock_measure(struct tn_stock *k, const char *folder);
const char *tn_stock_join(struct tn_stock *k, const char *a, const char *b);

/* stock_walk.c: every entry below a folder that known does not take for its own, and mounts in it, into the row. It is
 * done behind the measuring of the same folder, which looks at every file anyway: folder and ctx stay till then. */
void tn_stock_walk(struct tn_stock *k, size_t row, const char *folder, tn_stock_known *known, const void *ctx);
void tn_stock_walk_due(struct tn_stock *k);
/* Mount points below it alone. */
void tn_stock_mounts(struct tn_stock *k, size_t row, const char *folder);

/* stock_wheel.c: is it one of NVIDIA's libraries? */
bool tn_stock_is_conda(const char *name);

/* The parts. */
void tn_stock_windows(struct tn_stock *k);  /* stock_windows.c: all that is looked at there */
void tn_stock_toolkits(struct tn_stock *k); /* stock_toolkit.c: toolkits, and cuDNN that was copied by hand */
void tn_stock_wheels(struct tn_stock *k);   /* stock_wheel.c: NVIDIA's wheels, and conda's packages of the same */
void tn_stock_envs(struct tn_stock *k);     /* stock_env.c: environments that are broken */
void tn_stock_caches(struct tn_stock *k);   /* stock_cache.c */
void tn_stock_conda(struct tn_stock *k);    /* stock_conda.c: behind the caches, whose stores it looks into */
void tn_stock_mentions(struct tn_stock *k); /* stock_mention.c: who names or holds any of them */

#endif
