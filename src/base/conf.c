/* conf.c - the list of settings, and INI files.
 *
 * Source: CPython Lib/configparser.py, RawConfigParser with its defaults, as pip uses it: '=' or ':', whole-line
 * comments with '#' and ';', values go on in deeper indented lines, names without regard to case. */
#include "base/conf.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

void tn_conf_start(struct tn_conf *c)
{
    memset(c, 0, sizeof *c);
}

void tn_conf_odd(struct tn_conf *c, unsigned line)
{
    if (!c->odd)
        c->odd = line;
}

void tn_conf_add(struct tn_conf *c, struct tn_arena *mem, const char *section, const char *key, const char *value,
                 unsigned line)
{
    if (c->n >= TN_MAX_CONF_ITEMS) {
        tn_conf_odd(c, line);
        return;
    }
    c->v = tn_arena_grow(mem, c->v, c->n, &c->cap, sizeof *c->v);
    c->v[c->n++] = (struct tn_conf_item){section, key, value, line};
}

static size_t indent_of(struct tn_span line)
{
    size_t n = 0;
    while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
        n++;
    return n;
}

static const char *lower(struct tn_arena *mem, struct tn_span s)
{
    char *t = tn_arena_strndup(mem, (const char *)s.p, s.n);
    for (char *p = t; *p; p++)
        *p = tn_lower(*p);
    return t;
}

void tn_conf_ini(struct tn_span text, struct tn_arena *mem, struct tn_conf *ret)
{
    struct tn_span line;
    const char *section = "";
    size_t key_indent = 0;
    bool open = false; /* a deeper line goes on with the last value */
    tn_conf_start(ret);
    if (tn_span_starts(text, "\xEF\xBB\xBF"))
        text = tn_span_from(text, 3);
    for (unsigned number = 1; tn_span_line(&text, &line); number++) {
        size_t indent = indent_of(line);
        struct tn_span s = tn_span_trim(line);
        if (s.n == 0 || s.p[0] == '#' || s.p[0] == ';')
            continue;
        if (s.n > TN_MAX_CONF_LINE) {
            tn_conf_odd(ret, number);
            open = false;
        } else if (open && indent > key_indent) {
            struct tn_conf_item *it = &ret->v[ret->n - 1];
            if (strlen(it->value) + s.n > TN_MAX_CONF_LINE)
                tn_conf_odd(ret, number);
            else
                it->value =
                    tn_arena_printf(mem, "%s%s%.*s", it->value, *it->value ? "\n" : "", (int)s.n, (const char *)s.p);
        } else if (s.p[0] == '[' && s.p[s.n - 1] == ']') {
            section = lower(mem, tn_span_trim(tn_span_of(s.p + 1, s.n - 2)));
            open = false;
        } else {
            size_t at = 0;
            while (at < s.n && s.p[at] != '=' && s.p[at] != ':')
                at++;
            size_t before = ret->n;
            if (at == 0 || at == s.n) {
                tn_conf_odd(ret, number);
            } else {
                struct tn_span v = tn_span_trim(tn_span_from(s, at + 1));
                tn_conf_add(ret, mem, section, lower(mem, tn_span_trim(tn_span_of(s.p, at))),
                            tn_arena_strndup(mem, (const char *)v.p, v.n), number);
            }
            open = ret->n > before;
            key_indent = indent;
        }
    }
}
