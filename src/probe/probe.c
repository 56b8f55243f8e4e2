/* probe.c - runs the probes and names their sources. */
#include "probe/probe.h"

#include <string.h>

static bool is_wanted(const struct tn_probe *p, tn_record_set records)
{
    return !records || !p->gives || (p->gives & records);
}

tn_record_set tn_probe_records(tn_record_set wanted)
{
    tn_record_set before = 0;
    if (!wanted)
        return 0;
    wanted |= TN_HAS(host);
    while (before != wanted) {
        before = wanted;
        for (unsigned i = 0; i < tn_n_probes; i++) {
            if (!tn_probes[i]->gives) /* what it reads is not known either */
                return 0;
            if (is_wanted(tn_probes[i], before))
                wanted |= tn_probes[i]->reads;
        }
    }
    return wanted;
}

/* What every machine answers, and this one no more. */
static void note_late(struct tn_world *w, struct tn_snap *s)
{
    struct tn_arena tmp;
    tn_arena_init(&tmp);
    struct tn_answer a = tn_world_sys(w, &tmp, "os");
    if (a.got == TN_FAILED)
        TN_THE(s, host)->late = tn_fact_int(tn_probe_src(s, "sys", "os", &a), 1);
    tn_arena_deinit(&tmp);
}

void tn_probe_all(struct tn_world *w, const struct tn_want *want, struct tn_snap *s)
{
    struct tn_arena tmp;
    tn_record_set records = tn_probe_records(want ? want->records : 0);
    for (unsigned phase = TN_PHASE_HOST; phase <= TN_PHASE_OWNER; phase++)
        for (unsigned i = 0; i < tn_n_probes; i++) {
            if (tn_probes[i]->phase != (enum tn_phase)phase || !is_wanted(tn_probes[i], records))
                continue;
            tn_arena_init(&tmp);
            struct tn_probe_ctx c = {w, s, &tmp, want};
            tn_probes[i]->run(&c);
            tn_arena_deinit(&tmp);
        }
    note_late(w, s);
}

uint32_t tn_probe_src(struct tn_snap *s, const char *word, const char *name, const struct tn_answer *a)
{
    return tn_snap_src_of(s, a->got, a->note, word, name);
}
