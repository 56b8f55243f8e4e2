/* peers.c - from each card to each other: may it reach the other's memory, and does a copy come out right?
 *
 * No access is a fact, not a failure: copies then go through the host, and must be right as well. An IOMMU or PCI
 * access control in the way makes a driver promise access that loses or changes data: that is what the compared copy
 * shows. Source: CUDA Driver API, "Peer Context Memory Access"; cuMemcpyPeer. words: path of libcuda, numbers of the
 * cards. */
#include <stdlib.h>
#include <string.h>

#include "measure/cards.h"
#include "measure/worker.h"

#define COPY "peer-copy"
#define WORDS (1u << 20)
#define ALREADY_ENABLED 704

struct peers {
    struct tn_cards cards;
    uint64_t at[TN_CUDA_CARDS];
    uint32_t *host;
};

/* No two cards hold the same. */
static uint32_t word_of(uint32_t i, unsigned card)
{
    uint32_t h = i * 2654435761u + (card + 1) * 40503u;
    return h ^ h >> 15;
}

/* The row of a pair: card `from` into card `to`, whose memory is read back. */
static bool compare(struct peers *p, unsigned from)
{
    size_t wrong = 0, first = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        if (p->host[i] != word_of(i, from) && wrong++ == 0)
            first = i;
    tn_tell("result what=" COPY " device=gpu status=%s wrong=%llu first=%llu text=", wrong ? "fail" : "pass",
            (unsigned long long)wrong, (unsigned long long)first);
    return wrong == 0;
}

static bool fill(struct peers *p, unsigned i, unsigned card)
{
    for (uint32_t k = 0; k < WORDS; k++)
        p->host[k] = word_of(k, card);
    return tn_cards_on(&p->cards, COPY, i, -1) &&
           tn_cuda_worked(&p->cards.cuda, COPY, "cuMemcpyHtoD",
                          p->cards.cuda.cuMemcpyHtoD_v2(p->at[i], p->host, WORDS * 4));
}

/* Lets card `from` reach card `to` where it can. */
static bool enable(struct peers *p, unsigned from, unsigned to)
{
    const struct tn_cuda *c = &p->cards.cuda;
    int can = 0;
    if (!tn_cuda_worked(c, "peer", "cuDeviceCanAccessPeer",
                        c->cuDeviceCanAccessPeer(&can, p->cards.device[from], p->cards.device[to])))
        return false;
    if (!can) {
        tn_tell("skipped what=peer device=gpu why=no-peer-access");
        return true;
    }
    int rc = c->cuCtxEnablePeerAccess(p->cards.context[to], 0);
    if (!tn_cuda_worked(c, "peer", "cuCtxEnablePeerAccess", rc == ALREADY_ENABLED ? 0 : rc))
        return false;
    tn_tell("result what=peer device=gpu status=pass text=");
    return true;
}

/* false: a call failed, and was told; a copy that came out wrong is told, and the next pair is tried. */
static bool pair(struct peers *p, unsigned from, unsigned to, bool *ret_right)
{
    const struct tn_cuda *c = &p->cards.cuda;
    tn_step("peer", 30000);
    if (!fill(p, from, from) || !fill(p, to, to + TN_CUDA_CARDS) || !tn_cards_on(&p->cards, "peer", from, (int)to) ||
        !enable(p, from, to) || !tn_cards_on(&p->cards, COPY, to, (int)from))
        return false;
    tn_step(COPY, 30000);
    if (!tn_cuda_worked(
            c, COPY, "cuMemcpyPeer",
            c->cuMemcpyPeer(p->at[to], p->cards.context[to], p->at[from], p->cards.context[from], WORDS * 4)) ||
        !tn_cuda_worked(c, COPY, "cuCtxSynchronize", c->cuCtxSynchronize()) ||
        !tn_cuda_worked(c, COPY, "cuMemcpyDtoH", c->cuMemcpyDtoH_v2(p->host, p->at[to], WORDS * 4)))
        return false;
    *ret_right = compare(p, from) && *ret_right;
    return true;
}

static bool all_pairs(struct peers *p)
{
    bool right = true;
    for (unsigned i = 0; i < p->cards.n; i++)
        if (!tn_cards_on(&p->cards, COPY, i, -1) ||
            !tn_cuda_worked(&p->cards.cuda, COPY, "cuMemAlloc", p->cards.cuda.cuMemAlloc_v2(&p->at[i], WORDS * 4)))
            return false;
    for (unsigned from = 0; from < p->cards.n; from++)
        for (unsigned to = 0; to < p->cards.n; to++)
            if (from != to && !pair(p, from, to, &right))
                return false;
    for (unsigned i = 0; i < p->cards.n; i++)
        if (!tn_cards_on(&p->cards, "release", i, -1) ||
            !tn_cuda_worked(&p->cards.cuda, "release", "cuMemFree", p->cards.cuda.cuMemFree_v2(p->at[i])))
            return false;
    return right;
}

static int run(const char *const *argv)
{
    static struct peers p;
    if (!argv[0] || !argv[1])
        return 2;
    if (!tn_cards_open(&p.cards, argv[0], argv[1]))
        return 1;
    if (!p.cards.cuda.cuDeviceCanAccessPeer || !p.cards.cuda.cuCtxEnablePeerAccess || !p.cards.cuda.cuMemcpyPeer) {
        tn_tell_failed("peer", "cuMemcpyPeer", "missing", "");
        return 1;
    }
    p.host = malloc(WORDS * 4);
    if (!p.host) {
        tn_tell_failed(COPY, "malloc", "no-memory", "");
        return 1;
    }
    bool ok = all_pairs(&p);
    free(p.host);
    return ok && tn_cards_close(&p.cards) ? 0 : 1; /* what failed leaves its memory to the end of the process */
}

TN_WORK(peers, "peers", run);
