/* online.c - see online.h.
 *
 * The index is the one that this machine's settings name, also for a described machine: it is asked from here. Which
 * setting counts is what the probe of settings says; a user and password in it are read again where it stands, handed
 * to the helper alone and never shown.
 * Sources: "Simple repository API" (PyPA); pip, "Configuration" (index-url, extra-index-url: all are asked); uv,
 * "Package indexes". */
#include "cmd/online.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/limits.h"
#include "base/str.h"
#include "os/os.h"
#include "probe/config.h"
#include "probe/probe.h"
#include "snapshot/redact.h"
#include "strings.gen.h"
#include "world/get.h"

#define PUBLIC_INDEX "https://pypi.org/simple"
#define ACCEPT "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
#define MAX_INDEXES 8u
#define MAX_ROUNDS 24u
#define REQUEST_MS 20000u
#define ALL_MS 60000u

struct asker {
    struct tn_cmd_ctx *c;
    struct tn_online *ret;
    const char *by;                                   /* pip or uv */
    const char *url[MAX_INDEXES], *user[MAX_INDEXES]; /* the index proper last; user NULL: none */
    const char *shown;
    unsigned n;
    uint64_t end_us;
};

static int fail(struct asker *a, struct tn_err *err, const char *id, const struct tn_arg *arg, unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(a->c, id), arg, n);
    tn_err_set(err, TN_E_IO, NULL, "%s", b.p);
    tn_buf_deinit(&b);
    return TN_E_IO;
}

/* --- which index --- */

/* The setting as it stands where it was read, with what a report must not show. */
static const char *whole(struct asker *a, const struct tn_rec_config *r)
{
    static const char *const variables[] = {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL",
                                            "UV_INDEX",      "UV_EXTRA_INDEX_URL"};
    struct tn_arena *mem = a->c->mem;
    struct tn_conf conf;
    struct tn_buf b;
    struct tn_err err;
    uint64_t size;
    const char *ret = r->value.v;
    for (size_t i = 0; !tn_known(r->path) && i < TN_LEN(variables); i++) {
        const char *v = tn_os_env(mem, variables[i]);
        for (; v && *v; v += strspn(v, " \t\r\n,")) {
            size_t n = tn_config_word(v, " \t\r\n,");
            const char *word = tn_arena_strndup(mem, v, n);
            if (tn_str_eq(tn_config_without_secrets(mem, word), r->value.v))
                return word;
            v += n;
        }
    }
    if (!tn_known(r->path))
        return ret;
    tn_buf_init(&b);
    tn_conf_start(&conf);
    if (tn_os_read(NULL, r->path.v, 0, TN_MAX_SMALL_FILE, &b, &size, &err) == 0)
        (tn_str_ends(r->path.v, ".toml") ? tn_conf_toml : tn_conf_ini)(tn_span_of(b.p, b.n), mem, &conf);
    for (size_t i = 0; i < conf.n; i++)
        for (const char *v = conf.v[i].value; *v; v += strspn(v, " \t\r\n")) {
            size_t n = tn_config_word(v, " \t\r\n");
            const char *word = tn_arena_strndup(mem, v, n);
            if (tn_str_eq(tn_config_without_secrets(mem, word), r->value.v))
                ret = word;
            v += n;
        }
    tn_buf_deinit(&b);
    return ret;
}

/* "https://name:password@host/simple" as URL and "name:password". */
static void add_index(struct asker *a, const char *url)
{
    struct tn_arena *mem = a->c->mem;
    const char *eq = strchr(url, '='), *mark = strstr(url, "://");
    if (eq && mark && eq < mark) /* NAME=URL of uv */
        url = eq + 1;
    mark = strstr(url, "://");
    if (!mark || a->n == MAX_INDEXES)
        return;
    const char *host = mark + 3, *at = NULL;
    size_t authority = strcspn(host, "/?#");
    for (size_t i = 0; i < authority; i++)
        if (host[i] == '@')
            at = host + i;
    a->user[a->n] = at ? tn_arena_strndup(mem, host, (size_t)(at - host)) : NULL;
    url = at ? tn_arena_printf(mem, "%.*s%s", (int)(host - url), url, at + 1) : url;
    size_t n = strlen(url);
    while (n && url[n - 1] == '/')
        n--;
    a->url[a->n++] = tn_arena_strndup(mem, url, n);
}

