/* plain.c - one pasted line in the characters that a shell knows.
 *
 * Sources: Unicode 15.0 (general categories Pd, Zs, Cf; block FF00 halfwidth and fullwidth forms), HTML 13.5 "Named
 * character references" (the few that code is escaped with). What stands between characters of Chinese or Japanese
 * text is punctuation of that text and stays. */
#include <string.h>

#include "base/str.h"
#include "command/inner.h"

struct look {
    char plain[4];
    enum tn_mend kind;
};

static bool is_ideograph(uint32_t c)
{
    return (c >= 0x2E80 && c < 0x3000) || (c >= 0x3040 && c < 0xA4D0) || (c >= 0xAC00 && c < 0xD7B0) ||
           (c >= 0xF900 && c < 0xFB00) || (c >= 0x20000 && c < 0x32000);
}

static bool wide(uint32_t c, struct look *ret)
{
    *ret = (struct look){"", TN_MEND_WIDE};
    if (c > 0xFF00 && c < 0xFF5F)
        ret->plain[0] = (char)(c - 0xFEE0);
    else if (c == 0x3010 || c == 0x3011)
        ret->plain[0] = c == 0x3010 ? '[' : ']';
    else if (c == 0x3001)
        ret->plain[0] = ',';
    else if (c == 0x2264 || c == 0x2265)
        memcpy(ret->plain, c == 0x2264 ? "<=" : ">=", 3);
    return ret->plain[0] != 0;
}

/* False: the character stays as it is. */
static bool plain_of(uint32_t c, struct look *ret)
{
    if (c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000) {
        *ret = (struct look){" ", TN_MEND_BLANK_CHAR};
        return true;
    }
    if (c == 0xAD || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
        c == 0xFEFF) {
        *ret = (struct look){"", TN_MEND_UNSEEN};
        return true;
    }
    if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212 || c == 0x2E3A || c == 0xFE58 || c == 0xFE63) {
        *ret = (struct look){"-", TN_MEND_DASH};
        return true;
    }
    if ((c >= 0x2018 && c <= 0x201F) || c == 0x2032 || c == 0x2033 || c == 0xB4) {
        bool one = c < 0x201C || c == 0x2032;
        *ret = (struct look){"\"", TN_MEND_QUOTE};
        ret->plain[0] = one || c == 0xB4 ? '\'' : '"';
        return true;
    }
    return wide(c, ret);
}

/* An HTML reference at p: its character and length, 0 if there is none. */
static size_t entity(const char *p, size_t n, uint32_t *ret)
{
    static const struct {
        const char *name;
        uint32_t c;
    } named[] = {{"&amp;", '&'},   {"&lt;", '<'},     {"&gt;", '>'},       {"&quot;", '"'},     {"&apos;", '\''},
                 {"&nbsp;", 0xA0}, {"&equals;", '='}, {"&ndash;", 0x2013}, {"&mdash;", 0x2014}, {"&minus;", 0x2212},
                 {"&ldquo;", '"'}, {"&rdquo;", '"'},  {"&lsquo;", '\''},   {"&rsquo;", '\''},   {"&lsqb;", '['},
                 {"&rsqb;", ']'},  {"&lowbar;", '_'}};
    for (unsigned i = 0; i < TN_LEN(named); i++) {
        size_t k = strlen(named[i].name);
        if (n >= k && memcmp(p, named[i].name, k) == 0) {
            *ret = named[i].c;
            return k;
        }
    }
    if (n < 4 || p[1] != '#')
        return 0;
    bool hex = tn_lower(p[2]) == 'x';
    size_t from = hex ? 3 : 2, k = from;
    while (k < n && k < from + 6 && (tn_is_digit(p[k]) || (hex && tn_lower(p[k]) >= 'a' && tn_lower(p[k]) <= 'f')))
        k++;
    uint64_t v;
    if (k == from || k >= n || p[k] != ';' || !tn_str_u64(p + from, k - from, hex ? 16 : 10, &v) || v < 32 ||
        (v > 126 && v != 160))
        return 0;
    *ret = (uint32_t)v;
    return k + 1;
}

static bool put(struct tn_typed *t, const char *p, size_t n, unsigned char mark, size_t at)
{
    if (t->n + n > TN_MAX_COMMAND_BYTES)
        return false;
    for (size_t i = 0; i < n; i++, t->n++) {
        t->text[t->n] = p[i];
        t->mark[t->n] = mark;
        t->at[t->n] = (unsigned short)at;
    }
    t->text[t->n] = 0;
    t->at[t->n] = (unsigned short)(at + 1);
    return true;
}

static uint32_t char_at(struct tn_span s, size_t i)
{
    uint32_t c = ' ';
    if (i < s.n)
        tn_utf8_next((const char *)s.p + i, s.n - i, &c);
    return c;
}

/* "&amp;gt;": escaped twice. */
static size_t entities(const char *p, size_t n, uint32_t *ret)
{
    char again[16];
    size_t first = entity(p, n, ret);
    if (!first || *ret != '&')
        return first;
    size_t left = n - first < sizeof again - 2 ? n - first : sizeof again - 2;
    again[0] = '&';
    memcpy(again + 1, p + first, left);
    uint32_t inner;
    size_t second = entity(again, left + 1, &inner);
    if (!second)
        return first;
    *ret = inner;
    return first + second - 1;
}

bool tn_command_plain(struct tn_span raw, struct tn_typed *ret)
{
    uint32_t before = ' ';
    unsigned char unseen = 0;
    ret->n = 0;
    ret->text[0] = 0;
    ret->at[0] = 0;
    if (raw.n > TN_MAX_COMMAND_BYTES)
        return false;
    for (size_t i = 0, n; i < raw.n; i += n) {
        const char *p = (const char *)raw.p + i;
        uint32_t c;
        struct look look;
        unsigned char mark = unseen;
        n = *p == '&' ? entities(p, raw.n - i, &c) : 0;
        if (n)
            mark |= 1u << TN_MEND_ENTITY;
        else
            n = tn_utf8_next(p, raw.n - i, &c);
        bool text = c == 0x3002 ? !(before < 0x80 && tn_is_digit((char)before)) || char_at(raw, i + n) > 0x7F
                                : is_ideograph(before) || is_ideograph(char_at(raw, i + n));
        before = c;
        unseen = 0;
        if (c == 0x3002 && !text) {
            if (!put(ret, ".", 1, (unsigned char)(mark | 1u << TN_MEND_WIDE), i))
                return false;
        } else if (c == '\t' || (c < 0x80 && n > 1)) {
            char one = c == '\t' ? ' ' : (char)c;
            if (!put(ret, &one, 1, mark, i))
                return false;
        } else if (c >= 0x80 && plain_of(c, &look) && !(text && look.kind != TN_MEND_UNSEEN)) {
            if (!*look.plain)
                unseen = 1u << TN_MEND_UNSEEN;
            else if (!put(ret, look.plain, strlen(look.plain), (unsigned char)(mark | 1u << look.kind), i))
                return false;
        } else if (!put(ret, p, n, mark, i)) {
            return false;
        }
    }
    return true;
}
