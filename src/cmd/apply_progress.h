/* apply_progress.h - the line that says how far an installer is: on a terminal one that changes, elsewhere one in half
 * a minute, and only while something is fetched. */
#ifndef TN_CMD_APPLY_PROGRESS_H
#define TN_CMD_APPLY_PROGRESS_H

#include "apply/progress.h"
#include "cmd/cmd.h"

struct tn_apply_progress {
    struct tn_cmd_ctx *c;
    const char *stage, *what; /* where it is built; the step */
    unsigned n, all;
    uint64_t since, shown; /* microseconds, monotonic; shown 0: not yet */
    uint64_t before;       /* bytes that lay in the installer's folder when its file was announced */
    uint64_t told;         /* fetched when it was said last */
    struct tn_progress p;
};

/* A step begins. */
void tn_apply_progress_begin(struct tn_apply_progress *t, struct tn_cmd_ctx *c, const char *stage, unsigned n,
                             unsigned all, const char *what);
void tn_apply_progress_line(struct tn_apply_progress *t, const char *line, size_t n);
void tn_apply_progress_told(struct tn_apply_progress *t, const char *file, uint64_t now, uint64_t of);
void tn_apply_progress_tick(struct tn_apply_progress *t);
/* Takes the line away, before another one is written. */
void tn_apply_progress_clear(const struct tn_apply_progress *t);

#endif
