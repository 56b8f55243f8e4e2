/* jax.c - look-ups in jax_builds.
 *
 * Invariant: only rows of rank 1; no release stands in for another. */
#include "facts/jax.h"

#include "base/str.h"
#include "version/dotted.h"

enum tn_found tn_facts_jax_build(const char *version, const char *extra, struct tn_facts_jax *ret)
{
    const struct tn_table *t = tn_facts_find("jax_builds");
    if (t == NULL || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    const char *newest = "";
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "jax_version");
        if (tn_version_dotted_cmp(v, newest) > 0)
            newest = v;
        if (tn_facts_rank(t, r) != 1 || tn_version_dotted_cmp(v, version) != 0 ||
            !tn_str_eq(tn_facts_get(t, r, "cuda_extra"), extra))
            continue;
        ret->version = v;
        ret->extra = tn_facts_get(t, r, "cuda_extra");
        ret->cuda_min = tn_facts_get(t, r, "cuda_min");
        ret->cudnn_min = tn_facts_get(t, r, "cudnn_min");
        ret->built_cuda = tn_facts_get(t, r, "built_cuda");
        ret->built_cudnn = tn_facts_get(t, r, "built_cudnn");
        ret->python_min = tn_facts_get(t, r, "python_min");
        ret->python_max = tn_facts_get(t, r, "python_max");
        ret->driver_min_linux = tn_facts_get(t, r, "driver_min_linux");
        ret->sass = tn_facts_get(t, r, "sass");
        ret->ptx = tn_facts_get(t, r, "ptx");
        ret->row = r;
        ret->cite = tn_facts_cite(t, r);
        return TN_ANSWER_YES;
    }
    return tn_version_dotted_cmp(version, newest) > 0 ? TN_ANSWER_NEWER : TN_ANSWER_NO;
}
