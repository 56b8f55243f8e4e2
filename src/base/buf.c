/* buf.c - see buf.h. */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static char empty[1];

void tn_buf_init(struct tn_buf *b)
{
    b->p = empty;
    b->n = b->cap = 0;
}

void tn_buf_deinit(struct tn_buf *b)
{
    if (b->cap)
        free(b->p);
    tn_buf_init(b);
}

void tn_buf_clear(struct tn_buf *b)
{
    b->n = 0;
    if (b->cap)
        b->p[0] = 0;
}

void tn_buf_room(struct tn_buf *b, size_t more)
{
    if (more > SIZE_MAX / 2 - b->n)
        tn_oom();
    size_t need = b->n + more + 1;
    if (need <= b->cap)
        return;
    size_t cap = b->cap ? b->cap * 2 : 128;
    if (cap < need)
        cap = need;
    b->p = tn_xrealloc(b->cap ? b->p : NULL, cap);
    b->cap = cap;
}

void tn_buf_add(struct tn_buf *b, const void *p, size_t n)
{
    if (!n)
        return;
    tn_buf_room(b, n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = 0;
}

void tn_buf_str(struct tn_buf *b, const char *s)
{
    tn_buf_add(b, s, strlen(s));
}

void tn_buf_ch(struct tn_buf *b, char c)
{
    tn_buf_add(b, &c, 1);
}

void tn_buf_vprintf(struct tn_buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0) {
        tn_buf_room(b, (size_t)n);
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void tn_buf_printf(struct tn_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    tn_buf_vprintf(b, fmt, ap);
    va_end(ap);
}
