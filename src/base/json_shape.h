/* json_shape.h - bounds on a JSON text: a parser's own bound on depth is far from ours, and a few bytes of text become
 * hundreds of memory. Correct JSON is what the parser finds out. */
#ifndef TN_BASE_JSON_SHAPE_H
#define TN_BASE_JSON_SHAPE_H

#include "base/err.h"
#include "base/span.h"

/* TN_E_LIMIT: too large, nested too deep, or too many objects or values (limits.h). */
int tn_json_shape(struct tn_span text, struct tn_err *err);

#endif
