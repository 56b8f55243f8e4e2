/* wishes.h - files of wishes for `plan -r` and `fits`: read from disk, decoded, with those that they name. */
#ifndef TN_CMD_WISHES_H
#define TN_CMD_WISHES_H

#include "cmd/cmd.h"
#include "plan/file.h"

/* The bytes as UTF-8, at most TN_MAX_TEXT_FILE of them; name "-": standard input. */
int tn_cmd_wish_text(struct tn_cmd_ctx *c, const char *name, struct tn_span *ret, struct tn_err *err);
/* What reads files for a machine and this Python; "": for its newest one; NULL: for none that is known. */
void tn_cmd_wish_reader(struct tn_cmd_ctx *c, const char *name, const struct tn_snap *s, const char *python,
                        struct tn_wish_reader *ret);
/* The files of -r into w; nothing without -r. A line that is no requirement is named, and wrong use; so is a file that
 * another one names and that cannot be read. What else of a file is not read is said among w's sentences. Where lines
 * hold for some Pythons only, one is chosen for which the others can be had: the best there is, or the first tried. */
int tn_cmd_required(struct tn_cmd_ctx *c, const struct tn_snap *s, struct tn_plan_wishes *w, struct tn_err *err);

#endif
