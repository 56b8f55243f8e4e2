/* stated.h - facts that a text states, as rows that checks read, completed from the tables. Asks no world. */
#ifndef TN_PROBE_STATED_H
#define TN_PROBE_STATED_H

#include "snapshot/snapshot.h"

/* Reads the observations of s (explain) and fills host, container, gpu, driver, env, dist, framework and toolkit rows
 * that are not there yet. Of several statements of one fact the last counts. Each row's source is the line. */
void tn_probe_stated(struct tn_snap *s);

#endif
