/* needs.h - what the installed distributions ask of each other, as `pip check` reads it, but only for the GPU stack.
 *
 * A need that is not met is no fault by itself: a bound may be careful. What then happens is said by tables
 * (tensorflow_python_pins, python_pins, companions), by a framework's own check, or by nobody: then it is a warning.
 * Conda keeps its packages in accord by its own records and patches their metadata, so what conda has put there is held
 * to metadata only where another installer has written over its partner. */
#ifndef TN_CHECK_NEEDS_H
#define TN_CHECK_NEEDS_H

#include "check/look.h"
#include "version/dotted.h"
#include "version/requirement.h"

struct tn_need {
    struct tn_requirement q;
    char want[TN_REQUIREMENT_TEXT]; /* the versions without blanks and parentheses: "<2.0,>=1.14.5"; "" for any */
    size_t who, have;               /* rows of dist; have is dist.n when it is not installed */
    bool met;
    bool older;                 /* what is installed is below every version that would do */
    char floor[TN_DOTTED_TEXT]; /* numbers of the lower bound, "9.1.0.70"; "" if there is none */
};

struct tn_needs {
    const struct tn_judge *j;
    size_t who;
    const char *extras;
    uint32_t at;
};

/* The requirements of a distribution that hold here: those without an extra, and those of the extras (words). */
struct tn_needs tn_needs_of(const struct tn_judge *j, size_t who, const char *extras);
bool tn_needs_next(struct tn_needs *it, struct tn_need *ret);

/* The next distribution at or after *row that the environment would use, records of conda left out; *row is advanced
 * past it, so *row - 1 is its number. */
const struct tn_rec_dist *tn_needs_dist(const struct tn_judge *j, size_t *row);
/* Row of the distribution of this name that Python would find; dist.n if there is none. A record of conda's counts
 * where Python's own is missing. */
size_t tn_needs_have(const struct tn_judge *j, const char *name);
/* Is it a record of conda-meta? Those name packages of conda, not of Python. */
bool tn_needs_is_conda_record(const struct tn_rec_dist *d);
/* Has conda installed it, and nobody written over it since? */
bool tn_needs_by_conda(const struct tn_judge *j, size_t row);
/* A name that brings TensorFlow itself: tensorflow, tensorflow-cpu, tf-nightly ... */
bool tn_needs_is_tensorflow(const char *name);
const char *tn_needs_version(const struct tn_judge *j, size_t row); /* "" if not known */
/* Do the first n numbers of two versions differ? */
bool tn_needs_differ(const char *a, const char *b, unsigned n);
/* Does the version meet the specifier? A malformed one is met. */
bool tn_needs_meets(const char *version, const char *spec);

/* Evidence, and the arguments package, version (who) and needs, have, want. */
void tn_needs_say(struct tn_sink *out, struct tn_finding *f, const struct tn_judge *j, size_t who, const char *name,
                  size_t have, const char *want);
/* Installs name with these versions. */
void tn_needs_remedy(struct tn_sink *out, struct tn_finding *f, const struct tn_judge *j, const char *name,
                     const char *want);

#endif
