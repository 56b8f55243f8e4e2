/* step_json.h - a step, and the machine that a plan is for, as data for `tenon apply`. */
#ifndef TN_PLAN_STEP_JSON_H
#define TN_PLAN_STEP_JSON_H

#include <jansson.h>

#include "plan/step.h"

/* Words of a file; -1: there is none such. */
int tn_plan_step_kind_of(const char *word);
int tn_plan_step_tool_of(const char *word);
/* {"kind", "tool", "env", "python", "packages" ...}; what is empty is left out. */
json_t *tn_plan_step_json(const struct tn_plan_step *s);
/* What a plan rests on: {"os", "arch", "glibc", "driver", "cards"}. */
json_t *tn_plan_machine_json(const struct tn_plan_machine *m);

#endif
