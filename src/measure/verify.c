/* verify.c - see verify.h. */
#include "measure/verify.h"

#include <stdio.h>
#include <string.h>

#include "measure/framework_python.h"
#include "measure/worker.h"
#include "os/os.h"

#define ALL_MS 600000u
#define PYTHON_MS 300000u

extern const struct tn_work tn_work_driver, tn_work_tensorflow, tn_work_cudart, tn_work_nvrtc, tn_work_cublas,
    tn_work_cublaslt, tn_work_cudnn, tn_work_cudnn_graph, tn_work_cufft, tn_work_cusolver, tn_work_cusparse,
    tn_work_curand, tn_work_nccl;

const struct tn_verify_layer tn_verify_layers[TN_VERIFY_LAYERS] = {{"cudart", "cudart", &tn_work_cudart},
                                                                   {"nvrtc", "nvrtc", &tn_work_nvrtc},
                                                                   {"cublas", "cublas", &tn_work_cublas},
                                                                   {"cublaslt", "cublasLt", &tn_work_cublaslt},
                                                                   {"cudnn", "cudnn", &tn_work_cudnn},
                                                                   {"cudnn-graph", "cudnn", &tn_work_cudnn_graph},
                                                                   {"cufft", "cufft", &tn_work_cufft},
                                                                   {"cusolver", "cusolver", &tn_work_cusolver},
                                                                   {"cusparse", "cusparse", &tn_work_cusparse},
                                                                   {"curand", "curand", &tn_work_curand},
                                                                   {"nccl", "nccl", &tn_work_nccl}};

static void begin(const struct tn_verify *v, const char *layer, const char *env, const char *file, struct tn_buf *ret)
{
    if (v->begin)
        v->begin(v->ctx, layer);
    tn_buf_printf(ret, "part layer=%s%s%s text=%s\n", layer, env ? " env=" : "", env ? env : "", file ? file : "");
}

static void skip(const char *what, const char *device, const char *why, struct tn_buf *ret)
{
    tn_buf_printf(ret, "skipped what=%s device=%s why=%s\n", what, device, why);
}

/* The last line that the libraries printed: often the only words about what went wrong. */
static struct tn_span last_line(const struct tn_buf *log)
{
    struct tn_span rest = tn_span_of(log->p, log->n), line, last = tn_span_of("", 0);
    while (tn_span_line(&rest, &line))
        if (tn_span_trim(line).n)
            last = tn_span_trim(line);
    return tn_span_of(last.p, last.n < 500 ? last.n : 500);
}

/* A child that did not come to its end is a failure of the step that it was in, whatever it had told before. */
static void told_end(const struct tn_worked *w, struct tn_buf *ret)
{
    static const char *const words[] = {[TN_WORKER_QUIT] = "quit",
                                        [TN_WORKER_CRASHED] = "crashed",
                                        [TN_WORKER_LATE] = "late",
                                        [TN_WORKER_FLOODED] = "flooded"};
    struct tn_span log = last_line(&w->log);
    if (w->end == TN_WORKER_DONE)
        return;
    if (w->end == TN_WORKER_STOPPED) { /* it told why; else its libraries may have */
        struct tn_span told = tn_span_of(w->told.p, w->told.n);
        if (tn_span_find(told, 0, "failed ", 7) == SIZE_MAX && tn_span_find(told, 0, "status=fail", 11) == SIZE_MAX)
            tn_buf_printf(ret, "failed what=%s call=- error=status-%d text=%.*s\n", *w->step ? w->step : "load",
                          w->status, (int)log.n, (const char *)log.p);
        return;
    }
    tn_buf_printf(ret, "failed what=%s call=- error=%s", *w->step ? w->step : "load", words[w->end]);
    if (w->end == TN_WORKER_CRASHED)
        tn_buf_printf(ret, "-%d", w->signal);
    tn_buf_printf(ret, " text=%.*s\n", (int)log.n, (const char *)log.p);
}

static void work(const struct tn_worker *w, const char *file, struct tn_buf *ret)
{
    struct tn_worked r;
    struct tn_err err;
    if (!tn_os_dl_trusted(file)) {
        tn_buf_str(ret, "skipped what=load device=- why=other-owner\n");
        return;
    }
    if (tn_worker_run(w, &r, &err)) {
        tn_buf_printf(ret, "failed what=load call=- error=unstartable text=%s\n", err.text);
        return;
    }
    tn_buf_add(ret, r.told.p, r.told.n);
    told_end(&r, ret);
    tn_worked_deinit(&r);
}

