/* applying.h - a plan that was agreed to, while it is done: its steps in a stage, what is seen of them, and its end. */
#ifndef TN_CMD_APPLYING_H
#define TN_CMD_APPLYING_H

#include "apply/do.h"
#include "cmd/apply_progress.h"
#include "cmd/cmd.h"
#include "cmd/planned.h"

struct tn_applying {
    struct tn_cmd_ctx *c;
    struct tn_plan_steps steps;
    struct tn_plan *plan; /* NULL: out of a file */
    struct tn_planned_outcome outcome;
    const char *goal;
    struct tn_apply a;
    unsigned n, all; /* the step that runs, and how many there are */
    const char *what;
    struct tn_apply_progress at;
    struct tn_buf said;     /* what is printed at the end */
    struct tn_state *state; /* taken already: a bundle was unpacked */
};

/* What a step does, in the user's language. */
const char *tn_applying_step_says(struct tn_cmd_ctx *c, const struct tn_plan_step *s);
/* All of it as one change of the state; says what came of it. The exit status. */
int tn_applying(struct tn_applying *d, struct tn_state *s);

#endif
