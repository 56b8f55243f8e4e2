/* clean_do.h - what may go is moved aside, as one transaction that `undo` takes back. */
#ifndef TN_CMD_CLEAN_DO_H
#define TN_CMD_CLEAN_DO_H

#include "cmd/cmd.h"
#include "report/clean.h"

/* 0, or the exit status: all is said then, and everything is as it was. ret->n 0: there was nothing to move. */
int tn_clean_do(struct tn_cmd_ctx *c, const struct tn_clean_report *r, struct tn_clean_done *ret);

#endif
