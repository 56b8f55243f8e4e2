/* redact_path.c - a path as strangers may see it.
 *
 * The prefix of an environment becomes ENV1, the home folder ~, a folder below /home or Users user1. Of the rest a
 * component stays when its name is on the allow-list or when it lies where packages put their files: below /usr, /etc,
 * /opt/cuda, Windows, site-packages/nvidia and their like. Any other component becomes dir1 ..., the same name the same
 * number, so that equal paths stay equal and a path below another stays below it. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "snapshot/redact_rules.h"

struct place {
    bool keep;        /* everything from here on belongs to the system or to a public package */
    bool root;        /* the next component is the first one below a root */
    const char *last; /* component before, NULL at the beginning */
    size_t n_last;
    char first[16]; /* first component, lower case: usr, opt, proc ... */
    unsigned depth;
};

#define MAX_PLACES 32u

struct walk {
    struct tn_redactor *r;
    struct tn_buf *ret;
    bool windows;
    struct place at;
    struct place above[MAX_PLACES]; /* where ".." leads */
    unsigned n_above;               /* may be more than that: those are forgotten */
};

static bool is(const char *s, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (!word[i] || tn_lower(s[i]) != word[i])
            return false;
    return word[n] == 0;
}

static bool begins(const char *s, size_t n, const char *word)
{
    size_t m = strlen(word);
    return n >= m && is(s, m, word);
}

static bool is_sep(bool windows, char c)
{
    return c == '/' || (windows && c == '\\');
}

static bool has_drive(const char *p)
{
    return tn_is_alpha(p[0]) && p[1] == ':' && (p[2] == '\\' || p[2] == '/' || !p[2]);
}

/* The longest known prefix: an environment, the home folder. Returns its length, 0 if there is none. */
static size_t known_prefix(struct walk *w, const char *path, char *ret_name, size_t size)
{
    struct tn_buf key;
    size_t found = 0;
    tn_buf_init(&key);
    for (size_t i = 0; path[i]; i++) {
        char c = is_sep(w->windows, path[i]) ? '/' : w->windows ? tn_lower(path[i]) : path[i];
        if (c != '/' || !key.n || key.p[key.n - 1] != '/')
            tn_buf_ch(&key, c);
        if (c == '/' || (path[i + 1] && !is_sep(w->windows, path[i + 1])))
            continue;
        unsigned env = tn_redact_known(w->r, "ENVPATH", key.p, key.n);
        if (env)
            snprintf(ret_name, size, "ENV%u", env);
        else if (w->r->home && strlen(w->r->home) == key.n && memcmp(w->r->home, key.p, key.n) == 0)
            snprintf(ret_name, size, "~");
        else
            continue;
        found = i + 1;
    }
    tn_buf_deinit(&key);
    return found;
}

/* Folders whose whole content is the system's or a public package's. Called with the first components. */
static void enter(struct walk *w, const char *s, size_t n)
{
    static const char *const system[] = {"usr", "lib", "lib32", "lib64", "libx32", "bin",     "sbin",
                                         "etc", "sys", "boot",  "dev",   "proc",   "windows", NULL};
    if (w->at.root) {
        w->at.root = w->windows && n == 2 && s[1] == ':'; /* C: */
        if (w->at.root)
            return;
        w->at.depth = 1;
        if (is(s, n, "$lib") || is(s, n, "${lib}")) /* the loader's word for lib64 and its like */
            s = "lib64", n = 5;
        snprintf(w->at.first, sizeof w->at.first, "%.*s", n < sizeof w->at.first ? (int)n : 0, s);
        for (char *p = w->at.first; *p; p++)
            *p = tn_lower(*p);
        w->at.keep = tn_str_in(w->at.first, system);
        return;
    }
    if (++w->at.depth == 2) {
        if (tn_str_eq(w->at.first, "usr") && (is(s, n, "local") || is(s, n, "home")))
            w->at.keep = false;
        else if (tn_str_eq(w->at.first, "proc") && tn_is_digit(*s))
            w->at.keep = false;
        else if (tn_str_eq(w->at.first, "dev") && (is(s, n, "mapper") || is(s, n, "disk") || is(s, n, "shm")))
            w->at.keep = false;
        else if (tn_str_eq(w->at.first, "opt"))
            w->at.keep = is(s, n, "cuda") || begins(s, n, "cuda-") || is(s, n, "nvidia") || is(s, n, "rocm");
        else if (begins(w->at.first, strlen(w->at.first), "program files"))
            w->at.keep = begins(s, n, "nvidia ");
        else if (tn_str_eq(w->at.first, "mnt") && n == 1 && tn_is_alpha(*s))
            w->at.root = true; /* a drive of Windows below WSL */
    } else if (w->at.depth == 3 && tn_str_eq(w->at.first, "usr") && w->at.last &&
               is(w->at.last, w->at.n_last, "local")) {
        w->at.keep = is(s, n, "cuda") || begins(s, n, "cuda-");
    }
    if (w->at.last && (is(w->at.last, w->at.n_last, "site-packages") || is(w->at.last, w->at.n_last, "dist-packages")))
        w->at.keep = tn_redact_package_folder(s, n) || (w->at.keep && tn_redact_plain_component(s, n));
}

static bool is_home_of_users(const char *s, size_t n)
{
    return is(s, n, "home") || is(s, n, "users") || is(s, n, "homes") || is(s, n, "documents and settings");
}

