/* error.h - error codes of CUDA's interfaces by number and by name.
 *
 * Invariant: a number means something only together with its interface; the CUDA run time renumbered in 10.1, cuDNN
 * in 9. */
#ifndef TN_FACTS_ERROR_H
#define TN_FACTS_ERROR_H

#include "facts/table.h"

enum tn_error_space {
    TN_ERROR_DRIVER,      /* CUresult */
    TN_ERROR_RUNTIME,     /* cudaError_t since 10.1 */
    TN_ERROR_RUNTIME_OLD, /* before */
    TN_ERROR_CUDNN,       /* cudnnStatus_t since 9 */
    TN_ERROR_CUDNN_OLD,   /* before */
    TN_ERROR_CUBLAS,
    TN_ERROR_NCCL,
    TN_ERROR_NVML,
    TN_ERROR_CUFFT,
    TN_ERROR_CURAND,
    TN_ERROR_CUSOLVER,
    TN_ERROR_CUSPARSE,
    TN_ERROR_NVRTC,
    TN_ERROR_NVJITLINK
};

struct tn_facts_error {
    const char *name;    /* CUDA_ERROR_NO_DEVICE */
    const char *meaning; /* in English, a few words */
    enum tn_error_space space;
    int number;
    struct tn_cite cite;
};

/* Source: table error_codes. */
enum tn_found tn_facts_error(enum tn_error_space space, int number, struct tn_facts_error *ret);
/* By exact name; of those with two numberings the newer. */
enum tn_found tn_facts_error_named(const char *name, struct tn_facts_error *ret);

struct tn_facts_xid {
    const char *mnemonic, *meaning, *action;
    const char *cause_class; /* "application or hardware": the likeliest first; "" for unused numbers */
    bool hardware;           /* its class names hardware first: card, memory, link, power */
    struct tn_cite cite;
};

/* An Xid of the kernel's log by its number. Source: table xid. */
enum tn_found tn_facts_xid(int number, struct tn_facts_xid *ret);

#endif
