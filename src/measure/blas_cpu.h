/* blas_cpu.h - the CPU's matrix multiplication by a BLAS that is there: OpenBLAS of the system or inside NumPy's wheel,
 * MKL. Opened at run time, never linked; only in a worker. */
#ifndef TN_MEASURE_BLAS_CPU_H
#define TN_MEASURE_BLAS_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "bench/bench.h"

struct tn_blas {
    void *library;
    void *gemm[TN_BENCH_N_PRECISION];
    bool wide; /* its integers have 64 bits */
    unsigned threads;
    char symbol[64]; /* of the single precision one */
    char name[160];  /* "OpenBLAS 0.3.21" */
    char config[320], core[64];
};

/* threads 0: as many as the library wants. False: *ret_why says why not. */
bool tn_blas_open(const char *path, unsigned threads, struct tn_blas *ret, const char **ret_why);
/* c = a b, all of n rows and columns, row by row. */
void tn_blas_multiply(const struct tn_blas *l, enum tn_bench_precision p, size_t n, const void *a, const void *b,
                      void *c);

/* c = alpha a b in FP32, row by row: a of m x k, b of k x n, or of n x k and turned; lda, ldb, ldc: from row to row. */
struct tn_bench_product;
void tn_blas_product(const struct tn_blas *l, const struct tn_bench_product *p);

/* blas_find.c: files that could be such a library, the likeliest first: below the given site folders and prefixes of an
 * environment, then where systems keep them. NULL ends both lists. */
struct tn_blas_places {
    const char *const *site, *const *prefix;
};
size_t tn_blas_find(const struct tn_blas_places *where, struct tn_arena *mem, const char *const **ret);

#endif
