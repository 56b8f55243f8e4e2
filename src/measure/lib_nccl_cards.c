/* lib_nccl_cards.c - NCCL over all cards at once: each gets the sum of what all put in, compared with the CPU's.
 *
 * Source: nccl.h 2.0 to 2.28; NCCL User Guide, "Group Calls": one thread that serves several cards groups its calls,
 * else the first waits for ever. What does not end is found by asking each card's stream, so that it is named. words:
 * path of the library, level, path of libcuda, numbers of the cards. */
#include <string.h>

#include "base/str.h"
#include "measure/cards.h"
#include "measure/gpulib.h"
#include "os/os.h"

#define API(X)                                                                                                         \
    X(ncclCommInitAll, (void **ret, int n, const int *device))                                                         \
    X(ncclCommDestroy, (void *communicator))                                                                           \
    X(ncclGroupStart, (void))                                                                                          \
    X(ncclGroupEnd, (void))                                                                                            \
    X(ncclAllReduce, (uint64_t from, uint64_t to, size_t n, int type, int op, void *communicator, void *stream))
struct api {
    API(TN_API_MEMBER)
};
static const struct tn_api_name names[] = {API(TN_API_NAME)};

#define WHAT "allreduce-cards"
#define FLOAT32 7
#define SUM 0
#define N 10000u
#define SEED 91u
#define NOT_READY 600
#define WAIT_US 10000000u

struct sum {
    struct tn_cards cards;
    struct api a;
    void *communicator[TN_CUDA_CARDS];
    uint64_t in[TN_CUDA_CARDS], out[TN_CUDA_CARDS];
    float host[N];
};

static bool find(struct sum *s, const char *path)
{
    const char *why = "";
    void *library = tn_os_dl_open(path, &why);
    if (!library) {
        tn_tell_failed("load", "dlopen", tn_os_dl_refused() ? "refused" : "unloadable", why);
        return false;
    }
    for (unsigned i = 0; i < TN_LEN(names); i++) {
        void *f = tn_os_dl_find(library, names[i].name);
        if (!f) {
            tn_tell_failed("load", names[i].name, "missing", "");
            return false;
        }
        memcpy((char *)&s->a + names[i].at, &f, sizeof f);
    }
    return true;
}

/* Both buffers on card i: what it puts in, and room that holds NaN. */
static bool put(struct sum *s, unsigned i)
{
    const struct tn_cuda *c = &s->cards.cuda;
    tn_ref_fill(TN_FP32, SEED + i, N, s->host);
    return tn_cards_on(&s->cards, WHAT, i, -1) &&
           tn_cuda_worked(c, WHAT, "cuMemAlloc", c->cuMemAlloc_v2(&s->in[i], sizeof s->host)) &&
           tn_cuda_worked(c, WHAT, "cuMemAlloc", c->cuMemAlloc_v2(&s->out[i], sizeof s->host)) &&
           tn_cuda_worked(c, WHAT, "cuMemcpyHtoD", c->cuMemcpyHtoD_v2(s->in[i], s->host, sizeof s->host)) &&
           tn_cuda_worked(c, WHAT, "cuMemsetD8", c->cuMemsetD8_v2(s->out[i], 0xff, sizeof s->host));
}

static bool reduce(struct sum *s)
{
    bool ok = tn_lib_worked(WHAT, "ncclGroupStart", s->a.ncclGroupStart());
    for (unsigned i = 0; ok && i < s->cards.n; i++)
        ok = tn_cards_on(&s->cards, WHAT, i, -1) &&
             tn_lib_worked(WHAT, "ncclAllReduce",
                           s->a.ncclAllReduce(s->in[i], s->out[i], N, FLOAT32, SUM, s->communicator[i], NULL));
    tn_tell("on device=gpu");
    return ok && tn_lib_worked(WHAT, "ncclGroupEnd", s->a.ncclGroupEnd());
}

