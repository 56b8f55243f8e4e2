/* bench_cpu.c - the CPU side: a BLAS in a worker, and how its lines are read.
 *
 * Words of the worker: path, precision, runs, threads, budget in ms, memory 0/1, sizes joined by commas, other works
 * (bits), their batch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "measure/bench_peak.h"
#include "measure/bench_run.h"
#include "measure/bench_works.h"
#include "measure/blas_cpu.h"
#include "os/os.h"

#define BANDWIDTH_BYTES (256u << 20) /* of an array: far more than caches hold */

/* ---- the child */

struct order {
    enum tn_bench_precision precision;
    unsigned runs, threads, budget_ms, works, batch;
    bool memory;
    struct tn_blas blas;
};

struct matrices {
    const struct order *o;
    uint64_t n;
    void *a, *b, *c;
};

static bool multiply(void *ctx, unsigned calls)
{
    const struct matrices *m = ctx;
    for (unsigned i = 0; i < calls; i++)
        tn_blas_multiply(&m->o->blas, m->o->precision, (size_t)m->n, m->a, m->b, m->c);
    return true;
}

static bool create(struct matrices *m)
{
    const uint64_t count = m->n * m->n, bytes = count * tn_bench_kinds[m->o->precision].bytes;
    uint64_t from = tn_os_monotonic_us();
    m->a = tn_os_block(bytes);
    m->b = tn_os_block(bytes);
    m->c = tn_os_block(bytes);
    if (!m->a || !m->b || !m->c) {
        tn_tell("! memory %llu", 3 * (unsigned long long)bytes);
        return false;
    }
    memset(m->c, 0xff, (size_t)bytes); /* NaN: what is not written shows */
    tn_tell("allocate %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    from = tn_os_monotonic_us();
    tn_bench_fill(m->a, count, m->o->precision, 1);
    tn_bench_fill(m->b, count, m->o->precision, 2);
    tn_tell("create %llu", (unsigned long long)(tn_os_monotonic_us() - from));
    return true;
}

static int measure(const struct order *o, uint64_t n)
{
    struct matrices m = {.o = o, .n = n};
    const struct tn_bench_clock clock = {
        .ctx = &m, .step = "multiply", .run = multiply, .runs = o->runs, .budget_ms = o->budget_ms};
    tn_tell("size %llu", (unsigned long long)n);
    tn_step("create", 600000);
    int rc = create(&m) ? 0 : 3;
    if (!rc)
        rc = tn_bench_clock(&clock, tn_bench_operations(TN_BENCH_MATMUL, n)) ? 0 : 3;
    tn_step("check", 600000);
    if (!rc && !tn_bench_check(n, o->precision, 0, m.a, m.b, m.c))
        rc = 4;
    if (!rc)
        tn_tell("checked");
    const uint64_t bytes = n * n * tn_bench_kinds[o->precision].bytes;
    tn_os_block_free(m.a, bytes);
    tn_os_block_free(m.b, bytes);
    tn_os_block_free(m.c, bytes);
    return rc;
}

static bool open_library(struct order *o, const char *path)
{
    const char *why = "";
    tn_step("open", 60000);
    if (!tn_blas_open(path, o->threads, &o->blas, &why)) {
        tn_tell("! open %s", tn_os_dl_refused() ? tn_os_dl_refused() : why);
        return false;
    }
    if (!o->blas.gemm[o->precision]) {
        tn_tell("! open no multiplication in %s in it", tn_bench_kinds[o->precision].name);
        return false;
    }
    tn_tell("library %s", o->blas.name);
    tn_tell("core %s", o->blas.core);
    tn_tell("config %s; %s", o->blas.symbol, o->blas.config);
    tn_tell("threads %u", o->blas.threads);
    return true;
}

static void surroundings(const struct order *o)
{
    unsigned cores, cpus = tn_os_cpus(&cores), threads = o->blas.threads ? o->blas.threads : cpus;
    struct tn_bench_memory memory;
    uint64_t room = tn_os_memory_free() / 4;
    tn_tell("cores %u", cores);
    tn_step("peak", 60000);
    tn_tell("peak %.3f", tn_bench_peak(o->precision, threads, cores));
    tn_step("memory", 120000);
    if (o->memory && tn_bench_memory(room && room < BANDWIDTH_BYTES ? room : BANDWIDTH_BYTES, threads, &memory))
        tn_tell("memory %llu %.3f %.3f %.3f", (unsigned long long)memory.bytes, memory.read, memory.write, memory.copy);
}

static unsigned word(const char *s)
{
    uint64_t v;
    return tn_str_u64(s, strlen(s), 10, &v) && v <= UINT32_MAX ? (unsigned)v : 0;
}

static int work(const char *const *argv)
{
    struct order o = {.precision = strcmp(argv[1], "fp64") == 0 ? TN_BENCH_FP64 : TN_BENCH_FP32,
                      .runs = word(argv[2]),
                      .threads = word(argv[3]),
                      .budget_ms = word(argv[4]),
                      .memory = word(argv[5]),
                      .works = word(argv[7]),
                      .batch = word(argv[8])};
    if (!open_library(&o, argv[0]))
        return 3;
    for (const char *s = argv[6]; *s;) {
        uint64_t n;
        size_t digits = strcspn(s, ",");
        if (!tn_str_u64(s, digits, 10, &n) || n == 0 || n > TN_BENCH_MAX_N)
            return 2;
        int rc = measure(&o, n);
        if (rc)
            return rc;
        s += digits + (s[digits] == ',');
    }
    int rc = tn_bench_works_cpu(&o.blas, o.works, o.batch, o.runs, o.budget_ms);
    if (rc == 0)
        surroundings(&o);
    return rc;
}

TN_WORK(bench_cpu, "bench-cpu", work);

/* ---- the parent */

int tn_bench_cpu(const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s,
                 struct tn_bench_fault *fault, struct tn_err *err)
{
    const char *const argv[] = {job->path,
                                tn_bench_kinds[job->precision].name,
                                tn_arena_printf(b->mem, "%u", job->runs),
                                tn_arena_printf(b->mem, "%u", job->threads),
                                tn_arena_printf(b->mem, "%u", job->budget_ms),
                                job->no_memory ? "0" : "1",
                                tn_bench_sizes(job, b->mem),
                                tn_arena_printf(b->mem, "%u", job->works),
                                tn_arena_printf(b->mem, "%u", job->batch),
                                NULL};
    return tn_bench_work(&tn_work_bench_cpu, argv, job, b, s, fault, err);
}
