/* proved.h - what failed when layers did real work (rows of measurement): each failure has one cause. */
#ifndef TN_CHECK_PROVED_H
#define TN_CHECK_PROVED_H

#include "check/look.h"

/* Reports the first failure whose cause this is; NULL: there is none. Arguments: layer, version, file, card, peer,
 * error, meaning; remedies are the caller's. */
struct tn_finding *tn_proved_report(const struct tn_judge *j, struct tn_sink *out, const char *cause);

#endif
