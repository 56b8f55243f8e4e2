/* companion.h - packages that go with certain releases of a framework only. Source: table companions. */
#ifndef TN_FACTS_COMPANION_H
#define TN_FACTS_COMPANION_H

#include "facts/table.h"

struct tn_facts_companion {
    const char *on;     /* "torch" */
    const char *spec;   /* ">=2.18"; "" for what the package's own metadata says */
    const char *breaks; /* "import", "gpu", "part" */
    unsigned digits;    /* so many numbers of an exact version count; 0: all */
    struct tn_cite cite;
};

/* The next rule for this release of a package at or after *row (start with 0), which is advanced past it. */
bool tn_facts_companion_next(const char *package, const char *version, uint32_t *row, struct tn_facts_companion *ret);

#endif
