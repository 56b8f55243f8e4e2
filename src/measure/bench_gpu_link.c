/* bench_gpu_link.c - what lies between a program and its card: the time of a launch, the speed of copies. */
#include <stdlib.h>
#include <string.h>

#include "measure/bench_gpu.h"
#include "os/os.h"

#define LAUNCHES 1000u
#define TRIES 5u
#define COPY_BYTES (64u << 20)

struct launching {
    const struct tn_bench_gpu *g;
    void *function;
    uint64_t at;
};

/* One block that writes nothing: n is 0. */
static bool launch(const struct launching *l, unsigned count)
{
    unsigned n = 0, seed = 0;
    uint64_t at = l->at;
    void *parameter[] = {&at, &n, &seed};
    for (unsigned i = 0; i < count; i++)
        if (!tn_bench_gpu_worked(l->g, "cuLaunchKernel",
                                 l->g->cuda.cuLaunchKernel(l->function, 1, 1, 1, 32, 1, 1, 0, NULL, parameter, NULL)))
            return false;
    return tn_bench_gpu_worked(l->g, "cuCtxSynchronize", l->g->cuda.cuCtxSynchronize());
}

/* Microseconds of one of so many launches that are waited for together; the best of several. */
static double best_launch(const struct launching *l, unsigned count)
{
    double best = 0;
    for (unsigned i = 0; i <= TRIES; i++) {
        uint64_t from = tn_os_monotonic_us();
        for (unsigned k = 0; k < LAUNCHES; k += count)
            if (!launch(l, count))
                return 0;
        double us = (double)(tn_os_monotonic_us() - from + 1) / LAUNCHES;
        best = best == 0 || us < best ? us : best;
    }
    return best;
}

bool tn_bench_gpu_launch(const struct tn_bench_gpu *g, void *function)
{
    struct launching l = {.g = g, .function = function};
    tn_step("launch", 20000);
    if (!tn_bench_gpu_worked(g, "cuMemAlloc", g->cuda.cuMemAlloc_v2(&l.at, 4096)))
        return false;
    double together = best_launch(&l, LAUNCHES), alone = together > 0 ? best_launch(&l, 1) : 0;
    if (alone > 0)
        tn_tell("launch %.3f %.3f", together, alone);
    return tn_bench_gpu_worked(g, "cuMemFree", g->cuda.cuMemFree_v2(l.at)) && alone > 0;
}

struct copying {
    const struct tn_bench_gpu *g;
    void *host;
    uint64_t a, b;
    size_t bytes;
};

static bool up(void *ctx)
{
    const struct copying *c = ctx;
    return tn_bench_gpu_worked(c->g, "cuMemcpyHtoD", c->g->cuda.cuMemcpyHtoD_v2(c->a, c->host, c->bytes));
}

static bool down(void *ctx)
{
    const struct copying *c = ctx;
    return tn_bench_gpu_worked(c->g, "cuMemcpyDtoH", c->g->cuda.cuMemcpyDtoH_v2(c->host, c->a, c->bytes));
}

static bool inside(void *ctx)
{
    const struct copying *c = ctx;
    return tn_bench_gpu_worked(c->g, "cuMemcpyDtoD", c->g->cuMemcpyDtoD_v2(c->b, c->a, c->bytes));
}

/* 1e9 bytes a second, the best of several; 0: failed. */
static double rate(struct copying *c, bool (*work)(void *ctx), double moved)
{
    double best = 0;
    for (unsigned i = 0; i <= TRIES; i++) {
        double us = tn_bench_gpu_timed(c->g, work, c, 1);
        if (us <= 0)
            return 0;
        best = moved / us / 1e3 > best ? moved / us / 1e3 : best;
    }
    return best;
}

/* Both ways, from memory of one kind. */
static bool both(struct copying *c, void *host, double ret[2])
{
    c->host = host;
    memset(host, 1, c->bytes);
    ret[0] = rate(c, up, (double)c->bytes);
    ret[1] = ret[0] > 0 ? rate(c, down, (double)c->bytes) : 0;
    return ret[1] > 0;
}

static bool all_copies(struct copying *c)
{
    double pinned[2], pageable[2], device = 0;
    void *locked = NULL, *plain = malloc(c->bytes);
    if (!plain) {
        tn_tell("! memory %llu", (unsigned long long)c->bytes);
        return false;
    }
    bool ok = both(c, plain, pageable);
    free(plain);
    if (!ok || !tn_bench_gpu_worked(c->g, "cuMemHostAlloc", c->g->cuMemHostAlloc(&locked, c->bytes, 0)))
        return false;
    ok = both(c, locked, pinned);
    ok = ok && (device = rate(c, inside, 2.0 * (double)c->bytes)) > 0; /* read and written */
    ok = tn_bench_gpu_worked(c->g, "cuMemFreeHost", c->g->cuMemFreeHost(locked)) && ok;
    if (ok)
        tn_tell("link %.3f %.3f %.3f %.3f %.3f", pinned[0], pinned[1], pageable[0], pageable[1], device);
    return ok;
}

bool tn_bench_gpu_link(const struct tn_bench_gpu *g)
{
    struct copying c = {.g = g, .bytes = COPY_BYTES};
    size_t available = 0, total = 0;
    tn_step("copy", 60000);
    if (!tn_bench_gpu_worked(g, "cuMemGetInfo", g->cuda.cuMemGetInfo_v2(&available, &total)))
        return false;
    while (c.bytes > available / 4 && c.bytes > 1u << 20)
        c.bytes /= 2;
    if (!tn_bench_gpu_worked(g, "cuMemAlloc", g->cuda.cuMemAlloc_v2(&c.a, c.bytes)))
        return false;
    bool ok = tn_bench_gpu_worked(g, "cuMemAlloc", g->cuda.cuMemAlloc_v2(&c.b, c.bytes));
    if (ok) {
        ok = all_copies(&c);
        ok = tn_bench_gpu_worked(g, "cuMemFree", g->cuda.cuMemFree_v2(c.b)) && ok;
    }
    return tn_bench_gpu_worked(g, "cuMemFree", g->cuda.cuMemFree_v2(c.a)) && ok;
}
