/* conv_back.h - the two gradients of a convolution (reference.h): what they must come to, by the sums that define them.
 *
 * The gradient of the result comes from seed + 2, in the result's order. Both are sums of products like the result
 * itself, computed without a transform, so that the same bound holds for each element. Channels first only. */
#ifndef TN_MEASURE_CONV_BACK_H
#define TN_MEASURE_CONV_BACK_H

#include "measure/reference.h"

/* result: `in` planes of rows x columns. */
void tn_ref_check_conv_image(const struct tn_ref_conv *r, enum tn_precision p, const void *result,
                             struct tn_ref_verdict *ret);
/* result: out x in filters of h x w. */
void tn_ref_check_conv_filter(const struct tn_ref_conv *r, enum tn_precision p, const void *result,
                              struct tn_ref_verdict *ret);

#endif
