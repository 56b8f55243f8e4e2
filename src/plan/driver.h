/* driver.h - what the files of work on the driver share. Private to plan/. */
#ifndef TN_PLAN_DRIVER_H
#define TN_PLAN_DRIVER_H

#include "plan/fix.h"

/* driver_ways.c: ways beside the distribution's own packages. False: none that is known to serve. */
bool tn_fix_nvidia_repository(struct tn_arena *mem, const struct tn_snap *s, const struct tn_plan_machine *m,
                              const struct tn_fix_driver_want *want, struct tn_remedy *ret);
bool tn_fix_runfile(struct tn_arena *mem, const struct tn_snap *s, const struct tn_plan_machine *m,
                    const struct tn_fix_driver_want *want, struct tn_remedy *ret);

/* driver_users.c: notes on what else of this machine rests on the driver of now. */
void tn_fix_driver_users(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix);

#endif
