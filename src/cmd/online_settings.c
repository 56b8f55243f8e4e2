/* online_settings.c - see asker.h: which index is asked, and what leads there.
 *
 * The index is the one that this machine's settings name, also for a described machine: it is asked from here. Which
 * setting counts is what the probe of settings says; a user and password in it are read again where it stands, handed
 * to the helper alone and never shown.
 * Sources: pip, "Configuration" (index-url, extra-index-url: all are asked; proxy, cert, client-cert, trusted-host);
 * uv, "Package indexes" (named indexes, default, explicit, UV_INDEX_NAME_USERNAME and _PASSWORD), "Environment
 * variables" (UV_INSECURE_HOST, SSL_CERT_FILE). */
#include <string.h>

#include "base/conf.h"
#include "base/limits.h"
#include "base/str.h"
#include "cmd/asker.h"
#include "os/os.h"
#include "probe/config.h"
#include "probe/probe.h"
#include "strings.gen.h"

#define PUBLIC_INDEX "https://pypi.org/simple"

/* A setting as it stands where it was read, and what stands beside it in a table of uv. */
struct setting {
    const char *value, *name;
    bool is_default, is_explicit;
};

static const char *from_variables(struct tn_arena *mem, const char *shown)
{
    static const char *const variables[] = {"PIP_INDEX_URL",     "PIP_EXTRA_INDEX_URL", "PIP_PROXY",
                                            "UV_DEFAULT_INDEX",  "UV_INDEX_URL",        "UV_INDEX",
                                            "UV_EXTRA_INDEX_URL"};
    for (size_t i = 0; i < TN_LEN(variables); i++) {
        const char *v = tn_os_env(mem, variables[i]);
        for (; v && *v; v += strspn(v, " \t\r\n,")) {
            size_t n = tn_config_word(v, " \t\r\n,");
            const char *word = tn_arena_strndup(mem, v, n);
            if (tn_str_eq(tn_config_without_secrets(mem, word), shown))
                return word;
            v += n;
        }
    }
    return shown;
}

/* Does a table begin between two lines of a TOML file? */
static bool header_between(struct tn_span text, unsigned a, unsigned b)
{
    struct tn_span line;
    unsigned from = a < b ? a : b, to = a < b ? b : a;
    for (unsigned i = 1; i < to && tn_span_line(&text, &line); i++)
        if (i > from && tn_span_starts(tn_span_trim(line), "["))
            return true;
    return false;
}

static void beside(struct tn_span text, const struct tn_conf *conf, const struct tn_conf_item *at, struct setting *ret)
{
    if (!tn_str_ends(at->section, "index"))
        return;
    for (size_t i = 0; i < conf->n; i++) {
        const struct tn_conf_item *c = &conf->v[i];
        if (!tn_str_eq(c->section, at->section) || header_between(text, c->line, at->line))
            continue;
        if (tn_str_eq(c->key, "name"))
            ret->name = c->value;
        ret->is_default = ret->is_default || (tn_str_eq(c->key, "default") && tn_str_eq(c->value, "true"));
        ret->is_explicit = ret->is_explicit || (tn_str_eq(c->key, "explicit") && tn_str_eq(c->value, "true"));
    }
}

static struct setting whole(struct tn_asker *a, const struct tn_rec_config *r)
{
    struct tn_arena *mem = a->c->mem;
    struct setting ret = {.value = r->value.v, .name = ""};
    struct tn_conf conf;
    struct tn_buf b;
    struct tn_err err;
    uint64_t size;
    if (!tn_known(r->path)) {
        ret.value = from_variables(mem, r->value.v);
        return ret;
    }
    bool toml = tn_str_ends(r->path.v, ".toml");
    tn_buf_init(&b);
    tn_conf_start(&conf);
    if (tn_os_read(NULL, r->path.v, 0, TN_MAX_SMALL_FILE, &b, &size, &err) == 0)
        (toml ? tn_conf_toml : tn_conf_ini)(tn_span_of(b.p, b.n), mem, &conf);
    for (size_t i = 0; i < conf.n; i++)
        for (const char *v = conf.v[i].value; *v; v += strspn(v, " \t\r\n")) {
            size_t n = tn_config_word(v, " \t\r\n");
            const char *word = tn_arena_strndup(mem, v, n);
            if (tn_str_eq(tn_config_without_secrets(mem, word), r->value.v)) {
                ret.value = word;
                if (toml)
                    beside(tn_span_of(b.p, b.n), &conf, &conf.v[i], &ret);
            }
            v += n;
        }
    tn_buf_deinit(&b);
    return ret;
}