static int settings(struct asker *a, struct tn_err *err)
{
    struct tn_world *w;
    struct tn_snap s;
    const struct tn_rec_config *main_one = NULL;
    struct tn_want want = {.no_owners = true, .plain = true, .no_code = true, .records = TN_HAS(config)};
    bool none = false;
    int rc = tn_world_live(&w, err);
    if (rc)
        return rc;
    tn_snap_init(&s);
    tn_probe_all(w, &want, &s);
    tn_world_close(w);
    for (size_t i = 0; i < s.config.n; i++) {
        const struct tn_rec_config *r = &s.config.v[i];
        if (!tn_known(r->by) || !tn_known(r->key) || !tn_known(r->value) || !tn_str_eq(r->by.v, a->by))
            continue;
        const char *key = r->key.v;
        if (tn_str_eq(key, "index-url") || tn_str_eq(key, "default-index"))
            main_one = r;
        else if (tn_str_eq(key, "extra-index-url") || tn_str_eq(key, "index") || tn_str_eq(key, "url"))
            add_index(a, whole(a, r));
        else if (tn_str_eq(key, "no-index"))
            none = tn_str_eq(r->value.v, "1") || tn_str_ieq(r->value.v, "true") || tn_str_ieq(r->value.v, "yes");
    }
    if (a->n == MAX_INDEXES)
        a->n--;
    add_index(a, main_one ? whole(a, main_one) : PUBLIC_INDEX);
    tn_snap_deinit(&s);
    struct tn_arg arg[] = {{"by", a->by}};
    if (none)
        return fail(a, err, TN_S_pl_online_no_index, arg, 1);
    a->shown = a->n ? tn_config_without_secrets(a->c->mem, a->url[a->n - 1]) : "";
    return 0;
}

/* --- asking --- */

static const char *hop(struct tn_arena *mem, const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    return tn_arena_strndup(mem, host, strcspn(host, "/?#"));
}

static int get(struct asker *a, const char *name, const struct tn_question *q, struct tn_answer *ret,
               struct tn_got *got, struct tn_err *err)
{
    struct tn_question one = *q;
    uint64_t now = tn_os_monotonic_us();
    struct tn_arg arg[] = {{"name", name}, {"why", NULL}};
    unsigned left = now < a->end_us ? (unsigned)((a->end_us - now) / 1000) : 0, watch = tn_os_left_ms();
    left = left < watch ? left : watch;
    if (left < 100) {
        arg[1].value = tn_arena_printf(a->c->mem, "%s: no time left", hop(a->c->mem, q->name));
        return fail(a, err, TN_S_pl_online_failed, arg, 2);
    }
    one.deadline_ms = left < REQUEST_MS ? left : REQUEST_MS;
    tn_world_get(a->c->mem, &one, ret, got);
    if (ret->got == TN_UNASKED)
        return fail(a, err, TN_S_pl_online_no_helper, NULL, 0);
    a->ret->said.requests++;
    a->ret->said.bytes += got->wire;
    if (ret->got != TN_KNOWN) {
        arg[1].value = ret->note;
        return fail(a, err, TN_S_pl_online_failed, arg, 2);
    }
    return 0;
}

