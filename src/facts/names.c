/* names.c - see names.h. */
#include "facts/names.h"

#include <string.h>

#include "base/str.h"
#include "facts/pins.h"

bool tn_facts_package_name(const char *name, const char *version, struct tn_facts_package *ret)
{
    const struct tn_table *t = tn_facts_find("package_names");
    size_t best = 0;
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        const char *pattern = tn_facts_get(t, r, "name");
        const char *from = tn_facts_get(t, r, "version_from"), *to = tn_facts_get(t, r, "version_to");
        bool any = !*from && !*to;
        if (tn_facts_rank(t, r) != 1 || strlen(pattern) <= best || !tn_str_glob(pattern, name) ||
            (!any && (!*version || !tn_facts_in_range(version, from, to))))
            continue;
        best = strlen(pattern);
        ret->kind = tn_facts_get(t, r, "kind");
        ret->folder = tn_facts_get(t, r, "folder");
        ret->instead = tn_facts_get(t, r, "instead");
        ret->cite = tn_facts_cite(t, r);
    }
    return best > 0;
}
