/* jax.h - what a JAX release asks for with a CUDA extra, and which architectures its plugin holds.
 *
 * Invariant: the plugin's own METADATA and code objects beat this. Source: table jax_builds (every tag). */
#ifndef TN_FACTS_JAX_H
#define TN_FACTS_JAX_H

#include "facts/table.h"

struct tn_facts_jax {
    const char *version, *extra;
    const char *cuda_min, *cudnn_min; /* specifiers: "12.1.105", "9.8,<10.0" (a bare number is a lower bound) */
    const char *built_cuda, *built_cudnn;
    const char *python_min, *python_max;
    const char *driver_min_linux;
    const char *sass, *ptx;
    uint32_t row;
    struct tn_cite cite;
};

/* extra: "cuda12", "cuda13", "cuda12-local" ...; the release must be in the table (every tag up to 0.11 is). */
enum tn_found tn_facts_jax_build(const char *version, const char *extra, struct tn_facts_jax *ret);

#endif
