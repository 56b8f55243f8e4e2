/* companion.c - see companion.h. */
#include "facts/companion.h"

#include <string.h>

#include "facts/pins.h"

bool tn_facts_companion_next(const char *package, const char *version, uint32_t *row, struct tn_facts_companion *ret)
{
    const struct tn_table *t = tn_facts_find("companions");
    uint32_t package_column = t ? (uint32_t)tn_facts_column(t, "package") : 0;
    while (t && *row < t->nrows) {
        uint32_t r = (*row)++;
        if (strcmp(tn_facts_cell(t, r, package_column), package) != 0 || tn_facts_rank(t, r) != 1)
            continue;
        if (!tn_facts_in_range(version, tn_facts_get(t, r, "version_from"), tn_facts_get(t, r, "version_to")))
            continue;
        const char *digits = tn_facts_get(t, r, "digits");
        ret->on = tn_facts_get(t, r, "on");
        ret->spec = tn_facts_get(t, r, "spec");
        ret->breaks = tn_facts_get(t, r, "breaks");
        ret->digits = *digits ? (unsigned)(*digits - '0') : 0;
        ret->cite = tn_facts_cite(t, r);
        return true;
    }
    return false;
}
