/* online.h - --online: what the user's own package index has of a plan's frameworks. */
#ifndef TN_CMD_ONLINE_H
#define TN_CMD_ONLINE_H

#include "cmd/cmd.h"
#include "plan/index.h"
#include "report/plan.h"

#define TN_ONLINE_ENV 24u

struct tn_online {
    struct tn_plan_index index;
    struct tn_report_online said;
    const char *env[TN_ONLINE_ENV]; /* NAME=VALUE for uv, so that it asks as the plan's own installer would; secret */
    unsigned n_env;
    bool of_pip;     /* whose settings they are: pip's, so that uv's own do not count */
    uint64_t end_us; /* when nothing more may be asked */
    bool refused;    /* METADATA of what is chosen speaks against the plan's own steps */
};

/* Asks the index of this machine's pip or uv, whichever the plan would use, for the packages that are chosen and what
 * they are pinned to, and reads METADATA of the chosen files, until what is chosen is there; w->index is that answer
 * then. before: what an earlier call learnt is not asked for again; NULL. Otherwise err names the hop that failed.
 * Nothing is written. */
int tn_online_ask(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, const struct tn_snap *s,
                  const struct tn_online *before, struct tn_online *ret, struct tn_err *err);
/* For the resolver: what is left of --deadline, else a minute. */
unsigned tn_online_left_ms(const struct tn_cmd_ctx *c, const struct tn_online *o);
/* Does no server of the chosen files send whole ones for a part? */
bool tn_online_has_ranges(const struct tn_online *o);

#endif
