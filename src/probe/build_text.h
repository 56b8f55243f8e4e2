/* build_text.h - logs of kernel module builds: which kernel, did it end well, and the first error that is one. Asks no
 * world. */
#ifndef TN_PROBE_BUILD_TEXT_H
#define TN_PROBE_BUILD_TEXT_H

#include "base/arena.h"
#include "base/span.h"

struct tn_build_log {
    const char *kernel;   /* release that it was built for; NULL if not said */
    const char *version;  /* of the driver: an installer's log names it; else NULL */
    const char *error;    /* the first real error, one line; NULL if there is none */
    const char *kind;     /* what sort of error: headers, compiler, kernel, rt, space, memory, key, other; else NULL */
    const char *compiler; /* version of the compiler that the kernel was built with, where the log states it */
    bool finished;        /* the log says so itself */
};

/* make.log of DKMS, *.failed.log of akmods. */
void tn_build_log_read(struct tn_span text, struct tn_arena *mem, struct tn_build_log *ret);
/* /var/log/nvidia-installer.log */
void tn_build_installer_read(struct tn_span text, struct tn_arena *mem, struct tn_build_log *ret);

#endif
