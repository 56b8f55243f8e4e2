/* envs.h - every environment of a machine as a table, and as JSON. Pure. */
#ifndef TN_REPORT_ENVS_H
#define TN_REPORT_ENVS_H

#include "check/ready.h"
#include "finding/catalogue.h"
#include "report/report.h"

enum tn_envs_sort {
    TN_SORT_DEFAULT,
    TN_SORT_PATH,
    TN_SORT_NAME,
    TN_SORT_PYTHON,
    TN_SORT_FRAMEWORK,
    TN_SORT_GPU,
    TN_SORT_USED,
    TN_SORT_SIZE
};

/* One environment, in words. Texts are "" when there is nothing to say. */
struct tn_envs_row {
    size_t env; /* row of env */
    const struct tn_ready *ready;
    const char *path, *name, *kind, *python;
    const char *frameworks; /* "torch 2.5.1, jax 0.4.35" */
    const char *cuda, *cudnn;
    const char *kernels; /* Jupyter kernels that start it */
    const char *used;    /* 2026-11-30 */
    const char *size;    /* 4.2 GiB; with + where folders could not be read */
    unsigned alike;      /* further rows that are shown by this one */
};

struct tn_envs {
    struct tn_arena *mem;
    const struct tn_judge *judge; /* of the machine */
    struct tn_readiness readiness;
    struct tn_envs_row *row; /* those that are shown, in order */
    size_t n;
    size_t n_all, n_hidden, count[4]; /* of every environment, by enum tn_ready_how */
    size_t n_match;                   /* rows that match the filter */
    enum tn_lang lang;
    enum tn_envs_sort sort;
    const char *const *filter; /* words, ends with NULL */
    bool all;
    unsigned width;    /* 0: do not wrap */
    const char *about; /* which machine, when not this one */
};

void tn_envs_make(struct tn_envs *e);
void tn_envs_text(const struct tn_envs *e, struct tn_buf *ret);
void tn_envs_json(const struct tn_envs *e, struct tn_buf *ret);

/* envs_row.c: fills the texts of one row. */
void tn_envs_row_of(const struct tn_envs *e, const struct tn_judge *j, struct tn_envs_row *ret);

#endif
