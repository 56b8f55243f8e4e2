/* judge_memory.c - torch's out-of-memory text counts who holds the memory: total, free, and this process.
 *
 * What is neither free nor this process's own is held by others. Where that is more than half of the card and more than
 * this process holds, the card is busy and the model not too large. The context and libraries of the process itself (up
 * to about 1 GiB) are missing in the older text, which is why "more than half" is asked. Source: the message's figures,
 * c10/cuda/CUDACachingAllocator.cpp; forms fact-oom-* of data/messages/_facts-cuda. XLA's own: cuda_dnn.cc. */
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"

/* "1.21 GiB", "900.00 MiB", "512 bytes" in MiB, or -1. */
static long mebibytes(const char *text)
{
    long whole = 0, hundredths = 0;
    if (!tn_is_digit(*text))
        return -1;
    for (; tn_is_digit(*text) && whole < 100000000; text++)
        whole = 10 * whole + (*text - '0');
    if (*text == '.') {
        text++;
        for (int place = 10; tn_is_digit(*text); text++, place /= 10)
            hundredths += place * (*text - '0');
    }
    while (*text == ' ')
        text++;
    if (tn_str_starts(text, "GiB"))
        return whole * 1024 + hundredths * 1024 / 100;
    if (tn_str_starts(text, "MiB"))
        return whole;
    return tn_str_starts(text, "KiB") || tn_str_starts(text, "bytes") ? 0 : -1;
}

static long told(const struct tn_weigh *w, const char *fact, size_t *row)
{
    *row = tn_weigh_told(w, fact);
    return *row == SIZE_MAX ? -1 : mebibytes(tn_weigh_value(w, *row));
}

static long bytes_mib(const struct tn_weigh *w, const char *fact, size_t *row)
{
    uint64_t n;
    *row = tn_weigh_told(w, fact);
    if (*row == SIZE_MAX)
        return -1;
    const char *v = tn_weigh_value(w, *row);
    return tn_str_u64(v, strlen(v), 10, &n) && n < (1ull << 50) ? (long)(n >> 20) : -1;
}

/* XLA says how much was free when cuDNN could not be started: its handle and context want some 300 MiB. */
static void stream_executor(const struct tn_weigh *w)
{
    size_t row;
    long total = bytes_mib(w, "stream.total", &row), free = bytes_mib(w, "stream.free", &row);
    if (total > 1024 && free >= 0 && free < 300)
        tn_weigh_add(w, "memory-preallocated", 120, row);
    else if (total > 1024 && free > total / 2 && free >= 1024) /* it was not for want of memory */
        tn_weigh_add(w, "cudnn-version-mismatch", 110, row);
}

/* A card that nvidia-smi shows full, and an error outside torch's own allocator, which tells no figures: the context
 * itself found no room, so the memory is another program's. */
static void full_card(const struct tn_weigh *w)
{
    const struct tn_sign *bare = tn_signs_find(w->signs, "cuda-oom");
    for (size_t i = 0; bare && i < w->s->gpu.n; i++) {
        const struct tn_rec_gpu *g = &w->s->gpu.v[i];
        if (g->used_bytes.k == TN_KNOWN && g->memory_bytes.k == TN_KNOWN && g->used_bytes.v > 0 &&
            g->memory_bytes.v > 0 && g->used_bytes.v / 17 >= g->memory_bytes.v / 20)
            tn_weigh_add(w, "gpu-busy", 100, bare->observation);
    }
}

void tn_judge_memory(const struct tn_weigh *w)
{
    size_t row;
    long total = told(w, "oom.total", &row), free = told(w, "oom.free", &row), used = told(w, "oom.allocated", &row);
    long own = told(w, "oom.own", &row);
    if (own >= 0 && used > own) /* up to torch 1.3 what is cached does not count what is allocated */
        own += used;
    stream_executor(w);
    if (total < 0 && own < 0)
        full_card(w);
    if (total <= 0 || free < 0 || own < 0 || total > 100000000)
        return;
    long others = total - free - own;
    if (others > total / 2 && others > own)
        tn_weigh_add(w, "gpu-busy", 160, row);
}
