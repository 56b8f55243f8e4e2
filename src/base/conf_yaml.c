/* conf_yaml.c - the part of YAML that .condarc files are written in: block maps, block lists, flow lists and flat flow
 * maps of one line, quoted and plain scalars, comments.
 *
 * Source: yaml.org, YAML 1.2.2, chapters 6 to 8. Anchors, tags, block scalars and several documents are outside: such
 * lines are passed over. Nothing recurses. */
#include "base/conf.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

#define MAX_DEPTH 8u

struct yaml {
    struct tn_arena *mem;
    struct tn_conf *ret;
    unsigned line;
    unsigned depth;
    size_t indent[MAX_DEPTH];    /* of the key at each depth */
    const char *path[MAX_DEPTH]; /* its name with those above */
};

/* The text without a comment: '#' counts after a blank, outside of quotes. */
static struct tn_span without_comment(struct tn_span s)
{
    unsigned char q = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = s.p[i];
        if (q) {
            if (q == '"' && c == '\\')
                i++;
            else if (c == q)
                q = 0;
        } else if ((c == '"' || c == '\'') && (i == 0 || strchr(" \t[,:{", s.p[i - 1]))) {
            q = c;
        } else if (c == '#' && (i == 0 || s.p[i - 1] == ' ' || s.p[i - 1] == '\t')) {
            return tn_span_of(s.p, i);
        }
    }
    return s;
}

/* A scalar without its quotes; false for what the subset does not hold. */
static bool scalar(struct yaml *y, struct tn_span s, const char **ret)
{
    s = tn_span_trim(s);
    if (s.n && strchr("&*!|>%@`", s.p[0]))
        return false;
    if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0]) {
        if (memchr(s.p, '\\', s.n) && s.p[0] == '"')
            return false;
        s = tn_span_of(s.p + 1, s.n - 2);
    }
    *ret = tn_arena_strndup(y->mem, (const char *)s.p, s.n);
    return true;
}

/* Where "key: value" is divided: at a ':' before a blank or the end, outside of quotes; SIZE_MAX if nowhere. */
static size_t colon(struct tn_span s)
{
    unsigned char q = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = s.p[i];
        if (q)
            q = c == q ? 0 : q;
        else if ((c == '"' || c == '\'') && i == 0)
            q = c;
        else if (c == ':' && (i + 1 == s.n || s.p[i + 1] == ' ' || s.p[i + 1] == '\t'))
            return i;
    }
    return SIZE_MAX;
}

static void add(struct yaml *y, const char *key, struct tn_span v)
{
    const char *text;
    if (scalar(y, v, &text))
        tn_conf_add(y->ret, y->mem, "", key, text, y->line);
    else
        tn_conf_odd(y->ret, y->line);
}

/* "[a, b]" and "{a: b}" of one line. */
static void flow(struct yaml *y, const char *key, struct tn_span s)
{
    bool map = s.p[0] == '{';
    if (s.n < 2 || s.p[s.n - 1] != (map ? '}' : ']')) {
        tn_conf_odd(y->ret, y->line);
        return;
    }
    s = tn_span_of(s.p + 1, s.n - 2);
    while (s.n) {
        size_t n = 0;
        for (unsigned char q = 0; n < s.n && (q || s.p[n] != ','); n++) {
            if (strchr("[]{}", s.p[n]) && !q && s.p[n]) {
                tn_conf_odd(y->ret, y->line);
                return;
            }
            if (q)
                q = s.p[n] == q ? 0 : q;
            else if (s.p[n] == '"' || s.p[n] == '\'')
                q = s.p[n];
        }
        struct tn_span one = tn_span_trim(tn_span_of(s.p, n));
        size_t at = map ? colon(one) : SIZE_MAX;
        const char *name;
        if (map && at != SIZE_MAX && scalar(y, tn_span_of(one.p, at), &name))
            add(y, tn_arena_printf(y->mem, "%s.%s", key, name), tn_span_from(one, at + 1));
        else if (map && one.n)
            tn_conf_odd(y->ret, y->line);
        else if (one.n)
            add(y, key, one);
        s = tn_span_from(s, n + 1);
    }
}

static void put(struct yaml *y, const char *key, struct tn_span v)
{
    if (v.n && (v.p[0] == '[' || v.p[0] == '{'))
        flow(y, key, v);
    else if (v.n)
        add(y, key, v);
}

static void pair(struct yaml *y, size_t indent, struct tn_span s, size_t at);

static void item(struct yaml *y, size_t indent, struct tn_span s)
{
    /* A list may stand at the indentation of its key. */
    while (y->depth && y->indent[y->depth - 1] > indent)
        y->depth--;
    struct tn_span v = tn_span_trim(tn_span_from(s, 1));
    if (y->depth && v.n > 1 && v.p[0] != '-' && colon(v) == v.n - 1) { /* "- pip:": the list below belongs to it */
        pair(y, indent + (size_t)(v.p - s.p), v, v.n - 1);
        return;
    }
    bool plain = colon(v) == SIZE_MAX && !(v.n && v.p[0] == '-' && (v.n == 1 || v.p[1] == ' '));
    if (y->depth && plain)
        put(y, y->path[y->depth - 1], v);
    else
        tn_conf_odd(y->ret, y->line);
}

static void pair(struct yaml *y, size_t indent, struct tn_span s, size_t at)
{
    const char *name;
    while (y->depth && y->indent[y->depth - 1] >= indent)
        y->depth--;
    if (y->depth >= MAX_DEPTH || !scalar(y, tn_span_of(s.p, at), &name)) {
        tn_conf_odd(y->ret, y->line);
        return;
    }
    const char *path = y->depth ? tn_arena_printf(y->mem, "%s.%s", y->path[y->depth - 1], name) : name;
    y->indent[y->depth] = indent;
    y->path[y->depth++] = path;
    put(y, path, tn_span_trim(tn_span_from(s, at + 1)));
}

void tn_conf_yaml(struct tn_span text, struct tn_arena *mem, struct tn_conf *ret)
{
    struct yaml y = {.mem = mem, .ret = ret};
    struct tn_span line;
    tn_conf_start(ret);
    if (tn_span_starts(text, "\xEF\xBB\xBF"))
        text = tn_span_from(text, 3);
    while (tn_span_line(&text, &line)) {
        size_t indent = 0;
        y.line++;
        while (indent < line.n && line.p[indent] == ' ')
            indent++;
        struct tn_span s = tn_span_trim(without_comment(tn_span_from(line, indent)));
        if (s.n == 0 || tn_span_eq(s, "---"))
            continue;
        size_t at = s.n > TN_MAX_CONF_LINE ? SIZE_MAX : colon(s);
        if (s.n > TN_MAX_CONF_LINE || line.p[indent] == '\t') /* YAML knows no tabs there */
            tn_conf_odd(ret, y.line);
        else if (s.p[0] == '-' && (s.n == 1 || s.p[1] == ' '))
            item(&y, indent, s);
        else if (at != SIZE_MAX && at > 0)
            pair(&y, indent, s, at);
        else
            tn_conf_odd(ret, y.line);
    }
}
