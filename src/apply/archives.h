/* archives.h - NVIDIA's archives of CUDA and cuDNN for the steps of scheme C: found in a folder, or fetched, and placed
 * below the environment as a full set or not at all.
 *
 * What is right is said by a list in NVIDIA's form, and of the list by table redist_lists: a list whose digest is known
 * there counts with that digest alone, wherever it comes from. Private to src/apply. */
#ifndef TN_APPLY_ARCHIVES_H
#define TN_APPLY_ARCHIVES_H

#include "apply/do.h"

/* TN_STEP_TOOLKIT or TN_STEP_CUDNN into ENV/cuda; what was placed is listed in ENV/cuda/.placed-cuda, .placed-cudnn.
 * TN_E_REFUSED: damaged, hostile, not what the list says, not full; no list of it is known and none was given. */
int tn_archives_place(struct tn_apply *a, const struct tn_plan_step *s, struct tn_err *err);

/* activate.c: the environment's own activation leads to ENV/cuda, its deactivation away from it: bin/activate of sh,
 * csh and fish, or conda's activate.d. */
int tn_activate_cuda(struct tn_apply *a, const struct tn_plan_step *s, struct tn_err *err);

#endif
