/* main.c - tenon-get: one request by libcurl, for tenon, which opens no socket itself.
 *
 * What is wanted comes in the environment, since the words of a command line are seen by every user: TENON_GET_URL,
 * _USER ("name:password"), _ACCEPT, _RANGE ("0-99", "-65536"), _MAX (bytes of the body), _MS (deadline), _PROXY (in the
 * place of the environment's), _CERT, _CLIENT_CERT, _TRUSTED ("host other:8443": whose certificates are not looked at).
 * On standard output come lines "status 206", "type ...", "range 0-99/1000", "url ..." (where it came from after
 * redirections), "wire BYTES", an empty line and the body; or one line "error HOP: words". A server that answers a
 * range with the whole file is left at once ("error whole"). With _FILE, a name in the folder that tenon has given, the
 * body goes into that file (file.c); nothing else is written. http and https alone are spoken. Each redirection is a
 * request of its own: a password goes to the host that it was given for and to no other, and trust in one host is none
 * in the next. */
#include "get/get.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char *env(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

static size_t take(char *p, size_t one, size_t n, void *ctx)
{
    struct get *g = ctx;
    long status = 0;
    n *= one;
    curl_easy_getinfo(g->curl, CURLINFO_RESPONSE_CODE, &status);
    if (g->file >= 0)
        return get_file_take(g, p, n, status);
    if (g->ranged && status == 200) {
        g->whole = 1;
        return 0;
    }
    if (n > g->max - g->n) {
        g->large = 1;
        return 0;
    }
    if (n > g->cap - g->n) {
        size_t cap = g->cap * 2 + n + 65536;
        char *body = realloc(g->body, cap);
        if (!body)
            return 0;
        g->body = body;
        g->cap = cap;
    }
    memcpy(g->body + g->n, p, n);
    g->n += n;
    return n;
}

static void keep(const char *p, size_t n, const char *name, char *ret, size_t size)
{
    size_t len = strlen(name), k = 0;
    if (n <= len || strncasecmp(p, name, len) != 0)
        return;
    for (p += len, n -= len; n && (*p == ' ' || *p == '\t'); p++, n--)
        ;
    for (; k < n && k + 1 < size && (unsigned char)p[k] >= ' ' && p[k] != 0x7f; k++)
        ret[k] = p[k];
    ret[k] = 0;
}

static size_t header(char *p, size_t one, size_t n, void *ctx)
{
    struct get *g = ctx;
    n *= one;
    if (n > 5 && strncmp(p, "HTTP/", 5) == 0) /* of the next hop */
        g->type[0] = g->range[0] = 0;
    keep(p, n, "content-type:", g->type, sizeof g->type);
    keep(p, n, "content-range: bytes", g->range, sizeof g->range);
    return n;
}

/* "host", ".host" and "*", as curl and requests read NO_PROXY. */
static int goes_direct(const char *host, const char *list)
{
    size_t len = strlen(host);
    while (list && *list) {
        list += strspn(list, ", \t");
        size_t n = strcspn(list, ", \t");
        const char *w = list;
        list += n;
        if (n == 1 && *w == '*')
            return 1;
        if (n && *w == '.') {
            w++;
            n--;
        }
        if (n && n <= len && strncasecmp(host + len - n, w, n) == 0 && (n == len || host[len - n - 1] == '.'))
            return 1;
    }
    return 0;
}

static void hop_of(const char *url, char *ret, size_t size)
{
    CURLU *u = curl_url();
    char *host = NULL, *port = NULL;
    ret[0] = 0;
    if (u && curl_url_set(u, CURLUPART_URL, url, CURLU_GUESS_SCHEME) == 0 &&
        curl_url_get(u, CURLUPART_HOST, &host, 0) == 0) {
        curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
        snprintf(ret, size, "%s:%s", host, port ? port : "");
    }
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(u);
}

static int by_proxy(CURLcode rc)
{
    return rc == CURLE_COULDNT_RESOLVE_PROXY || rc == CURLE_COULDNT_CONNECT || rc == CURLE_PROXY ||
           rc == CURLE_RECV_ERROR || rc == CURLE_OPERATION_TIMEDOUT || rc == CURLE_GOT_NOTHING;
}

/* Bytes of the last request. */
static long long wire_of(CURL *c)
{
    curl_off_t wire = 0;
    long head = 0;
    curl_easy_getinfo(c, CURLINFO_SIZE_DOWNLOAD_T, &wire);
    curl_easy_getinfo(c, CURLINFO_HEADER_SIZE, &head);
    return (long long)wire + head;
}

static int say(struct get *g, CURLcode rc, const char *at, const char *proxy, const char *words)
{
    long status = 0;
    char hop[300];
    curl_easy_getinfo(g->curl, CURLINFO_RESPONSE_CODE, &status);
    if (g->whole || g->large) {
        hop_of(at, hop, sizeof hop);
        if (g->whole)
            printf("error whole\n");
        else
            printf("error %s: more than %zu bytes\n", hop, g->max);
        return 0;
    }
    if (g->failed) {
        printf("failed %d\n", g->failed);
        return 0;
    }
    if (rc != CURLE_OK) {
        int through = proxy && by_proxy(rc) && g->n == 0;
        hop_of(through ? proxy : at, hop, sizeof hop);
        printf("error %s%s: %s\n", through ? "proxy " : "", hop, *words ? words : curl_easy_strerror(rc));
        return 0;
    }
    printf("status %ld\ntype %s\nrange %s\nurl %s\nwire %lld\n\n", status, g->type, g->range, at,
           g->wire + wire_of(g->curl));
    fwrite(g->body, 1, g->n, stdout);
    return 0;
}

