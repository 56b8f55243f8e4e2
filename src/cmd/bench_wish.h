/* bench_wish.h - what the command line of `bench` asks for, bounded. */
#ifndef TN_CMD_BENCH_WISH_H
#define TN_CMD_BENCH_WISH_H

#include "bench/bench.h"
#include "cmd/cmd.h"

struct tn_bench_wish {
    uint64_t n[TN_BENCH_MAX_SIZES];
    unsigned n_sizes;
    bool sizes_given, cpu, gpu; /* devices wanted */
    const char *device;         /* as it was given; NULL: not */
    enum tn_bench_precision precision;
    unsigned runs, threads, gpu_number;
    unsigned works, batch; /* bits 1 << enum tn_bench_op; of all but the matrix product the batch */
    bool works_given;
    struct tn_bench_replay replay[2];
    unsigned n_replay;
};

/* TN_EXIT_OK, or TN_EXIT_USAGE and said why. */
int tn_bench_wish(struct tn_cmd_ctx *c, struct tn_bench_wish *ret);

#endif
