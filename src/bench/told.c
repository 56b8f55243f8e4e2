/* told.c - the lines that a worker tells while it measures, one statement each:
 *
 *     path FILE                 of the library that is opened next, where that may fail
 *     library NAME VERSION      core TEXT       config TEXT     threads N     cores N     peak GFLOPS
 *     size N                    what follows is about this size
 *     work NAME BATCH           what follows is about another work than the matrix product (tn_bench_ops)
 *     how TEXT                  which calls or algorithm do it
 *     allocate US   create US   first US        of this size, outside the clock
 *     warmup RUNS 0|1           how many, and whether the time had come to rest
 *     calls K                   multiplications in one sample
 *     sample US                 microseconds of one multiplication
 *     others N                  processors that other programs kept busy meanwhile
 *     checked                   the result is right
 *     memory BYTES READ WRITE COPY     1e9 bytes a second
 *
 *     sent US   fetched US      of this size, to the card and back
 *     fine SHARE                error of the result (tn_bench_lowered)
 *
 * Of a card:
 *
 *     model NAME                card MULTIPROCESSORS CAPABILITY BYTES   max_mhz MHZ
 *     before, after MHZ WATTS CELSIUS REASONS
 *     first_load, first_start, first_context, first_compile, first_cublas, first_cudnn US
 *     launch US US              of one of many, of one that is waited for
 *     link GBS GBS GBS GBS GBS  pinned up, down; pageable up, down; inside the card
 *
 * The worker loaded a foreign library: whatever it says is bounded here. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bench/bench.h"

#define MAX_TEXT 500u

/* Numbers of a line, NaN and what is not finite or negative refused. */
static bool numbers(const char *text, double *ret, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char *end;
        ret[i] = strtod(text, &end);
        if (end == text || !(ret[i] >= 0 && ret[i] < 1e18))
            return false;
        text = end;
    }
    return text[strspn(text, " ")] == 0;
}

static bool of_size(struct tn_bench *b, struct tn_bench_result *r, const char *word, const char *rest)
{
    double v[2];
    if (strcmp(word, "checked") == 0) {
        r->checked = true;
        return true;
    }
    if (strcmp(word, "how") == 0) {
        r->how = tn_arena_strdup(b->mem, rest);
        return true;
    }
    if (strcmp(word, "warmup") == 0) {
        if (!numbers(rest, v, 2))
            return false;
        r->warmup = v[0] < 1e6 ? (unsigned)v[0] : 0;
        r->steady = v[1] > 0;
        return true;
    }
    if (!numbers(rest, v, 1))
        return false;
    if (strcmp(word, "sample") == 0)
        tn_bench_add_sample(b, r, v[0] / 1e6);
    else if (strcmp(word, "calls") == 0)
        r->calls = v[0] >= 1 && v[0] < 1e6 ? (unsigned)v[0] : 1;
    else if (strcmp(word, "create") == 0)
        r->create_s = v[0] / 1e6;
    else if (strcmp(word, "allocate") == 0)
        r->allocate_s = v[0] / 1e6;
    else if (strcmp(word, "first") == 0)
        r->first_s = v[0] / 1e6;
    else if (strcmp(word, "others") == 0)
        r->others = v[0];
    else if (strcmp(word, "sent") == 0)
        r->sent_s = v[0] / 1e6;
    else if (strcmp(word, "fetched") == 0)
        r->fetched_s = v[0] / 1e6;
    else if (strcmp(word, "fine") == 0)
        r->fine = v[0];
    else
        return false;
    return true;
}

