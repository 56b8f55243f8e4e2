/* pins.c - see pins.h. */
#include "facts/pins.h"

#include <string.h>

#include "version/dotted.h"

bool tn_facts_in_range(const char *version, const char *from, const char *to)
{
    return (!*from || tn_version_dotted_cmp(version, from) >= 0) &&
           (!*to || tn_version_dotted_cmp(version, to) <= 0 || tn_facts_version_within(version, to));
}

bool tn_facts_pin_next(const char *package, const char *version, uint32_t *row, struct tn_facts_pin *ret)
{
    bool tf = strcmp(package, "tensorflow") == 0;
    const struct tn_table *t = tn_facts_find(tf ? "tensorflow_python_pins" : "python_pins");
    int package_column = t && !tf ? tn_facts_column(t, "package") : 0;
    while (t && *row < t->nrows) {
        uint32_t r = (*row)++;
        if (!tf && strcmp(tn_facts_cell(t, r, (uint32_t)package_column), package) != 0)
            continue;
        const char *from = tn_facts_get(t, r, tf ? "tf_from" : "version_from");
        const char *to = tn_facts_get(t, r, tf ? "tf_to" : "version_to");
        if (tn_facts_rank(t, r) != 1 || !tn_facts_in_range(version, from, to))
            continue;
        ret->needs = tn_facts_get(t, r, tf ? "package" : "needs");
        ret->spec = tn_facts_get(t, r, "spec");
        ret->breaks = tn_facts_get(t, r, "breaks");
        ret->cite = tn_facts_cite(t, r);
        return true;
    }
    return false;
}
