/* driver.c - see fix.h. */
#include "plan/fix.h"

bool tn_fix_driver(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix)
{
    (void)mem, (void)s, (void)fix;
    return false;
}
