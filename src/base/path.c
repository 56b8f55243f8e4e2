/* path.c - see path.h. */
#include "base/path.h"

#include <string.h>

#include "base/str.h"

bool tn_path_is_sep(enum tn_path_style s, char c)
{
    return c == '/' || (s == TN_PATH_WINDOWS && c == '\\');
}

static size_t root_len(enum tn_path_style s, const char *p)
{
    if (s == TN_PATH_WINDOWS) {
        if (tn_is_alpha(p[0]) && p[1] == ':')
            return tn_path_is_sep(s, p[2]) ? 3 : 2;
        if (tn_path_is_sep(s, p[0]) && tn_path_is_sep(s, p[1]))
            return 2;
    }
    return tn_path_is_sep(s, p[0]) ? 1 : 0;
}

bool tn_path_is_abs(enum tn_path_style s, const char *path)
{
    size_t n = root_len(s, path);
    return s == TN_PATH_WINDOWS ? n >= 2 && tn_path_is_sep(s, path[n - 1]) : n == 1;
}

char *tn_path_join(struct tn_arena *mem, enum tn_path_style s, const char *a, const char *b)
{
    size_t n = strlen(a);
    if (tn_path_is_abs(s, b) || n == 0)
        return tn_arena_strdup(mem, b);
    if (*b == 0)
        return tn_arena_strdup(mem, a);
    size_t m = strlen(b);
    char *r = tn_arena_alloc(mem, n + m + 2); /* without formatting: a survey joins thousands */
    memcpy(r, a, n);
    if (!tn_path_is_sep(s, a[n - 1]))
        r[n++] = s == TN_PATH_WINDOWS ? '\\' : '/';
    memcpy(r + n, b, m);
    return r;
}

char *tn_path_join3(struct tn_arena *mem, enum tn_path_style s, const char *a, const char *b, const char *c)
{
    return tn_path_join(mem, s, tn_path_join(mem, s, a, b), c);
}

static size_t trimmed(enum tn_path_style s, const char *path)
{
    size_t n = strlen(path), root = root_len(s, path);
    while (n > root && tn_path_is_sep(s, path[n - 1]))
        n--;
    return n;
}

const char *tn_path_base(enum tn_path_style s, const char *path)
{
    size_t n = strlen(path);
    while (n && !tn_path_is_sep(s, path[n - 1]) && !(s == TN_PATH_WINDOWS && n == 2 && path[1] == ':'))
        n--;
    return path + n;
}

char *tn_path_dir(struct tn_arena *mem, enum tn_path_style s, const char *path)
{
    size_t root = root_len(s, path), n = trimmed(s, path);
    while (n > root && !tn_path_is_sep(s, path[n - 1]))
        n--;
    while (n > root && tn_path_is_sep(s, path[n - 1]))
        n--;
    return n ? tn_arena_strndup(mem, path, n) : tn_arena_strdup(mem, ".");
}

char *tn_path_norm(struct tn_arena *mem, enum tn_path_style s, const char *path)
{
    size_t n = strlen(path), root = root_len(s, path), out = root, depth = 0;
    char sep = s == TN_PATH_WINDOWS ? '\\' : '/';
    char *r = tn_arena_alloc(mem, n + 2);
    for (size_t i = 0; i < root; i++)
        r[i] = tn_path_is_sep(s, path[i]) ? sep : path[i];
    for (size_t i = root; i < n;) {
        size_t j = i;
        while (j < n && !tn_path_is_sep(s, path[j]))
            j++;
        size_t len = j - i;
        if (len == 2 && path[i] == '.' && path[i + 1] == '.' && depth) {
            while (out > root && r[out - 1] != sep)
                out--;
            if (out > root)
                out--;
            depth--;
        } else if (len && !(len == 1 && path[i] == '.') &&
                   !(root && !depth && len == 2 && memcmp(path + i, "..", 2) == 0)) {
            if (out > root)
                r[out++] = sep;
            memcpy(r + out, path + i, len);
            out += len;
            depth += !(len == 2 && path[i] == '.' && path[i + 1] == '.');
        }
        i = j + 1;
    }
    if (out == 0)
        r[out++] = '.';
    r[out] = 0;
    return r;
}

char *tn_path_key(struct tn_arena *mem, enum tn_path_style s, const char *path)
{
    char *r = tn_arena_strdup(mem, path);
    size_t out = 0;
    for (size_t i = 0; r[i]; i++) {
        char c = tn_path_is_sep(s, r[i]) ? '/' : s == TN_PATH_WINDOWS ? tn_lower(r[i]) : r[i];
        if (c == '/' && out && r[out - 1] == '/')
            continue;
        r[out++] = c;
    }
    while (out > 1 && r[out - 1] == '/')
        out--;
    r[out] = 0;
    return r;
}

static bool same_char(enum tn_path_style s, char a, char b)
{
    if (tn_path_is_sep(s, a))
        return tn_path_is_sep(s, b);
    return s == TN_PATH_WINDOWS ? tn_lower(a) == tn_lower(b) : a == b;
}

/* Compares up to the end of dir; returns what is left of path, or NULL. */
static const char *strip(enum tn_path_style s, const char *path, const char *dir)
{
    size_t n = trimmed(s, dir);
    for (size_t i = 0; i < n; i++)
        if (!path[i] || !same_char(s, path[i], dir[i]))
            return NULL;
    return path + n;
}

bool tn_path_same(enum tn_path_style s, const char *a, const char *b)
{
    const char *rest = strip(s, a, b);
    if (!rest)
        return false;
    while (tn_path_is_sep(s, *rest))
        rest++;
    return *rest == 0;
}

bool tn_path_under(enum tn_path_style s, const char *path, const char *dir)
{
    const char *rest = strip(s, path, dir);
    if (!rest)
        return false;
    return *rest == 0 || tn_path_is_sep(s, *rest) || (rest > path && tn_path_is_sep(s, rest[-1]));
}
