/* redact_net.c - the second net: searches finished bytes for the machine's own names and for the shapes of secrets.
 *
 * Every pattern is looked for at once: its first four bytes say which lengths to try, and the whole of it is found by a
 * hash, so that the time does not grow with the number of patterns. It knows nothing of the rules of the first net: it
 * must find what they forgot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/str.h"
#include "snapshot/redact_rules.h"

#define LEAST 4u
#define SLOTS 4096u
#define CHAINS 65536u

struct pattern {
    const char *s;
    size_t n;
    bool fold;  /* in any case */
    bool alone; /* only as a word of its own: short words of letters are part of others */
    const char *what;
    struct pattern *next;
};

/* A length that some pattern with these first bytes has. */
struct length {
    size_t n;
    struct length *next;
};

struct net {
    struct tn_arena mem;
    struct length *slot[SLOTS];    /* by the first bytes */
    struct pattern *chain[CHAINS]; /* by the whole text in lower case */
};

static uint32_t key_of(const char *s)
{
    uint32_t h = 2166136261u;
    for (unsigned i = 0; i < LEAST; i++)
        h = (h ^ (unsigned char)tn_lower(s[i])) * 16777619u;
    return (h ^ h >> 15) & (SLOTS - 1);
}

static uint32_t hash_of(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)tn_lower(s[i])) * 16777619u;
    return (h ^ h >> 15) & (CHAINS - 1);
}

static void add_length(struct net *t, struct length **slot, size_t n)
{
    for (const struct length *l = *slot; l; l = l->next)
        if (l->n == n)
            return;
    struct length *l = tn_arena_alloc(&t->mem, sizeof *l);
    *l = (struct length){n, *slot};
    *slot = l;
}

static void add(struct net *t, const char *s, size_t n, bool fold, bool alone, const char *what)
{
    if (n < LEAST)
        return;
    uint32_t k = hash_of(s, n);
    for (struct pattern *p = t->chain[k]; p; p = p->next)
        if (p->n == n && p->fold == fold && memcmp(p->s, s, n) == 0)
            return;
    struct pattern *p = tn_arena_alloc(&t->mem, sizeof *p);
    *p = (struct pattern){tn_arena_strndup(&t->mem, s, n), n, fold, alone, what, t->chain[k]};
    t->chain[k] = p;
    add_length(t, &t->slot[key_of(s)], n);
}

/* The part of the base64 text that does not depend on the neighbours, at each of three offsets. */
static void add_base64(struct net *t, const char *s, size_t n, const char *what)
{
    for (size_t off = 0; off < 3; off++) {
        struct tn_buf b;
        char *padded = tn_arena_alloc(&t->mem, n + 5); /* zeroed */
        memcpy(padded + off, s, n);
        tn_buf_init(&b);
        tn_base64_encode(&b, tn_span_of(padded, (n + off + 2) / 3 * 3));
        size_t from = off ? off + 1 : 0, to = (n + off) * 8 / 6;
        add(t, b.p + from, to - from, false, false, what);
        tn_buf_deinit(&b);
    }
}

static bool unreserved(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c) || strchr("-._~", c);
}

static void add_escapes(struct net *t, const char *s, size_t n, const char *what)
{
    struct tn_buf hex, url, path, json;
    tn_buf_init(&hex);
    tn_buf_init(&url);
    tn_buf_init(&path);
    tn_buf_init(&json);
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t c;
        k = tn_utf8_next(s + i, n - i, &c);
        for (size_t j = i; j < i + k; j++) {
            unsigned char u = (unsigned char)s[j];
            tn_buf_printf(&hex, "%02x", u);
            tn_buf_printf(&url, unreserved(s[j]) ? "%c" : "%%%02x", u);
            tn_buf_printf(&path, unreserved(s[j]) || u == '/' ? "%c" : "%%%02x", u);
        }
        if (c == '"' || c == '\\')
            tn_buf_printf(&json, "\\%c", (char)c);
        else if (c >= 0x10000)
            tn_buf_printf(&json, "\\u%04x\\u%04x", (unsigned)(0xD800 + ((c - 0x10000) >> 10)),
                          (unsigned)(0xDC00 + (c & 0x3FF)));
        else if (c < 0x20 || c >= 0x7F)
            tn_buf_printf(&json, "\\u%04x", (unsigned)c);
        else
            tn_buf_ch(&json, (char)c);
    }
    if (n > LEAST)
        add(t, hex.p, hex.n, true, false, what);
    if (url.n != n)
        add(t, url.p, url.n, true, false, what);
    if (path.n != n)
        add(t, path.p, path.n, true, false, what);
    if (json.n != n)
        add(t, json.p, json.n, true, false, what);
    tn_buf_deinit(&hex);
    tn_buf_deinit(&url);
    tn_buf_deinit(&path);
    tn_buf_deinit(&json);
}

