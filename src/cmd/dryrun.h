/* dryrun.h - the plan in the hands of the user's own resolver, which changes nothing. */
#ifndef TN_CMD_DRYRUN_H
#define TN_CMD_DRYRUN_H

#include "cmd/cmd.h"
#include "cmd/online.h"
#include "plan/step.h"
#include "report/plan.h"

/* uv, where it is on PATH, resolves the packages of the plan's own step (uv pip compile) for its Python and system,
 * without a cache, an environment or a source distribution; else pip (pip install --dry-run), where the files' servers
 * give ranges, so that no wheel is fetched; conda or its likes for what comes from channels. What it comes to is said
 * in ret, its refusal in its own words with the packages that it names. True: it refused. Not asked: nothing is said
 * but that. */
bool tn_dryrun(struct tn_cmd_ctx *c, const struct tn_plan *p, const struct tn_plan_steps *steps, struct tn_online *o);

#endif
