/* cuda.c - look-ups in cuda_driver_min, driver_branches, cuda_libs and cuda_arch.
 *
 * Invariant: only rows of rank 1 are used. Must not know how a driver or a CUDA version was found out. */
#include "facts/cuda.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "version/dotted.h"

#define VERSION_TEXT 48

/* Rows of one release line: the row is within what was asked, or what was asked within the row ("13.4.1", "13.4"). */
static bool same_release(const char *row, const char *asked)
{
    return tn_facts_version_within(row, asked) || tn_facts_version_within(asked, row);
}

/* The oldest rank-1 row that fits; nrows if none. Asked for every build that a plan weighs. */
static uint32_t oldest_row(const struct tn_table *t, const char *cuda)
{
    int column = tn_facts_column(t, "cuda_release");
    uint32_t best = t->nrows;
    for (uint32_t r = 0; column >= 0 && r < t->nrows; r++) {
        const char *release = tn_facts_cell(t, r, (uint32_t)column);
        if (!same_release(release, cuda) || tn_facts_rank(t, r) != 1)
            continue;
        if (best == t->nrows || tn_version_dotted_cmp(release, tn_facts_cell(t, best, (uint32_t)column)) < 0)
            best = r;
    }
    return best;
}

/* The same, trying major.minor when the asked third part is none of the table's (12.1.105, a wheel's number). */
static uint32_t find_release(const struct tn_table *t, const char *cuda)
{
    uint32_t r = oldest_row(t, cuda);
    char head[VERSION_TEXT];
    if (r == t->nrows && tn_version_dotted_count(cuda) > 2 && tn_version_dotted_head(cuda, 2, head, sizeof head))
        r = oldest_row(t, head);
    return r;
}

/* Newest release among rank-1 rows; of this major only, if major is not 0. nrows if none. */
static uint32_t newest_row(const struct tn_table *t, uint64_t major)
{
    uint32_t best = t->nrows;
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "cuda_release");
        if (tn_facts_rank(t, r) != 1 || (major != 0 && tn_version_dotted_major(v) != major))
            continue;
        if (best == t->nrows || tn_version_dotted_cmp(v, tn_facts_get(t, best, "cuda_release")) > 0)
            best = r;
    }
    return best;
}

static enum tn_found missing(const struct tn_table *t, const char *cuda)
{
    const char *newest = tn_facts_get(t, newest_row(t, 0), "cuda_release");
    return tn_version_dotted_cmp(cuda, newest) > 0 ? TN_ANSWER_NEWER : TN_ANSWER_NO;
}

static void fill_need(const struct tn_table *t, uint32_t r, enum tn_platform platform, struct tn_facts_driver_need *ret)
{
    bool win = platform == TN_PLATFORM_WINDOWS;
    ret->release = tn_facts_get(t, r, "cuda_release");
    ret->installer = tn_facts_get(t, r, win ? "windows_installer_driver" : "linux_installer_driver");
    ret->developed = tn_facts_get(t, r, win ? "windows_min_driver" : "linux_min_driver");
    if (!*ret->developed)
        ret->developed = ret->installer;
    ret->floor = tn_facts_get(t, r, win ? "minor_version_compat_windows_min" : "minor_version_compat_linux_min");
    ret->compat = *ret->floor != '\0';
    if (!ret->compat)
        ret->floor = ret->developed;
    ret->cite = tn_facts_cite(t, r);
}

enum tn_found tn_facts_cuda_driver(const char *cuda, enum tn_platform platform, struct tn_facts_driver_need *ret)
{
    const struct tn_table *t = tn_facts_find("cuda_driver_min");
    if (t == NULL || !tn_version_dotted_ok(cuda))
        return TN_ANSWER_BAD;
    uint32_t r = find_release(t, cuda);
    if (r < t->nrows) {
        fill_need(t, r, platform, ret);
        return *ret->floor ? TN_ANSWER_YES : TN_ANSWER_OPEN;
    }
    enum tn_found answer = missing(t, cuda);
    r = newest_row(t, tn_version_dotted_major(cuda));
    if (answer == TN_ANSWER_NEWER && r < t->nrows) {
        fill_need(t, r, platform, ret);
        ret->developed = ret->installer = "";
    } else if (answer == TN_ANSWER_NEWER) {
        *ret = (struct tn_facts_driver_need){"", false, "", "", "", {"", "", ""}};
    }
    return answer;
}

enum tn_found tn_facts_driver_runs(const char *driver, const char *cuda, enum tn_platform platform, bool *runs)
{
    struct tn_facts_driver_need need;
    if (!tn_version_dotted_ok(driver))
        return TN_ANSWER_BAD;
    enum tn_found answer = tn_facts_cuda_driver(cuda, platform, &need);
    if (answer == TN_ANSWER_YES || (answer == TN_ANSWER_NEWER && *need.floor))
        *runs = tn_version_dotted_cmp(driver, need.floor) >= 0;
    return answer;
}

