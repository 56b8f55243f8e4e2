/* needs.c - look-ups in cpu_needs.
 *
 * Invariant: only rows of rank 1; of two ranges that hold the release the narrower one counts. */
#include "facts/needs.h"

#include <stddef.h>

#include "base/str.h"
#include "version/dotted.h"

/* Names under which the same build was published. */
static const char *row_name(const char *distribution)
{
    static const char *const tf[] = {
        "tensorflow",     "tensorflow-cpu", "tensorflow-gpu",   "tensorflow-intel", "tf-nightly",
        "tf-nightly-cpu", "tf-nightly-gpu", "tf-nightly-intel", "tensorflow-macos", NULL};
    return tn_str_in(distribution, tf) ? "tensorflow" : distribution;
}

enum tn_found tn_facts_cpu_needs(const char *distribution, const char *version, const char *machine,
                                 struct tn_facts_needs *ret)
{
    const struct tn_table *t = tn_facts_find("cpu_needs");
    if (t == NULL || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    const struct tn_filter f[] = {
        {"package", TN_FILTER_EQ, row_name(distribution)},
        {"machine", TN_FILTER_EQ, machine},
        {"rank", TN_FILTER_EQ, "1"},
    };
    uint32_t best = t->nrows;
    for (uint32_t r = 0; (r = tn_facts_next(t, r, f, TN_LEN(f))) < t->nrows; r++) {
        const char *to = tn_facts_get(t, r, "to");
        if (tn_version_dotted_cmp(version, tn_facts_get(t, r, "from")) < 0 ||
            (*to && tn_version_dotted_cmp(version, to) > 0))
            continue;
        if (best == t->nrows || *to)
            best = r;
    }
    if (best == t->nrows)
        return TN_ANSWER_NO;
    ret->needs = tn_facts_get(t, best, "needs");
    ret->cite = tn_facts_cite(t, best);
    return TN_ANSWER_YES;
}
