/* bytes.c - see bytes.h. */
#include "image/bytes.h"

#include <string.h>

void tn_image_bytes_init(struct tn_bytes *b, const struct tn_view *v, size_t text_limit)
{
    memset(b, 0, sizeof *b);
    b->view = v;
    b->text_left = text_limit;
}

int tn_image_bytes_at(struct tn_bytes *b, uint64_t off, size_t n, struct tn_span *ret, struct tn_err *err)
{
    if (off > b->view->size || n > b->view->size - off)
        return tn_err_set(err, TN_E_FORMAT, NULL, "%zu bytes at %llu are beyond the end (%llu)", n,
                          (unsigned long long)off, (unsigned long long)b->view->size);
    for (unsigned i = 0; i < TN_WINDOWS; i++)
        if (off >= b->window[i].off && tn_span_sub(b->window[i].s, off - b->window[i].off, n, ret))
            return 0;
    uint64_t from = off - off % TN_BLOCK, to = off + n;
    struct tn_span window;
    if (b->view->size - to < TN_BLOCK)
        to = b->view->size;
    else
        to += (TN_BLOCK - to % TN_BLOCK) % TN_BLOCK;
    int r = tn_view_at(b->view, from, (size_t)(to - from), &window, err);
    if (r)
        return r;
    b->window[b->oldest].off = from;
    b->window[b->oldest].s = window;
    b->oldest = (b->oldest + 1) % TN_WINDOWS;
    tn_span_sub(window, off - from, n, ret);
    return 0;
}

int tn_image_bytes_text(struct tn_bytes *b, uint64_t off, uint64_t end, size_t max, struct tn_arena *a,
                        const char **ret, struct tn_err *err)
{
    struct tn_span s;
    size_t n = 256;
    if (end > b->view->size)
        end = b->view->size;
    if (max > b->text_left)
        max = b->text_left;
    for (;;) {
        if (off >= end)
            return tn_err_set(err, TN_E_FORMAT, NULL, "text at %llu is outside its table", (unsigned long long)off);
        if (n > end - off)
            n = (size_t)(end - off);
        int r = tn_image_bytes_at(b, off, n, &s, err);
        if (r)
            return r;
        const unsigned char *nul = memchr(s.p, 0, n);
        size_t len = nul ? (size_t)(nul - s.p) : n;
        if (len > max)
            return tn_err_set(err, TN_E_LIMIT, NULL, "text of more than %zu bytes", max);
        if (nul) {
            *ret = tn_arena_strndup(a, (const char *)s.p, len);
            b->text_left -= len;
            return 0;
        }
        if (n == end - off)
            return tn_err_set(err, TN_E_FORMAT, NULL, "text at %llu has no end", (unsigned long long)off);
        n *= 2;
    }
}

int tn_image_bytes_differ(struct tn_bytes *b, uint64_t off, const char *name, struct tn_err *err)
{
    struct tn_span s;
    size_t n = strlen(name) + 1;
    if (off > b->view->size || n > b->view->size - off)
        return 1;
    int r = tn_image_bytes_at(b, off, n, &s, err);
    if (r)
        return r;
    return memcmp(s.p, name, n) != 0;
}
