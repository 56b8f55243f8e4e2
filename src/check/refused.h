/* refused.h - does the driver that is installed refuse the card? For driver_not_loaded. */
#ifndef TN_CHECK_REFUSED_H
#define TN_CHECK_REFUSED_H

#include "check/look.h"

struct tn_refused {
    const char *variant; /* legacy, unsupported, open, closed, vgpu-guest, vgpu-host, rejected, rejected-key */
    const char *branch;  /* legacy: the last one that runs the card */
    enum tn_status status;
    size_t card; /* row of gpu, or gpu.n */
    struct tn_ref ref[3];
    unsigned n_ref;
};
/* module: row of the module file that would be loaded, or module.n. */
/* The same of one card and a driver: NULL when it runs it or nobody knows. *ret_branch: for legacy. */
const char *tn_look_refused_card(const struct tn_rec_gpu *g, struct tn_str version, struct tn_str flavour,
                                 const char **ret_branch);
bool tn_look_refused(const struct tn_judge *j, struct tn_arena *mem, size_t module, struct tn_refused *ret);

#endif
