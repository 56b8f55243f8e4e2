/* pytorch.c - look-ups in pytorch_builds.
 *
 * Invariant: only rows of rank 1; another minor never stands in. */
#include "facts/pytorch.h"

#include <string.h>

#include "base/str.h"
#include "version/dotted.h"

static bool wanted_variant(const struct tn_table *t, uint32_t r, const char *variant, size_t n)
{
    if (n == 0)
        return tn_str_eq(tn_facts_get(t, r, "pypi_default"), "yes");
    const char *cell = tn_facts_get(t, r, "variant");
    return strlen(cell) == n && memcmp(cell, variant, n) == 0;
}

static void fill(const struct tn_table *t, uint32_t r, enum tn_platform platform, struct tn_facts_torch *ret)
{
    bool win = platform == TN_PLATFORM_WINDOWS;
    ret->version = tn_facts_get(t, r, "torch_version");
    ret->variant = tn_facts_get(t, r, "variant");
    ret->cuda = tn_facts_get(t, r, "cuda");
    ret->cudnn = tn_facts_get(t, r, "cudnn");
    ret->python_min = tn_facts_get(t, r, "python_min");
    ret->python_max = tn_facts_get(t, r, "python_max");
    ret->sass = tn_facts_get(t, r, win ? "sass_windows" : "sass_linux");
    ret->ptx = tn_facts_get(t, r, win ? "ptx_windows" : "ptx_linux");
    ret->min_driver = tn_facts_get(t, r, win ? "min_driver_windows" : "min_driver_linux");
    ret->row = r;
    ret->cite = tn_facts_cite(t, r);
}

enum tn_found tn_facts_torch_build(const char *version, const char *variant, enum tn_platform platform,
                                   struct tn_facts_torch *ret)
{
    const struct tn_table *t = tn_facts_find("pytorch_builds");
    if (t == NULL || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    const char *local = strchr(version, '+');
    const char *name = variant && *variant ? variant : local ? local + 1 : "";
    size_t n = strlen(name);
    uint32_t row = t->nrows;
    const char *newest = "";
    bool minor_seen = false;
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "torch_version");
        if (tn_facts_rank(t, r) != 1)
            continue;
        if (tn_version_dotted_cmp(v, newest) > 0)
            newest = v;
        if (tn_version_dotted_cmp_parts(v, version, 2) != 0)
            continue;
        minor_seen = true;
        if (!wanted_variant(t, r, name, n))
            continue;
        /* The exact patch, else the highest below, else the first above: rows come newest first. */
        bool above = row < t->nrows && tn_version_dotted_cmp(tn_facts_get(t, row, "torch_version"), version) > 0;
        if (row == t->nrows || above)
            row = r;
    }
    if (row == t->nrows && !minor_seen)
        return tn_version_dotted_cmp_parts(version, newest, 2) > 0 ? TN_ANSWER_NEWER : TN_ANSWER_NO;
    if (n == 0 && (platform == TN_PLATFORM_WINDOWS || row == t->nrows))
        return TN_ANSWER_OPEN;
    if (row == t->nrows)
        return TN_ANSWER_NO;
    fill(t, row, platform, ret);
    ret->exact = tn_version_dotted_cmp(ret->version, version) == 0;
    return TN_ANSWER_YES;
}

bool tn_facts_torch_has_variant(const char *variant)
{
    const struct tn_table *t = tn_facts_find("pytorch_builds");
    for (uint32_t r = 0; t && r < t->nrows; r++)
        if (wanted_variant(t, r, variant, strlen(variant)))
            return true;
    return false;
}
