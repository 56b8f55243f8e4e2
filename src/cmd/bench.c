/* bench.c - matrix multiply, measured honestly: CPU, and what else is there; printed times put right; two measurements
 * compared. What does not fit into memory is refused before anything is loaded. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cmd/bench_framework.h"
#include "cmd/bench_gpu.h"
#include "cmd/cmd.h"
#include "measure/bench_run.h"
#include "measure/blas_cpu.h"
#include "os/change.h"
#include "os/os.h"
#include "report/bench.h"
#include "strings.gen.h"

#define BUDGET_MS 4000u       /* of one size of several */
#define BUDGET_ALONE_MS 8000u /* of the only one */
#define ROOM (64u << 20)      /* that libraries take for themselves */

struct bench {
    struct tn_cmd_ctx *c;
    struct tn_bench_wish wish;
    struct tn_bench b;
    uint64_t since, shown;
};

static struct tn_bench_report report_of(struct bench *k)
{
    bool utf8;
    tn_os_locale(k->c->mem, &utf8);
    return (struct tn_bench_report){.mem = k->c->mem,
                                    .b = &k->b,
                                    .lang = k->c->lang,
                                    .ascii = tn_opt_on(k->c, TN_OPT_PLAIN) || !utf8,
                                    .width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0};
}

static int say(struct tn_cmd_ctx *c, const char *id, const struct tn_arg *a, unsigned n, int status)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, n);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
    return status;
}

static const char *number(struct tn_cmd_ctx *c, uint64_t n)
{
    return tn_arena_printf(c->mem, "%llu", (unsigned long long)n);
}

/* ---- what fits */

static uint64_t need_of(uint64_t n, enum tn_bench_precision p)
{
    return tn_bench_bytes(n, p) + ROOM;
}

/* The largest round number of rows that fits. */
static uint64_t fitting(uint64_t room, enum tn_bench_precision p)
{
    uint64_t n = 0;
    for (uint64_t step = 65536; step; step /= 2)
        if (need_of(n + step, p) <= room)
            n += step;
    return n < 1000 ? n : n / 100 * 100;
}

/* The other works: left out where nobody asked for them. */
static int refuse_batch(struct bench *k, uint64_t room)
{
    struct tn_bench_wish *w = &k->wish;
    for (enum tn_bench_op op = TN_BENCH_CONVOLUTION; room && op < TN_BENCH_N_OP; op++) {
        uint64_t each = tn_bench_work_bytes(op, 1), bytes = w->batch * each;
        if (!(w->works & 1U << op) || bytes + ROOM <= room)
            continue;
        struct tn_arg a[] = {{"work", tn_s(k->c, tn_arena_printf(k->c->mem, "bench_op_%s", tn_bench_ops[op]))},
                             {"n", number(k->c, w->batch)},
                             {"need", tn_bench_size(k->c->mem, bytes)},
                             {"bytes", number(k->c, bytes)},
                             {"free", tn_bench_size(k->c->mem, room)},
                             {"fits", number(k->c, room > ROOM ? (room - ROOM) / each : 0)}};
        if (w->works_given || tn_opt_on(k->c, TN_OPT_BATCH))
            return say(k->c, TN_S_bench_batch_too_large, a, TN_LEN(a), TN_EXIT_REFUSED);
        w->works &= ~(1U << op);
    }
    return TN_EXIT_OK;
}

/* Sizes asked for are refused; usual ones that do not fit are left out. */
static int refuse_too_large(struct bench *k)
{
    struct tn_bench_wish *w = &k->wish;
    uint64_t room = tn_os_memory_free();
    while (room && !w->sizes_given && w->n_sizes > 1 && need_of(w->n[w->n_sizes - 1], w->precision) > room)
        w->n_sizes--;
    for (unsigned i = 0; room && i < w->n_sizes; i++) {
        uint64_t bytes = tn_bench_bytes(w->n[i], w->precision);
        struct tn_arg a[] = {{"n", number(k->c, w->n[i])},
                             {"precision", tn_bench_kinds[w->precision].name},
                             {"need", tn_bench_size(k->c->mem, bytes)},
                             {"bytes", number(k->c, bytes)},
                             {"free", tn_bench_size(k->c->mem, room)},
                             {"fits", number(k->c, fitting(room, w->precision))}};
        if (need_of(w->n[i], w->precision) > room)
            return say(k->c, TN_S_bench_too_large, a, TN_LEN(a), TN_EXIT_REFUSED);
    }
    return refuse_batch(k, room);
}

