/* redact_value.c - URLs, values of variables and settings, sources, kernel texts as strangers may see them. */
#include <string.h>

#include "base/str.h"
#include "snapshot/redact_rules.h"

static void own_alias(struct tn_redactor *r, const char *kind, const char *s, size_t n, struct tn_buf *ret)
{
    if (r->in->redacted && tn_redact_is_alias(s, n))
        tn_buf_add(ret, s, n);
    else
        tn_redact_alias(r, kind, s, n, ret);
}

struct url {
    const char *scheme, *host, *path;
    size_t n_scheme, n_host, n_path; /* host with port; path without query and fragment */
};

/* RFC 3986, section 3. An authority that ends in what is no port and is followed by an '@' further on is a password
 * with a slash. */
static bool split_url(const char *s, size_t n, struct url *ret)
{
    size_t colon = 0;
    while (colon < n && (tn_is_alpha(s[colon]) || tn_is_digit(s[colon]) || strchr("+.-", s[colon])))
        colon++;
    if (colon == 0 || n - colon < 3 || memcmp(s + colon, "://", 3) != 0)
        return false;
    size_t from = colon + 3, end = from, at = from, port = from;
    while (end < n && s[end] != '/' && s[end] != '?' && s[end] != '#')
        end++;
    for (size_t i = from; i < end; i++)
        if (s[i] == ':')
            port = i + 1;
    bool is_port = port > from;
    for (size_t i = port; i < end; i++)
        is_port = is_port && tn_is_digit(s[i]);
    bool odd = port > from && !is_port && s[from] != '[';
    for (size_t i = from; i < (odd ? n : end); i++)
        if (s[i] == '@')
            at = i + 1;
    if (at > end)
        for (end = at; end < n && s[end] != '/' && s[end] != '?' && s[end] != '#';)
            end++;
    size_t stop = end;
    while (stop < n && s[stop] != '?' && s[stop] != '#')
        stop++;
    *ret = (struct url){s, s + at, s + end, colon, end - at, stop - end};
    return true;
}

void tn_redact_credentials(const char *text, struct tn_buf *ret)
{
    struct url u;
    if (!split_url(text, strlen(text), &u)) {
        tn_buf_str(ret, text);
        return;
    }
    tn_buf_add(ret, u.scheme, u.n_scheme);
    tn_buf_str(ret, "://");
    tn_buf_add(ret, u.host, u.n_host);
    tn_buf_add(ret, u.path, u.n_path);
}

static bool is_url_word(const char *s, size_t n)
{
    static const char *const words[] = {"simple",
                                        "pypi",
                                        "whl",
                                        "root",
                                        "nightly",
                                        "test",
                                        "pkgs",
                                        "r",
                                        "cloud",
                                        "compute",
                                        "redist",
                                        "repos",
                                        "repository",
                                        "legacy",
                                        "mirror",
                                        "mirrors",
                                        "noarch",
                                        "linux-64",
                                        "win-64",
                                        "web",
                                        "packages",
                                        "artifacts",
                                        "stable",
                                        "machine-learning",
                                        "torch_stable.html",
                                        "jax-releases",
                                        "jax_releases.html",
                                        "jax_cuda_releases.html",
                                        "libtpu_releases.html",
                                        "ubuntu2004",
                                        "ubuntu2204",
                                        "ubuntu2404",
                                        "debian11",
                                        "debian12",
                                        "rhel8",
                                        "rhel9",
                                        "x86_64",
                                        "sbsa",
                                        NULL};
    char word[32];
    if (n >= sizeof word)
        return false;
    for (size_t i = 0; i < n; i++)
        word[i] = tn_lower(s[i]);
    word[n] = 0;
    return tn_str_in(word, words) || tn_redact_plain_value(s, n);
}

