/* bench_gpu.c - see bench_gpu.h. */
#include "cmd/bench_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "cmd/verify_libs.h"
#include "facts/error.h"
#include "facts/gpu.h"
#include "finding/verdict.h"
#include "os/os.h"
#include "report/bench.h"
#include "strings.gen.h"

/* "N NEED FREE" of a worker. */
static const char *too_large(struct tn_cmd_ctx *c, const char *numbers)
{
    char *end;
    uint64_t n = strtoull(numbers, &end, 10), need = strtoull(end, &end, 10), left = strtoull(end, NULL, 10);
    return tn_arena_printf(c->mem, "n %llu: %s (%llu bytes) > %s", (unsigned long long)n, tn_bench_size(c->mem, need),
                           (unsigned long long)need, tn_bench_size(c->mem, left));
}

/* "cublasCreate: CUBLAS_STATUS_ALLOC_FAILED (resource allocation failed)"; what the table lacks stays a number. */
static void name_number(struct tn_cmd_ctx *c, struct tn_bench_side *s, const struct tn_bench_fault *f)
{
    static const struct {
        const char *layer;
        enum tn_error_space space;
    } all[] = {{"", TN_ERROR_DRIVER},
               {"cublas", TN_ERROR_CUBLAS},
               {"cudnn", TN_ERROR_CUDNN},
               {"cudnn-old", TN_ERROR_CUDNN_OLD}};
    struct tn_facts_error e;
    for (unsigned i = 0; i < TN_LEN(all); i++)
        if (strcmp(all[i].layer, f->layer) == 0 && tn_facts_error(all[i].space, f->code, &e) == TN_ANSWER_YES) {
            s->see = e.name;
            s->why_what = tn_arena_printf(c->mem, *e.meaning ? "%s: %s (%s)" : "%s: %s", f->call, e.name, e.meaning);
        }
}

void tn_cmd_bench_blame(struct tn_cmd_ctx *c, struct tn_bench_side *s, const struct tn_bench_fault *f, int rc)
{
    static const char *const by_end[] = {
        [TN_WORKER_DONE] = TN_S_bench_why_open, [TN_WORKER_STOPPED] = TN_S_bench_why_open,
        [TN_WORKER_QUIT] = TN_S_bench_why_quit, [TN_WORKER_CRASHED] = TN_S_bench_why_crashed,
        [TN_WORKER_LATE] = TN_S_bench_why_late, [TN_WORKER_FLOODED] = TN_S_bench_why_quit};
    const char *blank = strchr(f->text, ' ');
    s->why = rc == TN_E_DENIED ? TN_S_bench_why_denied : by_end[f->end];
    s->step = tn_arena_strdup(c->mem, f->step);
    s->why_what = f->end == TN_WORKER_STOPPED ? tn_arena_strdup(c->mem, blank ? blank + 1 : f->text)
                                              : tn_arena_printf(c->mem, "%d", f->number);
    s->wrong = tn_str_starts(f->text, "wrong ");
    if (s->wrong)
        s->why = TN_S_bench_why_wrong;
    else if (tn_str_starts(f->text, "cuda "))
        s->why = TN_S_bench_why_cuda;
    else if (tn_str_starts(f->text, "toolarge "))
        s->why = TN_S_bench_why_too_large;
    else if (tn_str_starts(f->text, "number "))
        s->why = TN_S_bench_why_number;
    if (tn_str_starts(f->text, "toolarge "))
        s->why_what = too_large(c, s->why_what);
    s->see = *f->error ? tn_arena_strdup(c->mem, f->error) : NULL;
    if (*f->call)
        name_number(c, s, f);
}

static const char *real_of(struct tn_cmd_ctx *c, const char *path)
{
    struct tn_buf real;
    tn_buf_init(&real);
    const char *r = path && tn_os_realpath(path, &real, NULL) == 0 ? tn_arena_strdup(c->mem, real.p) : path;
    tn_buf_deinit(&real);
    return r;
}

