/* bundle.h - an archive of `tenon bundle`, unpacked and compared with its list. */
#ifndef TN_APPLY_BUNDLE_H
#define TN_APPLY_BUNDLE_H

#include "apply/do.h"
#include "place/minisign.h"

#define TN_BUNDLE_ARCHIVES "archives" /* NVIDIA's, and their lists, side by side */

/* Unpacks into the state's folder, where it stays until the state is closed. ret: its folders of wheels and archives;
 * ret_plan: plan.json. by: whose signature it must have; NULL. TN_E_REFUSED: hostile, damaged, or not what its list of
 * digests says. */
int tn_bundle_open(struct tn_arena *mem, const char *file, const struct tn_minisign *by, struct tn_state *s,
                   struct tn_apply *ret, struct tn_buf *ret_plan, struct tn_err *err);

#endif
