/* setting_shell.c - see setting.h: one line of a shell that gives a variable a value.
 *
 * Understood are NAME=VALUE and export NAME=VALUE, the whole value bare or in one pair of quotes, of plain characters
 * and $NAME, ${NAME}, ${NAME:+:${NAME}} (as NVIDIA's and everybody's instructions have them: CUDA Installation Guide
 * for Linux, "Post-installation Actions"); behind it "; export NAME" or a comment. Source of the grammar: POSIX Shell
 * Command Language, 2.2 Quoting, 2.6.2 Parameter Expansion, 2.9.1 Simple Commands. */
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/str.h"
#include "clean/setting.h"

#define MAX_ELEMENTS 64u

static bool is_name_char(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || c == '_';
}

static bool is_plain(char c)
{
    return is_name_char(c) || strchr("/.+,@%~-", c) != NULL;
}

static size_t name_at(const char *p)
{
    size_t n = 0;
    if (tn_is_alpha(*p) || *p == '_')
        while (is_name_char(p[n]))
            n++;
    return n;
}

/* Bytes of an expansion at p: $NAME, ${NAME}, ${NAME:+:$NAME}, ${NAME:+:${NAME}}; 0: none of these. *ret_glue: it
 * brings its own colon. */
static size_t expansion(const char *p, const char **ret_name, size_t *ret_n, bool *ret_glue)
{
    bool brace = p[0] == '$' && p[1] == '{';
    const char *name = p + (brace ? 2 : 1);
    size_t n = p[0] == '$' ? name_at(name) : 0, again;
    const char *at = name + n;
    *ret_name = name;
    *ret_n = n;
    *ret_glue = false;
    if (!n || !brace || *at == '}')
        return n ? (size_t)(at - p) + brace : 0;
    if (strncmp(at, ":+:$", 4) != 0)
        return 0;
    at += 4;
    bool inner = *at == '{';
    at += inner;
    again = name_at(at);
    if (again != n || strncmp(at, name, n) != 0 || at[n] != '}' || (inner && at[n + 1] != '}'))
        return 0;
    *ret_glue = true;
    return (size_t)(at - p) + n + 1 + inner;
}

struct element {
    const char *p; /* its text, without the colon before it */
    size_t n;
    const char *glue; /* ${NAME:+:${NAME}} at its end */
    size_t n_glue;
    bool leads; /* to what goes */
    bool self;  /* nothing but the variable itself */
};

/* One element between colons; its length with what is glued to it; SIZE_MAX: not understood. */
static size_t element(const char *p, const char *end, const char *name, size_t n_name, struct element *ret)
{
    const char *at = p;
    memset(ret, 0, sizeof *ret);
    ret->p = p;
    while (at < end && *at != ':') {
        const char *used;
        size_t n_used, n = 1;
        bool glue = false, first = at == p;
        if (ret->glue) /* nothing may follow it */
            return SIZE_MAX;
        if (*at == '$') {
            n = expansion(at, &used, &n_used, &glue);
            if (!n || (glue && (n_used != n_name || strncmp(used, name, n_name) != 0)))
                return SIZE_MAX;
            if (glue) {
                ret->glue = at;
                ret->n_glue = n;
            }
            ret->self = first && n_used == n_name && strncmp(used, name, n_name) == 0;
        } else if (!is_plain(*at)) {
            return SIZE_MAX;
        } else {
            ret->self = false;
        }
        at += n;
    }
    ret->n = (size_t)(at - p) - ret->n_glue;
    return (size_t)(at - p);
}

/* The text with a variable of the lines above at its beginning replaced; it leads to a folder that goes? */
static const char *leads(struct tn_arena *mem, const struct element *e, const char *const *folder, size_t n,
                         const struct tn_setting_names *names)
{
    const char *text = tn_arena_strndup(mem, e->p, e->n), *name;
    size_t n_name;
    bool glue;
    size_t skip = *text == '$' ? expansion(text, &name, &n_name, &glue) : 0;
    for (size_t i = 0; skip && i < names->n; i++)
        if (strlen(names->name[i]) == n_name && strncmp(names->name[i], name, n_name) == 0) {
            text = tn_arena_printf(mem, "%s%s", names->value[i], text + skip);
            break;
        }
    if (*text != '/' || strchr(text, '$') || strstr(text, "/../") || tn_str_ends(text, "/.."))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (tn_path_under(TN_PATH_POSIX, text, folder[i]))
            return text;
    return NULL;
}

struct parts {                      /* of a line */
    const char *name, *value, *end; /* end: of the value, without its quote */
    size_t n_name;
};

/* "export NAME=VALUE" and what may stand behind it. */
static bool split(const char *line, struct parts *ret)
{
    const char *p = line + strspn(line, " \t");
    if (strncmp(p, "export", 6) == 0 && (p[6] == ' ' || p[6] == '\t'))
        p += 6 + strspn(p + 6, " \t");
    ret->name = p;
    ret->n_name = name_at(p);
    p += ret->n_name;
    if (!ret->n_name || *p != '=')
        return false;
    char quote = p[1] == '"' || p[1] == '\'' ? p[1] : 0;
    ret->value = ++p + (quote != 0);
    p = ret->value;
    if (quote) {
        p += strcspn(p, quote == '"' ? "\"" : "'");
        if (*p != quote)
            return false;
        ret->end = p++;
        if (quote == '\'' && memchr(ret->value, '$', (size_t)(ret->end - ret->value)))
            return false;
    } else {
        p += strcspn(p, " \t;#");
        ret->end = p;
    }
    size_t blank = strspn(p, " \t");
    if (p[blank] == ';') { /* "; export NAME" */
        p += blank + 1;
        p += strspn(p, " \t");
        if (strncmp(p, "export", 6) != 0 || (p[6] != ' ' && p[6] != '\t'))
            return false;
        p += 6 + strspn(p + 6, " \t");
        if (name_at(p) != ret->n_name || strncmp(p, ret->name, ret->n_name) != 0)
            return false;
        p += ret->n_name;
        blank = strspn(p, " \t");
    }
    return p[blank] == 0 || (p[blank] == '#' && blank);
}

