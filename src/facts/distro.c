/* distro.c - look-ups in distro_libc and distro_drivers. */
#include "facts/distro.h"

#include <string.h>

#include "base/str.h"
#include "version/dotted.h"

/* An exact release before its major one before "every one". */
static int closeness(const char *asked, const char *row)
{
    if (!*row)
        return 1;
    if (!*asked)
        return 0;
    if (tn_version_dotted_cmp(asked, row) == 0)
        return 3;
    return strchr(row, '.') == NULL && tn_version_dotted_major(asked) == tn_version_dotted_major(row) ? 2 : 0;
}

enum tn_found tn_facts_libc_of(const char *distro, const char *version, struct tn_facts_libc *ret)
{
    const struct tn_table *t = tn_facts_find("distro_libc");
    const struct tn_filter f[] = {{"distro", TN_FILTER_EQ, distro}, {"rank", TN_FILTER_EQ, "1"}};
    enum tn_found found = TN_ANSWER_BAD;
    int best = 0;
    for (uint32_t r = 0; t && (r = tn_facts_next(t, r, f, TN_LEN(f))) < t->nrows; r++) {
        int close = closeness(version, tn_facts_get(t, r, "version"));
        if (found == TN_ANSWER_BAD)
            found = TN_ANSWER_NO;
        if (close <= best)
            continue;
        best = close;
        found = TN_ANSWER_YES;
        ret->libc = tn_facts_get(t, r, "libc");
        ret->version = tn_facts_get(t, r, "glibc");
        ret->cite = tn_facts_cite(t, r);
    }
    return found;
}

const char *tn_facts_distro_at(uint32_t i)
{
    const struct tn_table *t = tn_facts_find("distro_libc");
    const char *last = "";
    for (uint32_t r = 0; t && r < t->nrows; r++) { /* sorted */
        const char *name = tn_facts_get(t, r, "distro");
        if (strcmp(name, last) != 0 && i-- == 0)
            return name;
        last = name;
    }
    return NULL;
}

const char *tn_facts_distro_of(const char *word, size_t n)
{
    const char *name;
    for (uint32_t i = 0; (name = tn_facts_distro_at(i)) != NULL; i++) {
        size_t k = 0;
        while (k < n && name[k] && tn_lower(name[k]) == tn_lower(word[k]))
            k++;
        if (k == n && !name[k])
            return name;
    }
    return NULL;
}

/* The words of a cell of two packages. */
static void packages(const char *cell, struct tn_facts_distro_driver *ret)
{
    static const char *const pair[][3] = {
        {"nvidia-driver nvidia-open-kernel-dkms", "nvidia-driver", "nvidia-open-kernel-dkms"}};
    ret->package = cell;
    ret->second = "";
    for (unsigned i = 0; i < TN_LEN(pair); i++)
        if (strcmp(cell, pair[i][0]) == 0) {
            ret->package = pair[i][1];
            ret->second = pair[i][2];
        }
}

bool tn_facts_distro_driver_next(const char *distro, const char *release, uint32_t *row,
                                 struct tn_facts_distro_driver *ret)
{
    const struct tn_table *t = tn_facts_find("distro_drivers");
    const struct tn_filter f[] = {
        {"distro", TN_FILTER_EQ, distro}, {"release", TN_FILTER_EQ, release}, {"rank", TN_FILTER_EQ, "1"}};
    uint32_t r = t && *distro && *release ? tn_facts_next(t, *row, f, TN_LEN(f)) : 0;
    if (!t || !*distro || !*release || r >= t->nrows)
        return false;
    *row = r + 1;
    packages(tn_facts_get(t, r, "package"), ret);
    ret->branch = tn_facts_get(t, r, "branch");
    ret->use = tn_facts_get(t, r, "use");
    ret->flavour = tn_facts_get(t, r, "flavour");
    ret->version = tn_facts_get(t, r, "version");
    ret->cite = tn_facts_cite(t, r);
    return true;
}
