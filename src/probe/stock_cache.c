/* stock_cache.c - see stock.h: what tools keep to be quicker the next time, and make again when it is gone.
 *
 * Invariant: only folders that a tool's own command empties, or its own document calls a cache, and only where the
 * tool's setting or default says that they are; what tenon itself would move (no tool has a command for it) only in the
 * default place, which a variable cannot name. Models and data sets (torch hub, Hugging Face) are none. Sources: pip
 * cache(1) and "Caching"; uv "Caching" (UV_CACHE_DIR, XDG_CACHE_HOME); conda clean, .condarc pkgs_dirs; CUDA C++
 * Programming Guide, "CUDA Environment Variables" (~/.nv/ComputeCache); Triton, knobs.py (~/.triton/cache). */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/stock.h"

/* ~/.nv/ComputeCache: folders and files by hexadecimal numbers, and an index. */
static bool is_of_cuda(const void *ctx, const struct tn_stock_entry *e)
{
    (void)ctx;
    const char *base = tn_path_base(TN_PATH_POSIX, e->tail);
    return (e->type == 'f' || e->type == 'd') &&
           (strcmp(base, "index") == 0 || base[strspn(base, "0123456789abcdef")] == 0);
}

/* ~/.triton/cache: a folder for each kernel, by its hash (base 32, base 64 or hexadecimal, 32 characters and more). */
static bool is_of_triton(const void *ctx, const struct tn_stock_entry *e)
{
    (void)ctx;
    size_t n = strcspn(e->tail, "/");
    for (size_t i = 0; i < n; i++)
        if (!tn_is_alpha(e->tail[i]) && !tn_is_digit(e->tail[i]) && !strchr("-_", e->tail[i]))
            return false;
    const char *rest = e->tail + n;
    return n >= 32 && (*rest ? !strchr(rest + 1, '/') && e->type == 'f' : e->type == 'd');
}

static void add(struct tn_stock *k, const char *tool, const char *folder, uint32_t src)
{
    struct tn_snap *s = k->c->s;
    bool loose = tn_str_eq(tool, "cuda") || tn_str_eq(tool, "triton");
    const char *real =
        folder && tn_path_is_abs(TN_PATH_POSIX, folder) ? tn_world_real(k->c->w, k->c->tmp, folder, NULL) : NULL;
    /* What would be moved lies where its tool makes it: a link may lead to anything. */
    if (!real || !tn_world_is_dir(k->c->w, real) || (loose && strcmp(real, folder) != 0))
        return;
    for (size_t i = 0; i < s->stock.n; i++)
        if (tn_says(s->stock.v[i].kind, "cache") && tn_says(s->stock.v[i].path, real))
            return;
    struct tn_rec_stock *r = tn_stock_add(k, "cache", tool, real, src);
    if (!loose)
        r->by = tn_fact_str(s, src, "tool");
    tn_stock_measure(k, real);
    if (loose)
        tn_stock_walk(k, s->stock.n - 1, real, tn_str_eq(tool, "cuda") ? is_of_cuda : is_of_triton, NULL);
    else
        tn_stock_mounts(k, s->stock.n - 1, real);
}

/* A setting of the tool's own, as config rows have it; NULL: none. */
static const char *setting(struct tn_stock *k, const char *by, const char *key, uint32_t *ret_src)
{
    const struct tn_snap *s = k->c->s;
    for (size_t i = 0; i < s->config.n; i++)
        if (tn_says(s->config.v[i].by, by) && tn_says(s->config.v[i].key, key) && tn_known(s->config.v[i].value)) {
            *ret_src = s->config.v[i].value.src;
            return s->config.v[i].value.v;
        }
    return NULL;
}

static void by_home(struct tn_stock *k, const char *home, const char *cache)
{
    const char *real = tn_world_real(k->c->w, k->c->tmp, home, NULL);
    home = real ? real : home;
    uint32_t src = tn_snap_src(k->c->s, TN_KNOWN, NULL, "usual places of caches");
    add(k, "pip", tn_stock_join(k, cache, "pip"), src);
    add(k, "uv", tn_stock_join(k, cache, "uv"), src);
    add(k, "cuda", tn_stock_join(k, home, ".nv/ComputeCache"), src);
    add(k, "triton", tn_stock_join(k, home, ".triton/cache"), src);
    add(k, "conda", tn_stock_join(k, home, ".conda/pkgs"), src);
}

/* PREFIX/pkgs of each conda, by what only its base environment has. */
static void of_conda(struct tn_stock *k)
{
    const struct tn_snap *s = k->c->s;
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        if (!tn_says(e->kind, "conda") || !tn_known(e->path))
            continue;
        const char *pkgs = tn_stock_join(k, e->path.v, "pkgs");
        if (tn_world_exists(k->c->w, tn_stock_join(k, pkgs, "urls")) ||
            tn_world_exists(k->c->w, tn_stock_join(k, pkgs, "urls.txt")))
            add(k, "conda", pkgs, e->path.src);
    }
}

void tn_stock_caches(struct tn_stock *k)
{
    static const struct {
        char variable[20], tool[8];
    } named[] = {{"PIP_CACHE_DIR", "pip"}, {"UV_CACHE_DIR", "uv"}, {"CONDA_PKGS_DIRS", "conda"}};
    struct tn_answer env = tn_world_env(k->c->w, k->c->tmp, "HOME");
    const char *home = tn_probe_env(k->c, "HOME", NULL), *xdg = tn_probe_env(k->c, "XDG_CACHE_HOME", NULL), *v;
    uint32_t src;
    for (unsigned i = 0; i < TN_LEN(named); i++)
        if ((v = tn_probe_env(k->c, named[i].variable, &src)) != NULL)
            add(k, named[i].tool, v, src);
    if ((v = setting(k, "pip", "cache-dir", &src)) != NULL)
        add(k, "pip", v, src);
    if ((v = setting(k, "uv", "cache-dir", &src)) != NULL)
        add(k, "uv", v, src);
    if (home && tn_path_is_abs(TN_PATH_POSIX, home))
        by_home(k, home, xdg && tn_path_is_abs(TN_PATH_POSIX, xdg) ? xdg : tn_stock_join(k, home, ".cache"));
    if (env.got == TN_UNASKED) { /* another root folder: everybody's */
        struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, "/home");
        by_home(k, "/root", "/root/.cache");
        for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++)
            if (a.entry[i].type == 'd') {
                home = tn_stock_join(k, "/home", a.entry[i].name);
                by_home(k, home, tn_stock_join(k, home, ".cache"));
            }
    }
    of_conda(k);
}
