/* planned.h - what the plan command and its likes share: wishes from words and pasted commands, and what a plan comes
 * to.
 */
#ifndef TN_CMD_PLANNED_H
#define TN_CMD_PLANNED_H

#include "cmd/cmd.h"
#include "command/command.h"
#include "finding/verdict.h"
#include "plan/step.h"

/* The words of the command line: requirements, or whole commands that somebody pasted; their names and repairs come
 * into ret_commands. */
int tn_planned_words(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, struct tn_commands *ret_commands,
                     struct tn_err *err);

/* plan.c: the plan of the command line's words and options for the machine that they name; deinit the machine. */
int tn_planned_ready(struct tn_cmd_ctx *c, struct tn_snap *ret_machine, struct tn_plan *ret,
                     struct tn_plan_steps *steps, struct tn_err *err);

/* planned_file.c: is the one word of the command line a plan as `tenon plan --json` writes it? ret: its text. */
bool tn_planned_is_file(const struct tn_cmd_ctx *c, struct tn_buf *ret);
/* The steps of such a text on this machine; TN_E_USAGE: with an option that would make another plan. */
int tn_planned_file(struct tn_cmd_ctx *c, struct tn_span text, struct tn_snap *ret_machine, struct tn_plan_machine *ret,
                    struct tn_plan_steps *steps, struct tn_err *err);

/* What doctor would say once the steps are done: the facts that the plan promises, put into s, judged. s is another
 * machine then. The finding that stays, NULL: none that is known. It lives in c->mem and s. */
struct tn_planned_outcome {
    enum tn_verdict_status status;
    const struct tn_finding *stays;
};
void tn_planned_simulate(struct tn_cmd_ctx *c, struct tn_snap *s, const struct tn_plan *p,
                         const struct tn_plan_steps *steps, struct tn_planned_outcome *ret);

#endif
