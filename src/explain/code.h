/* code.h - a bare error code: "803", "Xid 79", "NVML 18", "CUDNN_STATUS_NOT_INITIALIZED". */
#ifndef TN_EXPLAIN_CODE_H
#define TN_EXPLAIN_CODE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"

struct tn_code {
    const char *name;    /* CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "Xid 79" */
    const char *library; /* "CUDA driver API", "NVML" ...: a proper name in every language */
    const char *meaning; /* in English, as its source says it */
    const char *source;  /* of the table's row; never NULL */
    const char *words;   /* as programs print it; NULL: its name and meaning */
    int number;
};

/* Is the text one code, alone? A number without a library is one of CUDA's. */
bool tn_explain_code(struct tn_arena *mem, const char *text, struct tn_code *ret);
/* The words in which programs print it, for the message forms. Appends. */
void tn_explain_code_words(const struct tn_code *c, struct tn_buf *ret);

#endif