static void give(struct tn_asker *a, const char *name, const char *value)
{
    if (a->ret->n_env < TN_ONLINE_ENV)
        a->ret->env[a->ret->n_env++] = tn_arena_printf(a->c->mem, "%s=%s", name, value);
}

/* UV_INDEX_COMPANY_PYPI_USERNAME of the index "company-pypi". */
static const char *named_user(struct tn_asker *a, const char *name)
{
    struct tn_arena *mem = a->c->mem;
    char *up = tn_arena_strdup(mem, name);
    for (char *p = up; *p; p++)
        *p = tn_is_alpha(*p) ? (char)(tn_lower(*p) - 32) : tn_is_digit(*p) ? *p : '_';
    const char *user = tn_os_env(mem, tn_arena_printf(mem, "UV_INDEX_%s_USERNAME", up)),
               *password = tn_os_env(mem, tn_arena_printf(mem, "UV_INDEX_%s_PASSWORD", up));
    if (!*name || (!user && !password))
        return NULL;
    if (user)
        give(a, tn_arena_printf(mem, "UV_INDEX_%s_USERNAME", up), user);
    if (password)
        give(a, tn_arena_printf(mem, "UV_INDEX_%s_PASSWORD", up), password);
    return tn_arena_printf(mem, "%s:%s", user ? user : "", password ? password : "");
}

/* "https://name:password@host/simple" as URL and "name:password"; "NAME=URL" of uv. */
static void add_index(struct tn_asker *a, struct setting s)
{
    struct tn_arena *mem = a->c->mem;
    const char *url = s.value, *eq = strchr(url, '='), *mark = strstr(url, "://");
    if (eq && mark && eq < mark) {
        s.name = tn_arena_strndup(mem, url, (size_t)(eq - url));
        url = eq + 1;
    }
    mark = strstr(url, "://");
    if (!mark || a->n == TN_ASKER_INDEXES)
        return;
    const char *host = mark + 3, *at = NULL;
    size_t authority = strcspn(host, "/?#");
    for (size_t i = 0; i < authority; i++)
        if (host[i] == '@')
            at = host + i;
    a->how[a->n].user = at ? tn_arena_strndup(mem, host, (size_t)(at - host)) : NULL;
    if (!at && tn_str_eq(a->by, "uv"))
        a->how[a->n].user = named_user(a, s.name);
    url = at ? tn_arena_printf(mem, "%.*s%s", (int)(host - url), url, at + 1) : url;
    size_t n = strlen(url);
    while (n && url[n - 1] == '/')
        n--;
    a->url[a->n++] = tn_arena_strndup(mem, url, n);
}

/* What leads there, the same for every index. */
static void take_way(struct tn_asker *a, const struct tn_rec_config *r)
{
    struct tn_arena *mem = a->c->mem;
    const char *key = r->key.v;
    if (tn_str_eq(key, "proxy"))
        a->other.proxy = whole(a, r).value;
    else if (tn_str_eq(key, "cert"))
        a->other.cert = r->value.v;
    else if (tn_str_eq(key, "client-cert"))
        a->other.client_cert = r->value.v;
    else if (tn_str_eq(key, "trusted-host") || tn_str_eq(key, "allow-insecure-host"))
        a->other.trusted = tn_arena_printf(mem, "%s %s", a->other.trusted ? a->other.trusted : "", r->value.v);
}

static void variables(struct tn_asker *a)
{
    bool pip = tn_str_eq(a->by, "pip");
    const char *v = tn_os_env(a->c->mem, pip ? "PIP_CLIENT_CERT" : "SSL_CLIENT_CERT");
    a->other.client_cert = v ? v : a->other.client_cert;
    v = pip ? NULL : tn_os_env(a->c->mem, "UV_INSECURE_HOST");
    if (v)
        a->other.trusted = tn_arena_printf(a->c->mem, "%s %s", a->other.trusted ? a->other.trusted : "", v);
    const struct tn_get_how all = a->other;
    for (unsigned i = 0; i < a->n; i++) {
        const char *user = a->how[i].user;
        a->how[i] = all;
        a->how[i].user = user;
    }
}

