/* package.h - what a package manager says that it would do to remove an item, and whether it may. Pure.
 *
 * Invariant: nothing but the item's own packages goes; no part of the driver ever does here, whatever the package
 * manager thinks of it. What is not understood is refused (plan/removal.h). */
#ifndef TN_CLEAN_PACKAGE_H
#define TN_CLEAN_PACKAGE_H

#include "clean/clean.h"
#include "plan/removal.h"

struct tn_clean_package {
    const struct tn_clean_item *item;
    enum tn_removal kind; /* FINE: it may */
    const char *package;  /* the first one that is in the way; "" */
    const char **gone;    /* packages that would go */
    size_t n_gone;
    bool done; /* it was run */
};

/* The words of the simulation of apt-get, which changes nothing, not even its caches; NULL: the item is none of dpkg's.
 * The same words without the options are what is run. */
const char *const *tn_clean_package_simulation(struct tn_arena *mem, const struct tn_clean_item *i);
const char *const *tn_clean_package_removal(struct tn_arena *mem, const struct tn_clean_item *i);
/* What keeps the driver from being taken along later: apt-mark manual NAME...; NULL: there is none to mark. */
const char *const *tn_clean_package_mark(struct tn_arena *mem, const struct tn_snap *s);
void tn_clean_package_judge(struct tn_arena *mem, const struct tn_snap *s, struct tn_span answer,
                            struct tn_clean_package *ret);

#endif
