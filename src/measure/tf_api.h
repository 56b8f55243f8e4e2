/* tf_api.h - TensorFlow's C API, opened at run time in a worker, without Python: what verify and bench share. Names:
 * tensorflow/c/c_api.h, c/eager/c_api.h; symbols are found in whichever of the opened libraries has them. */
#ifndef TN_MEASURE_TF_API_H
#define TN_MEASURE_TF_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TN_TF_LIBRARIES 8
enum { TF_FLOAT = 1, TF_DOUBLE = 2 }; /* TF_DataType */

typedef struct TF_Status TF_Status;
typedef struct TF_Tensor TF_Tensor;
typedef struct TF_DeviceList TF_DeviceList;
typedef struct TFE_ContextOptions TFE_ContextOptions;
typedef struct TFE_Context TFE_Context;
typedef struct TFE_TensorHandle TFE_TensorHandle;
typedef struct TFE_Op TFE_Op;

#define TN_TF_API(X)                                                                                                   \
    X(const char *, TF_Version, (void))                                                                                \
    X(TF_Status *, TF_NewStatus, (void))                                                                               \
    X(int, TF_GetCode, (const TF_Status *))                                                                            \
    X(const char *, TF_Message, (const TF_Status *))                                                                   \
    X(TFE_ContextOptions *, TFE_NewContextOptions, (void))                                                             \
    X(void, TFE_ContextOptionsSetConfig, (TFE_ContextOptions *, const void *, size_t, TF_Status *))                    \
    X(TFE_Context *, TFE_NewContext, (const TFE_ContextOptions *, TF_Status *))                                        \
    X(TF_DeviceList *, TFE_ContextListDevices, (TFE_Context *, TF_Status *))                                           \
    X(int, TF_DeviceListCount, (const TF_DeviceList *))                                                                \
    X(const char *, TF_DeviceListName, (const TF_DeviceList *, int, TF_Status *))                                      \
    X(const char *, TF_DeviceListType, (const TF_DeviceList *, int, TF_Status *))                                      \
    X(int64_t, TF_DeviceListMemoryBytes, (const TF_DeviceList *, int, TF_Status *))                                    \
    X(TF_Tensor *, TF_AllocateTensor, (int, const int64_t *, int, size_t))                                             \
    X(void *, TF_TensorData, (const TF_Tensor *))                                                                      \
    X(size_t, TF_TensorByteSize, (const TF_Tensor *))                                                                  \
    X(TFE_TensorHandle *, TFE_NewTensorHandle, (const TF_Tensor *, TF_Status *))                                       \
    X(TFE_Op *, TFE_NewOp, (TFE_Context *, const char *, TF_Status *))                                                 \
    X(void, TFE_OpSetAttrType, (TFE_Op *, const char *, int))                                                          \
    X(void, TFE_OpSetAttrIntList, (TFE_Op *, const char *, const int64_t *, int))                                      \
    X(void, TFE_OpSetAttrString, (TFE_Op *, const char *, const void *, size_t))                                       \
    X(void, TFE_OpSetDevice, (TFE_Op *, const char *, TF_Status *))                                                    \
    X(void, TFE_OpAddInput, (TFE_Op *, TFE_TensorHandle *, TF_Status *))                                               \
    X(void, TFE_Execute, (TFE_Op *, TFE_TensorHandle **, int *, TF_Status *))                                          \
    X(const char *, TFE_TensorHandleBackingDeviceName, (TFE_TensorHandle *, TF_Status *))                              \
    X(TF_Tensor *, TFE_TensorHandleResolve, (TFE_TensorHandle *, TF_Status *))                                         \
    X(void, TF_DeleteTensor, (TF_Tensor *))                                                                            \
    X(void, TFE_DeleteTensorHandle, (TFE_TensorHandle *))                                                              \
    X(void, TFE_DeleteOp, (TFE_Op *))

struct tn_tf {
    void *library[TN_TF_LIBRARIES];
    unsigned n_library;
#define TN_TF_MEMBER(type, name, args) type(*name) args;
    TN_TF_API(TN_TF_MEMBER)
#undef TN_TF_MEMBER
    TF_Status *status;
    TFE_Context *context;
    const char *device; /* full name of the one that works */
    bool cpu;
};

/* The libraries in order, the last one NULL; one with "global:" before it shares its symbols. False: told. */
bool tn_tf_open(struct tn_tf *t, const char *const *path);
bool tn_tf_start(struct tn_tf *t);
/* "cpu", or the number that TensorFlow itself gives its GPUs; all devices are told. */
bool tn_tf_choose(struct tn_tf *t, const char *wanted);
/* Was the last call all right? Else it is told. */
bool tn_tf_worked(struct tn_tf *t, const char *what, const char *call);
/* On that device, of two inputs; NULL: told. */
TFE_Op *tn_tf_op(struct tn_tf *t, const char *what, int type, const char *name, TFE_TensorHandle *a,
                 TFE_TensorHandle *b);

#endif
