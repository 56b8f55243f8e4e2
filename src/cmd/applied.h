/* applied.h - what apply, undo, history, recover and clean share: tenon's state, and what is said of it. */
#ifndef TN_CMD_APPLIED_H
#define TN_CMD_APPLIED_H

#include <stdarg.h>

#include "apply/tx.h"
#include "cmd/cmd.h"

/* The state, taken; what an interruption has left is put right, and said. Not 0: that is the exit status, all is said.
 */
int tn_applied_open(struct tn_cmd_ctx *c, struct tn_state **ret);
/* The state, to be looked at. 0 with *ret NULL: there is none yet. */
int tn_applied_look(struct tn_cmd_ctx *c, struct tn_state **ret);
/* An interface string with {key}s, as a line of a message ("tenon: ...") or into a buffer. key, value, ..., NULL. */
void tn_applied_tell(const struct tn_cmd_ctx *c, const char *id, ...);
void tn_applied_add(const struct tn_cmd_ctx *c, struct tn_buf *b, const char *id, ...);
/* Why a change was not made; the exit status. */
int tn_applied_fail(const struct tn_cmd_ctx *c, const struct tn_err *err);
/* May it be done? --yes, or the answer to a question on the terminal. False: it was said why not, *ret_status. */
bool tn_applied_agreed(struct tn_cmd_ctx *c, const char *question, int *ret_status);
/* The last lines that a program said before it failed, and what they mean where that is known. */
void tn_applied_tail(struct tn_cmd_ctx *c, const struct tn_buf *tail);
/* "2026-12-02 19:40", UTC. */
const char *tn_applied_time(struct tn_arena *mem, int64_t t);

#endif