/* Words of the document itself, and words that the rules show: to find them says nothing. */
static bool is_common(const char *s, size_t n)
{
    static const char *const words[] = {"linux",  "windows", "macos",  "localhost", "localhost.localdomain",
                                        "root",   "/root",   "user",   "admin",     "administrator",
                                        "server", "desktop", "laptop", "test",      "a100",
                                        "h100",   "h200",    "v100",   "p100",      "a6000",
                                        "xeon",   "epyc",    "ryzen",  "intel",     "jetson",
                                        "orin",   "xavier",  "dgx1",   "snapshot",  "redacted",
                                        "true",   "false",   "known",  "absent",    "denied",
                                        "failed", "unasked", "value",  "from",      "note",
                                        "rows",   "listed",  "table",  "read",      "stat",
                                        "list",   "link",    "looked", "described", "tenon",
                                        NULL};
    char word[64];
    if (n >= sizeof word)
        return false;
    for (size_t i = 0; i < n; i++)
        word[i] = tn_lower(s[i]);
    word[n] = 0;
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        if (strcmp(tn_schema[rec].name, word) == 0)
            return true;
        for (unsigned i = 0; i < tn_schema[rec].n_field; i++)
            if (strcmp(tn_schema[rec].field[i].name, word) == 0)
                return true;
    }
    return tn_str_in(word, words) || tn_redact_plain_component(s, n) || tn_redact_plain_value(s, n) ||
           tn_redact_package_folder(s, n) || tn_redact_is_alias(s, n);
}

/* A name made of common words: opt/venv, what an environment in /opt/venv is called. */
static bool common_parts(const char *s, size_t n)
{
    for (size_t i = 0, m; i <= n; i += m + 1) {
        for (m = 0; i + m < n && s[i + m] != '/' && s[i + m] != '\\'; m++)
            ;
        if (m && !is_common(s + i, m))
            return false;
    }
    return true;
}

static void add_name(struct net *t, const char *s, size_t n, const char *what)
{
    bool letters = n < 6;
    if (n < LEAST || common_parts(s, n))
        return;
    for (size_t i = 0; i < n; i++)
        letters = letters && tn_is_alpha(s[i]);
    add(t, s, n, true, letters, what);
    add_base64(t, s, n, what);
    add_escapes(t, s, n, what);
}

static void add_fact(struct net *t, struct tn_str f, const char *what)
{
    if (tn_known(f))
        add_name(t, f.v, strlen(f.v), what);
}

static void add_names(struct net *t, const struct tn_snap *s)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    if (tn_known(h->name)) { /* also the parts of node7.corp.example */
        const char *dot = strchr(h->name.v, '.');
        add_name(t, h->name.v, dot ? (size_t)(dot - h->name.v) : 0, "the host's name");
        if (dot && strchr(dot + 1, '.'))
            add_name(t, dot + 1, strlen(dot + 1), "the host's domain");
    }
    if (tn_known(h->home) && strlen(h->home.v) > 3) {
        const char *base = tn_path_base(tn_snap_style(s), h->home.v);
        if (!is_common(base, strlen(base)))
            add_fact(t, h->home, "the home folder");
        add_name(t, base, strlen(base), "the home folder's name");
    }
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++)
        for (unsigned k = 0; k < tn_schema[rec].n_field; k++) {
            const struct tn_field_desc *f = &tn_schema[rec].field[k];
            if (f->privacy != TN_CLASS_PSEUDONYM || (f->kind != TN_KIND_STR && f->kind != TN_KIND_VER))
                continue; /* numbers are met by chance */
            for (size_t i = 0; i < tn_snap_rows(s, rec)->n; i++)
                add_fact(t, *(const struct tn_str *)(const void *)((const char *)tn_snap_row(s, rec, i) + f->offset),
                         rec == TN_REC_host ? "the host's or user's name" : "a name that is masked");
        }
}

static bool word_char(char c)
{
    return tn_is_alpha(c) || tn_is_digit(c);
}

static bool hits(const struct pattern *p, struct tn_span text, size_t at)
{
    const char *s = (const char *)text.p;
    if (p->n > text.n - at)
        return false;
    for (size_t i = 0; i < p->n; i++)
        if (p->fold ? tn_lower(s[at + i]) != tn_lower(p->s[i]) : s[at + i] != p->s[i])
            return false;
    return !p->alone || !((at && word_char(s[at - 1])) || (at + p->n < text.n && word_char(s[at + p->n])));
}

static size_t run_of(const char *s, size_t n, const char *extra)
{
    size_t i = 0;
    while (i < n && (word_char(s[i]) || (s[i] && strchr(extra, s[i]))))
        i++;
    return i;
}

