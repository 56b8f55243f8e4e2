/* bench_run.h - a side of the benchmark measured in a worker; told line by line (bench/told.c). */
#ifndef TN_MEASURE_BENCH_RUN_H
#define TN_MEASURE_BENCH_RUN_H

#include "bench/bench.h"
#include "measure/worker.h"

struct tn_bench_job {
    const char *path;   /* of the library; for a GPU the driver's */
    const char *second; /* for a GPU: cuBLAS; NULL: there is none */
    const char *cudnn;  /* likewise */
    unsigned gpu;       /* its number */
    bool free;          /* worker.h */
    enum tn_bench_precision precision;
    const uint64_t *n;
    unsigned n_sizes;   /* at most TN_BENCH_MAX_SIZES */
    unsigned works;     /* bits 1 << enum tn_bench_op: other works than the matrix product */
    unsigned batch;     /* theirs */
    unsigned runs;      /* 0: as many as the wanted certainty takes */
    unsigned threads;   /* 0: as the library wants */
    unsigned budget_ms; /* for the clock of one size; half as much for its warm-up */
    bool no_memory;     /* bandwidth is left out */
    void (*tick)(void *ctx, const struct tn_bench_side *s); /* something was measured; NULL: nobody waits */
    void *ctx;
};

/* How the worker failed; what was measured before stays in the side. */
struct tn_bench_fault {
    enum tn_worker_end end;
    int number;               /* status or signal */
    char step[64];            /* in which */
    char text[400];           /* what it said itself, "open no such file"; "" when nothing */
    char error[64];           /* name of the vendor's error, "CUDA_ERROR_ECC_UNCORRECTABLE"; "" when none */
    char call[64], layer[16]; /* of an error that is a number only: whose; see tn_bench_failed */
    int code;
};

/* 0, or TN_E_IO with *fault, or why no worker could be started. The side is filled. */
int tn_bench_cpu(const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s,
                 struct tn_bench_fault *fault, struct tn_err *err);
int tn_bench_gpu(const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s,
                 struct tn_bench_fault *fault, struct tn_err *err);
/* Through a framework, on the CPU: TensorFlow by its C API (the libraries in the order of opening, NULL at the end;
 * job->path is the one that is named), PyTorch by the interpreter job->path. */
int tn_bench_tensorflow(const struct tn_bench_job *job, const char *const *libraries, struct tn_bench *b,
                        struct tn_bench_side *s, struct tn_bench_fault *fault, struct tn_err *err);
int tn_bench_torch(const struct tn_bench_job *job, struct tn_bench *b, struct tn_bench_side *s,
                   struct tn_bench_fault *fault, struct tn_err *err);
/* bench_run.c: all workers through this. argv ends with NULL. */
int tn_bench_work(const struct tn_work *work, const char *const *argv, const struct tn_bench_job *job,
                  struct tn_bench *b, struct tn_bench_side *s, struct tn_bench_fault *fault, struct tn_err *err);
const char *tn_bench_sizes(const struct tn_bench_job *job, struct tn_arena *mem); /* "512,1024" */

/* ---- for the workers: the same method whatever multiplies */

struct tn_bench_clock {
    void *ctx;
    const char *step; /* what is done, for who waits for it: "multiply" */
    /* So many multiplications, and everything done when it returns; false: failed, and told. */
    bool (*run)(void *ctx, unsigned calls);
    /* In its place where the work has a clock of its own: microseconds of so many; 0: failed, and told. */
    double (*timed)(void *ctx, unsigned calls);
    unsigned runs, budget_ms; /* as in tn_bench_job */
};
/* Warms up until steady, chooses the number of runs, tells warmup, calls and each sample. operations: of one, for
 * deadlines. */
bool tn_bench_clock(const struct tn_bench_clock *c, double operations);

/* A call of a library whose errors are numbers: told, to be named by whoever has the tables. layer: cublas, cudnn,
 * cudnn-old (before 9: other numbers). True: it was none. */
bool tn_bench_failed(const char *layer, const char *call, int status);

/* Random numbers in [-1, 1): the same for the same seed. */
void tn_bench_fill(void *p, uint64_t count, enum tn_bench_precision precision, uint64_t seed);
/* Elements of c = a b against sums in double precision of our own: false: told which is wrong. The bound is that of a
 * sum of n products, n u / (1 - n u) times the sum of their magnitudes (Higham, Accuracy and Stability of Numerical
 * Algorithms, 3.5). rounded: to which share of itself each number may have been rounded beforehand, 0: not at all; the
 * error that was met is told, so that fewer bits than asked for are seen (tn_bench_lowered). */
bool tn_bench_check(uint64_t n, enum tn_bench_precision precision, double rounded, const void *a, const void *b,
                    const void *c);

/* A product in FP32 as a call of a BLAS gets it: c = alpha a b, row by row; turned: b is given as n x k. */
struct tn_bench_product {
    uint64_t m, n, k;
    float alpha;
    const float *a, *b;
    float *c;
    uint64_t lda, ldb, ldc;
    bool turned;
};
/* What a comparison with our own sums came to. */
struct tn_bench_sums {
    double rounded; /* as in tn_bench_check */
    double fine;    /* the worst of all parts */
};
/* Elements of it, likewise; what: the part, for the message. */
bool tn_bench_check_product(const struct tn_bench_product *p, const char *what, struct tn_bench_sums *s);
/* One element: got, where sum is exact, size the sum of the magnitudes of its k products and squares that of their
 * squares, all without alpha. False: told. */
bool tn_bench_check_element(const char *what, uint64_t row, uint64_t column, double got, double sum, double size,
                            uint64_t k, const struct tn_bench_sums *s);

#endif
