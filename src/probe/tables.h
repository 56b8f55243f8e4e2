/* tables.h - the facts of the compatibility tables that probes write down, with the table as their source.
 *
 * Invariant: what no row establishes is left as it was. Apart from the probes because it asks no world. */
#ifndef TN_PROBE_TABLES_H
#define TN_PROBE_TABLES_H

#include "snapshot/snapshot.h"

/* Name, chip, architecture, capability and memory of an NVIDIA device by its PCI id; fields that are known stay.
 * False: the tables do not have it. */
bool tn_probe_gpu_of_table(struct tn_snap *s, struct tn_rec_gpu *g, unsigned device);
/* The same for a device that sits on no bus, by chip ("GA10B"). */
bool tn_probe_gpu_of_chip(struct tn_snap *s, struct tn_rec_gpu *g, const char *chip);
/* The newest CUDA that a driver version serves; unasked when the tables do not say. */
struct tn_str tn_probe_cuda_of_driver(struct tn_snap *s, const char *driver);

#endif
