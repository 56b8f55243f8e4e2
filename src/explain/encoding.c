/* encoding.c - see encoding.h.
 *
 * Sources: Unicode 15.0 D91 (UTF-16); GB 18030 (two bytes: lead 81-FE, trail 40-7E and 80-FE; four bytes linear); the
 * Unicode consortium's tables CP1252.TXT and CP1251.TXT. */
#include "explain/encoding.h"

#include <string.h>

#include "base/str.h"

#define LOOKED_AT (64u << 10) /* bytes that decide */

static void put(struct tn_buf *b, uint32_t c)
{
    char t[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; c >>= 6)
        t[i] = (char)(0x80 | (c & 63));
    t[0] = (char)(first[n] | c);
    tn_buf_add(b, t, n);
}

static void utf16(struct tn_span s, bool big, struct tn_buf *ret)
{
    for (size_t i = 0; i + 1 < s.n; i += 2) {
        uint16_t u, low;
        tn_span_u16(s, i, big, &u);
        uint32_t c = u;
        if (u >= 0xD800 && u < 0xDC00 && tn_span_u16(s, i + 2, big, &low) && low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((uint32_t)(u - 0xD800) << 10) + (low - 0xDC00u);
            i += 2;
        } else if (u >= 0xD800 && u < 0xE000) {
            c = 0xFFFD;
        }
        put(ret, c);
    }
}

/* A character of four bytes: 81-FE 30-39 81-FE 30-39; 0 if it is none. */
static uint32_t gb_four(const unsigned char *p)
{
    unsigned linear = ((p[0] - 0x81u) * 10 + (p[1] - 0x30u)) * 1260 + (p[2] - 0x81u) * 10 + (p[3] - 0x30u);
    if (linear >= 189000 && linear - 189000 < 0x100000)
        return 0x10000 + (linear - 189000);
    unsigned i = tn_n_gb_runs;
    while (i && tn_gb_runs[i - 1].from > linear)
        i--;
    if (!i || !tn_gb_runs[i - 1].code)
        return 0;
    return tn_gb_runs[i - 1].code + (linear - tn_gb_runs[i - 1].from);
}

/* Bytes of the character at p; its code, 0 if it is none. */
static size_t gb_next(struct tn_span s, size_t i, uint32_t *ret)
{
    const unsigned char *p = s.p + i;
    size_t left = s.n - i;
    *ret = p[0] < 0x80 ? p[0] : p[0] == 0x80 ? 0x20AC : 0;
    if (p[0] <= 0x80 || p[0] == 0xFF || left < 2)
        return 1;
    if (p[1] >= 0x40 && p[1] != 0x7F && p[1] != 0xFF) {
        *ret = tn_gb_two[(p[0] - 0x81u) * 190 + p[1] - 0x40u - (p[1] > 0x7F)];
        return *ret ? 2 : 1;
    }
    if (left < 4 || p[1] < 0x30 || p[1] > 0x39 || p[2] < 0x81 || p[2] == 0xFF || p[3] < 0x30 || p[3] > 0x39)
        return 1;
    *ret = gb_four(p);
    return *ret ? 4 : 1;
}

static void gb(struct tn_span s, struct tn_buf *ret)
{
    for (size_t i = 0, n; i < s.n; i += n) {
        uint32_t c;
        n = gb_next(s, i, &c);
        put(ret, c || !s.p[i] ? c : 0xFFFD);
    }
}

static uint32_t western(unsigned char b)
{
    static const unsigned short at80[32] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                            0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                            0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                            0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    return b >= 0x80 && b < 0xA0 ? at80[b - 0x80] : b;
}

static uint32_t cyrillic(unsigned char b)
{
    static const unsigned short at80[64] = {
        0x402, 0x403,  0x201A, 0x453, 0x201E, 0x2026, 0x2020, 0x2021, 0x20AC, 0x2030, 0x409,  0x2039, 0x40A,
        0x40C, 0x40B,  0x40F,  0x452, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x98,   0x2122,
        0x459, 0x203A, 0x45A,  0x45C, 0x45B,  0x45F,  0xA0,   0x40E,  0x45E,  0x408,  0xA4,   0x490,  0xA6,
        0xA7,  0x401,  0xA9,   0x404, 0xAB,   0xAC,   0xAD,   0xAE,   0x407,  0xB0,   0xB1,   0x406,  0x456,
        0x491, 0xB5,   0xB6,   0xB7,  0x451,  0x2116, 0x454,  0xBB,   0x458,  0x405,  0x455,  0x457};
    return b < 0x80 ? b : b < 0xC0 ? at80[b - 0x80] : 0x410 + b - 0xC0u;
}

