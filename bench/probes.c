/* probes.c - what each probe costs on this machine: milliseconds (the median of several runs), questions that it asks
 * and bytes that it is given. probes.sh builds and runs it. usage: bench-probes [RUNS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os/os.h"
#include "probe/probe.h"

#define MAX_PROBES 128
#define MAX_RUNS 101

struct counter {
    struct tn_world w;
    struct tn_world *over;
    unsigned questions;
    unsigned long long bytes;
};

static void answer(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct counter *c = (struct counter *)w;
    *ret = tn_world_ask(c->over, mem, q);
    c->questions++;
    c->bytes += ret->data.n;
}

static void close_it(struct tn_world *w)
{
    tn_world_close(((struct counter *)w)->over);
}

static const struct tn_world_ops ops = {"counter", answer, close_it};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double ms[MAX_PROBES][MAX_RUNS];
    static unsigned questions[MAX_PROBES];
    static unsigned long long bytes[MAX_PROBES];
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 11;
    struct tn_want want = {.no_owners = true};
    struct tn_err err;
    runs = runs < 1 ? 1 : runs > MAX_RUNS ? MAX_RUNS : runs;
    tn_os_start();
    for (unsigned r = 0; r < runs; r++) {
        struct counter c = {.w = {.ops = &ops}};
        struct tn_snap s;
        if (tn_world_live(&c.over, &err))
            return 2;
        c.w.style = c.over->style;
        c.w.os = c.over->os;
        tn_snap_init(&s);
        for (unsigned phase = 0; phase <= TN_PHASE_LIBRARY; phase++)
            for (unsigned i = 0; i < tn_n_probes && i < MAX_PROBES; i++) {
                struct tn_arena tmp;
                if (tn_probes[i]->phase != (enum tn_phase)phase)
                    continue;
                c.questions = 0;
                c.bytes = 0;
                tn_arena_init(&tmp);
                struct tn_probe_ctx ctx = {&c.w, &s, &tmp, &want};
                double from = now();
                tn_probes[i]->run(&ctx);
                ms[i][r] = now() - from;
                tn_arena_deinit(&tmp);
                questions[i] = c.questions;
                bytes[i] = c.bytes;
            }
        tn_snap_deinit(&s);
        tn_world_close(&c.w);
    }
    printf("%-14s %9s %10s %12s\n", "probe", "ms", "questions", "bytes read");
    double all = 0;
    for (unsigned phase = 0; phase <= TN_PHASE_LIBRARY; phase++)
        for (unsigned i = 0; i < tn_n_probes && i < MAX_PROBES; i++)
            if (tn_probes[i]->phase == (enum tn_phase)phase) {
                qsort(ms[i], runs, sizeof ms[i][0], by_value);
                all += ms[i][runs / 2];
                printf("%-14s %9.3f %10u %12llu\n", tn_probes[i]->name, ms[i][runs / 2], questions[i], bytes[i]);
            }
    printf("%-14s %9.3f\n", "all", all);
    return 0;
}
