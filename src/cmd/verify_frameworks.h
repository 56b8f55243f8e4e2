/* verify_frameworks.h - the frameworks of the judged environment, and how each can be made to compute. */
#ifndef TN_CMD_VERIFY_FRAMEWORKS_H
#define TN_CMD_VERIFY_FRAMEWORKS_H

#include "cmd/cmd.h"
#include "finding/verdict.h"
#include "measure/verify.h"

#define TN_VERIFY_FRAMEWORKS 8
/* j->env is there. Returns how many. */
unsigned tn_verify_frameworks(struct tn_cmd_ctx *c, const struct tn_judge *j,
                              struct tn_verify_framework ret[TN_VERIFY_FRAMEWORKS]);

#endif
