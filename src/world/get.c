/* get.c - see get.h. */
#include "world/get.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "os/os.h"

#define HEAD 8192u /* lines before the body */

/* What the helper is given of our environment: how the network is reached and which certificates count. */
static const char *const handed[] = {
    "http_proxy", "https_proxy", "all_proxy",     "no_proxy",     "HTTP_PROXY",         "HTTPS_PROXY",    "ALL_PROXY",
    "NO_PROXY",   "NETRC",       "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HOME"};

/* Beside this program. */
static const char *helper(struct tn_arena *mem)
{
    struct tn_buf b;
    struct tn_err err;
    const char *path = NULL;
    struct tn_os_stat st;
    tn_buf_init(&b);
    if (tn_os_readlink(NULL, "/proc/self/exe", &b, &err) == 0) {
        char *slash = strrchr(b.p, '/');
        path = tn_arena_printf(mem, "%.*s/tenon-get", (int)(slash ? slash - b.p : 0), b.p);
        if (tn_os_stat(NULL, path, true, &st, &err) != 0 || st.type != 'f')
            path = NULL;
    }
    tn_buf_deinit(&b);
    return path;
}

static void environment(struct tn_arena *mem, const struct tn_question *q, const char **env)
{
    unsigned n = 0;
    for (size_t i = 0; i < sizeof handed / sizeof *handed; i++) {
        const char *v = tn_os_env(mem, handed[i]);
        if (v)
            env[n++] = tn_arena_printf(mem, "%s=%s", handed[i], v);
    }
    env[n++] = "LC_ALL=C";
    env[n++] = tn_arena_printf(mem, "TENON_GET_URL=%s", q->name);
    const struct tn_get_how *how = q->ctx;
    const struct {
        const char *name, *value;
    } of_how[] = {{"USER", how ? how->user : NULL},
                  {"PROXY", how ? how->proxy : NULL},
                  {"CERT", how ? how->cert : NULL},
                  {"CLIENT_CERT", how ? how->client_cert : NULL},
                  {"TRUSTED", how ? how->trusted : NULL}};
    for (size_t i = 0; i < sizeof of_how / sizeof *of_how; i++)
        if (of_how[i].value)
            env[n++] = tn_arena_printf(mem, "TENON_GET_%s=%s", of_how[i].name, of_how[i].value);
    if (q->sub)
        env[n++] = tn_arena_printf(mem, "TENON_GET_ACCEPT=%s", q->sub);
    if (q->argv)
        env[n++] = tn_arena_printf(mem, "TENON_GET_RANGE=%s", q->argv[0]);
    env[n++] = tn_arena_printf(mem, "TENON_GET_MAX=%zu", q->max);
    env[n++] = tn_arena_printf(mem, "TENON_GET_MS=%u", q->deadline_ms);
    env[n] = NULL;
}

static const char *field(struct tn_arena *mem, struct tn_span line, const char *name)
{
    size_t n = strlen(name);
    if (line.n < n || memcmp(line.p, name, n) != 0)
        return NULL;
    return tn_arena_strndup(mem, (const char *)line.p + n, line.n - n);
}

static void read_head(struct tn_arena *mem, struct tn_span *rest, struct tn_answer *ret, struct tn_got *got)
{
    struct tn_span line;
    while (tn_span_line(rest, &line) && line.n) {
        const char *v;
        uint64_t number;
        if ((v = field(mem, line, "status ")) && tn_str_u64(v, strlen(v), 10, &number))
            ret->status = (int)number;
        else if ((v = field(mem, line, "type ")))
            got->type = v;
        else if ((v = field(mem, line, "url ")))
            got->url = v;
        else if ((v = field(mem, line, "wire ")) && tn_str_u64(v, strlen(v), 10, &number))
            got->wire = number;
        else if ((v = field(mem, line, "range ")) && strchr(v, '/')) {
            if (tn_str_u64(v, strspn(v, "0123456789"), 10, &number))
                got->from = number;
            v = strchr(v, '/') + 1;
            if (tn_str_u64(v, strlen(v), 10, &number))
                got->total = number;
        }
    }
}

void tn_world_get(struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret, struct tn_got *got)
{
    const char *argv[] = {helper(mem), NULL};
    const char *env[40];
    struct tn_os_run r;
    struct tn_err err;
    memset(ret, 0, sizeof *ret);
    *got = (struct tn_got){.type = "", .url = q->name};
    if (!argv[0])
        return; /* not asked */
    ret->got = TN_FAILED;
    environment(mem, q, env);
    int rc = tn_os_run(argv, env, q->deadline_ms + 2000, q->max + HEAD, &r, &err);
    if (rc) {
        ret->note = tn_arena_strdup(mem, err.text);
        return;
    }
    struct tn_span all = tn_span_of(tn_arena_strndup(mem, r.out.p ? r.out.p : "", r.out.n), r.out.n), line;
    if (tn_span_starts(all, "error ")) {
        tn_span_line(&all, &line);
        ret->note = tn_arena_strndup(mem, (const char *)line.p + 6, line.n - 6);
    } else if (!tn_span_starts(all, "status ")) {
        ret->note = r.timed_out ? "tenon-get: no answer in time" : "tenon-get: ended without an answer";
    } else {
        read_head(mem, &all, ret, got);
        ret->data = all;
        ret->got = TN_KNOWN;
    }
    tn_buf_deinit(&r.out);
}
