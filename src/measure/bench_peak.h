/* bench_peak.h - what this CPU could do at most: measured here, since no table knows every processor and clock. */
#ifndef TN_MEASURE_BENCH_PEAK_H
#define TN_MEASURE_BENCH_PEAK_H

#include "bench/bench.h"

/* 1e9 operations a second of so many threads that do nothing but multiply and add in registers, with the widest vectors
 * that the processor has: no matrix multiplication can be faster. The best of several short tries, of all threads
 * together or of one times the cores, whichever is more: on a busy machine all are seldom free at once. */
double tn_bench_peak(enum tn_bench_precision p, unsigned threads, unsigned cores);

/* Main memory by so many threads, arrays of so many bytes; the best of several tries, as STREAM counts: a copy reads
 * and writes. False: no memory for the arrays. */
bool tn_bench_memory(uint64_t bytes, unsigned threads, struct tn_bench_memory *ret);

#endif