static void remember(struct tn_arena *mem, struct tn_setting_names *x, const struct parts *l, const char *value)
{
    size_t cap = x->cap;
    x->name = tn_arena_grow(mem, (void *)x->name, x->n, &cap, sizeof *x->name);
    x->value = tn_arena_grow(mem, (void *)x->value, x->n, &x->cap, sizeof *x->value);
    x->name[x->n] = tn_arena_strndup(mem, l->name, l->n_name);
    x->value[x->n++] = value;
}

/* The line with the elements that stay. */
static const char *rebuilt(struct tn_arena *mem, const char *line, const struct parts *l, const struct element *e,
                           unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_add(&b, line, (size_t)(l->value - line));
    bool first = true;
    for (unsigned i = 0; i < n; i++) {
        if (!e[i].leads) {
            if (!first)
                tn_buf_ch(&b, ':');
            first = false;
            tn_buf_add(&b, e[i].p, e[i].n);
        }
        tn_buf_add(&b, e[i].glue, e[i].n_glue);
    }
    tn_buf_str(&b, l->end);
    const char *s = tn_arena_strdup(mem, b.p);
    tn_buf_deinit(&b);
    return s;
}

enum tn_setting_found tn_setting_shell_line(struct tn_arena *mem, struct tn_span span, const char *const *folder,
                                            size_t n, struct tn_setting_names *names, const char **ret_after)
{
    const char *line = tn_arena_strndup(mem, (const char *)span.p, span.n), *value = NULL;
    struct element e[MAX_ELEMENTS];
    struct parts l;
    unsigned k = 0, gone = 0, others = 0;
    if (strlen(line) != span.n || !split(line, &l))
        return TN_SETTING_NOT;
    for (const char *p = l.value; p <= l.end; k++) {
        size_t len = k == MAX_ELEMENTS ? SIZE_MAX : element(p, l.end, l.name, l.n_name, &e[k]);
        if (len == SIZE_MAX)
            return TN_SETTING_NOT;
        const char *to = leads(mem, &e[k], folder, n, names);
        e[k].leads = to != NULL;
        value = to ? to : value;
        gone += e[k].leads;
        others += !e[k].leads && !e[k].self;
        if (e[k].glue && p + len < l.end) /* in the middle: whose colon is whose cannot be told */
            return TN_SETTING_NOT;
        p += len + 1;
    }
    if (!gone)
        return TN_SETTING_NOT;
    if (!others) {
        if (k == 1 && !e[0].glue)
            remember(mem, names, &l, value);
        return TN_SETTING_GOES;
    }
    *ret_after = rebuilt(mem, line, &l, e, k);
    return TN_SETTING_CHANGES;
}

/* Where the name stands in the line, whole, at or after from; SIZE_MAX: nowhere. */
static size_t whole_name(struct tn_span line, const char *name, size_t n, size_t from)
{
    size_t at = tn_span_find(line, from, name, n);
    while (at != SIZE_MAX &&
           ((at && is_name_char((char)line.p[at - 1])) || (at + n < line.n && is_name_char((char)line.p[at + n]))))
        at = tn_span_find(line, at + 1, name, n);
    return at;
}

enum tn_setting_use tn_setting_shell_use(struct tn_span line, const char *name)
{
    size_t n = strlen(name);
    for (size_t at = whole_name(line, name, n, 0); at != SIZE_MAX; at = whole_name(line, name, n, at + 1)) {
        if (at && (line.p[at - 1] == '$' || (line.p[at - 1] == '{' && at > 1 && line.p[at - 2] == '$')))
            return TN_SETTING_USED;
        bool alone = at == 0 || (at == 7 && tn_span_starts(line, "export "));
        if (at + n < line.n && line.p[at + n] == '=')
            return alone ? TN_SETTING_SET_ANEW : TN_SETTING_USED;
    }
    return TN_SETTING_UNUSED;
}

static void word(struct tn_setting_lexer *x, size_t *n, char c)
{
    if (*n + 1 == sizeof x->last) { /* its end counts */
        memmove(x->last, x->last + 1, sizeof x->last - 1);
        --*n;
    }
    x->last[(*n)++] = c;
    x->last[*n] = 0;
}

void tn_setting_lex(struct tn_setting_lexer *x, struct tn_span line)
{
    size_t n = strlen(x->last);
    bool fresh = true; /* a word begins here */
    x->goes_on = false;
    for (size_t i = 0; i < line.n; i++) {
        char c = (char)line.p[i], next = i + 1 < line.n ? (char)line.p[i + 1] : 0;
        if (x->quote) {
            if (c == x->quote)
                x->quote = 0;
            else if (c == '\\' && x->quote == '"')
                i++;
            continue;
        }
        if (c == '#' && fresh)
            return;
        if (c == '\\') {
            x->goes_on = i + 1 == line.n;
            i++;
        } else if (c == '\'' || c == '"') {
            x->quote = c;
        } else if ((c == '<' && next == '<') || (c == '$' && next == '\'')) {
            x->lost = true;
        }
        bool blank = c == ' ' || c == '\t';
        if (!blank) {
            if (fresh)
                n = 0;
            word(x, &n, c);
        }
        fresh = blank || c == ';' || c == '&' || c == '|' || c == '(';
    }
}