static const char *proxy_for(const char *url)
{
    static const char *const https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL},
                             *const http[] = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", NULL};
    char host[300];
    if (env("TENON_GET_PROXY"))
        return env("TENON_GET_PROXY");
    hop_of(url, host, sizeof host);
    char *port = strrchr(host, ':');
    if (port)
        *port = 0;
    if (goes_direct(host, env("no_proxy") ? env("no_proxy") : env("NO_PROXY")))
        return NULL;
    for (const char *const *v = strncasecmp(url, "https", 5) == 0 ? https : http; *v; v++)
        if (env(*v))
            return env(*v);
    return NULL;
}

/* "host" for any port, "host:port" for one. */
static int is_trusted(const char *url, const char *list)
{
    char hop[300];
    hop_of(url, hop, sizeof hop);
    size_t host = strrchr(hop, ':') ? (size_t)(strrchr(hop, ':') - hop) : strlen(hop);
    while (list && *list) {
        list += strspn(list, " \t\r\n,");
        size_t n = strcspn(list, " \t\r\n,");
        if (n && (n == host || n == strlen(hop)) && strncasecmp(hop, list, n) == 0)
            return 1;
        list += n;
    }
    return 0;
}

static void certificates(CURL *c)
{
    static const char *const names[] = {"TENON_GET_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"};
    if (env("TENON_GET_CLIENT_CERT"))
        curl_easy_setopt(c, CURLOPT_SSLCERT, env("TENON_GET_CLIENT_CERT"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (env(names[i])) {
            curl_easy_setopt(c, CURLOPT_CAINFO, env(names[i]));
            return;
        }
}

/* What differs from one request to the one that it leads to. */
static const char *aim(struct get *g, const char *url, const char *first, long ms)
{
    CURL *c = g->curl;
    const char *proxy = proxy_for(url);
    char hop[300], hop1[300];
    long check = is_trusted(url, env("TENON_GET_TRUSTED")) ? 0L : 1L;
    size_t scheme = strcspn(first, ":") + 1;
    hop_of(url, hop, sizeof hop);
    hop_of(first, hop1, sizeof hop1);
    int same = strcasecmp(hop, hop1) == 0 && strncasecmp(url, first, scheme) == 0;
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_PROXY, proxy ? proxy : "");
    curl_easy_setopt(c, CURLOPT_NOPROXY, ""); /* decided here: a proxy of pip's settings is for every host */
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, check);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, check ? 2L : 0L);
    curl_easy_setopt(c, CURLOPT_USERPWD, same ? env("TENON_GET_USER") : NULL);
    if (g->file >= 0)
        get_file_ask(g);
    else
        curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, ms);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, ms < 10000 ? ms : 10000L);
    return proxy;
}

static struct curl_slist *options(struct get *g, char *words)
{
    CURL *c = g->curl;
    struct curl_slist *head = NULL;
    char accept[300];
    g->max = env("TENON_GET_MAX") ? (size_t)strtoull(env("TENON_GET_MAX"), NULL, 10) : 1u << 20;
    g->ranged = env("TENON_GET_RANGE") != NULL;
    snprintf(accept, sizeof accept, "Accept: %s", env("TENON_GET_ACCEPT") ? env("TENON_GET_ACCEPT") : "*/*");
    head = curl_slist_append(head, accept);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, head);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "tenon");
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, words);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, g);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, g);
    curl_easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    if (env("NETRC"))
        curl_easy_setopt(c, CURLOPT_NETRC_FILE, env("NETRC"));
    if (g->ranged)
        curl_easy_setopt(c, CURLOPT_RANGE, env("TENON_GET_RANGE"));
    else if (g->file < 0)
        curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");
    certificates(c);
    return head;
}

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Where an answer leads to, to be freed; NULL: it is the last one. */
static char *next_of(struct get *g, CURLcode rc)
{
    char *to = NULL;
    long status = 0;
    curl_easy_getinfo(g->curl, CURLINFO_RESPONSE_CODE, &status);
    if (rc == CURLE_OK && status >= 300 && status < 400)
        curl_easy_getinfo(g->curl, CURLINFO_REDIRECT_URL, &to);
    return to ? strdup(to) : NULL;
}

static int ask(struct get *g, const char *first)
{
    char words[CURL_ERROR_SIZE] = "", *url = strdup(first), *to;
    long long end = now_ms() + (env("TENON_GET_MS") ? atol(env("TENON_GET_MS")) : 30000);
    struct curl_slist *head = options(g, words);
    int rc = 2;
    for (unsigned i = 0; url; i++) {
        long long left = end - now_ms();
        const char *proxy = aim(g, url, first, left > 1 ? (long)left : 1L);
        CURLcode done = curl_easy_perform(g->curl);
        to = next_of(g, done);
        if (to && i < 5) {
            g->wire += wire_of(g->curl);
            g->n = 0;
        } else {
            if (to)
                done = CURLE_TOO_MANY_REDIRECTS;
            rc = say(g, done, url, proxy, to ? "more than 5 redirections" : words);
            free(to);
            to = NULL;
        }
        free(url);
        url = to;
    }
    curl_slist_free_all(head);
    return rc;
}

int main(void)
{
    struct get g = {0};
    const char *url = env("TENON_GET_URL");
    if (!url || curl_global_init(CURL_GLOBAL_DEFAULT) != 0 || !(g.curl = curl_easy_init())) {
        printf("error tenon-get: started without TENON_GET_URL; tenon starts it\n");
        return 2;
    }
    g.file = -1;
    if (env("TENON_GET_FILE") && get_file_open(&g, env("TENON_GET_FILE"))) {
        printf("failed %d\n", g.failed);
        return 2;
    }
    int rc = ask(&g, url);
    curl_easy_cleanup(g.curl);
    curl_global_cleanup();
    free(g.body);
    return rc;
}
