/* bench_memory.c - how fast main memory is read, written and copied (bench_peak.h). */
#include <stdlib.h>
#include <string.h>

#include "measure/bench_peak.h"
#include "os/os.h"

#define TRIES 5u

struct arrays {
    unsigned char *a, *b;
    size_t bytes; /* of each thread's part */
    enum { READ, WRITE, COPY } what;
    volatile uint64_t sum; /* so that reading cannot be left out */
};

static uint64_t sum_of(const unsigned char *p, size_t n)
{
    uint64_t s[4] = {0}, v[4];
    for (size_t i = 0; i + sizeof v <= n; i += sizeof v) {
        memcpy(v, p + i, sizeof v);
        for (unsigned k = 0; k < 4; k++)
            s[k] += v[k];
    }
    return s[0] + s[1] + s[2] + s[3];
}

static void one(void *ctx, unsigned i)
{
    struct arrays *m = ctx;
    unsigned char *a = m->a + i * m->bytes, *b = m->b + i * m->bytes;
    if (m->what == READ)
        m->sum = sum_of(a, m->bytes);
    else if (m->what == WRITE)
        memset(b, (int)i + 1, m->bytes);
    else
        memcpy(b, a, m->bytes);
}

/* Real pages, none of zeros that share one, each near the processor that will work on it. */
static void touch(void *ctx, unsigned i)
{
    struct arrays *m = ctx;
    memset(m->a + i * m->bytes, 1, m->bytes);
    memset(m->b + i * m->bytes, 2, m->bytes);
}

/* 1e9 bytes a second. */
static double best_of(struct arrays *m, unsigned threads)
{
    double best = 0;
    for (unsigned n = 0; n < TRIES; n++) {
        uint64_t from = tn_os_monotonic_us();
        tn_os_parallel(threads, one, m);
        uint64_t us = tn_os_monotonic_us() - from;
        double moved = (double)m->bytes * threads * (m->what == COPY ? 2 : 1), rate = us ? moved / (double)us / 1e3 : 0;
        best = rate > best ? rate : best;
    }
    return best;
}

bool tn_bench_memory(uint64_t bytes, unsigned threads, struct tn_bench_memory *ret)
{
    struct arrays m = {.bytes = (size_t)(bytes / threads / 64 * 64)};
    m.a = malloc(m.bytes * threads);
    m.b = malloc(m.bytes * threads);
    if (m.a && m.b) {
        tn_os_parallel(threads, touch, &m);
        ret->bytes = m.bytes * threads;
        m.what = READ;
        ret->read = best_of(&m, threads);
        m.what = WRITE;
        ret->write = best_of(&m, threads);
        m.what = COPY;
        ret->copy = best_of(&m, threads);
    }
    bool ok = m.a && m.b;
    free(m.a);
    free(m.b);
    return ok;
}
