/* bench_gpu.h - the GPU side of `bench`: which card and which libraries, what became of it. */
#ifndef TN_CMD_BENCH_GPU_H
#define TN_CMD_BENCH_GPU_H

#include "cmd/bench_wish.h"
#include "measure/bench_run.h"

/* Adds the side. A driver's library that was named by hand and is not the one that this machine's card has is a
 * stand-in: its side is another device, so that its figures are never taken for a card's. job: sizes, runs, tick. */
void tn_cmd_bench_gpu(struct tn_cmd_ctx *c, const struct tn_bench_wish *w, const struct tn_snap *snap,
                      const struct tn_bench_job *job, struct tn_bench *b);

/* Why nothing, or not everything, was measured. */
void tn_cmd_bench_blame(struct tn_cmd_ctx *c, struct tn_bench_side *s, const struct tn_bench_fault *f, int rc);

#endif
