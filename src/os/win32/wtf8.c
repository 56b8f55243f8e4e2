/* wtf8.c - see wtf8.h. */
#include "os/win32/wtf8.h"

#include <stdbool.h>
#include <string.h>

/* One character; surrogates allowed. Returns the bytes taken, 1 for an invalid one with *ret = 0xFFFD. */
static size_t next(const unsigned char *s, size_t n, uint32_t *ret)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = s[0] < 0x80                   ? 1
                 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                               : 0;
    uint32_t c = len == 1 ? s[0] : len ? s[0] & (0x7Fu >> len) : 0;
    *ret = 0xFFFD;
    if (len == 0 || len > n)
        return 1;
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 1;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if (c < least[len] || c > 0x10FFFF)
        return 1;
    *ret = c;
    return len;
}

size_t tn_wtf8_to_utf16(const char *s, size_t n, uint16_t *ret, size_t cap)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t out = 0;
    while (n) {
        uint32_t c;
        size_t k = next(p, n, &c), units = c > 0xFFFF ? 2 : 1;
        if (units == 1 && out < cap)
            ret[out] = (uint16_t)c;
        if (units == 2 && out + 1 < cap) {
            ret[out] = (uint16_t)(0xD800 + ((c - 0x10000) >> 10));
            ret[out + 1] = (uint16_t)(0xDC00 + ((c - 0x10000) & 0x3FF));
        } else if (units == 2) {
            cap = 0; /* nothing after a character that did not fit */
        }
        out += units;
        p += k;
        n -= k;
    }
    return out;
}

static size_t put(uint32_t c, unsigned char *b)
{
    if (c < 0x80) {
        b[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        b[0] = (unsigned char)(0xC0 | c >> 6);
        b[1] = (unsigned char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        b[0] = (unsigned char)(0xE0 | c >> 12);
        b[1] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
        b[2] = (unsigned char)(0x80 | (c & 0x3F));
        return 3;
    }
    b[0] = (unsigned char)(0xF0 | c >> 18);
    b[1] = (unsigned char)(0x80 | (c >> 12 & 0x3F));
    b[2] = (unsigned char)(0x80 | (c >> 6 & 0x3F));
    b[3] = (unsigned char)(0x80 | (c & 0x3F));
    return 4;
}

size_t tn_wtf8_from_utf16(const uint16_t *s, size_t n, char *ret, size_t cap)
{
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = s[i];
        if (c >= 0xD800 && c < 0xDC00 && i + 1 < n && s[i + 1] >= 0xDC00 && s[i + 1] < 0xE000)
            c = 0x10000 + ((c - 0xD800) << 10) + (s[++i] - 0xDC00u);
        unsigned char b[4];
        size_t k = put(c, b);
        if (out + k <= cap)
            memcpy(ret + out, b, k);
        else
            cap = 0;
        out += k;
    }
    return out;
}

size_t tn_wtf8_whole(const char *s, size_t n)
{
    for (size_t back = 1; back <= 3 && back < n; back++) {
        unsigned char c = (unsigned char)s[n - back];
        if ((c & 0xC0) == 0x80)
            continue;
        size_t len = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
        return len > back ? n - back : n;
    }
    return n;
}
