/* vendor_text.h - what a vendor library said when it was asked (world/ask.h), as facts. Asks no world. */
#ifndef TN_PROBE_VENDOR_TEXT_H
#define TN_PROBE_VENDOR_TEXT_H

#include "base/span.h"
#include "snapshot/snapshot.h"

/* The text is as trustworthy as the library: anything may stand in it. Cards are known by their bus address; one that
 * no other probe saw becomes a row. src: the source of all facts. */
void tn_vendor_nvml(struct tn_snap *s, struct tn_span text, uint32_t src);
void tn_vendor_cuda(struct tn_snap *s, struct tn_span text, uint32_t src);

#endif
