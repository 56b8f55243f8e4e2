/* bench.h - what was measured, as data: read from a worker's lines or a saved document, written by the reports.
 *
 * Invariant: a figure that was not measured is 0 or NULL and is never shown as one. Knows no clock, library or file. */
#ifndef TN_BENCH_BENCH_H
#define TN_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "bench/stat.h"

#define TN_BENCH_MAX_SIZES 16u
#define TN_BENCH_MAX_N 1000000u /* rows; of a matrix of more than that nobody has the memory */
#define TN_BENCH_STEADY 0.03    /* warm-up ends when the time of a run changes by less */
#define TN_BENCH_WANTED 0.01    /* runs are repeated until the median is known to this share of itself */

enum tn_bench_precision { TN_BENCH_FP32, TN_BENCH_FP64, TN_BENCH_N_PRECISION };
struct tn_bench_kind {
    const char *name; /* "fp32" */
    unsigned bytes;   /* of one number */
};
extern const struct tn_bench_kind tn_bench_kinds[TN_BENCH_N_PRECISION];

/* What is measured. The matrix product by size; the two others in one shape and FP32, n being the batch:
 * - convolution: `batch` images of 56 x 56 with 64 channels, 3 x 3 filters to 64 channels, stride 1, size kept: a layer
 * of ResNet's first stage. 2 operations for each product of the sums that define it, those with the border's zeros
 * counted.
 * - step: one transformer layer's products forward, `batch` sequences of 128 tokens, width 256, 4 heads, inner width
 * 1024: queries, keys and values, scores, softmax, weighted values, output, up, down. The operations are those of the
 * six matrix products; the softmax's are not counted. */
enum tn_bench_op { TN_BENCH_MATMUL, TN_BENCH_CONVOLUTION, TN_BENCH_STEP, TN_BENCH_N_OP };
extern const char *const tn_bench_ops[TN_BENCH_N_OP]; /* "matmul" ... */
#define TN_BENCH_BATCH 32u
#define TN_BENCH_MAX_BATCH 4096u
enum { TN_CONV_CHANNELS = 64, TN_CONV_SIDE = 56, TN_CONV_FILTER = 3 };
enum { TN_STEP_TOKENS = 128, TN_STEP_WIDTH = 256, TN_STEP_HEADS = 4, TN_STEP_INNER = 1024 };

/* One size on one side: C = A B with n rows and columns, or another work. Times in seconds, of doing it once. */
struct tn_bench_result {
    enum tn_bench_op op;
    uint64_t n;                  /* rows, or the batch */
    const char *how;             /* which calls or algorithm did it, in their own words; NULL: as the side says */
    double create_s, allocate_s; /* outside the clock: data, memory */
    double sent_s, fetched_s;    /* to a card and back: both matrices, the product; 0: no card */
    double fine;                 /* error of the result in its last places: see tn_bench_lowered; 0: not known */
    double first_s;              /* the first run: what people wait for once */
    unsigned warmup, calls;      /* runs before the clock counts; how often in one sample */
    double others;               /* processors that other programs kept busy meanwhile */
    bool steady, checked;        /* warm-up came to rest; the result was compared with a sum of our own */
    double *sample;
    size_t n_sample, cap;
    struct tn_stat stat;
    double gflops; /* by the median */
};

struct tn_bench_memory { /* bytes a second, 1e9; read and written bytes both count */
    uint64_t bytes;      /* of the array */
    double read, write, copy;
};

/* What NVML said of a card at one moment; mhz 0: nothing. */
struct tn_bench_state {
    double mhz, watts, celsius, reasons; /* reasons: bits of nvmlClocksThrottleReasons */
};

struct tn_bench_card {
    const char *model;
    double multiprocessors, capability, bytes; /* capability: 8.6 */
    double max_mhz;                            /* of its multiprocessors */
    struct tn_bench_state before, after;       /* the work: after is the moment when the last product was done */
    double load_s, start_s, context_s, compile_s, cublas_s, cudnn_s; /* first use: what people wait for once */
    double launch_s, launch_alone_s; /* of one of many launches, of one that is waited for: 0: not known */
    struct {
        double pinned_up, pinned_down, pageable_up, pageable_down, inside; /* 1e9 bytes a second */
    } link;
};