static bool of_card(struct tn_bench_card *c, const char *word, const char *rest)
{
    static const struct {
        const char *word;
        size_t at; /* of so many doubles in a row */
        unsigned n;
        double scale;
    } all[] = {{"card", offsetof(struct tn_bench_card, multiprocessors), 3, 1},
               {"max_mhz", offsetof(struct tn_bench_card, max_mhz), 1, 1},
               {"before", offsetof(struct tn_bench_card, before), 4, 1},
               {"after", offsetof(struct tn_bench_card, after), 4, 1},
               {"first_load", offsetof(struct tn_bench_card, load_s), 1, 1e-6},
               {"first_start", offsetof(struct tn_bench_card, start_s), 1, 1e-6},
               {"first_context", offsetof(struct tn_bench_card, context_s), 1, 1e-6},
               {"first_compile", offsetof(struct tn_bench_card, compile_s), 1, 1e-6},
               {"first_cublas", offsetof(struct tn_bench_card, cublas_s), 1, 1e-6},
               {"first_cudnn", offsetof(struct tn_bench_card, cudnn_s), 1, 1e-6},
               {"launch", offsetof(struct tn_bench_card, launch_s), 2, 1e-6},
               {"link", offsetof(struct tn_bench_card, link), 5, 1}};
    double v[5];
    for (unsigned i = 0; i < TN_LEN(all); i++)
        if (strcmp(word, all[i].word) == 0) {
            if (!numbers(rest, v, all[i].n))
                return false;
            for (unsigned k = 0; k < all[i].n; k++)
                v[k] *= all[i].scale;
            memcpy((char *)c + all[i].at, v, all[i].n * sizeof *v);
            return true;
        }
    return false;
}

/* "convolution 32" */
static bool add_work(struct tn_bench *b, struct tn_bench_side *s, const char *rest)
{
    double v;
    const char *blank = strchr(rest, ' ');
    const char *name = blank ? tn_arena_strndup(b->mem, rest, (size_t)(blank - rest)) : rest;
    enum tn_bench_op op = tn_bench_op_of(name);
    if (!blank || op == TN_BENCH_N_OP || op == TN_BENCH_MATMUL || !numbers(blank, &v, 1) || v < 1 ||
        v > TN_BENCH_MAX_BATCH)
        return false;
    if (s->n < TN_BENCH_MAX_SIZES + TN_BENCH_N_OP)
        tn_bench_add_size(b, s, op, (uint64_t)v);
    return true;
}

static bool of_side(struct tn_bench *b, struct tn_bench_side *s, const char *word, const char *rest)
{
    double v[4];
    const char **text = strcmp(word, "library") == 0  ? &s->library
                        : strcmp(word, "core") == 0   ? &s->core
                        : strcmp(word, "config") == 0 ? &s->config
                        : strcmp(word, "path") == 0   ? &s->path
                        : strcmp(word, "model") == 0  ? &s->card.model
                                                      : NULL;
    if (text) {
        *text = tn_arena_strdup(b->mem, rest);
        return true;
    }
    if (of_card(&s->card, word, rest))
        return true;
    if (strcmp(word, "memory") == 0) {
        if (!numbers(rest, v, 4))
            return false;
        s->memory = (struct tn_bench_memory){(uint64_t)v[0], v[1], v[2], v[3]};
        return true;
    }
    if (strcmp(word, "work") == 0)
        return add_work(b, s, rest);
    if (!numbers(rest, v, 1))
        return false;
    if (strcmp(word, "size") == 0) {
        if (s->n < TN_BENCH_MAX_SIZES && v[0] >= 1 && v[0] <= TN_BENCH_MAX_N)
            tn_bench_add_size(b, s, TN_BENCH_MATMUL, (uint64_t)v[0]);
    } else if (strcmp(word, "threads") == 0) {
        s->threads = v[0] < 1e6 ? (unsigned)v[0] : 0;
    } else if (strcmp(word, "cores") == 0) {
        s->cores = v[0] < 1e6 ? (unsigned)v[0] : 0;
    } else if (strcmp(word, "peak") == 0) {
        s->peak_gflops = v[0];
    } else {
        return false;
    }
    return true;
}

bool tn_bench_take(struct tn_bench *b, struct tn_bench_side *s, struct tn_span line)
{
    char text[MAX_TEXT + 1];
    size_t n = line.n < MAX_TEXT ? line.n : MAX_TEXT;
    memcpy(text, line.p, n);
    text[n] = 0;
    char *rest = strchr(text, ' ');
    if (rest)
        *rest++ = 0;
    else
        rest = text + n;
    return of_side(b, s, text, rest) || (s->n && of_size(b, &s->r[s->n - 1], text, rest));
}
