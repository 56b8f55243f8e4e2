/* metadata.h - what METADATA of a wheel says: name, version, Python, extras and requirements. Pure: bytes in, data out.
 *
 * Hostile as every page of an index: length, number and names are bounded, extras that ask for each other in a circle
 * are each taken once. Sources: PyPA "Core metadata specifications" (Requires-Dist, Provides-Extra, Requires-Python),
 * "Dependency specifiers" (a requirement on the package itself with an extra asks for what that extra asks for). */
#ifndef TN_PLAN_METADATA_H
#define TN_PLAN_METADATA_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "version/requirement.h"

#define TN_METADATA_MAX_REQUIRES 2048u
#define TN_METADATA_MAX_EXTRAS 256u
#define TN_METADATA_MAX_LINE 8192u

struct tn_metadata_require {
    const char *name, *extras, *spec; /* normalised; extras with one blank between */
    struct tn_span marker;            /* empty: always */
};

struct tn_metadata {
    const char *name, *version, *requires_python; /* name normalised; requires_python "" */
    const char *extra[TN_METADATA_MAX_EXTRAS];    /* normalised */
    unsigned n_extra;
    struct tn_metadata_require *v;
    size_t n, cap;
    unsigned broken; /* requirements that are none */
};

/* TN_E_FORMAT: no METADATA, or one without name and version; TN_E_LIMIT. */
int tn_metadata_read(struct tn_arena *mem, struct tn_span text, struct tn_metadata *ret, struct tn_err *err);
bool tn_metadata_has_extra(const struct tn_metadata *m, const char *extra);

/* Which of the requirements hold for these extras (one blank between) and this environment, those of extras that these
 * ask for included: ret[i] for m->v[i]. A marker that asks for what is not known does not hold. */
void tn_metadata_wanted(struct tn_arena *mem, const struct tn_metadata *m, const struct tn_marker_env *env,
                        const char *extras, bool *ret);
/* The same clauses, in whatever order and with whatever blanks? */
bool tn_metadata_same_spec(struct tn_arena *mem, const char *a, const char *b);

#endif
