/* memory.c - see memory.h. */
#include "check/memory.h"

#include <string.h>

bool tn_look_card_memory(const struct tn_judge *j, size_t card, struct tn_card_memory *ret)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_gpu *g = &s->gpu.v[card];
    int64_t most = 0;
    memset(ret, 0, sizeof *ret);
    ret->holder = s->process.n;
    if (!tn_known(g->bus) || g->free_bytes.k != TN_KNOWN || s->process.listed != TN_KNOWN)
        return false;
    for (size_t i = 0; i < s->process.n; i++) {
        const struct tn_rec_process *p = &s->process.v[i];
        if (!tn_says(p->gpu, g->bus.v) || p->memory_bytes.k != TN_KNOWN || p->memory_bytes.v <= 0)
            continue;
        ret->n++;
        if (p->memory_bytes.v > INT64_MAX - ret->held)
            return false;
        ret->held += p->memory_bytes.v;
        if (p->memory_bytes.v > most) {
            most = p->memory_bytes.v;
            ret->holder = i;
        }
    }
    ret->crowded = ret->held > g->free_bytes.v;
    return true;
}

size_t tn_look_free_card(const struct tn_judge *j, size_t besides)
{
    const struct tn_snap *s = j->s;
    size_t row = 0, best = s->gpu.n;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        struct tn_card_memory m;
        if (row - 1 == besides || g->cuda_index.k != TN_KNOWN || !tn_look_card_memory(j, row - 1, &m) || m.crowded)
            continue;
        if (best == s->gpu.n || g->free_bytes.v > s->gpu.v[best].free_bytes.v)
            best = row - 1;
    }
    return best;
}
