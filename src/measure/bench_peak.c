/* bench_peak.c - see bench_peak.h.
 *
 * Twelve independent sums per thread, so that the latency of a fused multiply-add (4 cycles on the processors of the
 * last ten years, two a cycle) is hidden, and no more than registers hold with AVX2 (16). */
#include "measure/bench_peak.h"

#include <string.h>

#include "os/os.h"

#define SUMS 12u
#define TRIES 8u
#define TRY_US 5000u

/* One kernel: rounds times SUMS multiplications and additions of vectors of BYTES. */
#define KERNEL(NAME, TYPE, BYTES, TARGET)                                                                              \
    TARGET static double NAME(uint64_t rounds)                                                                         \
    {                                                                                                                  \
        typedef TYPE vec __attribute__((vector_size(BYTES)));                                                          \
        const vec x = (vec){0} + (TYPE)0.999999, y = (vec){0} + (TYPE)1e-6;                                            \
        vec s0 = x, s1 = y, s2 = x + y, s3 = x - y, s4 = x + x, s5 = y + y, s6 = s2 + x, s7 = s2 + y, s8 = s3 + x,     \
            s9 = s3 + y, s10 = s4 + y, s11 = s4 + x;                                                                   \
        for (uint64_t i = 0; i < rounds; i++) {                                                                        \
            s0 = s0 * x + y;                                                                                           \
            s1 = s1 * x + y;                                                                                           \
            s2 = s2 * x + y;                                                                                           \
            s3 = s3 * x + y;                                                                                           \
            s4 = s4 * x + y;                                                                                           \
            s5 = s5 * x + y;                                                                                           \
            s6 = s6 * x + y;                                                                                           \
            s7 = s7 * x + y;                                                                                           \
            s8 = s8 * x + y;                                                                                           \
            s9 = s9 * x + y;                                                                                           \
            s10 = s10 * x + y;                                                                                         \
            s11 = s11 * x + y;                                                                                         \
        }                                                                                                              \
        s0 = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;                                              \
        double sum = 0;                                                                                                \
        for (unsigned i = 0; i < (BYTES) / sizeof(TYPE); i++)                                                          \
            sum += (double)s0[i];                                                                                      \
        return sum;                                                                                                    \
    }

#define NO_TARGET
KERNEL(float_16, float, 16, NO_TARGET)
KERNEL(double_16, double, 16, NO_TARGET)
#if defined __x86_64__ && defined __GNUC__
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))
KERNEL(float_32, float, 32, AVX2)
KERNEL(double_32, double, 32, AVX2)
KERNEL(float_64, float, 64, AVX512)
KERNEL(double_64, double, 64, AVX512)
#endif

struct kernel {
    double (*run[TN_BENCH_N_PRECISION])(uint64_t rounds);
    unsigned bytes; /* of a vector */
};

/* The widest of each width; which one is fastest is tried, for wide ones may clock lower. */
static unsigned kernels(struct kernel ret[3])
{
    unsigned n = 0;
    ret[n++] = (struct kernel){{float_16, double_16}, 16};
#if defined __x86_64__ && defined __GNUC__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        ret[n++] = (struct kernel){{float_32, double_32}, 32};
    if (__builtin_cpu_supports("avx512f"))
        ret[n++] = (struct kernel){{float_64, double_64}, 64};
#endif
    return n;
}

struct trial {
    double (*run)(uint64_t rounds);
    uint64_t rounds;
    volatile double sum; /* so that the work cannot be left out */
};

static void one(void *ctx, unsigned i)
{
    struct trial *t = ctx;
    double s = t->run(t->rounds);
    if (i == 0)
        t->sum = s;
}

static double timed(struct trial *t, unsigned threads)
{
    uint64_t from = tn_os_monotonic_us();
    tn_os_parallel(threads, one, t);
    uint64_t took = tn_os_monotonic_us() - from;
    return (double)(took ? took : 1);
}

/* Of one kernel by so many threads at once. */
static double best_of(double (*run)(uint64_t rounds), unsigned lanes, unsigned threads)
{
    struct trial t = {.run = run, .rounds = 1000};
    double best = 0;
    while (timed(&t, threads) < TRY_US && t.rounds < 1ull << 32)
        t.rounds *= 2;
    for (unsigned n = 0; n < TRIES; n++) {
        double gflops = 2.0 * SUMS * lanes * threads * (double)t.rounds / timed(&t, threads) / 1e3;
        best = gflops > best ? gflops : best;
    }
    return best;
}

double tn_bench_peak(enum tn_bench_precision p, unsigned threads, unsigned cores)
{
    struct kernel k[3];
    double best = 0;
    for (unsigned i = kernels(k); i-- > 0;) {
        unsigned lanes = k[i].bytes / tn_bench_kinds[p].bytes;
        double all = best_of(k[i].run[p], lanes, threads),
               each = best_of(k[i].run[p], lanes, 1) * (threads < cores ? threads : cores);
        best = all > best ? all : best;
        best = each > best ? each : best;
    }
    return best;
}
