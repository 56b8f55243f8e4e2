/* wishes.h - files of wishes for `plan -r` and `fits`: read from disk, decoded, with those that they name. */
#ifndef TN_CMD_WISHES_H
#define TN_CMD_WISHES_H

#include "cmd/cmd.h"
#include "plan/file.h"

/* The bytes as UTF-8, at most TN_MAX_TEXT_FILE of them; name "-": standard input. */
int tn_cmd_wish_text(struct tn_cmd_ctx *c, const char *name, struct tn_span *ret, struct tn_err *err);
/* What reads files for a machine; python: "" if not known. */
void tn_cmd_wish_reader(struct tn_cmd_ctx *c, const char *name, const struct tn_snap *s, const char *python,
                        struct tn_wish_reader *ret);
/* The files of -r into w; nothing without -r. A line that is no requirement is named, and wrong use. */
int tn_cmd_required(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_plan_wishes *w, struct tn_err *err);

#endif
