/* measured.h - what works told (measure/told.h) as rows of measurement: pure, so that a record gives the same. */
#ifndef TN_PROBE_MEASURED_H
#define TN_PROBE_MEASURED_H

#include "base/span.h"
#include "snapshot/snapshot.h"

/* Adds rows. Lines that are none are passed over. */
void tn_probe_measured(struct tn_snap *s, struct tn_span text, uint32_t src);

#endif
