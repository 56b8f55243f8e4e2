/* why.h - what a framework, a program or a library would load, and why not another file: for people, programs,
 * pictures.
 *
 * Pure: processes that were run over a snapshot (loader/asks_run.h) in, text out. */
#ifndef TN_REPORT_WHY_H
#define TN_REPORT_WHY_H

#include "finding/catalogue.h"
#include "loader/asks_run.h"

#define TN_MAX_WHY 8u

struct tn_why_asker {
    const char *name;             /* "tensorflow 2.21.0", "/usr/bin/x" */
    const char *framework;        /* "tensorflow"; NULL: none */
    const struct tn_loads *loads; /* what it would load */
};

struct tn_why {
    struct tn_arena *mem;
    enum tn_lang lang;
    unsigned width; /* columns; 0: do not wrap */
    bool verbose;   /* every folder, also those that are not there */
    const struct tn_snap *s;
    const struct tn_rec_env *env;
    const char *lib; /* NULL: everything */
    struct tn_why_asker v[TN_MAX_WHY];
    unsigned n;
};

/* The row of an asker that lib means: its name, or without the version ("libcudnn", "libcudnn.so"). NULL: it does not
 * ask for it. */
const struct tn_load *tn_why_row(const struct tn_why *w, const struct tn_why_asker *a);
/* Found: all that must be loaded is; missing: something is not; unknown: that is not known. */
enum tn_outcome tn_why_outcome(const struct tn_why *w);

void tn_why_text(const struct tn_why *w, struct tn_buf *ret);
void tn_why_json(const struct tn_why *w, struct tn_buf *ret);
/* The language of Graphviz. */
void tn_why_dot(const struct tn_why *w, struct tn_buf *ret);

/* Of a file: its row of library, or NULL. Copies of a name that the judged environment could have had: the next at or
 * after *row that is neither the row's file nor hidden by it; NULL at the end. */
const struct tn_rec_library *tn_why_file(const struct tn_why *w, const char *path);
const struct tn_rec_library *tn_why_library(const struct tn_why *w, const struct tn_load *v);
const struct tn_rec_library *tn_why_elsewhere(const struct tn_why *w, const struct tn_load *v, size_t *row);
/* "nvidia-cudnn-cu12 9.28.0.42"; NULL: not known. */
const char *tn_why_owner(const struct tn_rec_library *l);

#endif
