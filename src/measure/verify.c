/* verify.c - see verify.h. */
#include "measure/verify.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/pairs.h"
#include "measure/cuda_api.h"
#include "measure/framework_python.h"
#include "measure/stack.h"
#include "os/os.h"

#define ALL_MS 600000u
#define PYTHON_MS 300000u

extern const struct tn_work tn_work_driver, tn_work_tensorflow, tn_work_cudart, tn_work_nvrtc, tn_work_cublas,
    tn_work_cublaslt, tn_work_cudnn, tn_work_cudnn_graph, tn_work_cufft, tn_work_cusolver, tn_work_cusparse,
    tn_work_curand, tn_work_nccl, tn_work_nccl_cards, tn_work_peers;

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

/* A layer to be tried. */
struct item {
    const struct tn_work *work;
    const char *layer, *env, *file;
    const char *why; /* not tried, and why; NULL: it can be tried */
};

struct at_work {
    const struct tn_verify *v;
    struct tn_buf *ret;
    const char *no_gpu; /* why nothing more can be tried on this card; NULL: it can */
    int gpu;            /* this card, as the driver counts */
    const struct item *item;
    struct item stack[TN_STACK_LAYERS]; /* of each card: the driver, the libraries */
    unsigned n_stack;
    char card[TN_CUDA_CARDS][40]; /* "gpu.BUS" of those that the driver lists */
    unsigned n_card;
    bool works[TN_CUDA_CARDS]; /* its driver layer is right */
};

static void begin(struct at_work *a, const char *layer, const char *env, const char *file)
{
    if (a->v->begin)
        a->v->begin(a->v->ctx, layer);
    tn_buf_printf(a->ret, "part layer=%s%s%s text=%s\n", layer, env ? " env=" : "", env ? env : "", file ? file : "");
}

