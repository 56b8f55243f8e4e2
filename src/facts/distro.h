/* distro.h - what the release of a Linux distribution tells of the machine.
 *
 * Invariant: only what was read from that release's own files. Source: table distro_libc. */
#ifndef TN_FACTS_DISTRO_H
#define TN_FACTS_DISTRO_H

#include <stddef.h>

#include "facts/table.h"

struct tn_facts_libc {
    const char *libc, *version; /* "glibc", "2.35"; the version of musl is not told */
    struct tn_cite cite;
};

/* distro, version: ID and VERSION_ID of os-release ("rhel", "8.6": found as 8). NO: the distribution is known, this
 * release is not; BAD: the distribution is not. */
enum tn_found tn_facts_libc_of(const char *distro, const char *version, struct tn_facts_libc *ret);

/* The ID that a person means by "Ubuntu" or "opensuse-leap", whatever the case; NULL: none of the table. */
const char *tn_facts_distro_of(const char *word, size_t n);
/* Of the table's distributions the i-th, each once; NULL: no more. */
const char *tn_facts_distro_at(uint32_t i);

/* A driver that a release of a distribution has in its own repository. Source: table distro_drivers. */
struct tn_facts_distro_driver {
    const char *branch;           /* "580" */
    const char *use, *flavour;    /* "desktop", "server" or "legacy"; "open" or "closed" */
    const char *package, *second; /* "nvidia-driver-580-open"; what is named beside it, or "" */
    const char *version;          /* "580.178.04" */
    struct tn_cite cite;
};

/* The next one of this release at or after *row (start with 0), which is advanced past it. distro, release: ID and
 * VERSION_ID of os-release. */
bool tn_facts_distro_driver_next(const char *distro, const char *release, uint32_t *row,
                                 struct tn_facts_distro_driver *ret);

#endif