struct tn_bench_side {
    const char *device;    /* cpu, gpu */
    const char *framework; /* measured through it: "tensorflow"; NULL: the library itself */
    const char *library;   /* "OpenBLAS 0.3.21"; NULL: nothing measured, why says the reason */
    const char *path, *config, *core;
    const char *driver; /* of a card: the driver's library */
    const char *precision;
    const char *why; /* id of an interface string */
    const char *why_what, *step;
    bool wrong; /* the library's result is not the product */
    const char
        *left; /* id of a string: why convolution and step were left out; NULL: they were not, or not asked for */
    unsigned threads, cores;
    double peak_gflops; /* 0: not known */
    const char *see;    /* name of the vendor's error, which `tenon explain` knows */
    struct tn_bench_memory memory;
    struct tn_bench_card card; /* model NULL: this side is none */
    struct tn_bench_result *r;
    size_t n, cap;
};

struct tn_bench {
    struct tn_arena *mem;
    struct tn_bench_side *side;
    size_t n, cap;
    int64_t time; /* seconds since 1970, 0: not known */
};

void tn_bench_init(struct tn_bench *b, struct tn_arena *mem);
struct tn_bench_side *tn_bench_add(struct tn_bench *b, const char *device);
struct tn_bench_result *tn_bench_add_size(struct tn_bench *b, struct tn_bench_side *s, enum tn_bench_op op, uint64_t n);
/* The side's result of that work and size; NULL: it has none. */
const struct tn_bench_result *tn_bench_find(const struct tn_bench_side *s, enum tn_bench_op op, uint64_t n);
/* The work of that name; TN_BENCH_N_OP: none. */
enum tn_bench_op tn_bench_op_of(const char *name);
/* Floating-point operations of doing it once. */
double tn_bench_operations(enum tn_bench_op op, uint64_t n);
void tn_bench_add_sample(struct tn_bench *b, struct tn_bench_result *r, double seconds);
/* Statistics of the samples so far. */
void tn_bench_settle(struct tn_bench_result *r);

/* The bytes of three matrices. n up to TN_BENCH_MAX_N. */
uint64_t tn_bench_bytes(uint64_t n, enum tn_bench_precision p);

/* All that one of the other works keeps; n: the batch. */
uint64_t tn_bench_work_bytes(enum tn_bench_op op, uint64_t n);

/* Fewer bits than asked for: elements differ from our sums, over the root of the sum of the squares of their products,
 * by what only rounded inputs explain. TF32 keeps 11 bits of each number, so that each product is off by some 2^-12 of
 * itself; FP32 sums differ by some 2^-24 of the sum. */
#define TN_BENCH_LOWERED 0x1p-15
static inline bool tn_bench_lowered(const struct tn_bench_result *r)
{
    return r->fine > TN_BENCH_LOWERED;
}

/* card.c: 1e9 operations a second that so many multiprocessors of that capability can do at that clock without tensor
 * cores; 0: not known. */
double tn_bench_card_peak(const struct tn_bench_card *c, const char *precision, double mhz);
/* The smallest measured size from which on the second side is always faster, with the copies there and back or without;
 * 0: none. */
uint64_t tn_bench_worth(const struct tn_bench_side *cpu, const struct tn_bench_side *gpu, bool with_copies);

/* told.c: a line of a worker ("library PATH", "sample 12.5", doc in told.c). False: not such a line. */
bool tn_bench_take(struct tn_bench *b, struct tn_bench_side *s, struct tn_span line);

/* saved.c: a document of `bench --json`. */
int tn_bench_load(struct tn_bench *b, struct tn_span text, struct tn_err *err);

/* replay.c: "2.3 s / 10": the seconds that so many runs took together. */
struct tn_bench_replay {
    double total, each;
    unsigned runs;
};
bool tn_bench_replay(const char *text, struct tn_bench_replay *ret);

/* compare.c: two documents, side by side and size by size. */
enum tn_bench_verdict {
    TN_BENCH_FEW,           /* too few runs: no outcome could have shown a difference */
    TN_BENCH_NO_DIFFERENCE, /* none that noise does not explain, or one too small to matter */
    TN_BENCH_FASTER,        /* the second is */
    TN_BENCH_SLOWER
};
#define TN_BENCH_ALPHA 0.01   /* probability by which noise alone is called a difference */
#define TN_BENCH_MATTERS 0.02 /* a smaller one is none */
struct tn_bench_compared {
    const struct tn_bench_side *a, *b;
    const struct tn_bench_result *ra, *rb;
    double ratio; /* time of the second over that of the first: median of all pairs of blocks */
    double p;     /* of the rank sum test over blocks */
    double drift; /* the most that either run changed within itself, as a share */
    enum tn_bench_verdict verdict;
};
/* At most max; returns how many sizes both have. */
size_t tn_bench_compare(const struct tn_bench *a, const struct tn_bench *b, struct tn_bench_compared *ret, size_t max);

#endif
