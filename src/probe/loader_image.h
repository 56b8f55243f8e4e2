/* loader_image.h - what a loader must know of one file, as a row of image. */
#ifndef TN_PROBE_LOADER_IMAGE_H
#define TN_PROBE_LOADER_IMAGE_H

#include "base/view.h"
#include "snapshot/snapshot.h"

/* The fields of a regular file by its bytes: format, machine, soname ... damage. Pure. */
void tn_probe_image_elf(struct tn_snap *s, uint32_t src, const struct tn_view *v, struct tn_rec_image *ret);
void tn_probe_image_pe(struct tn_snap *s, uint32_t src, const struct tn_view *v, struct tn_rec_image *ret);
/* Of what a PE file imports from `dll`: the DLLs that this has it served by (forwarders), each once, at most max. */
int tn_probe_pe_takes(const struct tn_view *importer, const char *dll, const struct tn_view *exporter,
                      struct tn_arena *mem, const char **ret, size_t max, size_t *ret_n, struct tn_err *err);

#endif