/* Cards whose stream does not end are told, each of them. */
static bool wait_for_all(struct sum *s)
{
    const struct tn_cuda *c = &s->cards.cuda;
    uint64_t end = tn_os_monotonic_us() + WAIT_US;
    bool ok = true;
    for (unsigned i = 0; i < s->cards.n; i++) {
        int rc = 0;
        if (!tn_cards_on(&s->cards, WHAT, i, -1))
            return false;
        if (c->cuStreamQuery)
            do
                rc = c->cuStreamQuery(NULL);
            while (rc == NOT_READY && tn_os_monotonic_us() < end);
        if (rc == NOT_READY)
            tn_tell_failed(WHAT, "cuStreamQuery", "late", "");
        ok = ok && rc != NOT_READY && tn_cuda_worked(c, WHAT, "cuStreamQuery", rc);
    }
    return ok;
}

/* n values in any order: (n - 1) roundings of partial sums, each at most the sum of all sizes. */
static bool judge(struct sum *s, unsigned i)
{
    const struct tn_cuda *c = &s->cards.cuda;
    struct tn_ref_verdict v = {.right = true};
    double factor = tn_ref_factor(TN_FP32, s->cards.n);
    if (!tn_cards_on(&s->cards, WHAT, i, -1) || !tn_cuda_worked(c, WHAT, "cuCtxSynchronize", c->cuCtxSynchronize()) ||
        !tn_cuda_worked(c, WHAT, "cuMemcpyDtoH", c->cuMemcpyDtoH_v2(s->host, s->out[i], sizeof s->host)))
        return false;
    for (uint32_t k = 0; k < N; k++) {
        long double sum = 0, size = 0;
        for (unsigned r = 0; r < s->cards.n; r++) {
            double x = tn_ref_value(TN_FP32, SEED + r, k);
            sum += (long double)x;
            size += (long double)(x < 0 ? -x : x);
        }
        tn_ref_judge(&v, (double)s->host[k], sum, factor * (double)size, k);
    }
    return tn_tell_verdict(WHAT, TN_FP32, &v, "gpu", NULL);
}

static bool leave(struct sum *s)
{
    const struct tn_cuda *c = &s->cards.cuda;
    bool ok = true;
    tn_step("release", 60000);
    for (unsigned i = 0; ok && i < s->cards.n; i++)
        ok = tn_cards_on(&s->cards, "release", i, -1) &&
             tn_lib_worked("release", "ncclCommDestroy", s->a.ncclCommDestroy(s->communicator[i])) &&
             tn_cuda_worked(c, "release", "cuMemFree", c->cuMemFree_v2(s->in[i])) &&
             tn_cuda_worked(c, "release", "cuMemFree", c->cuMemFree_v2(s->out[i]));
    return ok;
}

static bool prove(struct sum *s)
{
    bool ok = true;
    tn_step("handle", 120000);
    tn_tell("on device=gpu");
    if (!tn_lib_worked("handle", "ncclCommInitAll",
                       s->a.ncclCommInitAll(s->communicator, (int)s->cards.n, s->cards.number)))
        return false;
    tn_step(WHAT, 60000);
    for (unsigned i = 0; ok && i < s->cards.n; i++)
        ok = put(s, i);
    if (!ok || !reduce(s) || !wait_for_all(s))
        return false;
    for (unsigned i = 0; i < s->cards.n; i++)
        ok = judge(s, i) && ok;
    return leave(s) && ok;
}

static int run(const char *const *argv)
{
    static struct sum s;
    if (!argv[0] || !argv[1] || !argv[2] || !argv[3])
        return 2;
    if (!tn_cards_open(&s.cards, argv[2], argv[3]))
        return 1;
    tn_step("load", 60000);
    tn_tell("on device=gpu");
    return find(&s, argv[0]) && prove(&s) && tn_cards_close(&s.cards) ? 0 : 1;
}

TN_WORK(nccl_cards, "nccl-cards", run);