/* ---- progress */

static void tick(void *ctx, const struct tn_bench_side *s)
{
    struct bench *k = ctx;
    uint64_t now = tn_os_monotonic_us();
    if (now - k->since < 1000000 || (k->shown && now - k->shown < 200000) || !tn_os_is_tty(2) || !s->n)
        return;
    struct tn_buf b;
    struct tn_arg a[] = {{"device", tn_s(k->c, tn_arena_printf(k->c->mem, "bench_dev_%s", s->device))},
                         {"n", tn_bench_name(k->c->mem, &s->r[s->n - 1], k->c->lang)},
                         {"runs", number(k->c, s->r[s->n - 1].n_sample)}};
    tn_buf_init(&b);
    tn_buf_str(&b, "\r\x1b[K");
    tn_text_fill(&b, tn_s(k->c, TN_S_bench_progress), a, TN_LEN(a));
    tn_os_print_text(2, b.p, b.n);
    tn_buf_deinit(&b);
    k->shown = now;
}

static void clear_progress(struct bench *k)
{
    if (k->shown)
        tn_os_print(2, "\r\x1b[K", 4);
    k->shown = 0;
}

/* ---- the CPU */

static bool several(const struct tn_bench_wish *w)
{
    return w->n_sizes > 1 || (w->works & (w->works - 1)) != 0;
}

static struct tn_bench_job job_of(struct bench *k)
{
    return (struct tn_bench_job){.precision = k->wish.precision,
                                 .n = k->wish.n,
                                 .n_sizes = k->wish.n_sizes,
                                 .works = k->wish.works & ~(1U << TN_BENCH_MATMUL),
                                 .batch = k->wish.batch,
                                 .runs = k->wish.runs,
                                 .threads = k->wish.threads,
                                 .budget_ms = several(&k->wish) ? BUDGET_MS : BUDGET_ALONE_MS,
                                 .tick = tick,
                                 .ctx = k};
}

/* False: nothing was measured, and another library may do better. */
static bool measure_cpu(struct bench *k, struct tn_bench_side *s, const char *path, int *ret_rc, struct tn_err *err)
{
    struct tn_bench_fault f;
    struct tn_bench_job job = job_of(k);
    job.path = path;
    *s = (struct tn_bench_side){.device = "cpu"};
    *ret_rc = tn_bench_cpu(&job, &k->b, s, &f, err);
    if (*ret_rc)
        tn_cmd_bench_blame(k->c, s, &f, *ret_rc);
    return s->n > 0;
}

static void places(struct bench *k, const struct tn_snap *snap, struct tn_blas_places *ret)
{
    const char **site = tn_arena_array(k->c->mem, 1, sizeof *site),
               **prefix = tn_arena_array(k->c->mem, 3, sizeof *prefix);
    size_t n = 0;
    for (size_t i = 0; i < snap->env.n; i++) {
        const struct tn_rec_env *e = &snap->env.v[i];
        if (e->judged.k != TN_KNOWN || !e->judged.v)
            continue;
        if (e->site.k == TN_KNOWN) {
            site = tn_arena_array(k->c->mem, e->site.n + 1, sizeof *site);
            memcpy(site, e->site.v, e->site.n * sizeof *site);
        }
        if (tn_known(e->path))
            prefix[n++] = e->path.v;
        break;
    }
    ret->site = site;
    ret->prefix = prefix;
}

