/* fix.h - plan --fix. */
#ifndef TN_CMD_FIX_H
#define TN_CMD_FIX_H

#include "cmd/cmd.h"

int tn_cmd_fix(struct tn_cmd_ctx *c);
/* The words of the command line that chose machine and environment, ends with NULL (doctor.c). */
const char *const *tn_cmd_again(const struct tn_cmd_ctx *c);

#endif
