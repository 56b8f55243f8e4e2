/* bundle.h - an archive of `tenon bundle`, unpacked and compared with its list. */
#ifndef TN_APPLY_BUNDLE_H
#define TN_APPLY_BUNDLE_H

#include "apply/tx.h"

/* Unpacks into the state's folder, where it stays until the state is closed. *ret_wheels: the folder of wheels;
 * ret_plan: plan.json. TN_E_REFUSED: hostile, damaged, or not what its list of digests says. */
int tn_bundle_open(struct tn_arena *mem, const char *file, struct tn_state *s, const char **ret_wheels,
                   struct tn_buf *ret_plan, struct tn_err *err);

#endif
