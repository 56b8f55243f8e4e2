/* lines.h - what an installer says, handed on by lines as it comes: the same on every system.
 *
 * Invariant: nothing that it said is lost or said twice. Knows no system call. */
#ifndef TN_OS_LINES_H
#define TN_OS_LINES_H

#include "os/change.h"

/* What is said and not handed on yet. Bytes are put behind the first n. */
struct tn_os_lines {
    char p[4096];
    size_t n;
};

/* To how->said: whole lines and what ends in a carriage return (progress); what is longer than the buffer in pieces.
 * all: what is left as well, since no more will come. */
void tn_os_lines_hand_on(const struct tn_os_install *how, struct tn_os_lines *l, bool all);

#endif
