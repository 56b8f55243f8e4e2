/* module.h - versions of compressed kernel modules, which are unpacked only where a verdict hangs on them. */
#ifndef TN_PROBE_MODULE_H
#define TN_PROBE_MODULE_H

#include "probe/ask.h"

/* Opens the main modules whose version nobody has asked for yet, a few of them at most. */
void tn_probe_module_versions(struct tn_probe_ctx *c);

#endif
