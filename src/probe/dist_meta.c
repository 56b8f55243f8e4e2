/* dist_meta.c - the record of one distribution: METADATA, WHEEL, INSTALLER.
 *
 * Source: PyPA "Core metadata specifications" (RFC 822 headers up to the first empty line) and "Recording installed
 * projects". Only headers are read: a description may hold anything. */
#include <jansson.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/dist.h"
#include "snapshot/packages.h"
#include "version/pep440.h"
#include "version/wheeltag.h"

#define MAX_HEADER_BYTES (256u << 10) /* frameworks with many extras reach 20 KB before the description */

bool tn_pydist_requires_public(const char *requirement)
{
    char raw[256], name[256];
    size_t n = 0;
    while (requirement[n] &&
           (tn_is_alpha(requirement[n]) || tn_is_digit(requirement[n]) || strchr("-_.", requirement[n])))
        n++;
    if (n == 0 || n >= sizeof raw)
        return false;
    memcpy(raw, requirement, n);
    raw[n] = 0;
    if (raw[0] == '_' && raw[1] == '_') /* __cuda, __glibc: what the machine offers, in conda's words */
        return true;
    return tn_version_normal_name(raw, name, sizeof name, NULL) == 0 && tn_package_is_public(name);
}

struct words {
    const char **v;
    size_t n, cap;
};

static void add(struct tn_py *p, struct words *w, struct tn_span text)
{
    if (w->n >= TN_MAX_LIST || memchr(text.p, 0, text.n))
        return;
    w->v = tn_arena_grow(p->mem, (void *)w->v, w->n, &w->cap, sizeof *w->v);
    w->v[w->n++] = tn_arena_strndup(p->mem, (const char *)text.p, text.n);
}

/* Next header, its value trimmed; continuation lines are left out: none of ours has any. False at the end. */
static bool next_header(struct tn_span *rest, struct tn_span *key, struct tn_span *value)
{
    struct tn_span line;
    while (tn_span_line(rest, &line)) {
        if (line.n == 0) /* one of blanks continues a value: NumPy's licence text */
            return false;
        const unsigned char *colon = memchr(line.p, ':', line.n);
        if (!colon || line.p[0] == ' ' || line.p[0] == '\t')
            continue;
        size_t k = (size_t)(colon - line.p);
        *key = tn_span_of(line.p, k);
        *value = tn_span_trim(tn_span_from(line, k + 1));
        return true;
    }
    return false;
}

static bool key_is(struct tn_span key, const char *name)
{
    if (key.n != strlen(name))
        return false;
    for (size_t i = 0; i < key.n; i++)
        if (tn_lower((char)key.p[i]) != name[i])
            return false;
    return true;
}

static bool same_version(struct tn_span a, const char *b)
{
    struct tn_pep440 x, y;
    if (tn_version_pep440_parse(a, &x, NULL) || tn_version_pep440_parse(tn_span_str(b), &y, NULL))
        return tn_span_eq(a, b);
    return tn_version_pep440_cmp(&x, &y) == 0;
}

/* METADATA. True when it has a name and a version, and they are those of the folder's name. */
static bool read_headers(struct tn_py *p, struct tn_span text, uint32_t src, const struct tn_pyentry *d, size_t row)
{
    struct tn_span rest = text, key, value;
    struct words requires = {NULL, 0, 0};
    bool name = false, version = false, agree = true;
    struct tn_rec_dist *r = &p->s->dist.v[row];
    r->requires_python = tn_fact_nostr(src, TN_ABSENT);
    while (next_header(&rest, &key, &value)) {
        if (key_is(key, "name")) {
            char raw[256], normal[256];
            name = value.n && value.n < sizeof raw;
            if (name) {
                memcpy(raw, value.p, value.n);
                raw[value.n] = 0;
                agree &=
                    tn_version_normal_name(raw, normal, sizeof normal, NULL) == 0 && strcmp(normal, d->package) == 0;
            }
        } else if (key_is(key, "version") && value.n && value.n <= TN_MAX_VERSION_TEXT) {
            version = true;
            agree &= !*d->version || same_version(value, d->version);
            r->version = tn_fact_strn(p->s, src, value.p, value.n);
        } else if (key_is(key, "requires-python")) {
            r->requires_python = tn_fact_strn(p->s, src, value.p, value.n);
        } else if (key_is(key, "requires-dist")) {
            const char *one = tn_arena_strndup(p->mem, (const char *)value.p, value.n);
            if (tn_pydist_requires_public(one))
                add(p, &requires, value);
        }
    }
    r->requires = tn_fact_list(p->s, src, requires.v, requires.n);
    r->whole = tn_fact_int(src, name && version && agree);
    return name && version && agree;
}

