/* loader_disk.h - the files that the simulated loader asks for, from the snapshot where it knows them, else from the
 * world; what the world answers becomes rows (image, dir, cached), so that a simulation over the snapshot alone comes
 * to the same end. */
#ifndef TN_PROBE_LOADER_DISK_H
#define TN_PROBE_LOADER_DISK_H

#include "loader/loader.h"
#include "world/world.h"

/* mem holds the index, the loader cache and what is read meanwhile; w, s and mem must outlive *ret. */
void tn_disk_world(struct tn_disk *ret, struct tn_world *w, struct tn_snap *s, struct tn_arena *mem);

#endif
