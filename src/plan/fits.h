/* fits.h - can what a file asks for run on a machine, and why not? Pure: its lines (file.h), a snapshot and the tables
 * in; data out. */
#ifndef TN_PLAN_FITS_H
#define TN_PLAN_FITS_H

#include "plan/file.h"

enum tn_fits_status { TN_FITS_YES, TN_FITS_UNKNOWN, TN_FITS_NO };

struct tn_fits_row {
    const struct tn_wish_line *line;
    enum tn_fits_status status;
    struct tn_plan_say say;
};

struct tn_fits {
    enum tn_fits_status status; /* the worst that was found */
    enum tn_file_kind kind;
    struct tn_plan_says reasons;   /* for this status */
    struct tn_plan_says notes;     /* what has to be known besides */
    struct tn_plan_says rewritten; /* names that mislead */
    struct tn_fits_row *row;       /* each line of the GPU stack */
    size_t n_row, cap_row;
    const struct tn_plan *plan; /* NULL: nothing was to be solved */
};

/* w: the wishes of the file's lines, with what the command line said. */
void tn_fits_make(struct tn_arena *mem, const struct tn_wish_file *f, const struct tn_plan_wishes *w,
                  const struct tn_snap *s, struct tn_fits *ret);
const char *tn_fits_word(enum tn_fits_status s); /* fits, unknown, does_not */

/* Adds a reason of that status; a worse one than those before takes their place. */
struct tn_plan_say *tn_fits_add(struct tn_fits *f, enum tn_fits_status status, const char *id);
struct tn_fits_row *tn_fits_add_row(struct tn_arena *mem, struct tn_fits *f, const struct tn_wish_line *line,
                                    enum tn_fits_status status, const char *id);

#endif
