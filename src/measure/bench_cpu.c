/* bench_cpu.c - the CPU side: a BLAS in a worker, and how its lines are read.
 *
 * Words of the worker: path, precision, runs, threads, budget in ms, memory 0/1, sizes joined by commas. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "measure/bench_peak.h"
#include "measure/bench_run.h"
#include "measure/blas_cpu.h"
#include "os/os.h"

#define BANDWIDTH_BYTES (256u << 20) /* of an array: far more than caches hold */

/* ---- the child */

struct order {
    enum tn_bench_precision precision;
    unsigned runs, threads, budget_ms;
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
    const struct tn_bench_clock clock = {&m, multiply, o->runs, o->budget_ms};
    tn_tell("size %llu", (unsigned long long)n);
    tn_step("create", 600000);
    int rc = create(&m) ? 0 : 3;
    if (!rc)
        rc = tn_bench_clock(&clock, n) ? 0 : 3;
    tn_step("check", 600000);
    if (!rc && !tn_bench_check(n, o->precision, m.a, m.b, m.c))
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
                      .memory = word(argv[5])};
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
    surroundings(&o);
    return 0;
}

TN_WORK(bench_cpu, "bench-cpu", work);

/* ---- the parent */

struct taking {
    const struct tn_bench_job *job;
    struct tn_bench *b;
    struct tn_bench_side *s;
    struct tn_bench_fault *fault;
};

static void take(void *ctx, struct tn_span line)
{
    struct taking *t = ctx;
    if (tn_span_starts(line, "! ")) {
        snprintf(t->fault->text, sizeof t->fault->text, "%.*s", (int)(line.n < 300 ? line.n - 2 : 298),
                 (const char *)line.p + 2);
        return;
    }
    tn_bench_take(t->b, t->s, line);
    if (t->job->tick)
        t->job->tick(t->job->ctx, t->s);
}

static const char *numbered(struct tn_bench *b, unsigned n)
{
    return tn_arena_printf(b->mem, "%u", n);
}

int tn_bench_cpu(const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s,
                 struct tn_bench_fault *fault, struct tn_err *err)
{
    const char *sizes = "";
    for (unsigned i = 0; i < job->n_sizes; i++)
        sizes = tn_arena_printf(b->mem, "%s%s%llu", sizes, i ? "," : "", (unsigned long long)job->n[i]);
    const char *const argv[] = {job->path,
                                tn_bench_kinds[job->precision].name,
                                numbered(b, job->runs),
                                numbered(b, job->threads),
                                numbered(b, job->budget_ms),
                                job->no_memory ? "0" : "1",
                                sizes,
                                NULL};
    struct taking t = {job, b, s, fault};
    struct tn_worked r;
    const struct tn_worker w = {
        .work = &tn_work_bench_cpu, .argv = argv, .deadline_ms = 86400000, .told = take, .ctx = &t};
    memset(fault, 0, sizeof *fault);
    s->path = job->path;
    s->precision = tn_bench_kinds[job->precision].name;
    struct tn_os_stat st;
    if (tn_os_stat(NULL, job->path, true, &st, err)) {
        fault->end = TN_WORKER_STOPPED;
        snprintf(fault->text, sizeof fault->text, "open %s", err ? err->text : "");
        return TN_E_NOTFOUND;
    }
    if (!tn_os_dl_trusted(job->path))
        return tn_err_set(err, TN_E_DENIED, job->path, "another user may write it: not loaded as root");
    int rc = tn_worker_run(&w, &r, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < s->n; i++)
        tn_bench_settle(&s->r[i]);
    fault->end = r.end;
    fault->number = r.end == TN_WORKER_CRASHED ? r.signal : r.status;
    memcpy(fault->step, r.step, sizeof fault->step);
    rc = r.end == TN_WORKER_DONE ? 0 : tn_err_set(err, TN_E_IO, job->path, "its worker did not come to its end");
    tn_worked_deinit(&r);
    return rc;
}
