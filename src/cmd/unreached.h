/* unreached.h - why an installer fetched nothing, in tenon's own words. */
#ifndef TN_CMD_UNREACHED_H
#define TN_CMD_UNREACHED_H

#include "base/span.h"
#include "cmd/cmd.h"

/* Says on standard error which proxy, or that no name could be resolved, where an installer's words tell so; else
 * nothing. Passwords of a proxy are not shown. */
void tn_unreached_say(struct tn_cmd_ctx *c, struct tn_span said);

#endif
