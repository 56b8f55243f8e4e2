/* conda.c - look-ups in table conda_builds. Rows stand by package, newest version first (tools/lint_tables.py). */
#include "facts/conda.h"

#include <string.h>

#include "base/str.h"
#include "version/dotted.h"

const char *tn_facts_conda_platform(enum tn_platform platform, const char *arch)
{
    if (arch == NULL)
        return NULL;
    if (tn_str_ieq(arch, "x86_64"))
        return platform == TN_PLATFORM_WINDOWS ? "win-64" : "linux-64";
    return platform == TN_PLATFORM_LINUX && tn_str_ieq(arch, "aarch64") ? "linux-aarch64" : NULL;
}

static bool takes_python(const char *pythons, const char *python)
{
    char word[16];
    if (!*pythons)
        return true; /* not established */
    while (tn_facts_list_next(&pythons, word, sizeof word))
        if (tn_version_dotted_cmp_parts(python, word, 2) == 0)
            return true;
    return false;
}

static void fill(const struct tn_table *t, uint32_t row, struct tn_facts_conda *ret)
{
    *ret = (struct tn_facts_conda){
        .package = tn_facts_get(t, row, "package"),
        .version = tn_facts_get(t, row, "version"),
        .channel = tn_facts_get(t, row, "channel"),
        .platform = tn_facts_get(t, row, "platform"),
        .cuda = tn_facts_get(t, row, "cuda"),
        .cudnn = tn_facts_get(t, row, "cudnn"),
        .needs = tn_facts_get(t, row, "needs"),
        .pythons = tn_facts_get(t, row, "pythons"),
        .build = tn_facts_get(t, row, "build"),
        .row = row,
        .cite = tn_facts_cite(t, row),
    };
}

bool tn_facts_conda_next(const char *package, const char *version, const char *platform, const char *python,
                         uint32_t *row, struct tn_facts_conda *ret)
{
    const struct tn_table *t = tn_facts_find("conda_builds");
    if (t == NULL || platform == NULL)
        return false;
    const struct tn_filter filters[] = {
        {"package", TN_FILTER_EQ, package},
        {"platform", TN_FILTER_EQ, platform},
        {"version", TN_FILTER_VERSION, version ? version : ""},
    };
    while ((*row = tn_facts_next(t, *row, filters, version ? 3 : 2)) < t->nrows) {
        uint32_t r = (*row)++;
        if (tn_facts_rank(t, r) != 1 || (python && !takes_python(tn_facts_get(t, r, "pythons"), python)))
            continue;
        fill(t, r, ret);
        return true;
    }
    return false;
}

static enum tn_found none_of(const char *package)
{
    const struct tn_table *t = tn_facts_find("conda_builds");
    const struct tn_filter filter = {"package", TN_FILTER_EQ, package};
    return t && tn_facts_next(t, 0, &filter, 1) < t->nrows ? TN_ANSWER_NO : TN_ANSWER_OPEN;
}

enum tn_found tn_facts_conda_newest(const char *package, const char *version, const char *channel, const char *platform,
                                    const char *python, bool gpu, struct tn_facts_conda *ret)
{
    struct tn_facts_conda c;
    bool found = false;
    for (uint32_t row = 0; tn_facts_conda_next(package, version, platform, python, &row, &c);) {
        if (tn_str_eq(c.cuda, "none") == gpu || (channel && !tn_str_eq(c.channel, channel)))
            continue;
        int cmp = found ? tn_version_dotted_cmp(c.version, ret->version) : 1;
        if (cmp < 0 || (cmp == 0 && tn_version_dotted_cmp(c.cuda, ret->cuda) <= 0))
            continue;
        *ret = c;
        found = true;
    }
    return found ? TN_ANSWER_YES : none_of(package);
}

enum tn_found tn_facts_conda_toolkit(const char *platform, const char *cuda, struct tn_facts_conda *ret)
{
    if (!tn_version_dotted_ok(cuda))
        return TN_ANSWER_BAD;
    return tn_facts_conda_newest("cudatoolkit", cuda, NULL, platform, NULL, true, ret);
}

/* cuDNN names the run time that it takes: "cudatoolkit 11.*", "cuda-version >=12.0,<13"; both mean one major number. */
static bool goes_with(const struct tn_facts_conda *c, const char *cuda)
{
    if (!*c->needs)
        return tn_version_dotted_cmp_parts(c->cuda, cuda, 2) == 0;
    const char *least = strstr(c->needs, ">=");
    if (tn_version_dotted_cmp_parts(c->cuda, cuda, 1) != 0)
        return false;
    if (least)
        return tn_version_dotted_cmp_parts(cuda, least + 2, 2) >= 0;
    return tn_str_ends(c->needs, ".*") || tn_version_dotted_cmp_parts(c->cuda, cuda, 2) == 0;
}

enum tn_found tn_facts_conda_cudnn(const char *platform, const char *cuda, const char *cudnn,
                                   struct tn_facts_conda *ret)
{
    struct tn_facts_conda c;
    bool found = false;
    if (!tn_version_dotted_ok(cuda))
        return TN_ANSWER_BAD;
    for (uint32_t row = 0; tn_facts_conda_next("cudnn", cudnn, platform, NULL, &row, &c);) {
        if (!goes_with(&c, cuda) || (found && tn_version_dotted_cmp(c.version, ret->version) <= 0))
            continue;
        *ret = c;
        found = true;
    }
    return found ? TN_ANSWER_YES : TN_ANSWER_NO;
}