static void cpu(struct bench *k, const struct tn_snap *snap)
{
    struct tn_bench_side *s = tn_bench_add(&k->b, "cpu");
    struct tn_blas_places where;
    const char *const *path = NULL, *only[] = {tn_opt_value(k->c, TN_OPT_BLAS), NULL};
    struct tn_buf real;
    struct tn_err err;
    int rc = 0;
    if (!k->wish.cpu) {
        s->why = TN_S_bench_why_cpu_not_asked;
        return;
    }
    tn_buf_init(&real);
    if (only[0] && tn_os_realpath(only[0], &real, NULL) == 0)
        only[0] = tn_arena_strdup(k->c->mem, real.p);
    tn_buf_deinit(&real);
    places(k, snap, &where);
    s->why = TN_S_bench_why_no_blas;
    if (only[0])
        path = only;
    else if (!tn_blas_find(&where, k->c->mem, &path))
        return;
    for (size_t i = 0; path[i] && !tn_os_interrupted(); i++)
        if (measure_cpu(k, s, path[i], &rc, &err))
            return;
}

static void gpu(struct bench *k, const struct tn_snap *snap)
{
    const struct tn_bench_job job = job_of(k);
    tn_cmd_bench_gpu(k->c, &k->wish, snap, &job, &k->b);
}

static void frameworks(struct bench *k, const struct tn_snap *snap)
{
    const struct tn_bench_job job = job_of(k);
    if (k->wish.cpu && tn_opt_value(k->c, TN_OPT_ENV))
        tn_cmd_bench_frameworks(k->c, snap, &job, &k->b);
}

/* ---- output */

static int show(struct bench *k, int status)
{
    struct tn_bench_report r = report_of(k);
    struct tn_buf b;
    struct tn_err err;
    const char *file = tn_opt_value(k->c, TN_OPT_SAVE);
    int rc = 0;
    tn_buf_init(&b);
    if (file) {
        tn_bench_json(&r, &b);
        rc = tn_os_write_file(file, b.p, b.n, false, &err);
        tn_buf_clear(&b);
    }
    k->c->document = tn_opt_on(k->c, TN_OPT_JSON) || tn_opt_on(k->c, TN_OPT_CSV) || tn_opt_on(k->c, TN_OPT_HTML);
    if (tn_opt_on(k->c, TN_OPT_JSON))
        tn_bench_json(&r, &b);
    else if (tn_opt_on(k->c, TN_OPT_CSV))
        tn_bench_csv(&r, &b);
    else if (tn_opt_on(k->c, TN_OPT_HTML))
        tn_bench_html(&r, &b);
    else
        tn_bench_text(&r, &b);
    status = tn_cmd_print(k->c, &b, status);
    tn_buf_deinit(&b);
    if (!rc)
        return status;
    tn_cmd_fail(k->c, &err);
    return TN_EXIT_UNFINISHED;
}

/* Everything that was asked for: 0. A wrong result is a problem, a side that could not be measured is not known. */
static int status_of(const struct bench *k)
{
    bool any = false;
    for (size_t i = 0; i < k->b.n; i++) {
        if (k->b.side[i].wrong)
            return TN_EXIT_PROBLEM;
        for (size_t n = 0; n < k->b.side[i].n; n++)
            any = any || k->b.side[i].r[n].n_sample;
        if (k->b.side[i].n && k->b.side[i].why)
            return TN_EXIT_UNKNOWN;
    }
    return any ? TN_EXIT_OK : TN_EXIT_UNKNOWN;
}

static int measure(struct bench *k)
{
    struct tn_snap snap;
    struct tn_err err;
    int rc = refuse_too_large(k);
    if (rc)
        return rc;
    k->c->records = k->wish.gpu ? 0 : TN_HAS(env) | TN_HAS(framework);
    rc = tn_cmd_subject(k->c, &snap, &err);
    if (rc)
        return tn_cmd_fail(k->c, &err);
    k->b.time = tn_os_now();
    k->since = tn_os_monotonic_us();
    tn_os_interrupts_hold();
    cpu(k, &snap);
    if (!tn_os_interrupted())
        gpu(k, &snap);
    if (!tn_os_interrupted())
        frameworks(k, &snap);
    clear_progress(k);
    tn_snap_deinit(&snap);
    if (tn_os_interrupted())
        return say(k->c, TN_S_bench_interrupted, NULL, 0, TN_EXIT_INTERRUPTED);
    return show(k, status_of(k));
}

