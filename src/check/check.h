/* check.h - a check reads facts and tables and reports one cause. One file per diagnosis, one constant per file.
 *
 * A check is pure: no question to a machine, no print, no platform it runs on. A fact that it needs and that is not
 * known gives tn_untestable(), never silence and never a guess. "Absent" is an answer. */
#ifndef TN_CHECK_CHECK_H
#define TN_CHECK_CHECK_H

#include "finding/finding.h"
#include "finding/verdict.h"

struct tn_check {
    const char *name;  /* of the file: driver_too_old; people write and read it with dashes */
    const char *cause; /* slug of the catalogue */
    void (*run)(const struct tn_judge *j, struct tn_sink *out);
};

#define TN_CHECK(ident, slug, fn) const struct tn_check tn_check_##ident = {#ident, slug, fn}

extern const struct tn_check *const tn_checks[];
extern const unsigned tn_n_checks;

/* Runs the checks whose name or cause matches a glob of only (NULL: all) and none of skip (NULL: none). Returns how
 * many ran. */
unsigned tn_check_run(const struct tn_judge *j, const char *const *only, const char *const *skip, struct tn_sink *out);
/* Would --only GLOB run it? For the error "no check is named so". */
bool tn_check_matches(const struct tn_check *c, const char *glob);

/* Would every check say the same of both environments? Both judges have their rows (tn_judge_index). */
bool tn_check_alike(const struct tn_judge *a, const struct tn_judge *b);
/* Counts the environments beside the judged one that hold a framework, and those whose own checks find a problem. */
void tn_check_others(const struct tn_judge *judged, struct tn_verdict *ret);

#endif
