/* code.c - see code.h. Source: tables error_codes and xid. A number below 100 means another thing in every library, so
 * that without its library it is taken as the CUDA driver's and said so. */
#include "explain/code.h"

#include <string.h>

#include "base/str.h"
#include "facts/error.h"

static const char *const library[] = {
    [TN_ERROR_DRIVER] = "CUDA driver API",
    [TN_ERROR_RUNTIME] = "CUDA runtime",
    [TN_ERROR_RUNTIME_OLD] = "CUDA runtime before 10.1",
    [TN_ERROR_CUDNN] = "cuDNN",
    [TN_ERROR_CUDNN_OLD] = "cuDNN before 9",
    [TN_ERROR_CUBLAS] = "cuBLAS",
    [TN_ERROR_NCCL] = "NCCL",
    [TN_ERROR_NVML] = "NVML",
};

/* Words that may stand before a number, in small letters. */
static const struct {
    const char *word;
    enum tn_error_space space;
} words[] = {{"nvml", TN_ERROR_NVML},    {"cudnn", TN_ERROR_CUDNN},      {"cublas", TN_ERROR_CUBLAS},
             {"nccl", TN_ERROR_NCCL},    {"cuda", TN_ERROR_DRIVER},      {"cudaerror", TN_ERROR_RUNTIME},
             {"error", TN_ERROR_DRIVER}, {"cuda error", TN_ERROR_DRIVER}};

static void fill(struct tn_code *ret, const struct tn_facts_error *e)
{
    *ret = (struct tn_code){e->name, library[e->space], e->meaning, e->cite.source ? e->cite.source : "", e->number};
}

static bool xid(struct tn_arena *mem, int number, struct tn_code *ret)
{
    struct tn_facts_xid x;
    if (tn_facts_xid(number, &x) != TN_ANSWER_YES)
        return false;
    *ret = (struct tn_code){tn_arena_printf(mem, "Xid %d", number), "NVIDIA kernel module", x.meaning,
                            x.cite.source ? x.cite.source : "", number};
    return true;
}

bool tn_explain_code(struct tn_arena *mem, const char *text, struct tn_code *ret)
{
    char low[48];
    struct tn_facts_error e;
    uint64_t n;
    size_t len = 0, at;
    text += strspn(text, " \t");
    for (; text[len] && len < sizeof low - 1; len++)
        low[len] = text[len] == '\n' ? ' ' : tn_lower(text[len]);
    while (len && strchr(" \t:.", low[len - 1]))
        len--;
    low[len] = 0;
    if (strlen(text) >= sizeof low || !len)
        return false;
    if (tn_facts_error_named(tn_arena_strndup(mem, text, len), &e) == TN_ANSWER_YES) {
        fill(ret, &e);
        return true;
    }
    for (at = len; at > 0 && tn_is_digit(low[at - 1]);)
        at--;
    if (at == len || len - at > 6 || !tn_str_u64(low + at, len - at, 10, &n))
        return false;
    while (at > 0 && strchr(" #:=(", low[at - 1]))
        at--;
    low[at] = 0;
    if (strcmp(low, "xid") == 0)
        return xid(mem, (int)n, ret);
    enum tn_error_space space = TN_ERROR_DRIVER;
    bool known = at == 0;
    for (size_t i = 0; i < TN_LEN(words) && !known; i++)
        if (strcmp(low, words[i].word) == 0) {
            space = words[i].space;
            known = true;
        }
    if (!known || tn_facts_error(space, (int)n, &e) != TN_ANSWER_YES)
        return false;
    fill(ret, &e);
    return true;
}

void tn_explain_code_words(const struct tn_code *c, struct tn_buf *ret)
{
    if (strncmp(c->name, "Xid ", 4) == 0)
        tn_buf_printf(ret, "NVRM: Xid (PCI:0000:00:00): %d, %s\n", c->number, c->meaning);
    else
        tn_buf_printf(ret, "%s: %s\n", c->name, c->meaning);
}