static void on_card(struct at_work *a, int gpu)
{
    if (gpu >= 0 && gpu < TN_CUDA_CARDS && *a->card[gpu])
        tn_buf_printf(a->ret, "on device=%s\n", a->card[gpu]);
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
        skip("load", "-", "other-owner", ret);
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

/* ---- the layers of one card */

static void begin_item(struct at_work *a, const struct item *i)
{
    begin(a, i->layer, i->env, i->file);
    if (!a->no_gpu)
        on_card(a, a->gpu);
}

static void begin_layer(void *ctx, unsigned i)
{
    struct at_work *a = ctx;
    begin_item(a, &a->item[i]);
}

/* A line of the layer that is at work; the driver's tell the cards. */
static void told_line(void *ctx, struct tn_span line)
{
    struct at_work *a = ctx;
    struct tn_span device = tn_pairs_value(line, "device");
    tn_buf_add(a->ret, line.p, line.n);
    tn_buf_ch(a->ret, '\n');
    if (tn_span_starts(line, "device ") && a->n_card < TN_CUDA_CARDS && device.n < sizeof a->card[0])
        memcpy(a->card[a->n_card++], device.p, device.n);
}

static void ended_layer(void *ctx, const struct tn_worked *w)
{
    struct at_work *a = ctx;
    told_end(w, a->ret);
}

static void not_tried(struct at_work *a, const struct item *i)
{
    begin_item(a, i);
    if (i->work == &tn_work_driver)
        skip("start", "gpu", i->why, a->ret);
    else
        skip("load", "-", i->why ? i->why : "other-owner", a->ret);
}

/* The first of these in one child: at the quick level as many as can be, so that the card's context is made once; else
 * each alone, so that no library finds what another one loaded. Returns how many are done. */
static unsigned together(struct at_work *a, const struct item *item, unsigned n)
{
    struct tn_stack_layer layer[TN_STACK_LAYERS];
    struct tn_err err;
    struct tn_stack s = {.layer = layer,
                         .level = a->no_gpu    ? "load"
                                  : a->v->full ? "full"
                                               : "quick",
                         .cuda = a->v->cuda,
                         .gpu = a->gpu,
                         .list = a->n_card == 0,
                         .free = a->v->free && !a->no_gpu,
                         .deadline_ms = deadline(a->v),
                         .begin = begin_layer,
                         .told = told_line,
                         .ended = ended_layer,
                         .ctx = a};
    const unsigned most = a->v->full || a->no_gpu ? 1 : TN_STACK_LAYERS;
    for (; s.n < n && s.n < most && !item[s.n].why && tn_os_dl_trusted(item[s.n].file); s.n++)
        layer[s.n] = (struct tn_stack_layer){item[s.n].work, item[s.n].file};
    if (s.n == 0) {
        not_tried(a, item);
        return 1;
    }
    a->item = item;
    unsigned done = tn_stack_run(&s, &err);
    if (done == 0) {
        begin_item(a, item);
        tn_buf_printf(a->ret, "failed what=load call=- error=unstartable text=%s\n", err.text);
        done = 1;
    }
    if (a->no_gpu) /* it was loaded, and did what it can do without a GPU */
        skip("compute", "gpu", a->no_gpu, a->ret);
    return done;
}

static bool has_failed(const struct tn_buf *told, size_t from)
{
    struct tn_span all = tn_span_of(told->p + from, told->n - from);
    return tn_span_find(all, 0, "\nfailed ", 8) != SIZE_MAX || tn_span_find(all, 0, " status=fail ", 13) != SIZE_MAX;
}

/* What stands on a layer that failed would fail in vaguer words. Where the driver is that layer, the libraries are
 * loaded, once, and compute nothing. */
static void card(struct at_work *a, int gpu, bool first)
{
    const size_t from = a->ret->n;
    a->gpu = gpu;
    a->no_gpu = a->v->no_gpu;
    for (unsigned i = 0; i < a->n_stack; i += together(a, a->stack + i, a->n_stack - i))
        if (i == 1 && !a->no_gpu && has_failed(a->ret, from)) {
            a->no_gpu = "driver-failed";
            if (!first)
                return;
        }
    if (gpu < TN_CUDA_CARDS)
        a->works[gpu] = !a->no_gpu && !(a->n_stack == 1 && has_failed(a->ret, from));
}

/* ---- between cards */

static const struct item *item_of(const struct at_work *a, const char *layer)
{
    for (unsigned i = 0; i < a->n_stack; i++)
        if (strcmp(a->stack[i].layer, layer) == 0)
            return &a->stack[i];
    return NULL;
}

/* Every card that works, where there are several: what each copies to each other, then NCCL's sum over all of them. */
static void between(struct at_work *a)
{
    const struct tn_verify *v = a->v;
    const struct item *nccl = item_of(a, "nccl");
    char list[TN_CUDA_CARDS * 4] = "";
    size_t n = 0;
    unsigned cards = 0;
    for (unsigned i = 0; i < a->n_card; i++)
        if (a->works[i]) {
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%u", cards ? "," : "", i);
            cards++;
        }
    if (cards < 2 || v->gpu >= 0)
        return;
    const char *const peers[] = {v->cuda, list, NULL};
    const struct tn_worker copies = {
        .work = &tn_work_peers, .argv = peers, .deadline_ms = deadline(v), .free = v->free};
    begin(a, "driver", NULL, v->cuda);
    work(&copies, v->cuda, a->ret);
    if (!nccl || nccl->why)
        return;
    const char *const sums[] = {nccl->file, v->full ? "full" : "quick", v->cuda, list, NULL};
    const struct tn_worker sum = {
        .work = &tn_work_nccl_cards, .argv = sums, .deadline_ms = deadline(v), .free = v->free};
    begin(a, nccl->layer, nccl->env, nccl->file);
    work(&sum, nccl->file, a->ret);
}

/* ---- the frameworks */

/* On one device: the number of a GPU, -1: the CPU. */
static void framework_on(struct at_work *a, const struct tn_verify_framework *f, int gpu)
{
    char device[16];
    if (gpu < 0)
        tn_buf_str(a->ret, "on device=cpu\n");
    on_card(a, gpu);
    if (!f->library) {
        tn_framework_python(f->name, f->interpreter, gpu, PYTHON_MS, a->ret);
        return;
    }
    const char *argv[16] = {device};
    snprintf(device, sizeof device, "%d", gpu);
    if (gpu < 0)
        memcpy(device, "cpu", 4);
    for (unsigned i = 0; f->library[i] && i < 14; i++)
        argv[i + 1] = f->library[i];
    const struct tn_worker w = {
        .work = &tn_work_tensorflow, .argv = argv, .deadline_ms = deadline(a->v), .free = a->v->free && gpu >= 0};
    work(&w, f->file, a->ret);
}

/* On the first card that works; at the full level on each, and on the CPU. */
static void framework(struct at_work *a, const struct tn_verify_framework *f, const char *no_gpu)
{
    no_gpu = no_gpu ? no_gpu : f->gpu_build ? NULL : "cpu-build";
    begin(a, f->name, f->env, f->file);
    if (f->why) {
        skip("matmul", "cpu", f->why, a->ret);
        skip("matmul", "gpu", no_gpu ? no_gpu : f->why, a->ret);
        return;
    }
    if (no_gpu || a->v->full)
        framework_on(a, f, -1);
    if (no_gpu)
        skip("matmul", "gpu", no_gpu, a->ret);
    for (int gpu = 0; gpu < TN_CUDA_CARDS && !no_gpu; gpu++)
        if (a->works[gpu]) {
            framework_on(a, f, gpu);
            if (!a->v->full)
                return;
        }
}

static void stack_up(struct at_work *a)
{
    const struct tn_verify *v = a->v;
    a->stack[a->n_stack++] = (struct item){&tn_work_driver, "driver", NULL, v->cuda, v->no_gpu};
    for (unsigned i = 0; i < v->n_library && a->n_stack < TN_STACK_LAYERS; i++) {
        const struct tn_verify_library *l = &v->library[i];
        const struct tn_verify_layer *is = &tn_verify_layers[l->layer];
        a->stack[a->n_stack++] = (struct item){is->work, is->name, l->env, l->file, l->why};
    }
}

void tn_verify_run(const struct tn_verify *v, struct tn_buf *ret)
{
    struct tn_verify all = *v;
    struct tn_arena mem;
    if (!v->cuda && !v->no_gpu)
        all.no_gpu = "no-driver";
    tn_arena_init(&mem);
    struct at_work *a = tn_arena_array(&mem, 1, sizeof *a);
    *a = (struct at_work){.v = &all, .ret = ret};
    stack_up(a);
    card(a, v->gpu < 0 ? 0 : v->gpu, true);
    const char *no_gpu = a->no_gpu;
    for (unsigned gpu = 1; v->gpu < 0 && gpu < a->n_card; gpu++) {
        card(a, (int)gpu, false);
        no_gpu = a->no_gpu ? no_gpu : NULL;
    }
    between(a);
    for (unsigned i = 0; i < v->n_framework; i++)
        framework(a, &v->framework[i], no_gpu);
    tn_arena_deinit(&mem);
}
