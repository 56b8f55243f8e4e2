/* plan_file.h - a plan as `tenon plan --json` wrote it, back as typed steps. Pure; hostile bytes in.
 *
 * Only what a step's member "do" says counts, and of a closed list: a step that has a command alone is refused, and so
 * is one whose command is not the one that its "do" gives here. */
#ifndef TN_APPLY_PLAN_FILE_H
#define TN_APPLY_PLAN_FILE_H

#include "base/span.h"
#include "plan/step_json.h"

/* TN_E_REFUSED: not a plan that may be applied; place is the step. */
int tn_plan_file_read(struct tn_arena *mem, struct tn_span text, const struct tn_plan_machine *here,
                      struct tn_plan_steps *ret, struct tn_err *err);

#endif
