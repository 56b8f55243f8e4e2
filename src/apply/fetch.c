/* fetch.c - see fetch.h. */
#include "apply/fetch.h"

#include <string.h>

#include "apply/settings.h"
#include "base/str.h"
#include "place/helper.h"

#define TRIES 5u /* each must have brought something */

struct hearing {
    const struct tn_fetch *f;
    const char *said; /* "HOP: words" */
    uint64_t status, failed;
};

static void heard(void *ctx, const char *line, size_t n)
{
    struct hearing *h = ctx;
    struct tn_apply *a = h->f->a;
    struct tn_span s = tn_span_of(line, n);
    uint64_t v = 0;
    if (tn_span_starts(s, "at ") && tn_str_u64(line + 3, n - 3, 10, &v) && a->watch.fetched)
        a->watch.fetched(a->watch.ctx, h->f->name, v, h->f->size);
    else if (tn_span_starts(s, "status "))
        tn_str_u64(line + 7, n - 7, 10, &h->status);
    else if (tn_span_starts(s, "failed "))
        tn_str_u64(line + 7, n - 7, 10, &h->failed);
    else if (tn_span_starts(s, "error "))
        h->said = tn_arena_strndup(a->mem, line + 6, n - 6);
}

static void tick(void *ctx)
{
    struct hearing *h = ctx;
    if (h->f->a->watch.tick)
        h->f->a->watch.tick(h->f->a->watch.ctx);
}

static int ask(const struct tn_fetch *f, const char *part, struct hearing *h, struct tn_err *err)
{
    struct tn_arena *mem = f->a->mem;
    const char *argv[] = {tn_helper_path(mem, "tenon-get"), NULL};
    const char **env = tn_arena_array(mem, TN_SETTINGS_MAX + 6, sizeof *env);
    unsigned n = tn_settings_of(mem, TN_SETTINGS_INSTALL, env);
    int status = 0;
    if (!argv[0])
        return tn_err_set(err, TN_E_UNSUPPORTED, "tenon-get", "the program that fetches is not beside tenon");
    env[n++] = tn_arena_printf(mem, "TENON_GET_URL=%s", f->url); /* not on a command line: others could read it there */
    env[n++] = tn_arena_printf(mem, "TENON_GET_FILE=%s", part);
    env[n++] = tn_arena_printf(mem, "TENON_GET_MAX=%llu", (unsigned long long)(f->size ? f->size : f->max));
    env[n] = NULL;
    const struct tn_os_install how = {.argv = argv,
                                      .env = env,
                                      .lock = tn_tx_lock(f->a->tx),
                                      .folder = f->into,
                                      .said = heard,
                                      .tick = tick,
                                      .ctx = h};
    *h = (struct hearing){.f = f};
    return tn_os_install(&how, &status, err);
}

static uint64_t bytes_of(struct tn_os_dir *d, const char *name)
{
    struct tn_os_stat st;
    return tn_os_dir_stat(d, name, &st, NULL) == 0 && st.type == 'f' ? st.size : 0;
}

/* What the answer means: 0: it is there whole. */
static int judge(const struct tn_fetch *f, const char *part, const struct hearing *h, struct tn_err *err)
{
    uint64_t now = bytes_of(f->into, part);
    if (h->failed)
        return tn_err_set(err, h->failed == 28 || h->failed == 122 ? TN_E_FULL : TN_E_IO, f->name,
                          "cannot be written: error %u of the system", (unsigned)h->failed);
    if (h->said)
        return tn_err_set(err, TN_E_IO, f->name, "%s", h->said);
    if (h->status == 404 || h->status == 410)
        return tn_err_set(err, TN_E_NOTFOUND, f->name, "the server does not have it (%u)", (unsigned)h->status);
    if (h->status != 200 && h->status != 206)
        return tn_err_set(err, TN_E_IO, f->name, "the server's answer is %u", (unsigned)h->status);
    if (f->size && now != f->size)
        return tn_err_set(err, TN_E_IO, f->name, "%llu of %llu bytes came", (unsigned long long)now,
                          (unsigned long long)f->size);
    return 0;
}

int tn_fetch_file(const struct tn_fetch *f, struct tn_err *err)
{
    const char *part = tn_arena_printf(f->a->mem, "%s.part", f->name);
    struct hearing h = {0};
    int rc = TN_E_IO;
    if (f->size && bytes_of(f->into, f->name) == f->size)
        return 0;
    if (!f->size || bytes_of(f->into, part) >= f->size) /* nothing tells how much of it is missing */
        tn_os_tree_remove(f->into, part, NULL);
    for (unsigned i = 0; i < TRIES && rc == TN_E_IO; i++) {
        uint64_t before = bytes_of(f->into, part);
        rc = ask(f, part, &h, err);
        if (!rc)
            rc = judge(f, part, &h, err);
        if (rc && h.status != 416 && bytes_of(f->into, part) <= before)
            break;
    }
    if (rc)
        return rc;
    rc = tn_os_tree_remove(f->into, f->name, err);
    return rc ? rc : tn_os_dir_rename(f->into, part, f->name, err);
}
