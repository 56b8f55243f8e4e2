/* pe_version.h - the bytes of a VS_VERSIONINFO resource. Private to image/.
 *
 * Invariant: three nested loops over checked lengths, no recursion. */
#ifndef TN_IMAGE_PE_VERSION_H
#define TN_IMAGE_PE_VERSION_H

#include "base/span.h"
#include "image/pe.h"

/* Fills the version fields of *ret with what is well-formed. */
void tn_image_pe_version_parse(struct tn_span block, struct tn_arena *a, struct tn_pe *ret);

#endif
