/* code.c - see code.h. Source: tables error_codes and xid; of Windows the few that this stack meets. A number below 100
 * means another thing in every library, so that without its library it is taken as the CUDA driver's and said so. */
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
    [TN_ERROR_CUFFT] = "cuFFT",
    [TN_ERROR_CURAND] = "cuRAND",
    [TN_ERROR_CUSOLVER] = "cuSOLVER",
    [TN_ERROR_CUSPARSE] = "cuSPARSE",
    [TN_ERROR_NVRTC] = "NVRTC",
    [TN_ERROR_NVJITLINK] = "nvJitLink",
};

/* Words that may stand before a number, in small letters. */
static const struct {
    const char *word;
    enum tn_error_space space;
} words[] = {{"nvml", TN_ERROR_NVML},     {"cudnn", TN_ERROR_CUDNN},        {"cublas", TN_ERROR_CUBLAS},
             {"nccl", TN_ERROR_NCCL},     {"cuda", TN_ERROR_DRIVER},        {"cudaerror", TN_ERROR_RUNTIME},
             {"error", TN_ERROR_DRIVER},  {"cuda error", TN_ERROR_DRIVER},  {"cufft", TN_ERROR_CUFFT},
             {"curand", TN_ERROR_CURAND}, {"cusolver", TN_ERROR_CUSOLVER},  {"cusparse", TN_ERROR_CUSPARSE},
             {"nvrtc", TN_ERROR_NVRTC},   {"nvjitlink", TN_ERROR_NVJITLINK}};

/* Windows' own, as its loader and its Device Manager give them to programs of this stack. */
#define SYSTEM_CODES "Microsoft, System Error Codes (winerror.h)"
#define DEVICE_CODES "Microsoft, Error codes in Device Manager in Windows"
static const struct {
    const char *word;
    int number;
    const char *name, *meaning, *source, *words;
} of_windows[] = {
    {"winerror", 126, "WinError 126", "the DLL or one that it needs was not found", SYSTEM_CODES, "[WinError 126]"},
    {"winerror", 127, "WinError 127", "a DLL lacks a function that another one asks for: it is of another release",
     SYSTEM_CODES, "[WinError 127]"},
    {"winerror", 193, "WinError 193", "the file is no DLL for this Python: 32 against 64 bits, or damaged",
     SYSTEM_CODES, "[WinError 193]"},
    {"winerror", 1114, "WinError 1114", "a DLL was found and its start failed", SYSTEM_CODES, "[WinError 1114]"},
    {"winerror", 1455, "WinError 1455", "the page file is too small to load this DLL", SYSTEM_CODES, "[WinError 1455]"},
    {"code", 10, "Code 10", "the device cannot start", DEVICE_CODES, "(Code 10) NVIDIA"},
    {"code", 28, "Code 28", "no driver is installed for the device", DEVICE_CODES, "NVIDIA: (Code 28)"},
    {"code", 31, "Code 31", "Windows cannot load the driver of the device", DEVICE_CODES, "NVIDIA: (Code 31)"},
    {"code", 39, "Code 39", "the driver is damaged or missing", DEVICE_CODES, "(Code 39) NVIDIA"},
    {"code", 43, "Code 43", "the driver reported that the device failed", DEVICE_CODES, "(Code 43)"},
    {"code", 52, "Code 52", "the driver's signature cannot be verified", DEVICE_CODES, "(Code 52) NVIDIA"}};

static void fill(struct tn_code *ret, const struct tn_facts_error *e)
{
    *ret =
        (struct tn_code){e->name, library[e->space], e->meaning, e->cite.source ? e->cite.source : "", NULL, e->number};
}

static bool windows(const char *word, int number, struct tn_code *ret)
{
    for (size_t i = 0; i < TN_LEN(of_windows); i++)
        if (of_windows[i].number == number && strcmp(of_windows[i].word, word) == 0) {
            *ret = (struct tn_code){of_windows[i].name,   "Windows",           of_windows[i].meaning,
                                    of_windows[i].source, of_windows[i].words, number};
            return true;
        }
    return false;
}

static bool xid(struct tn_arena *mem, int number, struct tn_code *ret)
{
    struct tn_facts_xid x;
    if (tn_facts_xid(number, &x) != TN_ANSWER_YES)
        return false;
    *ret = (struct tn_code){tn_arena_printf(mem, "Xid %d", number),
                            "NVIDIA kernel module",
                            x.meaning,
                            x.cite.source ? x.cite.source : "",
                            NULL,
                            number};
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
    if (windows(low, (int)n, ret))
        return true;
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
    if (c->words)
        tn_buf_printf(ret, "%s %s\n", c->words, c->meaning);
    else if (strncmp(c->name, "Xid ", 4) == 0)
        tn_buf_printf(ret, "NVRM: Xid (PCI:0000:00:00): %d, %s\n", c->number, c->meaning);
    else
        tn_buf_printf(ret, "%s: %s\n", c->name, c->meaning);
}
