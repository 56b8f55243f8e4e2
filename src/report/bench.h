/* bench.h - what `bench` measured, as text with a bar chart, JSON, CSV or HTML with a plot. Pure. */
#ifndef TN_REPORT_BENCH_H
#define TN_REPORT_BENCH_H

#include "bench/bench.h"
#include "finding/catalogue.h"

struct tn_bench_report {
    struct tn_arena *mem;
    const struct tn_bench *b;
    enum tn_lang lang;
    bool ascii;     /* no block characters */
    unsigned width; /* columns; 0: not known */
};

void tn_bench_text(const struct tn_bench_report *r, struct tn_buf *ret);
/* doc/bench.schema.json */
void tn_bench_json(const struct tn_bench_report *r, struct tn_buf *ret);
void tn_bench_csv(const struct tn_bench_report *r, struct tn_buf *ret);
/* One document without script, styles of its own, nothing fetched. */
void tn_bench_html(const struct tn_bench_report *r, struct tn_buf *ret);

/* "A B / n" put right; n 0: of what size is not said. */
void tn_bench_replay_text(const struct tn_bench_report *r, const struct tn_bench_replay *of, unsigned n_of, uint64_t n,
                          struct tn_buf *ret);
void tn_bench_replay_json(const struct tn_bench_replay *of, unsigned n_of, uint64_t n, struct tn_buf *ret);

void tn_bench_compare_text(const struct tn_bench_report *r, const struct tn_bench_compared *c, size_t n,
                           struct tn_buf *ret);
void tn_bench_compare_json(const struct tn_bench_compared *c, size_t n, struct tn_buf *ret);

/* bench_text.c, also for messages: "15.2 ms", "0.23 s"; "1.2 GB" (units of 1000); one of the reasons why a side was not
 * measured, "" where it was. */
const char *tn_bench_time(struct tn_arena *mem, double seconds);
const char *tn_bench_size(struct tn_arena *mem, uint64_t bytes);
const char *tn_bench_why(const struct tn_bench_report *r, const struct tn_bench_side *s);
/* What was done: "n 1024", or "convolution, batch 32". */
const char *tn_bench_name(struct tn_arena *mem, const struct tn_bench_result *x, enum tn_lang lang);

#endif
