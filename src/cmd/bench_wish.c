/* bench_wish.c - see bench_wish.h. */
#include "cmd/bench_wish.h"

#include <string.h>

#include "base/str.h"
#include "strings.gen.h"

#define MAX_THREADS 4096u

static int wrong(struct tn_cmd_ctx *c, const char *id, const char *key, const char *value, const char *max)
{
    struct tn_buf b;
    struct tn_arg a[] = {{key, value}, {"max", max}, {"many", tn_arena_printf(c->mem, "%u", TN_BENCH_MAX_SIZES)}};
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, TN_LEN(a));
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
    return TN_EXIT_USAGE;
}

static int number(struct tn_cmd_ctx *c, enum tn_opt_id o, const char *name, unsigned max, unsigned *ret)
{
    const char *s = tn_opt_value(c, o);
    uint64_t v;
    if (!s)
        return TN_EXIT_OK;
    if (!tn_str_u64(s, strlen(s), 10, &v) || v == 0 || v > max)
        return wrong(c, TN_S_bench_bad_number, "option", name, tn_arena_printf(c->mem, "%u", max));
    *ret = (unsigned)v;
    return TN_EXIT_OK;
}

static int sizes(struct tn_cmd_ctx *c, struct tn_bench_wish *w)
{
    static const uint64_t usual[] = {256, 512, 1024, 2048, 4096};
    const char *s = tn_opt_value(c, TN_OPT_N);
    w->sizes_given = s != NULL;
    if (!s) {
        memcpy(w->n, usual, sizeof usual);
        w->n_sizes = TN_LEN(usual);
        return TN_EXIT_OK;
    }
    for (;;) {
        size_t n = strcspn(s, ",");
        if (w->n_sizes == TN_BENCH_MAX_SIZES || !tn_str_u64(s, n, 10, &w->n[w->n_sizes]) || w->n[w->n_sizes] == 0 ||
            w->n[w->n_sizes] > TN_BENCH_MAX_N)
            return wrong(c, TN_S_bench_bad_n, "", "", tn_arena_printf(c->mem, "%u", TN_BENCH_MAX_N));
        w->n_sizes++;
        if (!s[n])
            return TN_EXIT_OK;
        s += n + 1;
    }
}

static int device(struct tn_cmd_ctx *c, struct tn_bench_wish *w)
{
    const char *s = w->device = tn_opt_value(c, TN_OPT_DEVICE);
    w->cpu = !s || strcmp(s, "cpu") == 0;
    w->gpu = !s || strcmp(s, "gpu") == 0;
    return w->cpu || w->gpu ? TN_EXIT_OK : wrong(c, TN_S_bench_bad_device, "", "", "");
}

static int precision(struct tn_cmd_ctx *c, struct tn_bench_wish *w)
{
    const char *s = tn_opt_value(c, TN_OPT_PRECISION);
    for (unsigned i = 0; i < TN_BENCH_N_PRECISION; i++)
        if (!s || tn_str_ieq(s, tn_bench_kinds[i].name)) {
            w->precision = (enum tn_bench_precision)i;
            return TN_EXIT_OK;
        }
    return wrong(c, TN_S_bench_bad_precision, "", "", "");
}

/* Sizes alone ask for the matrix product; the other works are measured in FP32. */
static int works(struct tn_cmd_ctx *c, struct tn_bench_wish *w)
{
    const unsigned all = (1U << TN_BENCH_N_OP) - 1, product = 1U << TN_BENCH_MATMUL;
    const char *s = tn_opt_value(c, TN_OPT_WORK);
    w->works_given = s != NULL;
    w->works = s ? 0 : w->sizes_given || w->precision != TN_BENCH_FP32 ? product : all;
    while (s && *s) {
        size_t n = strcspn(s, ",");
        const char *name = tn_arena_strndup(c->mem, s, n);
        enum tn_bench_op op = tn_bench_op_of(name);
        if (op == TN_BENCH_N_OP && strcmp(name, "all") != 0)
            return wrong(c, TN_S_bench_bad_work, "text", name, "");
        w->works |= op == TN_BENCH_N_OP ? all : 1U << op;
        s += n + (s[n] == ',');
    }
    if (!w->works)
        return wrong(c, TN_S_bench_bad_work, "text", "", "");
    if (w->works != product && w->precision != TN_BENCH_FP32)
        return wrong(c, TN_S_bench_bad_work_precision, "", "", "");
    if (!(w->works & product)) {
        if (w->sizes_given)
            return wrong(c, TN_S_bench_bad_work_n, "", "", "");
        w->n_sizes = 0;
    }
    w->batch = TN_BENCH_BATCH;
    return number(c, TN_OPT_BATCH, "batch", TN_BENCH_MAX_BATCH, &w->batch);
}

static int replays(struct tn_cmd_ctx *c, struct tn_bench_wish *w)
{
    const struct tn_given *g = &c->opt[TN_OPT_REPLAY];
    for (unsigned i = 0; i < g->n; i++)
        if (i == TN_LEN(w->replay) || !tn_bench_replay(g->v[i], &w->replay[w->n_replay++]))
            return wrong(c, TN_S_bench_bad_replay, "text", g->v[i], "");
    return TN_EXIT_OK;
}

static int gpu_number(struct tn_cmd_ctx *c, struct tn_bench_wish *w)
{
    const char *s = tn_opt_value(c, TN_OPT_GPU_NUMBER);
    uint64_t v = 0;
    if (s && (!tn_str_u64(s, strlen(s), 10, &v) || v > 1023))
        return wrong(c, TN_S_vf_bad_gpu, "", "", "");
    w->gpu_number = (unsigned)v;
    return TN_EXIT_OK;
}

int tn_bench_wish(struct tn_cmd_ctx *c, struct tn_bench_wish *w)
{
    *w = (struct tn_bench_wish){0};
    int rc = sizes(c, w);
    rc = rc ? rc : device(c, w);
    rc = rc ? rc : precision(c, w);
    rc = rc ? rc : works(c, w);
    rc = rc ? rc : number(c, TN_OPT_RUNS, "runs", TN_STAT_MAX, &w->runs);
    rc = rc ? rc : number(c, TN_OPT_THREADS, "threads", MAX_THREADS, &w->threads);
    rc = rc ? rc : gpu_number(c, w);
    rc = rc ? rc : replays(c, w);
    if (!rc && tn_opt_on(c, TN_OPT_COMPARE) && c->n_arg != 2)
        rc = wrong(c, TN_S_bench_bad_compare, "", "", "");
    else if (!rc && !tn_opt_on(c, TN_OPT_COMPARE) && c->n_arg)
        rc = wrong(c, TN_S_bench_bad_files, "", "", "");
    return rc;
}
