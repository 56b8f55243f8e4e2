/* bench_json.c - what was measured for programs: JSON (doc/bench.schema.json) and CSV. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#include "report/bench.h"
#include "report/escape.h"
#include "snapshot/json.h"

static json_t *text_or_null(const char *s)
{
    return s && *s ? tn_json_text(s) : json_null();
}

static json_t *real_or_null(double v)
{
    return v > 0 ? json_real(v) : json_null();
}

static json_t *document(void)
{
    tn_json_seed();
    json_t *top = tn_json_must(json_object());
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string("bench"));
    return top;
}

static void dump(json_t *top, struct tn_buf *b)
{
    tn_json_dump(b, top, 1);
    tn_buf_ch(b, '\n');
    json_decref(top);
}

static json_t *result(const struct tn_bench_result *x)
{
    json_t *o = tn_json_must(json_object()), *t = tn_json_must(json_object()), *v = tn_json_must(json_array());
    if (x->op != TN_BENCH_MATMUL) {
        tn_json_set(o, "operation", json_string(tn_bench_ops[x->op]));
        tn_json_set(o, "operations", json_real(tn_bench_operations(x->op, x->n)));
        tn_json_set(o, "how", text_or_null(x->how));
    }
    tn_json_set(o, x->op == TN_BENCH_MATMUL ? "n" : "batch", json_integer((json_int_t)x->n));
    tn_json_set(t, "median", json_real(x->stat.median));
    tn_json_set(t, "low", x->stat.bounded ? json_real(x->stat.low) : json_null());
    tn_json_set(t, "high", x->stat.bounded ? json_real(x->stat.high) : json_null());
    tn_json_set(t, "q1", json_real(x->stat.q1));
    tn_json_set(t, "q3", json_real(x->stat.q3));
    tn_json_set(t, "min", json_real(x->stat.min));
    tn_json_set(t, "max", json_real(x->stat.max));
    tn_json_set(o, "seconds", t);
    tn_json_set(o, "gflops", json_real(x->gflops));
    tn_json_set(o, "runs", json_integer((json_int_t)x->n_sample));
    tn_json_set(o, "calls_per_run", json_integer(x->calls));
    tn_json_set(o, "warmup_runs", json_integer(x->warmup));
    tn_json_set(o, "steady", json_boolean(x->steady));
    tn_json_set(o, "checked", json_boolean(x->checked));
    tn_json_set(o, "others_busy", json_real(x->others));
    tn_json_set(o, "sent_seconds", real_or_null(x->sent_s));
    tn_json_set(o, "fetched_seconds", real_or_null(x->fetched_s));
    tn_json_set(o, "lowered", json_boolean(tn_bench_lowered(x)));
    tn_json_set(o, "create_seconds", json_real(x->create_s));
    tn_json_set(o, "allocate_seconds", json_real(x->allocate_s));
    tn_json_set(o, "first_seconds", json_real(x->first_s));
    for (size_t i = 0; i < x->n_sample; i++)
        tn_json_append(v, json_real(x->sample[i]));
    tn_json_set(o, "samples_seconds", v);
    return o;
}

static json_t *bandwidth(const struct tn_bench_memory *m)
{
    json_t *o = m->bytes ? tn_json_must(json_object()) : NULL;
    if (!o)
        return json_null();
    tn_json_set(o, "array_bytes", json_integer((json_int_t)m->bytes));
    tn_json_set(o, "read_gbs", json_real(m->read));
    tn_json_set(o, "write_gbs", json_real(m->write));
    tn_json_set(o, "copy_gbs", json_real(m->copy));
    return o;
}

static json_t *state(const struct tn_bench_state *s)
{
    json_t *o = s->mhz > 0 ? tn_json_must(json_object()) : NULL;
    if (!o)
        return json_null();
    tn_json_set(o, "mhz", json_real(s->mhz));
    tn_json_set(o, "watts", json_real(s->watts));
    tn_json_set(o, "celsius", json_real(s->celsius));
    tn_json_set(o, "throttle_reasons", json_integer((json_int_t)s->reasons));
    return o;
}

static json_t *card(const struct tn_bench_side *s)
{
    const struct tn_bench_card *c = &s->card;
    const struct {
        const char *key;
        double v;
    } all[] = {{"multiprocessors", c->multiprocessors},
               {"memory_bytes", c->bytes},
               {"load_seconds", c->load_s},
               {"start_seconds", c->start_s},
               {"context_seconds", c->context_s},
               {"compile_seconds", c->compile_s},
               {"cublas_seconds", c->cublas_s},
               {"cudnn_seconds", c->cudnn_s},
               {"launch_seconds", c->launch_s},
               {"launch_alone_seconds", c->launch_alone_s},
               {"pinned_up_gbs", c->link.pinned_up},
               {"pinned_down_gbs", c->link.pinned_down},
               {"pageable_up_gbs", c->link.pageable_up},
               {"pageable_down_gbs", c->link.pageable_down},
               {"inside_gbs", c->link.inside}};
    json_t *o = c->model ? tn_json_must(json_object()) : NULL;
    char capability[16];
    if (!o)
        return json_null();
    snprintf(capability, sizeof capability, "%.1f", c->capability);
    tn_json_set(o, "model", tn_json_text(c->model));
    tn_json_set(o, "driver", text_or_null(s->driver));
    tn_json_set(o, "capability", json_string(capability));
    for (unsigned i = 0; i < TN_LEN(all); i++)
        tn_json_set(o, all[i].key, real_or_null(all[i].v));
    tn_json_set(o, "before", state(&c->before));
    tn_json_set(o, "at_work", state(&c->after));
    return o;
}

static json_t *side(const struct tn_bench_report *r, const struct tn_bench_side *s)
{
    json_t *o = tn_json_must(json_object()), *all = tn_json_must(json_array()), *works = tn_json_must(json_array());
    tn_json_set(o, "device", json_string(s->device));
    tn_json_set(o, "framework", text_or_null(s->framework));
    tn_json_set(o, "not_measured", text_or_null(tn_bench_why(r, s)));
    tn_json_set(o, "library", text_or_null(s->library));
    tn_json_set(o, "path", text_or_null(s->path));
    tn_json_set(o, "config", text_or_null(s->library ? s->config : NULL));
    tn_json_set(o, "core", text_or_null(s->core));
    tn_json_set(o, "precision", text_or_null(s->precision));
    tn_json_set(o, "threads", s->threads ? json_integer(s->threads) : json_null());
    tn_json_set(o, "cores", s->cores ? json_integer(s->cores) : json_null());
    tn_json_set(o, "peak_gflops", real_or_null(s->peak_gflops));
    tn_json_set(o, "card", card(s));
    tn_json_set(o, "memory", bandwidth(&s->memory));
    for (size_t i = 0; i < s->n; i++)
        if (s->r[i].n_sample)
            tn_json_append(s->r[i].op == TN_BENCH_MATMUL ? all : works, result(&s->r[i]));
    tn_json_set(o, "results", all);
    tn_json_set(o, "works", works);
    return o;
}

void tn_bench_json(const struct tn_bench_report *r, struct tn_buf *b)
{
    json_t *top = document(), *sides = tn_json_must(json_array());
    tn_json_set(top, "kind", json_string("measured"));
    tn_json_set(top, "operation", json_string("matmul"));
    tn_json_set(top, "time", r->b->time ? json_integer(r->b->time) : json_null());
    tn_json_set(top, "confidence", json_real(TN_STAT_CONFIDENCE));
    for (size_t i = 0; i < r->b->n; i++)
        tn_json_append(sides, side(r, &r->b->side[i]));
    tn_json_set(top, "sides", sides);
    dump(top, b);
}

void tn_bench_replay_json(const struct tn_bench_replay *of, unsigned n_of, uint64_t n, struct tn_buf *b)
{
    json_t *top = document(), *all = tn_json_must(json_array());
    tn_json_set(top, "kind", json_string("replay"));
    for (unsigned i = 0; i < n_of; i++) {
        json_t *o = tn_json_must(json_object());
        const double rows = (double)n;
        tn_json_set(o, "total_seconds", json_real(of[i].total));
        tn_json_set(o, "runs", json_integer(of[i].runs));
        tn_json_set(o, "each_seconds", json_real(of[i].each));
        tn_json_set(o, "gflops", n ? json_real(2 * rows * rows * rows / of[i].each / 1e9) : json_null());
        tn_json_append(all, o);
    }
    tn_json_set(top, "replayed", all);
    tn_json_set(top, "ratio",
                n_of == 2 ? json_real(of[0].each > of[1].each ? of[0].each / of[1].each : of[1].each / of[0].each)
                          : json_null());
    dump(top, b);
}

void tn_bench_compare_json(const struct tn_bench_compared *c, size_t n, struct tn_buf *b)
{
    static const char *const verdicts[] = {[TN_BENCH_FEW] = "too_few_runs",
                                           [TN_BENCH_NO_DIFFERENCE] = "no_difference",
                                           [TN_BENCH_FASTER] = "faster",
                                           [TN_BENCH_SLOWER] = "slower"};
    json_t *top = document(), *all = tn_json_must(json_array());
    tn_json_set(top, "kind", json_string("compared"));
    for (size_t i = 0; i < n; i++) {
        json_t *o = tn_json_must(json_object());
        tn_json_set(o, "device", text_or_null(c[i].a->device));
        tn_json_set(o, "precision", text_or_null(c[i].a->precision));
        tn_json_set(o, "operation", json_string(tn_bench_ops[c[i].ra->op]));
        tn_json_set(o, "n", json_integer((json_int_t)c[i].ra->n));
        tn_json_set(o, "verdict", json_string(verdicts[c[i].verdict]));
        tn_json_set(o, "a_seconds", json_real(c[i].ra->stat.median));
        tn_json_set(o, "b_seconds", json_real(c[i].rb->stat.median));
        tn_json_set(o, "ratio", json_real(c[i].ratio));
        tn_json_set(o, "p", json_real(c[i].p));
        tn_json_set(o, "drift", json_real(c[i].drift));
        tn_json_append(all, o);
    }
    tn_json_set(top, "compared", all);
    dump(top, b);
}

void tn_bench_csv(const struct tn_bench_report *r, struct tn_buf *b)
{
    tn_buf_str(b, "device,library,precision,threads,n,median_s,low_s,high_s,q1_s,q3_s,min_s,max_s,runs,calls_per_run,"
                  "warmup_runs,steady,gflops,peak_gflops,create_s,allocate_s,first_s,operation,how,framework\r\n");
    for (size_t i = 0; i < r->b->n; i++)
        for (size_t k = 0; k < r->b->side[i].n; k++) {
            const struct tn_bench_side *s = &r->b->side[i];
            const struct tn_bench_result *x = &s->r[k];
            const struct tn_stat *t = &x->stat;
            if (!x->n_sample)
                continue;
            tn_escape_csv(b, s->device);
            tn_buf_ch(b, ',');
            tn_escape_csv(b, s->library ? s->library : "");
            tn_buf_printf(b, ",%s,%u,%llu,%.9g,", s->precision, s->threads, (unsigned long long)x->n, t->median);
            tn_buf_printf(b, t->bounded ? "%.9g,%.9g," : ",,", t->low, t->high);
            tn_buf_printf(b, "%.9g,%.9g,%.9g,%.9g,%zu,%u,%u,%d,%.6g,", t->q1, t->q3, t->min, t->max, x->n_sample,
                          x->calls, x->warmup, x->steady, x->gflops);
            if (s->peak_gflops > 0)
                tn_buf_printf(b, "%.6g", s->peak_gflops);
            tn_buf_printf(b, ",%.9g,%.9g,%.9g,%s,", x->create_s, x->allocate_s, x->first_s, tn_bench_ops[x->op]);
            tn_escape_csv(b, x->how ? x->how : "");
            tn_buf_printf(b, ",%s\r\n", s->framework ? s->framework : "");
        }
}
