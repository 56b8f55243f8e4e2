/* onnxruntime.c - look-ups in onnxruntime_builds.
 *
 * Invariant: only rows of rank 1; no release stands in for another. */
#include "facts/onnxruntime.h"

#include "version/dotted.h"

enum tn_found tn_facts_ort_build(const char *version, struct tn_facts_ort *ret)
{
    const struct tn_table *t = tn_facts_find("onnxruntime_builds");
    if (t == NULL || !tn_version_dotted_ok(version) || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    bool newer = true, older = true;
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "version");
        int cmp = tn_version_dotted_cmp(v, version);
        newer = newer && cmp < 0;
        older = older && cmp > 0;
        if (cmp != 0 || tn_facts_rank(t, r) != 1)
            continue;
        *ret = (struct tn_facts_ort){
            .version = v,
            .cuda = tn_facts_get(t, r, "cuda"),
            .cudnn = tn_facts_get(t, r, "cudnn"),
            .needs = tn_facts_get(t, r, "needs"),
            .sass = tn_facts_get(t, r, "sass"),
            .ptx = tn_facts_get(t, r, "ptx"),
            .row = r,
            .cite = tn_facts_cite(t, r),
        };
        return TN_ANSWER_YES;
    }
    return newer ? TN_ANSWER_NEWER : older ? TN_ANSWER_NO : TN_ANSWER_OPEN;
}
