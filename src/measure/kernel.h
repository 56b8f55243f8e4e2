/* kernel.h - PTX of our own kernels, as text. */
#ifndef TN_MEASURE_KERNEL_H
#define TN_MEASURE_KERNEL_H

/* mix(to, n, seed): word i < n becomes h ^ h >> 15, h = i * 2654435761 + seed. PTX ISA 6.0 for compute capability 3.0
 * and up as text; the driver of any later card compiles it. */
extern const char tn_kernel_ptx[];

#endif