/* The driver's library of this machine's card; NULL: why says why there is none. */
static const char *driver_of(const struct tn_snap *snap, const struct tn_judge *j, const char **ret_why)
{
    size_t row = 0, cuda = tn_look_libcuda(snap);
    *ret_why = TN_S_bench_why_gpu_unknown;
    if (snap->gpu.listed != TN_KNOWN)
        return NULL;
    *ret_why = TN_S_bench_why_no_gpu;
    if (!tn_judge_gpu(j, &row))
        return NULL;
    *ret_why = TN_S_bench_why_no_driver;
    return cuda < snap->library.n && tn_known(snap->library.v[cuda].path) ? snap->library.v[cuda].path.v : NULL;
}

/* The file that programs of the environment get; NULL: none. */
static const char *library_of(const struct tn_judge *j, const char *layer)
{
    struct tn_verify_library all[TN_VERIFY_LAYERS];
    unsigned n = tn_verify_libs(j, all);
    for (unsigned i = 0; i < n; i++)
        if (!all[i].why && strcmp(tn_verify_layers[all[i].layer].name, layer) == 0)
            return all[i].file;
    return NULL;
}

/* The data sheet's figure where the tables have it, else what so many multiprocessors can do at their highest clock. */
static double peak_of(const struct tn_bench_side *s)
{
    struct tn_facts_gpu g;
    const bool single = tn_str_eq(s->precision, tn_bench_kinds[TN_BENCH_FP32].name);
    if (single && s->card.model && tn_facts_gpu_by_name(s->card.model, &g) == TN_ANSWER_YES) {
        const char *tflops = tn_facts_get(tn_facts_find("gpus"), g.row, "fp32_tflops");
        double v = tflops ? strtod(tflops, NULL) : 0;
        if (v > 0)
            return v * 1e3;
    }
    return tn_bench_card_peak(&s->card, s->precision, s->card.max_mhz);
}

static void measure(struct tn_cmd_ctx *c, const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s)
{
    struct tn_bench_fault f;
    struct tn_err err;
    int rc = tn_bench_gpu(job, b, s, &f, &err);
    if (rc)
        tn_cmd_bench_blame(c, s, &f, rc);
    else if (!job->second && (job->n_sizes || job->works & 1U << TN_BENCH_STEP))
        s->why = TN_S_bench_why_no_cublas;
    else if (!job->cudnn && job->works && c->opt[TN_OPT_WORK].n)
        s->why = TN_S_bench_why_no_cudnn;
    if (!rc && job->works && !job->cudnn)
        s->left = TN_S_bench_why_no_cudnn;
    if (strcmp(s->device, "gpu") == 0) /* a stand-in has no peak of its own */
        s->peak_gflops = peak_of(s);
}

void tn_cmd_bench_gpu(struct tn_cmd_ctx *c, const struct tn_bench_wish *w, const struct tn_snap *snap,
                      const struct tn_bench_job *job, struct tn_bench *b)
{
    struct tn_bench_side *s = tn_bench_add(b, "gpu");
    struct tn_bench_job own = *job;
    struct tn_judge j;
    struct tn_err err;
    const char *named = real_of(c, tn_opt_value(c, TN_OPT_LIBCUDA)),
               *cublas = real_of(c, tn_opt_value(c, TN_OPT_CUBLAS)),
               *cudnn = real_of(c, tn_opt_value(c, TN_OPT_LIBCUDNN));
    s->why = TN_S_bench_why_gpu_not_asked;
    if (!w->gpu)
        return;
    s->why = TN_S_bench_why_gpu_unknown;
    if (tn_judge_init(&j, snap, NULL, &err))
        return;
    tn_judge_narrow(&j, c->mem);
    const char *found = real_of(c, driver_of(snap, &j, &s->why));
    own.path = named ? named : found;
    if (!own.path)
        return;
    if (named && !tn_str_eq(named, found))
        s->device = "standin";
    s->why = NULL;
    s->driver = own.path;
    own.second = cublas ? cublas : library_of(&j, "cublas");
    own.cudnn = !own.works ? NULL : cudnn ? cudnn : library_of(&j, "cudnn");
    own.gpu = w->gpu_number;
    own.free = !named && tn_is(TN_THE(snap, driver)->loaded, 1) && !tn_is(TN_THE(snap, driver)->uvm, 1);
    measure(c, &own, b, s);
}
