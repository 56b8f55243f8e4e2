/* device_rules.h - which device nodes the control group of the process that asks may open. */
#ifndef TN_PROBE_DEVICE_RULES_H
#define TN_PROBE_DEVICE_RULES_H

#include "probe/probe.h"

struct tn_device_rules {
    enum tn_know got; /* ABSENT: nothing that can be read: cgroup v2, or the list is not mounted here */
    uint32_t src;
    struct tn_span text; /* of devices.list */
};

void tn_probe_device_rules(struct tn_probe_ctx *c, struct tn_device_rules *ret);
/* May a character device be read and written under this list? */
bool tn_device_rules_allow(struct tn_span list, uint32_t major, uint32_t minor);

#endif
