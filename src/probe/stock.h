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
};

struct tn_stock {
    struct tn_probe_ctx *c;
    struct tn_stock_group *group;
    size_t n_group, cap_group;
    const char **mount; /* mount points, sorted */
    size_t n_mount, cap_mount;
};

/* A new row. The pointer is valid until the next one. */
struct tn_rec_stock *tn_stock_add(struct tn_stock *k, const char *kind, const char *name, const char *path,
                                  uint32_t src);
/* A folder that is measured with the newest row. */
void tn_stock_measure(struct tn_stock *k, const char *folder);
const char *tn_stock_join(struct tn_stock *k, const char *a, const char *b);

/* stock_walk.c: every entry below a folder that known does not take for its own, and mounts in it, into the row. */
struct tn_stock_entry {
    const char *path; /* whole */
    const char *tail; /* below the folder */
    char type;
};
typedef bool tn_stock_known(const void *ctx, const struct tn_stock_entry *e);
void tn_stock_walk(struct tn_stock *k, size_t row, const char *folder, tn_stock_known *known, const void *ctx);
/* Mount points below it alone. */
void tn_stock_mounts(struct tn_stock *k, size_t row, const char *folder);

/* The parts. */
void tn_stock_windows(struct tn_stock *k);  /* stock_windows.c: all that is looked at there */
void tn_stock_toolkits(struct tn_stock *k); /* stock_toolkit.c: toolkits, and cuDNN that was copied by hand */
void tn_stock_wheels(struct tn_stock *k);   /* stock_wheel.c: NVIDIA's wheels, and conda's packages of the same */
void tn_stock_envs(struct tn_stock *k);     /* stock_env.c: environments that are broken */
void tn_stock_caches(struct tn_stock *k);   /* stock_cache.c */
void tn_stock_mentions(struct tn_stock *k); /* stock_mention.c: who names or holds any of them */

#endif
