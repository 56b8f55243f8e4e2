/* fatbin.h - GPU code of a file of the world as words for a list fact: "80", "90a". Shared by the framework and library
 * probes. */
#ifndef TN_PROBE_FATBIN_H
#define TN_PROBE_FATBIN_H

#include "image/fatbin.h"
#include "probe/probe.h"

struct tn_probe_code {
    const char *sass[TN_FATBIN_ARCHS], *ptx[TN_FATBIN_ARCHS]; /* in the arena that was passed */
    size_t n_sass, n_ptx;
    unsigned isa; /* newest PTX ISA, 803 for 8.3; 0: no PTX */
    uint32_t containers;
};

/* Of the sections for GPU code. most: what only some kernels have (less than a quarter as often as the most frequent
 * one) is left out, since it does not make a framework run on a card; vendor libraries have other kernels for each
 * card, so of them all is taken. *ret_got: KNOWN also for a library without such code (no containers); UNASKED when a
 * record does not hold the bytes; FAILED for what is damaged or cut. Returns the source of the fact. */
uint32_t tn_probe_code_of(struct tn_world *w, struct tn_snap *s, struct tn_arena *mem, const char *path, bool most,
                          struct tn_probe_code *ret, enum tn_know *ret_got);

#endif
