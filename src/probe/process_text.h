/* process_text.h - the line of /proc/PID/cgroup that says in which container and which batch job a process runs. */
#ifndef TN_PROBE_PROCESS_TEXT_H
#define TN_PROBE_PROCESS_TEXT_H

#include "base/span.h"

struct tn_process_place {
    const char *engine; /* docker, podman, kubernetes, containerd, cri-o, nerdctl, lxc; NULL: in no container */
    struct tn_span container;
    const char *scheduler; /* slurm, pbs, lsf; NULL: in no job */
    struct tn_span job;
};
/* Spans point into text. */
void tn_process_place(struct tn_span text, struct tn_process_place *ret);

#endif