/* "://user:password@" */
static bool is_password(const char *s, size_t n)
{
    bool colon = false;
    if (n < 3 || memcmp(s, "://", 3) != 0)
        return false;
    for (size_t i = 3; i < n && i < 512; i++) {
        if (s[i] == '@')
            return colon;
        if (s[i] == '/' || s[i] == '"' || (unsigned char)s[i] <= ' ')
            return false;
        colon = colon || s[i] == ':';
    }
    return false;
}

/* JSON Web Token (RFC 7519): two objects in base64url. */
static bool is_jwt(const char *s, size_t n)
{
    if (n < 20 || memcmp(s, "eyJ", 3) != 0)
        return false;
    size_t i = run_of(s, n, "-_");
    return i >= 10 && n - i > 4 && memcmp(s + i, ".eyJ", 4) == 0;
}

static const char *secret_at(const char *s, size_t n, bool starts_word)
{
    static const struct {
        const char *prefix;
        unsigned least; /* letters after it */
        const char *what;
    } shapes[] = {{"-----BEGIN ", 3, "a key or certificate"},
                  {"ghp_", 20, "a GitHub token"},
                  {"gho_", 20, "a GitHub token"},
                  {"ghu_", 20, "a GitHub token"},
                  {"ghs_", 20, "a GitHub token"},
                  {"ghr_", 20, "a GitHub token"},
                  {"github_pat_", 20, "a GitHub token"},
                  {"glpat-", 16, "a GitLab token"},
                  {"hf_", 20, "a Hugging Face token"},
                  {"AKIA", 16, "an AWS key"},
                  {"ASIA", 16, "an AWS key"},
                  {"xoxb-", 10, "a Slack token"},
                  {"xoxp-", 10, "a Slack token"},
                  {"pypi-AgE", 16, "a PyPI token"},
                  {"nvapi-", 20, "an NVIDIA API key"},
                  {"sk-", 32, "an API key"}};
    if (*s == ':')
        return is_password(s, n) ? "a password in a URL" : NULL;
    if (!starts_word)
        return NULL;
    for (size_t i = 0; i < TN_LEN(shapes); i++) {
        size_t m = strlen(shapes[i].prefix);
        if (*s == *shapes[i].prefix && n > m && memcmp(s, shapes[i].prefix, m) == 0 &&
            run_of(s + m, n - m, "-_") >= shapes[i].least)
            return shapes[i].what;
    }
    return *s == 'e' && is_jwt(s, n) ? "a web token" : NULL;
}

size_t tn_redact_secret(const char *s, size_t n, bool starts_word)
{
    static const char bearer[] = "bearer "; /* RFC 6750 */
    size_t m = sizeof bearer - 1, k = 0;
    if (starts_word && *s != ':' && secret_at(s, n, true))
        return run_of(s, n, "-_.~+/=");
    while (starts_word && k < m && k < n && tn_lower(s[k]) == bearer[k])
        k++;
    size_t run = k == m ? run_of(s + m, n - m, "-_.~+/=") : 0;
    return run >= 16 ? m + run : 0;
}

static int found(struct tn_err *err, size_t at, const char *what)
{
    char place[32];
    snprintf(place, sizeof place, "byte %lu", (unsigned long)at);
    return tn_err_set(err, TN_E_REFUSED, place, "%s would be shown", what);
}

static const struct pattern *pattern_at(const struct net *t, struct tn_span text, size_t at)
{
    const char *s = (const char *)text.p + at;
    for (const struct length *l = t->slot[key_of(s)]; l; l = l->next)
        for (const struct pattern *p = l->n <= text.n - at ? t->chain[hash_of(s, l->n)] : NULL; p; p = p->next)
            if (p->n == l->n && hits(p, text, at))
                return p;
    return NULL;
}

static int search(const struct net *t, struct tn_span text, struct tn_err *err)
{
    const char *s = (const char *)text.p;
    for (size_t i = 0; i + LEAST <= text.n; i++) {
        const struct pattern *p = pattern_at(t, text, i);
        if (p)
            return found(err, i, p->what);
        const char *what = secret_at(s + i, text.n - i, i == 0 || !word_char(s[i - 1]));
        if (what)
            return found(err, i, what);
    }
    return 0;
}

int tn_redact_search(const struct tn_snap *raw, struct tn_span text, struct tn_err *err)
{
    struct net *t = tn_xmalloc(sizeof *t);
    memset(t, 0, sizeof *t);
    tn_arena_init(&t->mem);
    add_names(t, raw);
    int rc = search(t, text, err);
    tn_arena_deinit(&t->mem);
    free(t);
    return rc;
}
