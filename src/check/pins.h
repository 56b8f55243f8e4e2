/* pins.h - bounds of Python packages: what the tables say breaks, and what metadata alone says. */
#ifndef TN_CHECK_PINS_H
#define TN_CHECK_PINS_H

#include "check/needs.h"

/* Reports each need that mine() wants and that is not met: as the tables say, else as a warning, since a bound that
 * only metadata draws is often careful. only_frameworks: what other packages need is left out. */
void tn_pins_judge(const struct tn_judge *j, struct tn_sink *out, bool (*mine)(const char *needs),
                   bool only_frameworks);
/* Do the tables say that this distribution breaks by the version of what it needs? */
bool tn_pins_break(const struct tn_judge *j, size_t who, const char *needs);

#endif
