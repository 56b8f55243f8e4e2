/* span.c - see span.h. */
#include "base/span.h"

#include <string.h>

struct tn_span tn_span_of(const void *p, size_t n)
{
    struct tn_span s = {p, n};
    return s;
}

struct tn_span tn_span_str(const char *s)
{
    return tn_span_of(s, strlen(s));
}

bool tn_span_sub(struct tn_span s, uint64_t off, uint64_t n, struct tn_span *ret)
{
    if (off > s.n || n > s.n - off)
        return false;
    *ret = tn_span_of(s.p + off, (size_t)n);
    return true;
}

struct tn_span tn_span_from(struct tn_span s, uint64_t off)
{
    if (off >= s.n)
        return tn_span_of(s.p + s.n, 0);
    return tn_span_of(s.p + off, s.n - (size_t)off);
}

static bool number(struct tn_span s, uint64_t off, unsigned bytes, bool big, uint64_t *ret)
{
    struct tn_span b;
    uint64_t v = 0;
    if (!tn_span_sub(s, off, bytes, &b))
        return false;
    for (unsigned i = 0; i < bytes; i++)
        v = v << 8 | b.p[big ? i : bytes - 1 - i];
    *ret = v;
    return true;
}

bool tn_span_u8(struct tn_span s, uint64_t off, uint8_t *ret)
{
    uint64_t v;
    if (!number(s, off, 1, false, &v))
        return false;
    *ret = (uint8_t)v;
    return true;
}

bool tn_span_u16(struct tn_span s, uint64_t off, bool big, uint16_t *ret)
{
    uint64_t v;
    if (!number(s, off, 2, big, &v))
        return false;
    *ret = (uint16_t)v;
    return true;
}

bool tn_span_u32(struct tn_span s, uint64_t off, bool big, uint32_t *ret)
{
    uint64_t v;
    if (!number(s, off, 4, big, &v))
        return false;
    *ret = (uint32_t)v;
    return true;
}

bool tn_span_u64(struct tn_span s, uint64_t off, bool big, uint64_t *ret)
{
    return number(s, off, 8, big, ret);
}

const char *tn_span_cstr(struct tn_span s, uint64_t off, size_t max)
{
    if (off >= s.n)
        return NULL;
    size_t n = s.n - (size_t)off;
    if (n > max + 1)
        n = max + 1;
    const unsigned char *p = s.p + off;
    return memchr(p, 0, n) ? (const char *)p : NULL;
}

bool tn_span_eq(struct tn_span s, const char *text)
{
    return s.n == strlen(text) && (s.n == 0 || memcmp(s.p, text, s.n) == 0); /* an empty one may have no bytes */
}

bool tn_span_starts(struct tn_span s, const char *text)
{
    size_t n = strlen(text);
    return s.n >= n && memcmp(s.p, text, n) == 0;
}

size_t tn_span_find(struct tn_span s, size_t from, const void *needle, size_t n)
{
    const unsigned char *want = needle;
    if (n == 0 || from > s.n)
        return SIZE_MAX;
    while (s.n - from >= n) {
        const unsigned char *hit = memchr(s.p + from, want[0], s.n - from - n + 1);
        if (!hit)
            break;
        if (memcmp(hit, want, n) == 0)
            return (size_t)(hit - s.p);
        from = (size_t)(hit - s.p) + 1;
    }
    return SIZE_MAX;
}

bool tn_span_line(struct tn_span *rest, struct tn_span *ret_line)
{
    if (rest->n == 0)
        return false;
    const unsigned char *nl = memchr(rest->p, '\n', rest->n);
    size_t n = nl ? (size_t)(nl - rest->p) : rest->n;
    *ret_line = tn_span_of(rest->p, n);
    *rest = tn_span_from(*rest, nl ? n + 1 : n);
    if (ret_line->n && ret_line->p[ret_line->n - 1] == '\r')
        ret_line->n--;
    return true;
}

static bool blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0;
}

struct tn_span tn_span_trim(struct tn_span s)
{
    while (s.n && blank(s.p[0]))
        s.p++, s.n--;
    while (s.n && blank(s.p[s.n - 1]))
        s.n--;
    return s;
}
