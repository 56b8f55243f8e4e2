/* conf_toml.c - the part of TOML 1.0 that settings of uv, Poetry and PDM are written in: tables, arrays of tables,
 * dotted and quoted keys, strings of all four kinds, arrays and inline tables; numbers, dates and truth values as their
 * text.
 *
 * Source: toml.io, specification v1.0.0. Depth of values is bounded; \u escapes become UTF-8. */
#include "base/conf.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#define MAX_DEPTH 8u

struct toml {
    struct tn_span s;
    size_t at;
    unsigned line;
    struct tn_arena *mem;
    struct tn_conf *ret;
    const char *section;
};

static int peek(const struct toml *t)
{
    return t->at < t->s.n ? t->s.p[t->at] : -1;
}

static bool have(const struct toml *t, const char *word)
{
    return tn_span_starts(tn_span_from(t->s, t->at), word);
}

static void next(struct toml *t)
{
    t->line += t->s.p[t->at++] == '\n';
}

static void blanks(struct toml *t, bool lines)
{
    for (int c; (c = peek(t)) >= 0;) {
        if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r')))
            next(t);
        else if (c == '#')
            while (peek(t) >= 0 && peek(t) != '\n')
                next(t);
        else
            return;
    }
}

static void to_line_end(struct toml *t)
{
    while (peek(t) >= 0 && peek(t) != '\n')
        next(t);
}

