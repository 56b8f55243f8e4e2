/* minimal.c - of the reasons that clash, a set in which none is idle: one after the other is left out; if there is
 * still no solution, it was idle. The last ones go first, so that what was stated first (the wish, the machine) stays.
 */
#include <string.h>

#include "solve/inner.h"

enum tn_solve_end tn_solve_minimal(struct tn_solve *s, const bool *used, uint32_t **reason, uint32_t *n)
{
    enum tn_solve_end end = TN_SOLVE_CLASH;
    bool *in = tn_arena_memdup(s->mem, used, s->n_reason * sizeof *in);
    bool *now = tn_arena_array(s->mem, s->n_reason, sizeof *now);
    for (uint32_t r = 0; r < s->n_reason; r++)
        s->off[r] = s->off[r] || !in[r];
    for (uint32_t r = s->n_reason; r-- > 0;) {
        if (s->off[r])
            continue;
        s->off[r] = true;
        memset(now, 0, s->n_reason * sizeof *now);
        enum tn_solve_end without = tn_solve_search(s, NULL, now);
        if (without == TN_SOLVE_LIMIT)
            end = TN_SOLVE_LIMIT;
        if (without != TN_SOLVE_CLASH)
            s->off[r] = false;
        for (uint32_t k = 0; without == TN_SOLVE_CLASH && k < s->n_reason; k++)
            s->off[k] = s->off[k] || !now[k]; /* not needed for this clash either */
    }
    *n = 0;
    *reason = tn_arena_array(s->mem, s->n_reason, sizeof **reason);
    for (uint32_t r = 0; r < s->n_reason; r++)
        if (!s->off[r])
            (*reason)[(*n)++] = r;
    return end;
}
