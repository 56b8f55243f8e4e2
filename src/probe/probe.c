/* probe.c - runs the probes and names their sources. */
#include "probe/probe.h"

#include <string.h>

void tn_probe_all(struct tn_world *w, const struct tn_want *want, struct tn_snap *s)
{
    struct tn_arena tmp;
    for (unsigned phase = TN_PHASE_HOST; phase <= TN_PHASE_LIBRARY; phase++)
        for (unsigned i = 0; i < tn_n_probes; i++) {
            if (tn_probes[i]->phase != (enum tn_phase)phase)
                continue;
            tn_arena_init(&tmp);
            struct tn_probe_ctx c = {w, s, &tmp, want};
            tn_probes[i]->run(&c);
            tn_arena_deinit(&tmp);
        }
}

uint32_t tn_probe_src(struct tn_snap *s, const char *word, const char *name, const struct tn_answer *a)
{
    return tn_snap_src_of(s, a->got, a->note, word, name);
}