enum tn_found tn_facts_driver_branch(const char *driver, struct tn_facts_branch *ret)
{
    const struct tn_table *t = tn_facts_find("driver_branches");
    if (t == NULL || !tn_version_dotted_ok(driver))
        return TN_ANSWER_BAD;
    uint64_t major = tn_version_dotted_major(driver);
    uint64_t best = 0, newest = 0;
    uint32_t row = t->nrows;
    const char *highest = "";
    for (uint32_t r = 0; r < t->nrows; r++) {
        if (tn_facts_rank(t, r) != 1)
            continue;
        uint64_t branch = tn_version_dotted_major(tn_facts_get(t, r, "branch"));
        const char *max = tn_facts_get(t, r, "max_cuda_supported");
        newest = branch > newest ? branch : newest;
        if (branch > major)
            continue;
        if (branch >= best) {
            best = branch;
            row = r;
        }
        if (tn_version_dotted_cmp(max, highest) > 0)
            highest = max;
    }
    if (row == t->nrows)
        return TN_ANSWER_NO;
    bool newer = major > newest;
    ret->branch = tn_facts_get(t, row, "branch");
    ret->max_cuda = newer ? "" : tn_facts_get(t, row, "max_cuda_supported");
    ret->at_least = *ret->max_cuda ? ret->max_cuda : highest;
    ret->oldest_architecture = tn_facts_get(t, row, "oldest_gpu_architecture");
    ret->status = tn_facts_get(t, row, "status");
    ret->eol = tn_facts_get(t, row, "eol");
    ret->cite = tn_facts_cite(t, row);
    return newer ? TN_ANSWER_NEWER : *ret->max_cuda ? TN_ANSWER_YES : TN_ANSWER_OPEN;
}

bool tn_facts_driver_is_newer(const char *driver)
{
    struct tn_facts_branch branch;
    return tn_facts_driver_branch(driver, &branch) == TN_ANSWER_NEWER;
}

enum tn_found tn_facts_cuda_lib(const char *cuda, const char *component, enum tn_platform platform, const char **ret)
{
    const struct tn_table *t = tn_facts_find("cuda_libs");
    char name[32];
    snprintf(name, sizeof name, "%.20s_%s", component, platform == TN_PLATFORM_WINDOWS ? "dll" : "so");
    int column = t ? tn_facts_column(t, name) : -1;
    if (column < 0 || !tn_version_dotted_ok(cuda))
        return TN_ANSWER_BAD;
    uint32_t r = find_release(t, cuda);
    if (r == t->nrows)
        return missing(t, cuda);
    const char *cell = tn_facts_cell(t, r, (uint32_t)column);
    if (!*cell)
        return TN_ANSWER_OPEN;
    *ret = cell;
    return TN_ANSWER_YES;
}

enum tn_found tn_facts_cuda_of_lib(const char *file, struct tn_facts_lib_range *ret)
{
    const struct tn_table *t = tn_facts_find("cuda_libs");
    if (t == NULL || !*file)
        return TN_ANSWER_BAD;
    struct tn_facts_lib_range found = {"", TN_PLATFORM_LINUX, NULL, NULL};
    for (uint32_t c = 0; c < t->ncolumns; c++) {
        const char *column = tn_facts_column_name(t, c);
        bool dll = tn_str_ends(column, "_dll");
        for (uint32_t r = 0; (dll || tn_str_ends(column, "_so")) && r < t->nrows; r++) {
            const char *cell = tn_facts_cell(t, r, c);
            if (!(dll ? tn_str_ieq(cell, file) : tn_str_eq(cell, file)) || tn_facts_rank(t, r) != 1)
                continue;
            const char *release = tn_facts_get(t, r, "cuda_release");
            found.platform = dll ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
            snprintf(found.component, sizeof found.component, "%.*s", (int)strcspn(column, "_"), column);
            if (found.first == NULL || tn_version_dotted_cmp(release, found.first) < 0)
                found.first = release;
            if (found.last == NULL || tn_version_dotted_cmp(release, found.last) > 0)
                found.last = release;
        }
    }
    if (found.first == NULL)
        return TN_ANSWER_NO;
    *ret = found;
    return TN_ANSWER_YES;
}

static enum tn_found of_release(const char *cuda, const char *column, const char **ret)
{
    const struct tn_table *t = tn_facts_find("cuda_arch");
    if (t == NULL || !tn_version_dotted_ok(cuda))
        return TN_ANSWER_BAD;
    uint32_t r = find_release(t, cuda);
    if (r == t->nrows)
        return missing(t, cuda);
    const char *cell = tn_facts_get(t, r, column);
    if (!*cell)
        return TN_ANSWER_OPEN;
    *ret = cell;
    return TN_ANSWER_YES;
}

enum tn_found tn_facts_cuda_ptx_isa(const char *cuda, const char **ret)
{
    return of_release(cuda, "max_ptx_isa", ret);
}

enum tn_found tn_facts_cuda_capabilities(const char *cuda, const char **ret)
{
    return of_release(cuda, "all_cc", ret);
}

enum tn_found tn_facts_cuda_of_ptx_isa(const char *isa, const char **ret)
{
    const struct tn_table *t = tn_facts_find("cuda_arch");
    if (t == NULL || !tn_version_dotted_ok(isa))
        return TN_ANSWER_BAD;
    *ret = NULL;
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *cell = tn_facts_get(t, r, "max_ptx_isa"), *release = tn_facts_get(t, r, "cuda_release");
        if (tn_facts_rank(t, r) == 1 && *cell && tn_version_dotted_cmp(cell, isa) >= 0 &&
            (*ret == NULL || tn_version_dotted_cmp(release, *ret) < 0))
            *ret = release;
    }
    return *ret ? TN_ANSWER_YES : TN_ANSWER_NEWER;
}

void tn_facts_cuda_range(const char **oldest, const char **newest)
{
    const struct tn_table *t = tn_facts_find("cuda_driver_min");
    *oldest = *newest = "";
    for (uint32_t r = 0; t != NULL && r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "cuda_release");
        if (!**oldest || tn_version_dotted_cmp(v, *oldest) < 0)
            *oldest = v;
        if (tn_version_dotted_cmp(v, *newest) > 0)
            *newest = v;
    }
}
