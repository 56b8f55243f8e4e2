/* versions.h - the several "CUDA versions" of a machine or a text, each by its name (stories 4 and 18).
 *
 * Invariant: a version that is not known has a row that says why; what a driver serves is never called installed. */
#ifndef TN_REPORT_VERSIONS_H
#define TN_REPORT_VERSIONS_H

#include "finding/catalogue.h"
#include "finding/verdict.h"

struct tn_version_row {
    const char *name;      /* driver, driver_ceiling, toolkit, runtime, framework_built_for */
    const char *component; /* cuda or cudnn */
    const char *version;   /* NULL: not known, or none */
    const char *meaning;
    const char *from; /* where it was read */
    const char *path; /* file or folder; NULL: none */
    const char *env;  /* prefix of the environment that it belongs to; NULL: none */
    const char *used; /* package that uses it, by what it was built for; NULL: none */
    unsigned line;    /* of the text; 0: no text */
};

struct tn_minimum {
    const char *cuda, *driver, *os; /* "11.7", "452.39", "Windows" */
};

struct tn_versions {
    struct tn_arena *mem;
    enum tn_lang lang;
    struct tn_version_row *v;
    size_t n, cap;
    struct tn_minimum minimum[2]; /* least driver for the ceiling's CUDA */
    unsigned n_minimum;
    const char *note[8]; /* whole sentences: which one a framework uses */
    unsigned n_note;
    unsigned width; /* columns of the terminal; 0: do not wrap */
};

void tn_versions_init(struct tn_versions *v, struct tn_arena *mem, enum tn_lang lang);
void tn_versions_of_machine(struct tn_versions *v, const struct tn_judge *j);
/* Of a snapshot that holds observations. */
void tn_versions_of_text(struct tn_versions *v, const struct tn_snap *s);
/* Is any version known? */
bool tn_versions_any(const struct tn_versions *v);

/* head: the first line. */
void tn_versions_text(const struct tn_versions *v, const char *head, struct tn_buf *ret);
void tn_versions_json(const struct tn_versions *v, struct tn_buf *ret);

#endif
