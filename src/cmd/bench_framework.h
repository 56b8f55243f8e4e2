/* bench_framework.h - `bench --env`: the matrix product through the environment's frameworks, on the CPU. */
#ifndef TN_CMD_BENCH_FRAMEWORK_H
#define TN_CMD_BENCH_FRAMEWORK_H

#include "measure/bench_run.h"
#include "cmd/cmd.h"

/* Adds a side for each framework that can be measured so: TensorFlow from 2.12 on by its C API, PyTorch by the
 * environment's Python. job: sizes, runs, tick. */
void tn_cmd_bench_frameworks(struct tn_cmd_ctx *c, const struct tn_snap *snap, const struct tn_bench_job *job,
                             struct tn_bench *b);

#endif
