/* clean.c - pasted bytes as plain lines.
 *
 * Sources: ECMA-48 5.4 (CSI sequences), 5.6 (command strings). */
#include "explain/encoding.h"
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

void tn_explain_clean(struct tn_span raw, struct tn_buf *ret)
{
    size_t skip;
    if (raw.n == 0)
        return;
    enum tn_encoding e = tn_encoding_of(raw, &skip);
    if (e == TN_UTF8) {
        clean_bytes(tn_span_from(raw, skip), ret);
        return;
    }
    struct tn_buf b;
    tn_buf_init(&b);
    tn_encoding_decode(tn_span_from(raw, skip), e, &b);
    if (b.n)
        clean_bytes(tn_span_of(b.p, b.n), ret);
    tn_buf_deinit(&b);
}
