/* bench_card.h - the lines of bench's text that belong to a card (bench_text.c). */
#ifndef TN_REPORT_BENCH_CARD_H
#define TN_REPORT_BENCH_CARD_H

#include "report/bench.h"

/* In the place of a CPU's heading; card.model is there. device: as people call that side. */
void tn_bench_card_text(const struct tn_bench_report *r, const struct tn_bench_side *s, const char *device,
                        struct tn_buf *b);
void tn_bench_card_result(const struct tn_bench_report *r, const struct tn_bench_result *x, struct tn_buf *b);
/* From which size on it is faster; both sides have a size in common. */
void tn_bench_card_worth(const struct tn_bench_report *r, const struct tn_bench_side *cpu,
                         const struct tn_bench_side *gpu, const char *device, struct tn_buf *b);

#endif
