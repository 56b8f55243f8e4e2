/* bench_clock.c - the method of a measurement (bench_run.h): warm-up, number of runs, samples.
 *
 * Only the multiplications lie between two looks at the clock; a GPU has a clock of its own. A sample is one of them,
 * or so many that the clock's microsecond is less than a thousandth of it. */
#include <stdio.h>

#include "measure/bench_run.h"
#include "os/os.h"

#define LEAST_US 1000u /* of a sample */
#define MOST_WARMUP 40u
#define LEAST_RUNS 10u /* where the budget allows */

static double timed(const struct tn_bench_clock *c, unsigned calls, bool *ok)
{
    if (c->timed) {
        double us = c->timed(c->ctx, calls);
        *ok = us > 0;
        return us / calls;
    }
    uint64_t from = tn_os_monotonic_us();
    *ok = c->run(c->ctx, calls);
    uint64_t took = tn_os_monotonic_us() - from;
    return (double)(took ? took : 1) / calls;
}

/* A slow machine does 1e8 operations a second; a hang is found a minute behind that. */
static unsigned patience_ms(double operations)
{
    double s = operations / 1e8;
    return s < 86000 ? 60000 + (unsigned)(s * 1000) : 86400000;
}

/* By the shortest run: one that was held up would make samples too short. */
static unsigned calls_for(const double *v, unsigned n)
{
    double us = v[0];
    for (unsigned i = 1; i < n; i++)
        us = v[i] < us ? v[i] : us;
    return us >= LEAST_US ? 1 : (unsigned)(LEAST_US / us) + 1;
}

/* Runs until the time of one no longer changes, or so long that measuring has to begin. */
static bool warm_up(const struct tn_bench_clock *c, unsigned *calls)
{
    double v[MOST_WARMUP];
    unsigned n = 0;
    bool ok;
    uint64_t end = tn_os_monotonic_us() + c->budget_ms * 500ull;
    v[n++] = timed(c, 1, &ok);
    if (!ok)
        return false;
    tn_tell("first %.3f", v[0]);
    while (n < MOST_WARMUP && !tn_stat_steady(v, n, TN_BENCH_STEADY) && tn_os_monotonic_us() < end) {
        *calls = calls_for(v, n);
        v[n] = timed(c, *calls, &ok);
        if (!ok)
            return false;
        n++;
    }
    *calls = calls_for(v, n);
    tn_tell("warmup %u %d", n, tn_stat_steady(v, n, TN_BENCH_STEADY));
    tn_tell("calls %u", *calls);
    return true;
}

static bool enough(const struct tn_bench_clock *c, const double *v, size_t n, bool late)
{
    struct tn_stat s;
    if (c->runs || n == TN_STAT_MAX)
        return n >= c->runs || n == TN_STAT_MAX;
    if (n < 3 || (n < LEAST_RUNS && !late))
        return false;
    tn_stat_of(v, n, &s);
    return late || tn_stat_uncertainty(&s) <= TN_BENCH_WANTED;
}

/* What others did on these processors meanwhile. */
struct others {
    uint64_t from;
    double all, own;
    bool known;
};

static struct others begin(void)
{
    struct others o;
    o.known = tn_os_busy(&o.all, &o.own);
    o.from = tn_os_monotonic_us();
    return o;
}

static void tell_others(const struct others *o)
{
    double all, own, s = (double)(tn_os_monotonic_us() - o->from) / 1e6;
    if (!o->known || s < 0.1 || !tn_os_busy(&all, &own)) /* a tick of the system is a hundredth of a second */
        return;
    double theirs = (all - o->all - (own - o->own)) / s;
    tn_tell("others %.3f", theirs > 0 ? theirs : 0);
}

bool tn_bench_clock(const struct tn_bench_clock *c, double operations)
{
    static double v[TN_STAT_MAX];
    size_t got = 0;
    unsigned calls = 1;
    bool ok;
    tn_step("warm-up", patience_ms(operations) * 2);
    if (!warm_up(c, &calls))
        return false;
    struct others others = begin();
    uint64_t end = others.from + c->budget_ms * 1000ull;
    do {
        tn_step(c->step, patience_ms(operations));
        v[got] = timed(c, calls, &ok);
        if (!ok)
            return false;
        tn_tell("sample %.3f", v[got++]);
    } while (!enough(c, v, got, tn_os_monotonic_us() >= end));
    if (!c->timed) /* what others do on the processors is nothing to a card */
        tell_others(&others);
    return true;
}
