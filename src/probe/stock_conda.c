/* stock_conda.c - see stock.h: NVIDIA's libraries in conda's stores of packages, and which environments list each.
 *
 * A package lies in a store as NAME-VERSION-BUILD with info/index.json; an environment that has it holds
 * conda-meta/NAME-VERSION-BUILD.json, whether its files are hard links, clones or copies. Sources: conda, "conda clean
 * --packages" (what no environment links to); conda-meta as conda and rattler write it. */
#include <string.h>

#include "base/keys.h"
#include "base/str.h"
#include "probe/stock.h"

#define MAX_PACKAGES 4096u

/* "libcublas-12.1.3.1-0": the name, and the version behind it; false where it is no such name. */
static bool cut(struct tn_arena *mem, const char *dist, const char **ret_name, const char **ret_version)
{
    const char *build = strrchr(dist, '-'), *version = build;
    while (version && version > dist && version[-1] != '-')
        version--;
    if (!build || version <= dist + 1 || version == build)
        return false;
    *ret_name = tn_arena_strndup(mem, dist, (size_t)(version - 1 - dist));
    *ret_version = tn_arena_strndup(mem, version, (size_t)(build - version));
    return true;
}

/* What all environments list, by NAME-VERSION-BUILD. */
static void listed(struct tn_stock *k, struct tn_keys *ret)
{
    const struct tn_snap *s = k->c->s;
    for (size_t i = 0; i < s->env.n; i++) {
        if (!tn_says(s->env.v[i].kind, "conda") || !tn_known(s->env.v[i].path))
            continue;
        struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, tn_stock_join(k, s->env.v[i].path.v, "conda-meta"));
        for (size_t n = 0; a.got == TN_KNOWN && n < a.n_entry; n++)
            if (tn_str_ends(a.entry[n].name, ".json"))
                tn_keys_add(ret, k->c->tmp, tn_arena_strndup(k->c->tmp, a.entry[n].name, strlen(a.entry[n].name) - 5),
                            i);
    }
    tn_keys_sort(ret);
}

static void add(struct tn_stock *k, const char *store, const char *dist, const struct tn_keys *all, uint32_t src)
{
    struct tn_snap *s = k->c->s;
    const struct tn_key *key;
    const char *name, *version, *path = tn_stock_join(k, store, dist);
    if (!cut(k->c->tmp, dist, &name, &version) || !tn_stock_is_conda(name) ||
        !tn_world_exists(k->c->w, tn_stock_join(k, path, "info/index.json")))
        return;
    size_t n = tn_keys_find(all, dist, &key);
    const char **env = tn_arena_array(k->c->tmp, n + 1, sizeof *env);
    for (size_t i = 0; i < n; i++)
        env[i] = s->env.v[key[i].row].path.v;
    struct tn_rec_stock *r = tn_stock_add(k, "conda", name, path, src);
    r->version = tn_fact_str(s, src, version);
    r->by = tn_fact_str(s, src, "conda");
    r->held_by = tn_fact_list(s, src, env, n);
    tn_stock_measure(k, path);
    tn_stock_mounts(k, s->stock.n - 1, path);
}

void tn_stock_conda(struct tn_stock *k)
{
    struct tn_keys all = {0};
    size_t rows = k->c->s->stock.n, left = MAX_PACKAGES;
    listed(k, &all);
    for (size_t i = 0; i < rows; i++) {
        const struct tn_rec_stock r = k->c->s->stock.v[i];
        if (!tn_says(r.kind, "cache") || !tn_says(r.name, "conda") || !tn_known(r.path))
            continue;
        struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, r.path.v);
        uint32_t src = tn_probe_src(k->c->s, "list", r.path.v, &a);
        for (size_t n = 0; a.got == TN_KNOWN && n < a.n_entry && left; n++)
            if (a.entry[n].type == 'd') {
                size_t before = k->c->s->stock.n;
                add(k, r.path.v, a.entry[n].name, &all, src);
                left -= k->c->s->stock.n - before;
            }
    }
}
