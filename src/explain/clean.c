/* clean.c - pasted bytes as plain lines.
 *
 * Sources: ECMA-48 5.4 (CSI sequences), 5.6 (command strings); Unicode 15.0, D91 (UTF-16). */
#include "explain/explain.h"

#include <string.h>

struct cleaner {
    struct tn_buf *out;
    size_t line;   /* where the current line begins in out */
    bool returned; /* a carriage return waits: what follows overprints the line */
};

static void put(struct cleaner *c, char ch)
{
    if (c->returned) {
        c->out->n = c->line;
        c->returned = false;
    }
    tn_buf_ch(c->out, ch);
}

static void end_line(struct cleaner *c)
{
    tn_buf_ch(c->out, '\n');
    c->line = c->out->n;
    c->returned = false;
}

/* Bytes of the escape sequence at p, which begins with ESC; an unfinished one ends with its line. */
static size_t escape_length(const unsigned char *p, size_t n)
{
    size_t i = 2;
    if (n < 2 || p[1] == '\n')
        return 1;
    if (p[1] == '[') {
        while (i < n && p[i] >= 0x20 && p[i] < 0x40)
            i++;
        return i < n && p[i] >= 0x40 && p[i] < 0x7F ? i + 1 : i;
    }
    if (strchr("]PX^_", p[1]) && p[1]) { /* up to BEL or ESC \ */
        while (i < n && p[i] != 7 && p[i] != '\n' && !(p[i] == 0x1B && i + 1 < n && p[i + 1] == '\\'))
            i++;
        return i >= n || p[i] == '\n' ? i : i + (p[i] == 7 ? 1 : 2);
    }
    while (i - 1 < n && p[i - 1] >= 0x20 && p[i - 1] < 0x30)
        i++;
    return i < n ? i : n;
}

static void clean_bytes(struct tn_span s, struct tn_buf *ret)
{
    struct cleaner c = {ret, ret->n, false};
    bool old_mac = memchr(s.p, '\n', s.n) == NULL; /* then a carriage return ends a line */
    for (size_t i = 0, n; i < s.n; i += n) {
        unsigned char ch = s.p[i];
        n = 1;
        if (ch == '\n') {
            end_line(&c);
        } else if (ch == '\r') {
            if (old_mac)
                end_line(&c);
            else
                c.returned = true;
        } else if (ch == 0x1B) {
            n = escape_length(s.p + i, s.n - i);
        } else if (ch == '\b') {
            if (ret->n > c.line)
                ret->p[--ret->n] = 0;
        } else {
            put(&c, ch == '\t' || ch >= 0x20 ? (ch == 0x7F ? ' ' : (char)ch) : ' ');
        }
    }
}

static void put_utf8(struct tn_buf *b, uint32_t c)
{
    char t[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; c >>= 6)
        t[i] = (char)(0x80 | (c & 63));
    t[0] = (char)(first[n] | c);
    tn_buf_add(b, t, n);
}

static void decode_utf16(struct tn_span s, bool big, struct tn_buf *ret)
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
        put_utf8(ret, c);
    }
}

/* PowerShell's ">" writes UTF-16 with a mark; without one, English text shows it by its zeros. */
static bool is_utf16(struct tn_span s, bool *ret_big, size_t *ret_skip)
{
    size_t zero[2] = {0, 0}, n = s.n < 512 ? s.n & ~(size_t)1 : 512;
    *ret_skip = 2;
    *ret_big = false;
    if (tn_span_starts(s, "\xFF\xFE"))
        return true;
    *ret_big = true;
    if (tn_span_starts(s, "\xFE\xFF"))
        return true;
    *ret_skip = 0;
    for (size_t i = 0; i < n; i++)
        zero[i & 1] += s.p[i] == 0;
    *ret_big = zero[0] > zero[1];
    return n >= 8 && (zero[0] > n / 8) != (zero[1] > n / 8);
}

void tn_explain_clean(struct tn_span raw, struct tn_buf *ret)
{
    bool big;
    size_t skip;
    if (raw.n == 0)
        return;
    if (!is_utf16(raw, &big, &skip)) {
        clean_bytes(tn_span_from(raw, tn_span_starts(raw, "\xEF\xBB\xBF") ? 3 : 0), ret);
        return;
    }
    struct tn_buf b;
    tn_buf_init(&b);
    decode_utf16(tn_span_from(raw, skip), big, &b);
    if (b.n)
        clean_bytes(tn_span_of(b.p, b.n), ret);
    tn_buf_deinit(&b);
}
