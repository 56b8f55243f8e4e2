/* pytorch.h - what a PyTorch build was made for and holds.
 *
 * Invariant: the wheel's own version.py and code objects beat this. min_driver is NVIDIA's rule for the build's
 * CUDA, not a check of PyTorch's. Source: table pytorch_builds. */
#ifndef TN_FACTS_PYTORCH_H
#define TN_FACTS_PYTORCH_H

#include "facts/table.h"

struct tn_facts_torch {
    const char *version; /* the row: "2.5.1" */
    bool exact;
    const char *variant; /* "cu124" */
    const char *cuda, *cudnn;
    const char *python_min, *python_max;
    const char *sass, *ptx; /* of the platform; "" if not established */
    const char *min_driver;
    uint32_t row;
    struct tn_cite cite;
};

/* variant: "cu121"; NULL or "": that of the version's +local part, else the one that PyPI gives on Linux. NO also for
 * "cpu" and other variants that are not CUDA builds, OPEN where the default is not established (before 1.2, Windows).
 * Another patch of the same minor stands in for a missing one. */
enum tn_found tn_facts_torch_build(const char *version, const char *variant, enum tn_platform platform,
                                   struct tn_facts_torch *ret);

/* Is there a build of this variant ("cu121") of any release? */
bool tn_facts_torch_has_variant(const char *variant);

#endif
