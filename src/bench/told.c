/* told.c - the lines that a worker tells while it measures, one statement each:
 *
 *     library NAME VERSION      core TEXT       config TEXT     threads N     cores N     peak GFLOPS
 *     size N                    what follows is about this size
 *     allocate US   create US   first US        of this size, outside the clock
 *     warmup RUNS 0|1           how many, and whether the time had come to rest
 *     calls K                   multiplications in one sample
 *     sample US                 microseconds of one multiplication
 *     others N                  processors that other programs kept busy meanwhile
 *     checked                   the result is right
 *     memory BYTES READ WRITE COPY     1e9 bytes a second
 *
 * The worker loaded a foreign library: whatever it says is bounded here. */
#include <stdio.h>
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
    else
        return false;
    return true;
}

static bool of_side(struct tn_bench *b, struct tn_bench_side *s, const char *word, const char *rest)
{
    double v[4];
    const char **text = strcmp(word, "library") == 0  ? &s->library
                        : strcmp(word, "core") == 0   ? &s->core
                        : strcmp(word, "config") == 0 ? &s->config
                                                      : NULL;
    if (text) {
        *text = tn_arena_strdup(b->mem, rest);
        return true;
    }
    if (strcmp(word, "memory") == 0) {
        if (!numbers(rest, v, 4))
            return false;
        s->memory = (struct tn_bench_memory){(uint64_t)v[0], v[1], v[2], v[3]};
        return true;
    }
    if (!numbers(rest, v, 1))
        return false;
    if (strcmp(word, "size") == 0) {
        if (s->n < TN_BENCH_MAX_SIZES && v[0] >= 1 && v[0] <= TN_BENCH_MAX_N)
            tn_bench_add_size(b, s, (uint64_t)v[0]);
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