static void put_utf8(struct tn_buf *b, uint32_t c)
{
    if (c < 0x80) {
        tn_buf_ch(b, (char)c);
    } else if (c < 0x800) {
        tn_buf_ch(b, (char)(0xC0 | c >> 6));
        tn_buf_ch(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        tn_buf_ch(b, (char)(0xE0 | c >> 12));
        tn_buf_ch(b, (char)(0x80 | (c >> 6 & 63)));
        tn_buf_ch(b, (char)(0x80 | (c & 63)));
    } else {
        tn_buf_ch(b, (char)(0xF0 | c >> 18));
        tn_buf_ch(b, (char)(0x80 | (c >> 12 & 63)));
        tn_buf_ch(b, (char)(0x80 | (c >> 6 & 63)));
        tn_buf_ch(b, (char)(0x80 | (c & 63)));
    }
}

/* After the backslash. */
static bool escape(struct toml *t, struct tn_buf *b, bool multi)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    int c = peek(t);
    if (c < 0)
        return false;
    const char *hit = c ? strchr(from, c) : NULL;
    if (hit) {
        tn_buf_ch(b, to[hit - from]);
        next(t);
        return true;
    }
    if (c == 'u' || c == 'U') {
        uint64_t code;
        size_t n = c == 'u' ? 4 : 8;
        if (t->s.n - t->at <= n || !tn_str_u64((const char *)t->s.p + t->at + 1, n, 16, &code) || code == 0 ||
            code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
            return false;
        put_utf8(b, (uint32_t)code);
        t->at += n + 1;
        return true;
    }
    if (!multi || !strchr(" \t\r\n", c))
        return false;
    while (peek(t) >= 0 && strchr(" \t\r\n", peek(t)))
        next(t);
    return true;
}

/* A string of any of the four kinds, or false. */
static bool string(struct toml *t, const char **ret)
{
    char q = (char)peek(t);
    char three[4] = {q, q, q, 0};
    bool multi = have(t, three), ok = true;
    struct tn_buf b;
    tn_buf_init(&b);
    t->at += multi ? 3 : 1;
    if (multi && peek(t) == '\r')
        next(t);
    if (multi && peek(t) == '\n')
        next(t);
    for (;;) {
        int c = peek(t);
        ok = c > 0 && (multi || c != '\n') && b.n < TN_MAX_CONF_LINE;
        if (!ok)
            break;
        if (multi ? have(t, three) : c == q) {
            t->at += multi ? 3 : 1;
            while (multi && peek(t) == q) /* up to two quotes may stand before the end */
                tn_buf_ch(&b, q), next(t);
            break;
        }
        next(t);
        if (c != '\\' || q == '\'')
            tn_buf_ch(&b, (char)c);
        else if (!(ok = escape(t, &b, multi)))
            break;
    }
    *ret = tn_arena_strndup(t->mem, b.p ? b.p : "", b.n);
    tn_buf_deinit(&b);
    return ok;
}

static bool is_bare(int c)
{
    return c > 0 && (tn_is_alpha((char)c) || tn_is_digit((char)c) || c == '_' || c == '-');
}

/* a.b."c": joined by dots. */
static bool key(struct toml *t, const char **ret)
{
    const char *all = NULL, *part;
    for (unsigned n = 0; n < MAX_DEPTH; n++) {
        blanks(t, false);
        size_t from = t->at;
        if (peek(t) == '"' || peek(t) == '\'') {
            if (!string(t, &part))
                return false;
        } else {
            while (is_bare(peek(t)))
                next(t);
            if (t->at == from)
                return false;
            part = tn_arena_strndup(t->mem, (const char *)t->s.p + from, t->at - from);
        }
        all = all ? tn_arena_printf(t->mem, "%s.%s", all, part) : part;
        if (strlen(all) > TN_MAX_CONF_LINE)
            return false;
        blanks(t, false);
        if (peek(t) != '.') {
            *ret = all;
            return true;
        }
        next(t);
    }
    return false;
}

static bool value(struct toml *t, const char *name, unsigned depth);

static bool array(struct toml *t, const char *name, unsigned depth)
{
    next(t);
    for (;;) {
        blanks(t, true);
        if (peek(t) == ']')
            break;
        if (!value(t, name, depth + 1))
            return false;
        blanks(t, true);
        if (peek(t) == ',')
            next(t);
        else if (peek(t) != ']')
            return false;
    }
    next(t);
    return true;
}

static bool inline_table(struct toml *t, const char *name, unsigned depth)
{
    const char *k;
    next(t);
    for (;;) {
        blanks(t, true);
        if (peek(t) == '}')
            break;
        if (!key(t, &k) || peek(t) != '=')
            return false;
        next(t);
        blanks(t, false);
        if (!value(t, tn_arena_printf(t->mem, "%s.%s", name, k), depth + 1))
            return false;
        blanks(t, true);
        if (peek(t) == ',')
            next(t);
        else if (peek(t) != '}')
            return false;
    }
    next(t);
    return true;
}

static bool value(struct toml *t, const char *name, unsigned depth)
{
    const char *text;
    unsigned line = t->line;
    int c = peek(t);
    if (depth > MAX_DEPTH || strlen(name) > TN_MAX_CONF_LINE)
        return false;
    if (c == '[')
        return array(t, name, depth);
    if (c == '{')
        return inline_table(t, name, depth);
    if (c == '"' || c == '\'') {
        if (!string(t, &text))
            return false;
    } else {
        size_t from = t->at;
        while (is_bare(c = peek(t)) || c == '.' || c == ':' || c == '+')
            next(t);
        if (t->at == from || t->at - from > TN_MAX_CONF_LINE)
            return false;
        text = tn_arena_strndup(t->mem, (const char *)t->s.p + from, t->at - from);
    }
    tn_conf_add(t->ret, t->mem, t->section, name, text, line);
    return true;
}

static bool header(struct toml *t)
{
    const char *name;
    bool twice = have(t, "[[");
    t->at += twice ? 2 : 1;
    if (!key(t, &name) || !have(t, twice ? "]]" : "]"))
        return false;
    t->at += twice ? 2 : 1;
    t->section = name;
    return true;
}

void tn_conf_toml(struct tn_span text, struct tn_arena *mem, struct tn_conf *ret)
{
    struct toml t = {text, 0, 1, mem, ret, ""};
    tn_conf_start(ret);
    if (tn_span_starts(text, "\xEF\xBB\xBF"))
        t.at = 3;
    for (blanks(&t, true); peek(&t) >= 0; blanks(&t, true)) {
        unsigned line = t.line;
        const char *name;
        bool ok;
        if (peek(&t) == '[') {
            ok = header(&t);
        } else {
            ok = key(&t, &name) && peek(&t) == '=';
            if (ok) {
                next(&t);
                blanks(&t, false);
                ok = value(&t, name, 0);
            }
        }
        blanks(&t, false);
        if (!ok || (peek(&t) >= 0 && peek(&t) != '\n' && peek(&t) != '\r')) {
            tn_conf_odd(ret, line);
            to_line_end(&t);
        }
    }
}