static unsigned deadline(const struct tn_verify *v)
{
    return v->deadline_ms ? v->deadline_ms : ALL_MS;
}

static void driver(const struct tn_verify *v, struct tn_buf *ret)
{
    char gpu[16];
    begin(v, "driver", NULL, v->cuda, ret);
    if (!v->cuda) {
        skip("start", "gpu", v->no_gpu ? v->no_gpu : "no-driver", ret);
        return;
    }
    snprintf(gpu, sizeof gpu, "%d", v->gpu);
    const char *const argv[] = {v->cuda, v->no_gpu ? "start" : v->full ? "full" : "quick", gpu, NULL};
    const struct tn_worker w = {.work = &tn_work_driver, .argv = argv, .deadline_ms = deadline(v), .free = v->free};
    work(&w, v->cuda, ret);
}

/* Without a GPU it is loaded, says its version and does what it can do without; the rest is not tried. */
static void library(const struct tn_verify *v, const struct tn_verify_library *l, struct tn_buf *ret)
{
    const struct tn_verify_layer *layer = &tn_verify_layers[l->layer];
    char gpu[16];
    begin(v, layer->name, l->env, l->file, ret);
    if (l->why) {
        skip("load", "-", l->why, ret);
        return;
    }
    snprintf(gpu, sizeof gpu, "%d", v->gpu);
    const char *const argv[] = {l->file,
                                v->no_gpu ? "load"
                                : v->full ? "full"
                                          : "quick",
                                v->cuda ? v->cuda : "-", gpu, NULL};
    const struct tn_worker w = {
        .work = layer->work, .argv = argv, .deadline_ms = deadline(v), .free = v->free && !v->no_gpu};
    work(&w, l->file, ret);
    if (v->no_gpu)
        skip("compute", "gpu", v->no_gpu, ret);
}

/* On one device: "cpu", or the number of a GPU. */
static void framework_on(const struct tn_verify *v, const struct tn_verify_framework *f, int gpu, struct tn_buf *ret)
{
    char device[16];
    if (!f->library) {
        tn_framework_python(f->name, f->interpreter, gpu, PYTHON_MS, ret);
        return;
    }
    const char *argv[16] = {device};
    snprintf(device, sizeof device, "%d", gpu);
    if (gpu < 0)
        memcpy(device, "cpu", 4);
    for (unsigned i = 0; f->library[i] && i < 14; i++)
        argv[i + 1] = f->library[i];
    const struct tn_worker w = {
        .work = &tn_work_tensorflow, .argv = argv, .deadline_ms = deadline(v), .free = v->free && gpu >= 0};
    work(&w, f->file, ret);
}

static void framework(const struct tn_verify *v, const struct tn_verify_framework *f, struct tn_buf *ret)
{
    const char *no_gpu = v->no_gpu ? v->no_gpu : !f->gpu_build ? "cpu-build" : NULL;
    begin(v, f->name, f->env, f->file, ret);
    if (f->why) {
        skip("matmul", "cpu", f->why, ret);
        skip("matmul", "gpu", no_gpu ? no_gpu : f->why, ret);
        return;
    }
    if (no_gpu || v->full)
        framework_on(v, f, -1, ret);
    if (no_gpu)
        skip("matmul", "gpu", no_gpu, ret);
    else
        framework_on(v, f, v->gpu, ret);
}

static bool has_failed(const struct tn_buf *told)
{
    struct tn_span all = tn_span_of(told->p, told->n);
    return tn_span_find(all, 0, "\nfailed ", 8) != SIZE_MAX || tn_span_find(all, 0, " status=fail ", 13) != SIZE_MAX;
}

void tn_verify_run(const struct tn_verify *v, struct tn_buf *ret)
{
    struct tn_verify above = *v;
    driver(v, ret);
    if (!above.no_gpu && has_failed(ret)) /* what stands on a layer that failed would fail in vaguer words */
        above.no_gpu = "driver-failed";
    for (unsigned i = 0; i < v->n_library; i++)
        library(&above, &v->library[i], ret);
    for (unsigned i = 0; i < v->n_framework; i++)
        framework(&above, &v->framework[i], ret);
}