static void one_url(struct tn_redactor *r, const struct url *u, struct tn_buf *ret)
{
    size_t host = 0;
    while (host < u->n_host && u->host[host] != ':')
        host++;
    bool web = u->n_scheme >= 4 && u->n_scheme <= 5 && memcmp(u->scheme, "https", u->n_scheme) == 0;
    if (!web || !tn_redact_public_host(u->host, host)) {
        own_alias(r, "index", u->host, u->n_host, ret);
        return;
    }
    tn_buf_add(ret, u->scheme, u->n_scheme);
    tn_buf_str(ret, "://");
    tn_buf_add(ret, u->host, host);
    for (size_t i = 0, n; i < u->n_path; i += n) {
        if (u->path[i] == '/') {
            tn_buf_ch(ret, '/');
            n = 1;
            continue;
        }
        for (n = 0; i + n < u->n_path && u->path[i + n] != '/';)
            n++;
        if (is_url_word(u->path + i, n))
            tn_buf_add(ret, u->path + i, n);
        else
            own_alias(r, "dir", u->path + i, n, ret);
    }
}

/* One item of a value: a URL, a path, a known word; anything else becomes other, or an alias of a kind. */
static void item(struct tn_redactor *r, const char *s, size_t n, const char *kind, struct tn_buf *ret)
{
    struct url u;
    if (split_url(s, n, &u)) {
        one_url(r, &u, ret);
    } else if (memchr(s, '/', n) || memchr(s, '\\', n)) {
        char *path = tn_arena_strndup(&r->mem, s, n);
        tn_redact_path(r, path, ret);
    } else if (tn_redact_plain_value(s, n) || (n && kind && r->in->redacted && tn_redact_is_alias(s, n))) {
        tn_buf_add(ret, s, n);
    } else if (kind) {
        tn_redact_alias(r, kind, s, n, ret);
    } else {
        tn_buf_str(ret, "other");
    }
}

static void items(struct tn_redactor *r, const char *text, const char *separators, const char *kind, struct tn_buf *ret)
{
    while (*text) {
        size_t n = strcspn(text, separators);
        if (n)
            item(r, text, n, kind, ret);
        text += n;
        if (*text)
            tn_buf_ch(ret, *text++);
    }
}

void tn_redact_url(struct tn_redactor *r, const char *text, struct tn_buf *ret)
{
    items(r, text, " ,;\t\r\n\"'[]", "index", ret);
}

static size_t hex_run(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && (tn_is_digit(s[i]) || (tn_lower(s[i]) >= 'a' && tn_lower(s[i]) <= 'f')))
        i++;
    return i;
}

/* Length of "GPU-8-4-4-4-12" or "MIG-..." at s, or 0 (CUDA C++ Programming Guide, CUDA_VISIBLE_DEVICES; shortened forms
 * are allowed there, so from 4 digits on). */
static size_t uuid_at(const char *s)
{
    size_t i = 4, groups = 0, n;
    if (strncmp(s, "GPU-", 4) != 0 && strncmp(s, "MIG-", 4) != 0)
        return 0;
    if (strncmp(s + 4, "GPU-", 4) == 0)
        i = 8;
    if (hex_run(s + i, 64) < 4)
        return 0;
    while (groups < 5 && (n = hex_run(s + i, 64)) > 0) {
        i += n;
        groups++;
        if (s[i] != '-' || !hex_run(s + i + 1, 1))
            break;
        i++;
    }
    return i;
}

static bool has_uuid(const char *text)
{
    for (; *text; text++)
        if (uuid_at(text))
            return true;
    return false;
}

void tn_redact_public(struct tn_redactor *r, const char *text, struct tn_buf *ret)
{
    if (!has_uuid(text)) {
        tn_buf_str(ret, text);
        return;
    }
    while (*text) {
        size_t n = uuid_at(text);
        if (n)
            tn_redact_alias(r, "gpu", text, n, ret);
        else
            tn_buf_ch(ret, *text);
        text += n ? n : 1;
    }
}

void tn_redact_version_node(struct tn_redactor *r, const char *text, struct tn_buf *ret)
{
    const char *colon = strrchr(text, ':'), *node = colon ? colon + 1 : text;
    size_t n = strlen(node), weak = n && node[n - 1] == '?';
    if (colon) {
        tn_redact_library(r, text, (size_t)(colon - text), ret);
        tn_buf_ch(ret, ':');
    }
    if (tn_redact_plain_node(node, n - weak) || (r->in->redacted && tn_redact_is_alias(node, n - weak)))
        tn_buf_add(ret, node, n - weak);
    else
        tn_redact_alias(r, "name", node, n - weak, ret);
    if (weak)
        tn_buf_ch(ret, '?');
}

