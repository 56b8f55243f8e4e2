/* pairs.h - lines of the form "word key=value key=value text=anything to the end of the line".
 *
 * text= is the last one; no other value holds a blank. */
#ifndef TN_BASE_PAIRS_H
#define TN_BASE_PAIRS_H

#include "base/span.h"

/* The value of a key, empty when it is not there. */
struct tn_span tn_pairs_value(struct tn_span line, const char *key);

#endif