void tn_encoding_decode(struct tn_span s, enum tn_encoding e, struct tn_buf *ret)
{
    switch (e) {
    case TN_UTF8: tn_buf_add(ret, s.p, s.n); return;
    case TN_UTF16: utf16(s, false, ret); return;
    case TN_UTF16_BE: utf16(s, true, ret); return;
    case TN_GB18030: gb(s, ret); return;
    case TN_CP1252:
    case TN_CP1251:
        for (size_t i = 0; i < s.n; i++)
            put(ret, e == TN_CP1252 ? western(s.p[i]) : cyrillic(s.p[i]));
        return;
    }
}

/* PowerShell's ">" writes UTF-16 with a mark. Without one the zeros of its ASCII show it: all at odd or all at even
 * places, and an 8-bit text has none at all. */
static bool is_utf16(struct tn_span s, enum tn_encoding *ret, size_t *ret_skip)
{
    size_t zero[2] = {0, 0}, n = s.n < 4096 ? s.n & ~(size_t)1 : 4096;
    bool little = tn_span_starts(s, "\xFF\xFE"), big = tn_span_starts(s, "\xFE\xFF");
    *ret_skip = little || big ? 2 : 0;
    *ret = big ? TN_UTF16_BE : TN_UTF16;
    if (little || big)
        return true;
    for (size_t i = 0; i < n; i++)
        zero[i & 1] += s.p[i] == 0;
    size_t most = zero[0] > zero[1] ? zero[0] : zero[1], least = zero[0] + zero[1] - most;
    *ret = zero[0] > zero[1] ? TN_UTF16_BE : TN_UTF16;
    return n >= 8 && ((most > n / 8 && least <= n / 8) || (most >= 3 && least == 0));
}

struct count {
    size_t good, bad;    /* sequences of UTF-8 beyond ASCII, bytes that are none */
    size_t high;         /* bytes above 7F */
    size_t pairs, usual; /* of GBK: characters of two bytes; of them, the signs and the 3755 most usual characters */
    size_t wrong;        /* bytes that GB18030 has no character for */
    size_t lower;        /* E0 to FF: small letters of CP1251 */
};

/* Everything from the first byte above 7F on. */
static struct tn_span beyond_ascii(struct tn_span s)
{
    size_t i = 0;
    uint64_t eight;
    for (; i + 8 <= s.n; i += 8) {
        memcpy(&eight, s.p + i, 8);
        if (eight & 0x8080808080808080u)
            break;
    }
    while (i < s.n && s.p[i] < 0x80)
        i++;
    return tn_span_from(s, i);
}

static struct count counted(struct tn_span whole)
{
    struct count c = {0};
    struct tn_span s = beyond_ascii(whole);
    size_t end = s.n < LOOKED_AT ? s.n : LOOKED_AT;
    for (size_t i = 0, n; i < end; i += n) {
        uint32_t u;
        n = tn_utf8_next((const char *)s.p + i, s.n - i, &u);
        c.high += s.p[i] > 0x7F ? n : 0;
        c.good += s.p[i] > 0x7F && n > 1;
        c.bad += s.p[i] > 0x7F && n == 1;
    }
    for (size_t i = 0, n; c.bad && i < end; i += n) {
        uint32_t u;
        n = gb_next(s, i, &u);
        bool level1 =
            n == 2 && s.p[i + 1] >= 0xA1 && ((s.p[i] >= 0xB0 && s.p[i] <= 0xD7) || (s.p[i] >= 0xA1 && s.p[i] <= 0xA3));
        c.pairs += n > 1;
        c.usual += level1 || n == 4;
        c.wrong += n == 1 && s.p[i] > 0x7F;
    }
    for (size_t i = 0; c.bad && i < end; i++)
        c.lower += s.p[i] >= 0xE0;
    return c;
}

enum tn_encoding tn_encoding_of(struct tn_span s, size_t *ret_skip)
{
    enum tn_encoding e;
    if (is_utf16(s, &e, ret_skip))
        return e;
    *ret_skip = tn_span_starts(s, "\xEF\xBB\xBF") ? 3 : 0;
    struct count c = counted(s);
    if (c.bad == 0 || c.good >= c.bad)
        return TN_UTF8;
    if (c.pairs > 0 && c.wrong * 8 <= c.pairs && c.usual * 10 >= c.pairs * 7)
        return TN_GB18030;
    return c.high >= 8 && c.lower * 2 > c.high && c.pairs * 4 > c.high ? TN_CP1251 : TN_CP1252;
}
