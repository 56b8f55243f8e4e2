/* gemm_type.h - how cuBLAS and cuBLASLt call the types of a matrix product. Source: cublas_api.h and library_types.h of
 * CUDA 11.0 to 13.0; before CUDA 11 the type of computation was a cudaDataType. */
#ifndef TN_MEASURE_GEMM_TYPE_H
#define TN_MEASURE_GEMM_TYPE_H

#include "measure/gpulib.h"

struct tn_gemm_type {
    enum tn_precision p;
    int in, out, scale;     /* cudaDataType */
    int compute, compute10; /* cublasComputeType_t; its forerunner, -1: there was none */
    unsigned capability;    /* the least, 80: 8.0; "Supported Features" of the compute capabilities */
};

#define TN_GEMM_TYPES 6
extern const struct tn_gemm_type tn_gemm_types[TN_GEMM_TYPES];

/* Alpha 1 and beta 0 as the scale type wants them, 8 bytes each: by the library's rule beta 0 means that C is not read.
 */
const void *tn_gemm_one(const struct tn_gemm_type *t);
extern const double tn_gemm_zero;

struct tn_gemm_data {
    struct tn_ref_matmul shape;
    uint64_t a, b, c;
};
/* Both factors on the GPU, and room for the product. */
bool tn_gemm_put(struct tn_gpu *g, const struct tn_gemm_type *t, bool large, struct tn_gemm_data *ret);
/* The product taken back, compared, told; memory freed. */
bool tn_gemm_judge(struct tn_gpu *g, const struct tn_gemm_type *t, const struct tn_gemm_data *d);
/* One product in each type that the card and this release have; multiply: false when told why. */
bool tn_gemm_all(struct tn_gpu *g, bool whole_numbers, void *ctx,
                 bool (*multiply)(void *ctx, struct tn_gpu *g, const struct tn_gemm_type *t,
                                  const struct tn_gemm_data *d));

#endif