/* One page of one index. A name that it does not know adds nothing. */
static int page(struct asker *a, unsigned i, struct tn_index_package *p, struct tn_err *err)
{
    struct tn_arena *mem = a->c->mem;
    struct tn_answer answer;
    struct tn_got got;
    struct tn_question q = {.kind = TN_Q_GET,
                            .name = tn_arena_printf(mem, "%s/%s/", a->url[i], p->name),
                            .sub = ACCEPT,
                            .max = TN_MAX_TEXT_FILE,
                            .ctx = a->user[i]};
    int rc = get(a, p->name, &q, &answer, &got, err);
    if (rc)
        return rc;
    struct tn_arg arg[] = {{"name", p->name}, {"hop", hop(mem, got.url)}, {"status", NULL}};
    if (answer.status == 404 || answer.status == 410)
        return 0;
    if (answer.status != 200) {
        arg[2].value = tn_arena_printf(mem, "%d", answer.status);
        return fail(a, err, TN_S_pl_online_status, arg, 3);
    }
    struct tn_err why;
    if (tn_index_read(mem, answer.data, got.type, got.url, p, &why) != 0) {
        arg[2] = (struct tn_arg){"why", tn_arena_strdup(mem, why.text)};
        return fail(a, err, TN_S_pl_online_page, arg, 3);
    }
    p->absent = false;
    return 0;
}

static int ask_package(struct asker *a, const char *name, struct tn_err *err)
{
    struct tn_plan_index *x = &a->ret->index;
    struct tn_index_package *p = &x->package[x->n];
    *p = (struct tn_index_package){.name = name, .absent = true};
    for (unsigned i = 0; i < a->n; i++) {
        int rc = page(a, i, p, err);
        if (rc)
            return rc;
    }
    x->n++;
    return 0;
}

static void say_read(struct asker *a, const struct tn_index_file *f, const char *python)
{
    struct tn_plan_say *say = tn_plan_says_add(&a->ret->said.says, TN_S_pl_online_read);
    tn_plan_arg(a->c->mem, say, "file", "%s", f->file);
    tn_plan_arg(a->c->mem, say, "python", "%s", python);
    tn_plan_arg(a->c->mem, say, "size", f->size ? "%llu MB" : "?", (unsigned long long)(f->size + 500000) / 1000000);
}

/* *ret_again: something new is known, choose again. */
static int look(struct asker *a, const struct tn_plan *p, bool *ret_again, struct tn_err *err)
{
    struct tn_plan_index *x = &a->ret->index;
    *ret_again = false;
    a->ret->said.says.n = 0;
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        if (!tn_index_has_kind(&p->machine, b))
            continue;
        const struct tn_index_package *page = tn_index_find(x, b->package);
        if (!page) {
            int rc = x->n < TN_INDEX_MAX_PACKAGES ? ask_package(a, b->package, err) : 0;
            *ret_again = true;
            return rc;
        }
        const struct tn_index_file *f = tn_index_file_for(page, &p->machine, b->version, p->choice.python);
        if (!f && x->n_miss < TN_INDEX_MAX_MISSES) {
            x->miss[x->n_miss].name = b->package;
            x->miss[x->n_miss].version = b->version;
            x->miss[x->n_miss++].python = p->choice.python;
            *ret_again = true;
            return 0;
        }
        if (f)
            say_read(a, f, p->choice.python);
    }
    return 0;
}

int tn_online_ask(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, const struct tn_snap *s, struct tn_online *ret,
                  struct tn_err *err)
{
    struct asker *a = tn_arena_alloc(c->mem, sizeof *a);
    struct tn_plan *p = tn_arena_alloc(c->mem, sizeof *p);
    bool again = true;
    memset(a, 0, sizeof *a);
    memset(ret, 0, sizeof *ret);
    a->c = c;
    a->ret = ret;
    const char *deadline = tn_opt_value(c, TN_OPT_DEADLINE); /* its form has been looked at */
    double ms = deadline ? strtod(deadline, NULL) * 1000 : ALL_MS;
    a->end_us = tn_os_monotonic_us() + (uint64_t)(ms > 100 && ms < ALL_MS ? ms : ALL_MS) * 1000;
    tn_plan_make(c->mem, w, s, p);
    a->by = p->method == TN_METHOD_UV ? "uv" : "pip";
    int rc = settings(a, err);
    ret->said.index = a->shown;
    w->index = &ret->index;
    for (unsigned i = 0; !rc && again && i < MAX_ROUNDS && p->end == TN_PLAN_FITS; i++) {
        rc = look(a, p, &again, err);
        if (!rc && again)
            tn_plan_make(c->mem, w, s, p);
    }
    return rc;
}
