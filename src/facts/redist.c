/* redist.c - look-ups in table redist_lists. Rows of a product stand newest first. */
#include "facts/redist.h"

#include <string.h>

#include "version/dotted.h"

enum tn_found tn_facts_redist(const char *product, const char *version, struct tn_facts_redist *ret)
{
    const struct tn_table *t = tn_facts_find("redist_lists");
    const struct tn_filter of[] = {{"product", TN_FILTER_EQ, product}, {"rank", TN_FILTER_EQ, "1"}};
    unsigned same = strcmp(product, "cuda") == 0 ? 2 : 3;
    if (t == NULL || !tn_version_dotted_ok(version) || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    for (uint32_t r = 0; (r = tn_facts_next(t, r, of, 2)) < t->nrows; r++) {
        if (tn_version_dotted_cmp_parts(tn_facts_get(t, r, "version"), version, same) != 0)
            continue;
        *ret = (struct tn_facts_redist){
            .version = tn_facts_get(t, r, "version"),
            .url = tn_facts_get(t, r, "url"),
            .sha256 = tn_facts_get(t, r, "sha256"),
            .cite = tn_facts_cite(t, r),
        };
        return TN_ANSWER_YES;
    }
    return TN_ANSWER_OPEN;
}
