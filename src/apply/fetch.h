/* fetch.h - a file of the network into a folder of tenon's own, by tenon-get: what an interrupted run has left of it is
 * not asked for again. Private to src/apply. */
#ifndef TN_APPLY_FETCH_H
#define TN_APPLY_FETCH_H

#include "apply/do.h"

struct tn_fetch {
    struct tn_apply *a;
    struct tn_os_dir *into;
    const char *url, *name; /* one component */
    uint64_t size;          /* bytes it has; 0: not known, at most max */
    uint64_t max;
};

/* Until it has come whole, it is called NAME.part. One of that size that is there already is taken for it: its digest
 * is for the caller to compare. TN_E_NOTFOUND: the server has none; TN_E_IO: where and why it stopped. */
int tn_fetch_file(const struct tn_fetch *f, struct tn_err *err);

#endif
