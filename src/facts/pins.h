/* pins.h - versions of Python packages that a framework's release needs, and what happens without them.
 *
 * Invariant: only what a source establishes; what the framework's own metadata says is not repeated here. Sources:
 * tables tensorflow_python_pins and python_pins. */
#ifndef TN_FACTS_PINS_H
#define TN_FACTS_PINS_H

#include "facts/table.h"

struct tn_facts_pin {
    const char *needs, *spec; /* "protobuf", "<4" */
    const char *breaks;       /* "import", "keras", "part" or "nothing" */
    struct tn_cite cite;
};

/* The next bound of this release at or after *row (start with 0), which is advanced past it. package: "tensorflow",
 * "jax" ... A rank above 1 is left out. */
bool tn_facts_pin_next(const char *package, const char *version, uint32_t *row, struct tn_facts_pin *ret);

/* Is the release in this range? to counts as far as it goes (2.21 takes 2.21.1); an empty end is open. */
bool tn_facts_in_range(const char *version, const char *from, const char *to);

/* The first release of a package that was compiled for NumPy 2: older ones set no upper bound and do not work with it
 * (torch loses its bridge alone). NULL: not such a package; TensorFlow's bounds stand in tensorflow_pins. */
struct tn_facts_numpy2 {
    const char *package, *first;
    struct tn_cite cite;
};
const struct tn_facts_numpy2 *tn_facts_numpy2_since(const char *package);

#endif
