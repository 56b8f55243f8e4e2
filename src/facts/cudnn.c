/* cudnn.c - look-ups in cudnn_support.
 *
 * Invariant: a row of another major never stands in. */
#include "facts/cudnn.h"

#include <string.h>

#include "base/str.h"
#include "version/dotted.h"
#include "version/soname.h"

static bool within_each_other(const char *a, const char *b)
{
    return tn_facts_version_within(a, b) || tn_facts_version_within(b, a);
}

/* Is row a a better stand-in for `asked` than b? Exact ones first, then the nearest below, then the lowest above. */
static bool better(const char *a, const char *b, const char *asked)
{
    bool exact_a = within_each_other(a, asked), exact_b = within_each_other(b, asked);
    if (exact_a != exact_b)
        return exact_a;
    int cmp = tn_version_dotted_cmp(a, b);
    if (exact_a)
        return cmp > 0;
    bool below_a = tn_version_dotted_cmp(a, asked) <= 0, below_b = tn_version_dotted_cmp(b, asked) <= 0;
    if (below_a != below_b)
        return below_a;
    return below_a ? cmp > 0 : cmp < 0;
}

/* A cell that this row lacks, from a row of the same major.minor. */
static const char *from_sibling(const struct tn_table *t, uint32_t row, const char *column)
{
    const char *cell = tn_facts_get(t, row, column);
    const char *version = tn_facts_get(t, row, "cudnn_version");
    for (uint32_t r = 0; !*cell && r < t->nrows; r++)
        if (tn_facts_rank(t, r) == 1 &&
            tn_version_dotted_cmp_parts(tn_facts_get(t, r, "cudnn_version"), version, 2) == 0)
            cell = tn_facts_get(t, r, column);
    return cell;
}

enum tn_found tn_facts_cudnn(const char *version, enum tn_platform platform, struct tn_facts_cudnn *ret)
{
    const struct tn_table *t = tn_facts_find("cudnn_support");
    if (t == NULL || !tn_version_dotted_ok(version))
        return TN_ANSWER_BAD;
    uint32_t row = t->nrows;
    const char *best = "", *newest = "";
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "cudnn_version");
        if (tn_facts_rank(t, r) != 1)
            continue;
        if (tn_version_dotted_cmp(v, newest) > 0)
            newest = v;
        if (tn_version_dotted_major(v) != tn_version_dotted_major(version))
            continue;
        if (row == t->nrows || better(v, best, version)) {
            row = r;
            best = v;
        }
    }
    bool newer = tn_version_dotted_cmp(version, newest) > 0 && !within_each_other(newest, version);
    if (row == t->nrows)
        return newer ? TN_ANSWER_NEWER : TN_ANSWER_NO;
    ret->version = best;
    ret->exact = within_each_other(best, version);
    ret->files = tn_facts_get(t, row, platform == TN_PLATFORM_WINDOWS ? "windows_libraries" : "linux_libraries");
    ret->min_cc = from_sibling(t, row, "min_cc");
    ret->cuda_majors = from_sibling(t, row, "cuda_majors");
    ret->needs_zlibwapi = tn_str_eq(tn_facts_get(t, row, "windows_needs_zlibwapi"), "yes");
    ret->cite = tn_facts_cite(t, row);
    return newer ? TN_ANSWER_NEWER : TN_ANSWER_YES;
}

unsigned tn_facts_cudnn_newest_major(const char *version)
{
    uint64_t major = tn_version_dotted_ok(version) ? tn_version_dotted_major(version) : 0;
    if (major < 7 || major > 8)
        return 0;
    return major == 7 ? 7 : tn_version_dotted_cmp_parts(version, "8.6", 2) < 0 ? 8 : 9;
}

unsigned tn_facts_cudnn_major(const char *file)
{
    struct tn_soname name;
    if (tn_version_soname_parse(file, &name, NULL) != 0)
        return 0;
    const char *stem = name.stem;
    if (tn_str_starts(stem, "lib") && !name.dll)
        stem += 3;
    if (!tn_str_starts(stem, "cudnn") || (stem[5] != '\0' && stem[5] != '_'))
        return 0;
    uint64_t major = tn_version_dotted_major(name.version);
    return major < 1000 ? (unsigned)major : 0;
}