/* Names as system and packages write them: nothing that is not printable ASCII. */
static bool is_decent(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] <= 0x20 ? s[i] != ' ' : (unsigned char)s[i] >= 0x7F || strchr("\\\"'|<>&@", s[i]))
            return false;
    return n <= 128;
}

/* What follows ".." lies in the folder above: what the folder before it kept is none of its business. */
static void go_up(struct walk *w)
{
    static const struct place nowhere = {0};
    if (w->n_above)
        w->n_above--;
    w->at = w->n_above < MAX_PLACES ? w->above[w->n_above] : nowhere;
}

static void component(struct walk *w, const char *s, size_t n)
{
    struct tn_redactor *r = w->r;
    if (n == 2 && s[0] == '.' && s[1] == '.') {
        tn_buf_add(w->ret, s, n);
        go_up(w);
        return;
    }
    if (n == 1 && s[0] == '.') {
        tn_buf_add(w->ret, s, n);
        return;
    }
    if (w->n_above < MAX_PLACES)
        w->above[w->n_above] = w->at;
    w->n_above++;
    bool user = w->at.last && is_home_of_users(w->at.last, w->at.n_last);
    bool plain = tn_redact_plain_component(s, n) || (r->in->redacted && tn_redact_is_alias(s, n));
    enter(w, s, n);
    if (user && !is(s, n, "public") && !is(s, n, "default") && !is(s, n, "shared") && !is(s, n, "linuxbrew"))
        tn_redact_alias(r, "user", s, n, w->ret);
    else if ((plain || w->at.root) && !user) /* root: the letter of /mnt/c */
        tn_buf_add(w->ret, s, n);
    else if (tn_redact_known(r, "user", s, n))
        tn_redact_alias(r, "user", s, n, w->ret);
    else if (tn_redact_known(r, "host", s, n))
        tn_redact_alias(r, "host", s, n, w->ret);
    else if (user || (w->at.keep && is_decent(s, n))) /* public, linuxbrew ...: nobody's */
        tn_buf_add(w->ret, s, n);
    else
        tn_redact_alias(r, "dir", s, n, w->ret);
    w->at.last = s;
    w->at.n_last = n;
}

void tn_redact_path(struct tn_redactor *r, const char *path, struct tn_buf *ret)
{
    char name[24];
    struct walk w;
    memset(&w, 0, sizeof w);
    w.r = r;
    w.ret = ret;
    w.windows = r->style == TN_PATH_WINDOWS || has_drive(path) || (path[0] == '\\' && path[1] == '\\');
    if (strlen(path) > TN_MAX_PATH_BYTES) {
        tn_redact_alias(r, "dir", path, strlen(path), ret);
        return;
    }
    size_t i = known_prefix(&w, path, name, sizeof name);
    if (i)
        tn_buf_str(ret, name);
    else
        w.at.root = is_sep(w.windows, path[0]) || has_drive(path);
    w.above[0] = w.at;
    while (path[i]) {
        size_t n = 0;
        while (path[i + n] && !is_sep(w.windows, path[i + n]))
            n++;
        if (n)
            component(&w, path + i, n);
        i += n;
        if (path[i])
            tn_buf_ch(ret, path[i++]);
    }
}

void tn_redact_library(struct tn_redactor *r, const char *name, size_t n, struct tn_buf *ret)
{
    if (tn_redact_plain_component(name, n) || (r->in->redacted && tn_redact_is_alias(name, n)))
        tn_buf_add(ret, name, n);
    else if (r->style != TN_PATH_WINDOWS)
        tn_redact_alias(r, "dir", name, n, ret);
    else { /* one name in any spelling */
        char *low = tn_arena_strndup(&r->mem, name, n);
        for (size_t i = 0; i < n; i++)
            low[i] = tn_lower(low[i]);
        tn_redact_alias(r, "dir", low, n, ret);
    }
}

void tn_redact_library_path(struct tn_redactor *r, const char *path, struct tn_buf *ret)
{
    const char *base = tn_path_base(r->style, path);
    if (base == path && strlen(path) <= TN_MAX_PATH_BYTES) {
        tn_redact_library(r, path, strlen(path), ret);
        return;
    }
    if (base == path || !*base || strlen(path) > TN_MAX_PATH_BYTES) {
        tn_redact_path(r, path, ret);
        return;
    }
    tn_redact_path(r, tn_arena_strndup(&r->mem, path, (size_t)(base - path) - 1), ret);
    tn_buf_ch(ret, base[-1]);
    tn_redact_library(r, base, strlen(base), ret);
}

void tn_redact_run_path(struct tn_redactor *r, const char *origin, const char *entry, struct tn_buf *ret)
{
    static const char *const token[] = {"$ORIGIN", "${ORIGIN}"};
    for (size_t i = 0; origin && i < TN_LEN(token); i++) {
        size_t n = strlen(token[i]);
        if (strncmp(entry, token[i], n) != 0 || (entry[n] && entry[n] != '/'))
            continue;
        struct tn_buf a, b;
        tn_buf_init(&a);
        tn_buf_init(&b);
        tn_redact_path(r, origin, &a);
        tn_redact_path(r, tn_arena_printf(&r->mem, "%s%s", origin, entry + n), &b);
        bool below = a.n <= b.n && memcmp(a.p, b.p, a.n) == 0;
        if (below)
            tn_buf_printf(ret, "%s%s", token[i], b.p + a.n);
        tn_buf_deinit(&a);
        tn_buf_deinit(&b);
        if (below)
            return;
    }
    tn_redact_path(r, entry, ret);
}
