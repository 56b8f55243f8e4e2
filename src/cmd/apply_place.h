/* apply_place.h - apply's other form: archives placed into a folder. */
#ifndef TN_CMD_APPLY_PLACE_H
#define TN_CMD_APPLY_PLACE_H

#include "cmd/cmd.h"

/* Does the command line name archives ("cudnn:FILE")? */
bool tn_apply_is_place(const struct tn_cmd_ctx *c);
int tn_apply_place(struct tn_cmd_ctx *c);

#endif
