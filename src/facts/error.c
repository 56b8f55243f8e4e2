/* error.c - look-ups in error_codes and xid. */
#include "facts/error.h"

#include <stdlib.h>

#include "base/str.h"

static const char *const spaces[] = {"CUDA driver CUresult",
                                     "CUDA runtime cudaError_t",
                                     "CUDA runtime cudaError_t (old numbering)",
                                     "cudnnStatus_t (cuDNN 9 numbering)",
                                     "cudnnStatus_t (old numbering)",
                                     "cublasStatus_t",
                                     "ncclResult_t",
                                     "nvmlReturn_t",
                                     "cufftResult_t",
                                     "curandStatus_t",
                                     "cusolverStatus_t",
                                     "cusparseStatus_t",
                                     "nvrtcResult",
                                     "nvJitLinkResult"};

static int number_of(const char *cell)
{
    return (int)strtol(cell, NULL, 10);
}

static void fill(const struct tn_table *t, uint32_t row, enum tn_error_space space, struct tn_facts_error *ret)
{
    ret->name = tn_facts_get(t, row, "name");
    ret->meaning = tn_facts_get(t, row, "meaning");
    ret->space = space;
    ret->number = number_of(tn_facts_get(t, row, "number"));
    ret->cite = tn_facts_cite(t, row);
}

enum tn_found tn_facts_error(enum tn_error_space space, int number, struct tn_facts_error *ret)
{
    const struct tn_table *t = tn_facts_find("error_codes");
    for (uint32_t r = 0; t && r < t->nrows; r++)
        if (tn_facts_rank(t, r) == 1 && number_of(tn_facts_get(t, r, "number")) == number &&
            tn_str_eq(tn_facts_get(t, r, "library"), spaces[space])) {
            fill(t, r, space, ret);
            return TN_ANSWER_YES;
        }
    return TN_ANSWER_NO;
}

enum tn_found tn_facts_error_named(const char *name, struct tn_facts_error *ret)
{
    const struct tn_table *t = tn_facts_find("error_codes");
    for (unsigned s = 0; s < sizeof spaces / sizeof *spaces; s++)
        for (uint32_t r = 0; t && r < t->nrows; r++)
            if (tn_facts_rank(t, r) == 1 && tn_str_eq(tn_facts_get(t, r, "name"), name) &&
                tn_str_eq(tn_facts_get(t, r, "library"), spaces[s])) {
                fill(t, r, (enum tn_error_space)s, ret);
                return TN_ANSWER_YES;
            }
    return TN_ANSWER_NO;
}

enum tn_found tn_facts_xid(int number, struct tn_facts_xid *ret)
{
    const struct tn_table *t = tn_facts_find("xid");
    for (uint32_t r = 0; t && r < t->nrows; r++) {
        if (tn_facts_rank(t, r) != 1 || number_of(tn_facts_get(t, r, "xid")) != number)
            continue;
        ret->mnemonic = tn_facts_get(t, r, "mnemonic");
        ret->meaning = tn_facts_get(t, r, "meaning");
        ret->action = tn_facts_get(t, r, "advised_action");
        ret->cause_class = tn_facts_get(t, r, "cause_class");
        ret->hardware = tn_str_starts(tn_facts_get(t, r, "cause_class"), "hardware");
        ret->cite = tn_facts_cite(t, r);
        return TN_ANSWER_YES;
    }
    return TN_ANSWER_NO;
}
