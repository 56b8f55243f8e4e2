/* names.h - names of packages that mislead: several builds of one framework that write the same folder, placeholders,
 * withdrawn names. Source: table package_names. */
#ifndef TN_FACTS_NAMES_H
#define TN_FACTS_NAMES_H

#include "facts/table.h"

struct tn_facts_package {
    const char *kind;    /* "build", "stub", "placeholder", "withdrawn", "helper" */
    const char *folder;  /* of a build: "tensorflow" */
    const char *instead; /* "" if there is nothing to ask for instead */
    struct tn_cite cite;
};

/* The row of the name, the most exact one first; version may be "" where it is not known. */
bool tn_facts_package_name(const char *name, const char *version, struct tn_facts_package *ret);

/* Does pip without a version take something that is no software (table never_install)?. */
bool tn_facts_never_install(const char *name, struct tn_facts_package *ret);

#endif
