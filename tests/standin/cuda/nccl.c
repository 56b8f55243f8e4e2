/* nccl.c - libnccl for tests, all cards of one process: standin.h. Fault stuck: the sum never ends on that card. */
#include "standin.h"

#define LAYER "nccl"
AT_LOAD(LAYER)

int ncclGetVersion(int *ret)
{
    *ret = 22005;
    return 0;
}
int ncclCommInitAll(void **ret, int n, const int *device)
{
    standin_trouble(LAYER);
    for (int i = 0; i < n; i++) {
        if (device[i] < 0 || device[i] >= standin_cards())
            return 4;
        if (standin_fault_on(LAYER, "status", device[i]))
            return 2;
        standin_make(&ret[i], 1);
        ((struct standin_handle *)ret[i])->v[0] = device[i];
        ((struct standin_handle *)ret[i])->v[1] = n;
    }
    return 0;
}
int ncclCommDestroy(void *c)
{
    return standin_destroy(c, 1, 4);
}

#define MAX_RANKS 64
static struct rank {
    uint64_t from, to;
    size_t n;
    int card;
} rank[MAX_RANKS];
static int n_rank, depth;
static long n_wanted;

static const float *on(int card, uint64_t at, size_t n)
{
    int was = standin_card();
    standin_on_card(card);
    bool is = standin_is_device(at, n * 4);
    standin_on_card(was);
    return is ? (const float *)(uintptr_t)at : NULL;
}

/* All ranks are there: each gets the sum of all. */
static int together(void)
{
    for (int r = 0; r < n_rank; r++) {
        float *to = (float *)(uintptr_t)on(rank[r].card, rank[r].to, rank[r].n);
        if (standin_fault_on(LAYER, "late", rank[r].card))
            standin_late(719);
        bool sum = n_rank > 1; /* faults of a sum over several cards alone */
        if (sum && standin_fault_on(LAYER, "stuck", rank[r].card))
            standin_stuck(rank[r].card);
        if (!to || (standin_fault_on(LAYER, "nothing", rank[r].card) ||
                    (sum && standin_fault_on(LAYER, "sum-nothing", rank[r].card))))
            continue;
        for (size_t i = 0; i < rank[r].n; i++) {
            to[i] = 0;
            for (int k = 0; k < n_rank; k++)
                to[i] += on(rank[k].card, rank[k].from, rank[k].n)[i];
        }
        if ((standin_fault_on(LAYER, "nan", rank[r].card) || (sum && standin_fault_on(LAYER, "sum-nan", rank[r].card))))
            to[rank[r].n / 2] = NAN;
        if ((standin_fault_on(LAYER, "wrong", rank[r].card) ||
             (sum && standin_fault_on(LAYER, "sum-wrong", rank[r].card))))
            to[rank[r].n - 1] += 0.01f;
    }
    n_rank = 0;
    return 0;
}

int ncclGroupStart(void)
{
    depth++;
    return 0;
}
/* A rank alone waits for ever for the others. */
int ncclGroupEnd(void)
{
    if (--depth)
        return depth < 0 ? 5 : 0;
    while (n_rank != n_wanted)
        pause();
    return together();
}
int ncclAllReduce(uint64_t from, uint64_t to, size_t n, int type, int op, void *c, void *stream)
{
    (void)stream;
    if (!standin_is(c, 1) || type != 7 || op || n_rank == MAX_RANKS)
        return 4;
    const long *v = ((struct standin_handle *)c)->v;
    if (standin_card() != v[0] || !on((int)v[0], from, n) || !on((int)v[0], to, n))
        return 4;
    n_wanted = v[1];
    rank[n_rank++] = (struct rank){from, to, n, (int)v[0]};
    while (!depth && n_wanted > 1)
        pause();
    return depth ? 0 : together();
}
