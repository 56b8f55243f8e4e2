/* acs.h - does access control of PCI stand between a card and its peers? For the probe gpu. */
#ifndef TN_PROBE_ACS_H
#define TN_PROBE_ACS_H

#include "probe/ask.h"

/* Fills in g->acs from the bridges above the card, whose folder in sysfs dir is. */
void tn_probe_acs(struct tn_probe_ctx *c, struct tn_rec_gpu *g, const char *dir);

#endif
