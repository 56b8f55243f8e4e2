/* arena.c - see arena.h. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 16u
#define FIRST_BLOCK 4096u
#define MAX_BLOCK (1u << 20)

struct tn_arena_block {
    struct tn_arena_block *next;
    size_t pad; /* keeps the payload at a multiple of ALIGN */
};

static _Thread_local tn_oom_fn oom_fn;
static _Thread_local void *oom_ctx;

void tn_oom_hook(tn_oom_fn fn, void *ctx)
{
    oom_fn = fn;
    oom_ctx = ctx;
}

_Noreturn void tn_oom(void)
{
    if (oom_fn)
        oom_fn(oom_ctx);
    abort();
}

void *tn_xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p)
        tn_oom();
    return p;
}

void *tn_xrealloc(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);
    if (!q)
        tn_oom();
    return q;
}

void tn_arena_init(struct tn_arena *a)
{
    memset(a, 0, sizeof *a);
}

void tn_arena_deinit(struct tn_arena *a)
{
    struct tn_arena_block *b = a->head;
    while (b) {
        struct tn_arena_block *next = b->next;
        free(b);
        b = next;
    }
    memset(a, 0, sizeof *a);
}

static unsigned char *payload(struct tn_arena_block *b)
{
    return (unsigned char *)b + sizeof *b;
}

/* n bytes as they are: for callers that fill them at once. */
static void *take(struct tn_arena *a, size_t n)
{
    if (n > SIZE_MAX / 2)
        tn_oom();
    n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!n)
        n = ALIGN;
    if (!a->head || a->cap - a->used < n) {
        size_t want = a->total ? (a->total < MAX_BLOCK ? a->total : MAX_BLOCK) : FIRST_BLOCK;
        struct tn_arena_block *b;
        if (want < n)
            want = n;
        b = tn_xmalloc(sizeof *b + want);
        b->next = a->head;
        a->head = b;
        a->used = 0;
        a->cap = want;
        a->total += want;
    }
    void *p = payload(a->head) + a->used;
    a->used += n;
    return p;
}

void *tn_arena_alloc(struct tn_arena *a, size_t n)
{
    return memset(take(a, n), 0, n);
}

void *tn_arena_array(struct tn_arena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        tn_oom();
    return tn_arena_alloc(a, n * size);
}

void *tn_arena_memdup(struct tn_arena *a, const void *p, size_t n)
{
    void *q = take(a, n);
    if (n)
        memcpy(q, p, n);
    return q;
}

char *tn_arena_strndup(struct tn_arena *a, const char *s, size_t n)
{
    char *q = take(a, n + 1);
    if (n)
        memcpy(q, s, n);
    q[n] = 0;
    return q;
}

char *tn_arena_strdup(struct tn_arena *a, const char *s)
{
    return tn_arena_strndup(a, s, strlen(s));
}

/* A format of texts alone, as most are, needs no formatting. Length of the result in text; size: it is more than that
 * or another format. */
static size_t put_texts(char *text, size_t size, const char *fmt, va_list ap)
{
    size_t n = 0;
    for (; *fmt; fmt++) {
        const char *s = fmt;
        size_t len = 1;
        if (*fmt == '%') {
            if (*++fmt != 's' || !(s = va_arg(ap, const char *)))
                return size;
            len = strlen(s);
        }
        if (len >= size - n)
            return size;
        memcpy(text + n, s, len);
        n += len;
    }
    return n;
}

char *tn_arena_printf(struct tn_arena *a, const char *fmt, ...)
{
    char text[512]; /* nearly all fit, and are formatted once */
    va_list ap, again;
    va_start(ap, fmt);
    size_t texts = put_texts(text, sizeof text, fmt, ap);
    va_end(ap);
    if (texts < sizeof text)
        return tn_arena_strndup(a, text, texts);
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n;
    char *s = len < sizeof text ? tn_arena_strndup(a, text, len) : take(a, len + 1);
    if (len >= sizeof text)
        vsnprintf(s, len + 1, fmt, again);
    va_end(again);
    return s;
}

void *tn_arena_grow(struct tn_arena *a, void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    size_t want = *cap ? *cap * 2 : 8;
    if (want < *cap)
        tn_oom();
    if (want > SIZE_MAX / size)
        tn_oom();
    char *q = take(a, want * size);
    if (n)
        memcpy(q, p, n * size);
    memset(q + n * size, 0, (want - n) * size);
    *cap = want;
    return q;
}