static void read_wheel(struct tn_py *p, const char *path, size_t row)
{
    const char *at = tn_pyenv_join(p, path, "WHEEL");
    struct tn_answer a = tn_world_read(p->w, p->mem, at, 65536);
    uint32_t src = tn_probe_src(p->s, "read", at, &a);
    struct tn_span rest = a.data, key, value;
    struct words tags = {NULL, 0, 0};
    if (a.got != TN_KNOWN) {
        p->s->dist.v[row].tags = tn_fact_nolist(src, a.got);
        return;
    }
    while (next_header(&rest, &key, &value))
        if (key_is(key, "tag"))
            add(p, &tags, value);
    p->s->dist.v[row].tags = tn_fact_list(p->s, src, tags.v, tags.n);
}

static void read_installer(struct tn_py *p, const char *path, size_t row)
{
    const char *at = tn_pyenv_join(p, path, "INSTALLER");
    struct tn_answer a = tn_world_read(p->w, p->mem, at, 4096);
    uint32_t src = tn_probe_src(p->s, "read", at, &a);
    struct tn_span rest = a.data, line;
    if (a.got == TN_KNOWN && tn_span_line(&rest, &line) && (line = tn_span_trim(line)).n)
        p->s->dist.v[row].installer = tn_fact_strn(p->s, src, line.p, line.n);
    else
        p->s->dist.v[row].installer = tn_fact_nostr(src, a.got == TN_KNOWN ? TN_ABSENT : a.got);
}

void tn_pydist_origin(struct tn_py *p, const char *path, size_t row)
{
    const char *at = tn_pyenv_join(p, path, "direct_url.json");
    struct tn_answer a = tn_world_read(p->w, p->mem, at, 65536);
    struct tn_rec_dist *r = &p->s->dist.v[row];
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(p->s, "read", at, &a);
    r->origin = tn_fact_nostr(src, a.got == TN_KNOWN ? TN_FAILED : a.got);
    if (a.got != TN_KNOWN)
        return;
    json_object_seed(1);
    json_t *j = json_loadb((const char *)a.data.p, a.data.n, 0, NULL);
    json_t *url = json_object_get(j, "url");
    const char *text = json_string_value(url);
    if (text && *text && strlen(text) == json_string_length(url))
        r->origin = tn_fact_str(p->s, src, text);
    json_decref(j);
}

bool tn_pydist_read(struct tn_py *p, const struct tn_pyentry *d, const char *path, size_t row)
{
    bool egg = d->kind == TN_PYDIST_EGG, file = egg && d->type == 'f'; /* distutils wrote the metadata alone */
    const char *at = file ? path : tn_pyenv_join(p, path, egg ? "PKG-INFO" : "METADATA");
    struct tn_answer a = tn_world_read(p->w, p->mem, at, MAX_HEADER_BYTES);
    uint32_t src = tn_probe_src(p->s, "read", at, &a);
    bool whole = false;
    if (a.got == TN_KNOWN) {
        whole = read_headers(p, a.data, src, d, row);
    } else {
        struct tn_rec_dist *r = &p->s->dist.v[row];
        r->requires = tn_fact_nolist(src, a.got);
        r->requires_python = tn_fact_nostr(src, a.got);
        r->whole = tn_fact_int(src, 0);
        if (a.got == TN_ABSENT)
            tn_pydist_damage(p, row, "no-metadata", at, src);
    }
    if (!egg) {
        read_wheel(p, path, row);
        read_installer(p, path, row);
    }
    return whole;
}
