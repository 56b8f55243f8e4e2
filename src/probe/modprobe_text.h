/* modprobe_text.h - settings of modprobe that name a module: files of modprobe.d, the kernel's command line. Asks no
 * world. */
#ifndef TN_PROBE_MODPROBE_TEXT_H
#define TN_PROBE_MODPROBE_TEXT_H

#include "base/span.h"
#include "snapshot/snapshot.h"

#define TN_MAX_MODPROBE 128u

/* A file of modprobe.d, or "/proc/cmdline". Only lines about nvidia and nouveau become rows. */
void tn_modprobe_read(struct tn_snap *s, const char *file, struct tn_span text, uint32_t src);
void tn_modprobe_cmdline_read(struct tn_snap *s, const char *file, struct tn_span text, uint32_t src);

#endif