static int replay(struct bench *k)
{
    struct tn_bench_report r = report_of(k);
    struct tn_buf b;
    uint64_t n = k->wish.sizes_given ? k->wish.n[0] : 0;
    tn_buf_init(&b);
    k->c->document = tn_opt_on(k->c, TN_OPT_JSON);
    if (k->c->document)
        tn_bench_replay_json(k->wish.replay, k->wish.n_replay, n, &b);
    else
        tn_bench_replay_text(&r, k->wish.replay, k->wish.n_replay, n, &b);
    int rc = tn_cmd_print(k->c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}

static int load(struct bench *k, const char *name, struct tn_bench *ret)
{
    struct tn_buf b;
    struct tn_err err;
    tn_buf_init(&b);
    tn_bench_init(ret, k->c->mem);
    int rc = tn_cmd_slurp(k->c, name, &b, &err);
    if (!rc)
        rc = tn_bench_load(ret, tn_span_of(b.p, b.n), &err);
    tn_buf_deinit(&b);
    if (!rc)
        return TN_EXIT_OK;
    if (!*err.place || rc == TN_E_FORMAT)
        tn_cmd_say(k->c, "%s: %s%s%s", name, err.place, *err.place ? ": " : "", err.text);
    else
        tn_cmd_fail(k->c, &err);
    return TN_EXIT_UNKNOWN;
}

static int compare(struct bench *k)
{
    static struct tn_bench_compared all[8 * TN_BENCH_MAX_SIZES];
    struct tn_bench a, b;
    struct tn_buf out;
    struct tn_bench_report r = report_of(k);
    int rc = load(k, k->c->arg[0], &a);
    rc = rc ? rc : load(k, k->c->arg[1], &b);
    if (rc)
        return rc;
    size_t n = tn_bench_compare(&a, &b, all, TN_LEN(all));
    if (!n)
        return say(k->c, TN_S_bench_cmp_nothing, NULL, 0, TN_EXIT_UNKNOWN);
    tn_buf_init(&out);
    k->c->document = tn_opt_on(k->c, TN_OPT_JSON);
    if (k->c->document)
        tn_bench_compare_json(all, n, &out);
    else
        tn_bench_compare_text(&r, all, n, &out);
    rc = tn_cmd_print(k->c, &out, TN_EXIT_OK);
    tn_buf_deinit(&out);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    struct bench *k = tn_arena_alloc(c->mem, sizeof *k);
    k->c = c;
    tn_bench_init(&k->b, c->mem);
    int rc = tn_bench_wish(c, &k->wish);
    if (rc)
        return rc;
    if (tn_opt_on(c, TN_OPT_COMPARE))
        return compare(k);
    return k->wish.n_replay ? replay(k) : measure(k);
}

static const enum tn_opt_id opts[] = {
    TN_OPT_N,    TN_OPT_DEVICE,  TN_OPT_PRECISION, TN_OPT_RUNS,     TN_OPT_THREADS, TN_OPT_ENV,   TN_OPT_GPU_NUMBER,
    TN_OPT_BLAS, TN_OPT_LIBCUDA, TN_OPT_CUBLAS,    TN_OPT_LIBCUDNN, TN_OPT_WORK,    TN_OPT_BATCH, TN_OPT_JSON,
    TN_OPT_CSV,  TN_OPT_HTML,    TN_OPT_SAVE,      TN_OPT_COMPARE,  TN_OPT_REPLAY,  TN_OPT_COUNT};
static const char *const examples[] = {"tenon bench",
                                       "tenon bench --n 1024 --device cpu",
                                       "tenon bench --device gpu --gpu 1",
                                       "tenon bench --n 10000 --env ~/venv",
                                       "tenon bench --work convolution,step --batch 64",
                                       "tenon bench --html > bench.html",
                                       "tenon bench --save before.json",
                                       "tenon bench --compare before.json after.json",
                                       "tenon bench --replay \"2.3 s / 10\" --replay \"28 s / 10\" --n 10000",
                                       NULL};

TN_CMD(bench, "bench", "[A B]", opts, 0, 2, run, TN_S_cmd_bench, examples, 0);
