/* saved.c - a document of `bench --json` or `--save`, read back: from outside, so every figure is bounded. */
#include <string.h>

#include "bench/bench.h"
#include "snapshot/json.h"

static const char *text(struct tn_bench *b, const json_t *o, const char *key)
{
    const char *why, *s = tn_json_untext(b->mem, json_object_get(o, key), &why);
    return s && *s ? s : NULL;
}

/* A finite number that is not negative, else 0. */
static double number(const json_t *o, const char *key)
{
    double v = json_number_value(json_object_get(o, key));
    return v >= 0 && v < 1e18 ? v : 0;
}

/* Results are matrix products; works say which they are. */
static bool add_result(struct tn_bench *b, struct tn_bench_side *s, const json_t *o, enum tn_bench_op op)
{
    const json_t *samples = json_object_get(o, "samples_seconds"), *v;
    double n = number(o, op == TN_BENCH_MATMUL ? "n" : "batch");
    size_t i;
    if (op == TN_BENCH_N_OP || s->n == TN_BENCH_MAX_SIZES + TN_BENCH_N_OP || n < 1 || n > TN_BENCH_MAX_N ||
        json_array_size(samples) > TN_STAT_MAX)
        return false;
    struct tn_bench_result *r = tn_bench_add_size(b, s, op, (uint64_t)n);
    json_array_foreach(samples, i, v)
    {
        double t = json_number_value(v);
        if (!(t > 0 && t < 1e9))
            return false;
        tn_bench_add_sample(b, r, t);
    }
    tn_bench_settle(r);
    return r->n_sample > 0;
}

static bool add_side(struct tn_bench *b, const json_t *o)
{
    const json_t *all = json_object_get(o, "results"), *works = json_object_get(o, "works"), *v;
    const char *device = text(b, o, "device");
    size_t i;
    if (!device || b->n == 8)
        return false;
    struct tn_bench_side *s = tn_bench_add(b, device);
    s->library = text(b, o, "library");
    s->framework = text(b, o, "framework");
    s->path = text(b, o, "path");
    s->precision = text(b, o, "precision");
    s->peak_gflops = number(o, "peak_gflops");
    json_array_foreach(all, i, v)
    {
        if (!add_result(b, s, v, TN_BENCH_MATMUL))
            return false;
    }
    json_array_foreach(works, i, v)
    {
        const char *name = json_string_value(json_object_get(v, "operation"));
        if (!add_result(b, s, v, name ? tn_bench_op_of(name) : TN_BENCH_N_OP))
            return false;
    }
    return true;
}

int tn_bench_load(struct tn_bench *b, struct tn_span from, struct tn_err *err)
{
    tn_json_seed();
    json_t *top = tn_json_load(from, err);
    const json_t *sides = json_object_get(top, "sides"), *v;
    const char *command = json_string_value(json_object_get(top, "command"));
    size_t i;
    bool ok = command && strcmp(command, "bench") == 0 && json_is_array(sides);
    if (!top)
        return err ? err->code : TN_E_FORMAT;
    json_array_foreach(sides, i, v)
    {
        ok = ok && add_side(b, v);
    }
    json_decref(top);
    return ok ? 0 : tn_err_set(err, TN_E_FORMAT, NULL, "not a measurement that tenon bench has saved");
}