static void words(struct tn_redactor *r, const char *value, struct tn_buf *ret)
{
    while (*value) {
        size_t uuid = uuid_at(value), n = strcspn(value, ",;:= \t\"'<>[]()|");
        bool url = strncmp(value + n, "://", 3) == 0;
        if (url)
            n = strcspn(value, ",; \t\"'<>[]()|");
        if (uuid)
            tn_redact_alias(r, "gpu", value, n = uuid, ret);
        else if (n)
            item(r, value, n, NULL, ret);
        value += n;
        if (*value && !uuid)
            tn_buf_ch(ret, *value++);
    }
}

void tn_redact_variable(struct tn_redactor *r, const char *name, const char *value, struct tn_buf *ret)
{
    switch (tn_redact_variable_kind(name)) {
    case TN_REDACT_PATHS: {
        bool windows = r->style == TN_PATH_WINDOWS;
        const char *separators = windows ? ";" : strcmp(name, "LD_PRELOAD") == 0 ? ": \t" : ":;";
        while (*value) {
            size_t n = strcspn(value, separators);
            tn_redact_path(r, tn_arena_strndup(&r->mem, value, n), ret);
            value += n;
            if (*value)
                tn_buf_ch(ret, *value++);
        }
        break;
    }
    case TN_REDACT_NAME: item(r, value, strlen(value), "name", ret); break;
    case TN_REDACT_WORDS: words(r, value, ret); break;
    default: break;
    }
}

/* A version's numbers: "5.15.0-91-generic" is 5.15.0-91. Nothing of a text that begins otherwise, nor of what looks
 * like a serial number or an address. */
bool tn_redact_kernel(const char *text, struct tn_buf *ret)
{
    size_t n = 0, end = 0;
    unsigned parts = 0, bytes = 0, first = 0;
    bool dash = false;
    while (tn_is_digit(text[n])) {
        unsigned value = 0;
        size_t from = n;
        for (; tn_is_digit(text[n]) && n - from < 7; n++)
            value = value * 10 + (unsigned)(text[n] - '0');
        if (n - from > 6)
            return false;
        end = n;
        first = parts++ ? first : value;
        bytes += value < 256;
        if (dash || parts > 4) /* 91 of 5.15.0-91 is the last one */
            break;
        dash = text[n] == '-';
        n += (dash || text[n] == '.') && tn_is_digit(text[n + 1]);
    }
    if (parts == 4 && bytes == 4 && first >= 10)
        return false;
    tn_buf_add(ret, text, end);
    return end > 0;
}

/* "read PATH", "env NAME", "table gpus" ...: the first word is the question, the rest is what was asked. */
void tn_redact_source(struct tn_redactor *r, const char *asked, struct tn_buf *ret)
{
    static const char *const of_path[] = {"read", "list", "stat", "link", "disk", "part", "open", "lstat", "reg", NULL};
    static const char *const whole[] = {"signs of a container in files and variables", "variables of batch systems",
                                        "described", "", NULL};
    char word[16];
    size_t n = strcspn(asked, " ");
    const char *rest = asked + n + (asked[n] == ' ');
    if (tn_str_in(asked, whole)) {
        tn_buf_str(ret, asked);
        return;
    }
    if (n >= sizeof word)
        n = 0;
    memcpy(word, asked, n);
    word[n] = 0;
    if (tn_str_in(word, of_path)) {
        tn_buf_printf(ret, "%s ", word);
        tn_redact_path(r, rest, ret);
    } else if (strcmp(word, "env") == 0 && tn_redact_variable_kind(rest) != TN_REDACT_UNLISTED) {
        tn_buf_str(ret, asked);
    } else if ((strcmp(word, "table") == 0 || strcmp(word, "sys") == 0) && tn_redact_public_question(rest)) {
        tn_buf_str(ret, asked);
    } else if (strcmp(word, "run") == 0) { /* arguments are nobody's business */
        tn_buf_str(ret, "run ");
        tn_redact_path(r, tn_arena_strndup(&r->mem, rest, strcspn(rest, " ")), ret);
    } else if (strcmp(word, "get") == 0) {
        tn_buf_str(ret, "get ");
        tn_redact_url(r, rest, ret);
    } else {
        tn_buf_str(ret, strcmp(word, "env") == 0 ? word : "looked");
    }
}
