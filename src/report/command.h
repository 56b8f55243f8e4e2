/* command.h - commands of a text that were put right, for people and for programs. */
#ifndef TN_REPORT_COMMAND_H
#define TN_REPORT_COMMAND_H

#include <jansson.h>

#include "command/command.h"
#include "report/report.h"

/* Is there something to say of it? Something that is no damage is only said where the text is nothing but commands. */
bool tn_report_command_speaks(const struct tn_commands *all, const struct tn_command *c);
/* How many do; *ret_refused: one of them must not be typed. */
unsigned tn_report_commands_count(const struct tn_commands *all, bool *ret_refused);

void tn_report_commands(const struct tn_report *r, const struct tn_commands *all, struct tn_buf *b);
/* commands [{line, given, right, damaged, refused, repairs [{id, was, now, because, summary}], parts [...]}] */
json_t *tn_report_commands_json(const struct tn_commands *all, enum tn_lang lang);

#endif
