/* framework_text.c - single values out of generated Python modules and C headers; no expression is evaluated. */
#include <string.h>

#include "base/str.h"
#include "probe/framework.h"

static bool word_char(unsigned char c)
{
    return tn_is_alpha((char)c) || tn_is_digit((char)c) || c == '_';
}

static size_t blanks(struct tn_span t, size_t i)
{
    while (i < t.n && (t.p[i] == ' ' || t.p[i] == '\t'))
        i++;
    return i;
}

/* The string that begins at i; SIZE_MAX when it does not end on its line. Escapes do not occur in these files. */
static size_t string_at(struct tn_arena *mem, struct tn_span t, size_t i, const char **ret)
{
    unsigned char quote = t.p[i++];
    size_t from = i;
    while (i < t.n && t.p[i] != quote && t.p[i] != '\n' && t.p[i] != 0 && i - from < 4096)
        i++;
    if (i >= t.n || t.p[i] != quote)
        return SIZE_MAX;
    *ret = tn_arena_strndup(mem, (const char *)t.p + from, i - from);
    return i + 1;
}

static bool list_at(struct tn_arena *mem, struct tn_span t, size_t i, struct tn_pyvalue *ret)
{
    ret->kind = TN_PYVALUE_LIST;
    while (i < t.n && t.p[i] != ']') {
        if (t.p[i] == '\'' || t.p[i] == '"') {
            if (ret->n == TN_PYVALUE_WORDS || (i = string_at(mem, t, i, &ret->word[ret->n])) == SIZE_MAX)
                return false;
            ret->n++;
        } else if (strchr(" \t\r\n,", t.p[i]) && t.p[i]) {
            i++;
        } else {
            return false;
        }
    }
    return i < t.n;
}

static bool value_at(struct tn_arena *mem, struct tn_span t, size_t i, struct tn_pyvalue *ret)
{
    i = blanks(t, i);
    struct tn_span rest = tn_span_from(t, i);
    memset(ret, 0, sizeof *ret);
    if (rest.n == 0)
        return false;
    if (rest.p[0] == '\'' || rest.p[0] == '"') {
        ret->kind = TN_PYVALUE_STR;
        return string_at(mem, t, i, &ret->text) != SIZE_MAX;
    }
    if (rest.p[0] == '[')
        return list_at(mem, t, i + 1, ret);
    if (tn_span_starts(rest, "None"))
        return true;
    ret->kind = TN_PYVALUE_BOOL;
    ret->yes = tn_span_starts(rest, "True");
    return ret->yes || tn_span_starts(rest, "False");
}

/* Where the value begins, if key at i is being given one; SIZE_MAX otherwise. */
static size_t given(struct tn_span t, size_t i, size_t n)
{
    unsigned char before = i ? t.p[i - 1] : '\n';
    size_t end = i + n;
    if (before == '\'' || before == '"') {
        if (end >= t.n || t.p[end] != before)
            return SIZE_MAX;
        end = blanks(t, end + 1);
        if (end >= t.n)
            return SIZE_MAX;
        bool pair = i >= 2 && t.p[i - 2] == '('; /* a comma may also stand between the items of a list: __all__ */
        return t.p[end] == ':' || (t.p[end] == ',' && pair) ? end + 1 : SIZE_MAX;
    }
    if (before != '\n' || (end < t.n && word_char(t.p[end])))
        return SIZE_MAX;
    end = blanks(t, end);
    if (end < t.n && t.p[end] == ':') /* an annotation */
        while (end < t.n && t.p[end] != '=' && t.p[end] != '\n')
            end++;
    return end + 1 < t.n && t.p[end] == '=' && t.p[end + 1] != '=' ? end + 1 : SIZE_MAX;
}

bool tn_pyfw_value(struct tn_arena *mem, struct tn_span text, const char *key, struct tn_pyvalue *ret)
{
    size_t n = strlen(key);
    for (size_t i = 0; (i = tn_span_find(text, i, key, n)) != SIZE_MAX; i++) {
        size_t at = given(text, i, n);
        if (at != SIZE_MAX && value_at(mem, text, at, ret))
            return true;
    }
    return false;
}

/* Does "#define " begin the line on which the name at at stands, and is nothing else between them? */
static bool defined(struct tn_span t, size_t at)
{
    static const char word[] = "#define ";
    size_t n = sizeof word - 1, i = at;
    while (i && (t.p[i - 1] == ' ' || t.p[i - 1] == '\t'))
        i--;
    i += i < at; /* the blank that belongs to the word */
    return i >= n && memcmp(t.p + i - n, word, n) == 0 && (i == n || t.p[i - n - 1] == '\n');
}

const char *tn_pyfw_define(struct tn_arena *mem, struct tn_span text, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; (i = tn_span_find(text, i, name, n)) != SIZE_MAX; i += n) {
        struct tn_span rest = tn_span_from(text, i + n), line = {NULL, 0};
        if (!defined(text, i) || (rest.n && word_char(rest.p[0])))
            continue;
        tn_span_line(&rest, &line);
        line = tn_span_trim(line);
        if (line.n >= 2 && line.p[0] == '"' && line.p[line.n - 1] == '"')
            line = tn_span_of(line.p + 1, line.n - 2);
        return tn_arena_strndup(mem, (const char *)line.p, line.n);
    }
    return NULL;
}
