/* requires.h - what the METADATA of a release asks of the packages that plans pin.
 *
 * Invariant: what the wheel of the asked platform and Python says, not another's: TensorFlow 2.15's Windows wheel asks
 * for tensorflow-intel and nothing else. Only releases of the default index: a version with +local is OPEN. What a
 * release needs although its METADATA is silent is in pins.h. Source: table requires (tools/mine.py). */
#ifndef TN_FACTS_REQUIRES_H
#define TN_FACTS_REQUIRES_H

#include "facts/table.h"

/* Where the wheel is to run. */
struct tn_facts_place {
    enum tn_platform platform;
    const char *arch;   /* "x86_64", "aarch64" as in host.arch; NULL: any platform */
    const char *python; /* "3.11", "3.11.4"; NULL: any */
};

struct tn_facts_require {
    const char *needs; /* "numpy"; "python" is Requires-Python; "cuda-toolkit[cublas,cudart]" asks for extras */
    const char *spec;  /* ">=1.23.5,<2.0.0" for tn_version_pep440_match; "" for any version */
    const char *extra; /* "" always, else the extra that asks for it: "cuda12", "with-cuda" */
    const char *platforms, *python_min, *python_max; /* as in the table: where it holds; "" without a bound */
    uint32_t row;
    struct tn_cite cite;
};

/* YES: the METADATA of this release was read. NEWER: newer than every release read. OPEN: package or release not in the
 * table. BAD: no name, no version. */
enum tn_found tn_facts_requires(const char *package, const char *version);

/* The next requirement of this release at or after *row (start with 0), which is advanced past it. One package may be
 * asked for several times: every row holds. */
bool tn_facts_requires_next(const char *package, const char *version, const struct tn_facts_place *where, uint32_t *row,
                            struct tn_facts_require *ret);

/* The same, for all of a release: its place in the table is looked up once. false: nothing is known of it. */
struct tn_facts_requires_it {
    const struct tn_table *t;
    uint32_t first, end, row, column[9];
};
bool tn_facts_requires_begin(const char *package, const char *version, struct tn_facts_requires_it *ret);
/* From the beginning for another release of the same package. */
bool tn_facts_requires_again(const char *version, struct tn_facts_requires_it *it);
bool tn_facts_requires_step(struct tn_facts_requires_it *it, const char *version, const struct tn_facts_place *where,
                            struct tn_facts_require *ret);

/* All that this release asks of one package, without an extra, as one specifier set. YES: it asks for it, spec is
 * filled
 * ("" for any version). NO: it was read and does not ask for it. OPEN, NEWER, BAD as above; BAD too if spec is too
 * small. */
enum tn_found tn_facts_requires_of(const char *package, const char *version, const struct tn_facts_place *where,
                                   const char *needs, char *spec, uint32_t size);

#endif
