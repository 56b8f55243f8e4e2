/* owner_env.c - see owner.h: libraries in environments, by the records of wheels and of conda packages.
 *
 * Sources: PyPA "Recording installed projects" (RECORD: path relative to the site folder, hash, size); conda's
 * conda-meta/NAME-VERSION-BUILD.json ("files": paths relative to the prefix). Only rows of dist are asked, and only
 * those whose environment holds a library. */
#include <jansson.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/owner.h"

#define MAX_RECORD (8u << 20) /* torch's has 2 MB */

static const char *join_line(struct tn_owners *o, char *path, size_t n, struct tn_span line)
{
    const uint8_t *comma = line.n ? memchr(line.p, ',', line.n) : NULL;
    size_t len = comma ? (size_t)(comma - line.p) : line.n;
    if (!len || line.p[0] == '"' || line.p[0] == '.' || line.p[0] == '/' || n + 1 + len >= TN_MAX_PATH_BYTES ||
        !tn_owner_may(o, n + 1 + len, tn_span_of(line.p, len)) || memchr(line.p, 0, len))
        return NULL;
    bool win = o->c->w->style == TN_PATH_WINDOWS;
    path[n] = win ? '\\' : '/';
    memcpy(path + n + 1, line.p, len);
    path[n + 1 + len] = 0;
    for (char *c = path + n; win && *c; c++)
        if (*c == '/')
            *c = '\\';
    return path;
}

static void ask_record(struct tn_owners *o, const struct tn_rec_dist *d, const char *name)
{
    char path[TN_MAX_PATH_BYTES + 2];
    struct tn_arena *mem = o->c->tmp;
    const char *file = tn_path_join(mem, o->c->w->style, d->path.v, "RECORD");
    const char *site = tn_world_real(o->c->w, mem, tn_path_dir(mem, o->c->w->style, d->path.v), NULL);
    size_t n = site ? strlen(site) : 0;
    struct tn_answer a = {0};
    if (n && n < TN_MAX_PATH_BYTES)
        a = tn_world_read(o->c->w, mem, file, MAX_RECORD);
    if (a.got != TN_KNOWN)
        return;
    uint32_t src = tn_probe_src(o->c->s, "read", file, &a);
    memcpy(path, site, n);
    for (struct tn_span line; tn_span_line(&a.data, &line);)
        if (join_line(o, path, n, line))
            tn_owner_match(o, name, src, path);
}

static void ask_conda(struct tn_owners *o, const struct tn_rec_dist *d, const char *name)
{
    char path[TN_MAX_PATH_BYTES + 2];
    struct tn_arena *mem = o->c->tmp;
    enum tn_path_style style = o->c->w->style;
    const char *prefix = tn_world_real(o->c->w, mem, tn_path_dir(mem, style, tn_path_dir(mem, style, d->path.v)), NULL);
    size_t n = prefix ? strlen(prefix) : 0, i;
    struct tn_answer a = {0};
    json_t *file;
    if (n && n < TN_MAX_PATH_BYTES)
        a = tn_world_read(o->c->w, mem, d->path.v, MAX_RECORD);
    if (a.got != TN_KNOWN)
        return;
    uint32_t src = tn_probe_src(o->c->s, "read", d->path.v, &a);
    json_t *root = json_loadb((const char *)a.data.p, a.data.n, JSON_REJECT_DUPLICATES, NULL);
    memcpy(path, prefix, n);
    json_array_foreach(json_object_get(root, "files"), i, file)
    {
        if (json_is_string(file) && join_line(o, path, n, tn_span_str(json_string_value(file))))
            tn_owner_match(o, name, src, path);
    }
    json_decref(root);
}

void tn_owner_env(struct tn_owners *o)
{
    const struct tn_snap *s = o->c->s;
    for (size_t i = 0; i < s->dist.n; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        bool holds = false;
        for (size_t k = 0; k < s->library.n && !holds; k++)
            holds = tn_known(s->library.v[k].env) && tn_known(d->env) && tn_says(d->env, s->library.v[k].env.v);
        if (!holds || !tn_known(d->name) || !tn_known(d->path))
            continue;
        const char *name =
            tn_known(d->version) ? tn_arena_printf(o->c->tmp, "%s %s", d->name.v, d->version.v) : d->name.v;
        if (tn_says(d->place, "conda"))
            ask_conda(o, d, name);
        else if (tn_str_ends(d->path.v, ".dist-info"))
            ask_record(o, d, name);
    }
}
