/* redist.h - NVIDIA's lists of redistributable archives whose digest is known.
 *
 * Invariant: a list is that of the asked release as far as both versions go; none stands in for another. Source: table
 * redist_lists. */
#ifndef TN_FACTS_REDIST_H
#define TN_FACTS_REDIST_H

#include "facts/table.h"

struct tn_facts_redist {
    const char *version; /* as the list is called: "12.5.1", "8.9.7.29" */
    const char *url;     /* "https://.../redistrib_12.5.1.json"; archives are named from its folder on */
    const char *sha256;  /* of the list itself */
    struct tn_cite cite;
};

/* product: "cuda" or "cudnn". version: of CUDA its first two numbers count, and the newest release of that line is
 * taken, since its libraries serve all of it; of cuDNN the first three. OPEN: no list of it is known. */
enum tn_found tn_facts_redist(const char *product, const char *version, struct tn_facts_redist *ret);

#endif