static const char *with_user(struct tn_arena *mem, const char *url, const char *user)
{
    const char *host = strstr(url, "://") + 3;
    return user ? tn_arena_printf(mem, "%.*s%s@%s", (int)(host - url), url, user, host) : url;
}

/* uv reads none of pip's settings: in their place. pip takes the best of all indexes. */
static void give_as_pip(struct tn_asker *a)
{
    struct tn_arena *mem = a->c->mem;
    const struct tn_get_how *h = &a->other;
    const char *more = "";
    for (unsigned i = 0; i + 1 < a->n; i++)
        more = tn_arena_printf(mem, "%s%s%s", more, *more ? " " : "", with_user(mem, a->url[i], a->how[i].user));
    give(a, "UV_NO_CONFIG", "1");
    if (a->n)
        give(a, "UV_DEFAULT_INDEX", with_user(mem, a->url[a->n - 1], a->how[a->n - 1].user));
    if (*more)
        give(a, "UV_INDEX", more);
    give(a, "UV_INDEX_STRATEGY", "unsafe-best-match");
    if (h->cert)
        give(a, "SSL_CERT_FILE", h->cert);
    if (h->trusted)
        give(a, "UV_INSECURE_HOST", h->trusted + strspn(h->trusted, " "));
    static const char *const proxies[] = {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"};
    for (unsigned i = 0; h->proxy && i < TN_LEN(proxies); i++)
        give(a, proxies[i], strstr(h->proxy, "://") ? h->proxy : tn_arena_printf(mem, "http://%s", h->proxy));
    if (h->proxy) {
        give(a, "no_proxy", "");
        give(a, "NO_PROXY", "");
    }
    a->ret->of_pip = true;
}

/* Keeps what it needs of the rows: they go with the snapshot. */
static bool rows(struct tn_asker *a, const struct tn_snap *s, struct setting *main_one)
{
    bool none = false;
    for (size_t i = 0; i < s->config.n; i++) {
        struct tn_rec_config r = s->config.v[i];
        if (!tn_says(r.by, a->by) || !tn_known(r.key) || !tn_known(r.value))
            continue;
        r.value.v = tn_arena_strdup(a->c->mem, r.value.v);
        const char *key = r.key.v;
        bool table = tn_str_eq(key, "url") || tn_str_eq(key, "index.url");
        if (tn_str_eq(key, "index-url") || tn_str_eq(key, "default-index")) {
            *main_one = whole(a, &r);
        } else if (table || tn_str_eq(key, "extra-index-url") || tn_str_eq(key, "index")) {
            struct setting one = whole(a, &r);
            if (one.is_default)
                *main_one = one;
            else if (!one.is_explicit)
                add_index(a, one);
        } else if (tn_str_eq(key, "no-index")) {
            none = tn_str_eq(r.value.v, "1") || tn_str_ieq(r.value.v, "true") || tn_str_ieq(r.value.v, "yes");
        } else if (tn_str_eq(key, "find-links")) {
            a->find_links = r.value.v;
        } else {
            take_way(a, &r);
        }
    }
    return none;
}

int tn_asker_settings(struct tn_asker *a, struct tn_err *err)
{
    struct tn_world *w;
    struct tn_snap s;
    struct setting main_one = {.value = PUBLIC_INDEX, .name = ""};
    struct tn_want want = {.no_owners = true, .plain = true, .no_code = true, .records = TN_HAS(config)};
    int rc = tn_world_live(&w, err);
    if (rc)
        return rc;
    tn_snap_init(&s);
    tn_probe_all(w, &want, &s);
    tn_world_close(w);
    bool none = rows(a, &s, &main_one);
    tn_snap_deinit(&s);
    if (a->n == TN_ASKER_INDEXES)
        a->n--;
    add_index(a, main_one);
    variables(a);
    if (tn_str_eq(a->by, "pip"))
        give_as_pip(a);
    struct tn_arg arg[] = {{"by", a->by}};
    if (none)
        return tn_asker_fail(a, err, TN_S_pl_online_no_index, arg, 1);
    a->shown = a->n ? tn_config_without_secrets(a->c->mem, a->url[a->n - 1]) : "";
    return 0;
}
