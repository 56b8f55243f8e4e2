/* ask.c - see ask.h. */
#include "probe/ask.h"

#include <string.h>

#include "base/str.h"

#define LINE_BYTES 4096u

const char *tn_probe_line(struct tn_probe_ctx *c, const char *path, struct tn_answer *ret)
{
    struct tn_span rest, line;
    *ret = tn_world_read(c->w, c->tmp, path, LINE_BYTES);
    rest = ret->data;
    if (ret->got != TN_KNOWN || !tn_span_line(&rest, &line))
        return NULL;
    line = tn_span_trim(line);
    return line.n ? tn_arena_strndup(c->tmp, (const char *)line.p, line.n) : NULL;
}

struct tn_str tn_probe_line_fact(struct tn_probe_ctx *c, const char *path)
{
    struct tn_answer a;
    const char *text = tn_probe_line(c, path, &a);
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    return a.got == TN_KNOWN ? tn_fact_str(c->s, src, text) : tn_fact_nostr(src, a.got);
}

static struct tn_str fact_of(struct tn_probe_ctx *c, uint32_t src, const struct tn_answer *a)
{
    if (a->got != TN_KNOWN)
        return tn_fact_nostr(src, a->got);
    struct tn_span t = tn_span_trim(a->data);
    return t.n ? tn_fact_strn(c->s, src, t.p, t.n) : tn_fact_nostr(src, TN_ABSENT);
}

static const char *text_of(const struct tn_answer *a)
{
    return a->got == TN_KNOWN && a->data.n ? (const char *)a->data.p : NULL;
}

const char *tn_probe_env(struct tn_probe_ctx *c, const char *name, uint32_t *ret_src)
{
    struct tn_answer a = tn_world_env(c->w, c->tmp, name);
    if (ret_src)
        *ret_src = tn_probe_src(c->s, "env", name, &a);
    return text_of(&a);
}

struct tn_str tn_probe_env_fact(struct tn_probe_ctx *c, const char *name)
{
    struct tn_answer a = tn_world_env(c->w, c->tmp, name);
    return fact_of(c, tn_probe_src(c->s, "env", name, &a), &a);
}

struct tn_str tn_probe_sys_fact(struct tn_probe_ctx *c, const char *name)
{
    struct tn_answer a = tn_world_sys(c->w, c->tmp, name);
    return fact_of(c, tn_probe_src(c->s, "sys", name, &a), &a);
}

struct tn_str tn_probe_reg_fact(struct tn_probe_ctx *c, const char *key, const char *value)
{
    struct tn_answer a = tn_world_reg(c->w, c->tmp, key, value);
    return fact_of(c, tn_probe_src(c->s, "reg", tn_arena_printf(c->tmp, "%s %s", key, value), &a), &a);
}

const char *tn_probe_reg(struct tn_probe_ctx *c, const char *key, const char *value)
{
    struct tn_answer a = tn_world_reg(c->w, c->tmp, key, value);
    return text_of(&a);
}

struct tn_span tn_probe_pair(struct tn_span text, const char *name, char sep)
{
    struct tn_span line, none = {NULL, 0};
    while (tn_span_line(&text, &line)) {
        const unsigned char *at = memchr(line.p, sep, line.n);
        if (!at)
            continue;
        size_t n = (size_t)(at - line.p);
        if (tn_span_eq(tn_span_trim(tn_span_of(line.p, n)), name))
            return tn_span_trim(tn_span_of(at + 1, line.n - n - 1));
    }
    return none;
}

struct tn_span tn_probe_whole(struct tn_span text)
{
    while (text.n && text.p[text.n - 1] != '\n')
        text.n--;
    return text;
}

bool tn_probe_running(struct tn_probe_ctx *c)
{
    enum tn_know got = tn_world_sys(c->w, c->tmp, "release").got;
    return got == TN_KNOWN || got == TN_FAILED || tn_world_exists(c->w, "/proc/version"); /* failed: no time was left */
}

bool tn_probe_is_windows(const struct tn_probe_ctx *c)
{
    return tn_str_eq(c->w->os, "windows");
}

bool tn_probe_is_wsl(const struct tn_probe_ctx *c)
{
    const struct tn_int *wsl = &TN_THE(c->s, host)->wsl;
    return wsl->k == TN_KNOWN && wsl->v > 0;
}
