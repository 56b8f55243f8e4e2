/* requires.c - bounds on Python packages that a release of a framework needs (facts/pins.h). */
#include "base/str.h"
#include "facts/pins.h"
#include "plan/inner.h"

bool tn_plan_bound_next(const struct tn_plan_build *b, uint32_t *at, struct tn_plan_bound *ret)
{
    struct tn_facts_pin pin;
    do
        if (!tn_facts_pin_next(tn_plan_kind_word(b->kind), b->version, at, &pin))
            return false;
    while (tn_str_eq(pin.breaks, "nothing")); /* a bound that only metadata draws: pip keeps it by itself */
    *ret = (struct tn_plan_bound){pin.needs, pin.spec, false, pin.breaks, pin.cite};
    return true;
}
