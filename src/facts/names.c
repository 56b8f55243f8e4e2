/* names.c - see names.h. */
#include "facts/names.h"

#include <string.h>

#include "base/str.h"
#include "facts/pins.h"

bool tn_facts_package_name(const char *name, const char *version, struct tn_facts_package *ret)
{
    const struct tn_table *t = tn_facts_find("package_names");
    uint32_t name_column = t ? (uint32_t)tn_facts_column(t, "name") : 0;
    size_t best = 0;
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        const char *pattern = tn_facts_cell(t, r, name_column);
        if (pattern[0] != name[0] || !tn_str_glob(pattern, name))
            continue;
        const char *from = tn_facts_get(t, r, "version_from"), *to = tn_facts_get(t, r, "version_to");
        bool any = !*from && !*to;
        if (tn_facts_rank(t, r) != 1 || strlen(pattern) <= best ||
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

bool tn_facts_never_install(const char *name, struct tn_facts_package *ret)
{
    const struct tn_table *t = tn_facts_find("never_install");
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        if (tn_facts_rank(t, r) != 1 || !tn_str_glob(tn_facts_get(t, r, "name"), name))
            continue;
        ret->kind = "placeholder";
        ret->folder = "";
        ret->instead = tn_facts_get(t, r, "instead");
        ret->cite = tn_facts_cite(t, r);
        return true;
    }
    return false;
}
