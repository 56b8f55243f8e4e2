/* bench_run.c - a worker of the benchmark started, its lines read as they come (bench_run.h). */
#include "measure/bench_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"
#include "os/os.h"

struct taking {
    const struct tn_bench_job *job;
    struct tn_bench *b;
    struct tn_bench_side *s;
    struct tn_bench_fault *fault;
};

static void word_of(struct tn_span line, const char *key, char *ret, size_t size)
{
    struct tn_span v = tn_pairs_value(line, key);
    snprintf(ret, size, "%.*s", (int)(v.n < size ? v.n : size - 1), v.n ? (const char *)v.p : "");
}

/* A call of the vendor's library that failed (told.h). What fails behind it fails for it. */
static void take_failed(struct tn_bench_fault *f, struct tn_span line)
{
    char call[64] = "", text[200] = "";
    word_of(line, "call", call, sizeof call);
    word_of(line, "error", f->error, sizeof f->error);
    word_of(line, "text", text, sizeof text);
    if (strcmp(f->error, "missing") == 0)
        snprintf(text, sizeof text, "no %s in it", call);
    if (strncmp(f->error, "number-", 7) == 0) {
        word_of(line, "layer", f->layer, sizeof f->layer);
        snprintf(f->call, sizeof f->call, "%s", call);
        f->code = (int)strtol(f->error + 7, NULL, 10);
        snprintf(f->text, sizeof f->text, "cuda %s: %d", call, f->code);
        *f->error = 0;
        return;
    }
    const bool opened = strncmp(f->error, "CU", 2) == 0; /* else the library itself is at fault */
    if (!opened) {
        snprintf(f->text, sizeof f->text, "open %s", text);
        *f->error = 0;
        return;
    }
    snprintf(f->text, sizeof f->text, "cuda %s: %s%s%s%s", call, f->error, *text ? " (" : "", text, *text ? ")" : "");
}

/* What fails is named by the step that it failed in, not by the release behind it. */
static void take_step(void *ctx, const char *name)
{
    struct tn_bench_fault *f = ((struct taking *)ctx)->fault;
    if (!*f->text)
        snprintf(f->step, sizeof f->step, "%s", name);
}

static void take(void *ctx, struct tn_span line)
{
    struct taking *t = ctx;
    struct tn_bench_fault *f = t->fault;
    if (tn_span_starts(line, "failed ")) {
        if (!*f->text)
            take_failed(f, line);
        return;
    }
    if (tn_span_starts(line, "! ")) {
        if (!*f->text)
            snprintf(f->text, sizeof f->text, "%.*s", (int)(line.n < 300 ? line.n - 2 : 298), (const char *)line.p + 2);
        return;
    }
    tn_bench_take(t->b, t->s, line);
    if (t->job->tick)
        t->job->tick(t->job->ctx, t->s);
}

const char *tn_bench_sizes(const struct tn_bench_job *job, struct tn_arena *mem)
{
    const char *sizes = "";
    for (unsigned i = 0; i < job->n_sizes; i++)
        sizes = tn_arena_printf(mem, "%s%s%llu", sizes, i ? "," : "", (unsigned long long)job->n[i]);
    return sizes;
}

/* Can that file be opened here at all? */
static int may_open(const char *path, struct tn_bench_fault *fault, struct tn_err *err)
{
    struct tn_os_stat st;
    if (tn_os_stat(NULL, path, true, &st, err)) {
        fault->end = TN_WORKER_STOPPED;
        snprintf(fault->text, sizeof fault->text, "open %s", err ? err->text : "");
        return TN_E_NOTFOUND;
    }
    if (!tn_os_dl_trusted(path))
        return tn_err_set(err, TN_E_DENIED, path, "another user may write it: not loaded as root");
    return 0;
}

int tn_bench_work(const struct tn_work *work, const char *const *argv, const struct tn_bench_job *job,
                  struct tn_bench *b, struct tn_bench_side *s, struct tn_bench_fault *fault, struct tn_err *err)
{
    struct taking t = {job, b, s, fault};
    struct tn_worked r;
    const struct tn_worker w = {.work = work,
                                .argv = argv,
                                .deadline_ms = 86400000,
                                .free = job->free,
                                .told = take,
                                .step = take_step,
                                .ctx = &t};
    memset(fault, 0, sizeof *fault);
    s->path = job->second ? job->second : job->path;
    s->precision = tn_bench_kinds[job->precision].name;
    const char *const files[] = {job->path, job->second, job->cudnn};
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < sizeof files / sizeof *files; i++)
        if (files[i] && (rc = may_open(files[i], fault, err)) != 0)
            s->path = files[i];
    if (rc)
        return rc;
    rc = tn_worker_run(&w, &r, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < s->n; i++)
        tn_bench_settle(&s->r[i]);
    fault->end = r.end;
    fault->number = r.end == TN_WORKER_CRASHED ? r.signal : r.status;
    rc = r.end == TN_WORKER_DONE ? 0 : tn_err_set(err, TN_E_IO, job->path, "its worker did not come to its end");
    tn_worked_deinit(&r);
    return rc;
}

bool tn_bench_failed(const char *layer, const char *call, int status)
{
    if (status)
        tn_tell("failed what=%s call=%s error=number-%d layer=%s text=", layer, call, status, layer);
    return status == 0;
}
