/* find.h - every copy of a file: where it lies, what it is, who would load it, who is shadowed. Pure. */
#ifndef TN_REPORT_FIND_H
#define TN_REPORT_FIND_H

#include "check/takes.h"
#include "finding/catalogue.h"
#include "report/report.h"
#include "version/wanted.h"

struct tn_find {
    struct tn_arena *mem;
    const struct tn_judge *judge; /* its environment is the one that was asked for, or the active one */
    const struct tn_wanted *wanted;
    bool asked_env; /* with --env: what that environment does decides */
    enum tn_lang lang;
    unsigned width; /* 0: do not wrap */
    size_t *row;    /* rows of library that are meant, by path */
    size_t n;
    struct tn_judge *env; /* of each environment, in the order of the rows */
    size_t n_env;
};

/* What came out for the environment that was asked for. */
enum tn_find_result { TN_FIND_NONE, TN_FIND_USED, TN_FIND_UNUSED, TN_FIND_UNCLEAR };

void tn_find_make(struct tn_find *f);
enum tn_find_result tn_find_result(const struct tn_find *f);
void tn_find_text(const struct tn_find *f, struct tn_buf *ret);
void tn_find_json(const struct tn_find *f, struct tn_buf *ret);

#endif
