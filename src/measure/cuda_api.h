/* cuda_api.h - the CUDA driver interface as far as works use it. Source: cuda.h of CUDA 11.0 to 13.0; a name with _v2
 * is what cuda.h makes of the plain name. Handles are pointers, a CUdeviceptr has 64 bits, a CUdevice is an int. */
#ifndef TN_MEASURE_CUDA_API_H
#define TN_MEASURE_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TN_CUDA_API(X)                                                                                                 \
    X(cuDriverGetVersion, (int *ret))                                                                                  \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDeviceGetCount, (int *ret))                                                                                    \
    X(cuDeviceGet, (int *ret, int ordinal))                                                                            \
    X(cuDeviceGetName, (char *ret, int size, int device))                                                              \
    X(cuDeviceGetPCIBusId, (char *ret, int size, int device))                                                          \
    X(cuDeviceTotalMem_v2, (size_t * ret, int device))                                                                 \
    X(cuDeviceGetAttribute, (int *ret, int attribute, int device))                                                     \
    X(cuDevicePrimaryCtxRetain, (void **ret, int device))                                                              \
    X(cuDevicePrimaryCtxRelease_v2, (int device))                                                                      \
    X(cuCtxSetCurrent, (void *context))                                                                                \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuMemGetInfo_v2, (size_t * ret_free, size_t * ret_total))                                                        \
    X(cuMemAlloc_v2, (uint64_t * ret, size_t bytes))                                                                   \
    X(cuMemFree_v2, (uint64_t at))                                                                                     \
    X(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t bytes))                                                  \
    X(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t bytes))                                                        \
    X(cuMemsetD8_v2, (uint64_t to, unsigned char value, size_t bytes))                                                 \
    X(cuModuleLoadDataEx, (void **ret, const void *image, unsigned n, int *options, void **values))                    \
    X(cuModuleUnload, (void *module))                                                                                  \
    X(cuModuleGetFunction, (void **ret, void *module, const char *name))                                               \
    X(cuLaunchKernel, (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,          \
                       unsigned shared, void *stream, void **parameter, void **extra))
#define TN_CUDA_OPTIONAL(X)                                                                                            \
    X(cuDeviceCanAccessPeer, (int *ret, int device, int peer))                                                         \
    X(cuCtxEnablePeerAccess, (void *peer, unsigned flags))                                                             \
    X(cuMemcpyPeer, (uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes))                  \
    X(cuStreamQuery, (void *stream))                                                                                   \
    X(cuGetErrorName, (int error, const char **ret))                                                                   \
    X(cuGetErrorString, (int error, const char **ret))

struct tn_cuda {
    void *library;
#define TN_CUDA_MEMBER(name, args) int(*name) args;
    TN_CUDA_API(TN_CUDA_MEMBER)
    TN_CUDA_OPTIONAL(TN_CUDA_MEMBER)
#undef TN_CUDA_MEMBER
};

/* Opens the library and finds all names; false: told why (told.h). */
bool tn_cuda_open(struct tn_cuda *c, const char *path);
/* Was that answer 0? Else it is told, by the library's own name for it. */
bool tn_cuda_worked(const struct tn_cuda *c, const char *what, const char *call, int result);

#define TN_CUDA_CARDS 64 /* that are listed and proved */
/* What follows is done on this card (told.h); peer: the other's bus, or NULL. False: told why. */
bool tn_cuda_tell_on(const struct tn_cuda *c, const char *what, int device, const char *peer);

/* driver_prove.c: context, memory, kernel on one started GPU. */
bool tn_cuda_prove(struct tn_cuda *c, int gpu, bool full);

#endif
