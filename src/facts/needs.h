/* needs.h - which instruction sets an official build needs at every start.
 *
 * Invariant: only what its makers or maintainers stated. Source: table cpu_needs. */
#ifndef TN_FACTS_NEEDS_H
#define TN_FACTS_NEEDS_H

#include "facts/table.h"

struct tn_facts_needs {
    const char *needs; /* "avx" */
    struct tn_cite cite;
};

/* distribution: "tensorflow" (any of its official names: tensorflow-cpu, -gpu, -intel, tf-nightly ...) or "jaxlib";
 * machine: "x86_64". NO: nothing beyond the machine's base is known to be needed. */
enum tn_found tn_facts_cpu_needs(const char *distribution, const char *version, const char *machine,
                                 struct tn_facts_needs *ret);

#endif
