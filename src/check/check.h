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
    tn_record_set needs; /* records that its findings rest on, host apart, which all may read; 0: not said, so all */
};

/* TN_CHECK(ident, "slug", run, .needs = TN_HAS(env) | TN_HAS(dist)); */
#define TN_CHECK(ident, slug, ...)                                                                                     \
    const struct tn_check tn_check_##ident = {.name = #ident, .cause = slug, .run = __VA_ARGS__}

/* What most needs are made of: the frameworks of an environment; the libraries that it meets; builds that would fit. */
#define TN_NEEDS_FRAMEWORK (TN_HAS(env) | TN_HAS(dist) | TN_HAS(framework))
#define TN_NEEDS_LIBRARY (TN_NEEDS_FRAMEWORK | TN_HAS(library) | TN_HAS(driver) | TN_HAS(variable) | TN_HAS(load))
#define TN_NEEDS_FIT (TN_NEEDS_FRAMEWORK | TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(container))
/* For a check that looks at the judge's expectation, or whose cause is of the GPU stack (added there unasked). */
#define TN_NEEDS_EXPECT (TN_NEEDS_FRAMEWORK | TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(module))

extern const struct tn_check *const tn_checks[];
extern const unsigned tn_n_checks;

/* Runs the checks whose name or cause matches a glob of only (NULL: all) and none of skip (NULL: none). Returns how
 * many ran. */
unsigned tn_check_run(const struct tn_judge *j, const char *const *only, const char *const *skip, struct tn_sink *out);
/* The records that these checks rest on; 0: all. judged: the expectation is not given, so it is read from facts. */
tn_record_set tn_check_needs(const char *const *only, const char *const *skip, bool judged);
/* Would --only GLOB run it? For the error "no check is named so". */
bool tn_check_matches(const struct tn_check *c, const char *glob);

/* Would every check say the same of both environments? Both judges have their rows (tn_judge_index). */
bool tn_check_alike(const struct tn_judge *a, const struct tn_judge *b);
/* Counts the environments beside the judged one that hold a framework, and those whose own checks find a problem. */
void tn_check_others(const struct tn_judge *judged, struct tn_verdict *ret);

#endif
