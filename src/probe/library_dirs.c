/* library_dirs.c - the folders where vendor libraries lie.
 *
 * Invariant: a folder is known by its path without links; the first who named it says what it is, so the most telling
 * come first: environments, toolkits, the driver's own, then those of search orders. Sources of the places: Debian,
 * Ubuntu, Fedora, SUSE and NixOS packages; WSL; NVIDIA's container images and wheels; conda. */
#include "probe/library.h"

#include <string.h>

#include "base/str.h"

#define MAX_FOLDERS 20000u

const char *tn_lib_join(struct tn_lib *l, const char *a, const char *b)
{
    return tn_path_join(l->c->tmp, l->c->w->style, a, b);
}

void tn_lib_trouble(struct tn_lib *l, const char *word, const char *path, enum tn_lib_place place,
                    const struct tn_answer *a)
{
    if (a->got == TN_FAILED && !l->lost)
        l->lost = tn_probe_src(l->c->s, word, path, a);
    if ((a->got == TN_DENIED || a->got == TN_FAILED) && place != TN_LIB_ENV && l->trouble == TN_UNASKED) {
        l->trouble = a->got;
        l->trouble_src = tn_probe_src(l->c->s, word, path, a);
    }
}

static int add_folder(struct tn_lib *l, const char *path, const char *real, enum tn_lib_place place)
{
    struct tn_lib_folder f = {.path = path, .real = real, .place = place};
    const char *base = tn_path_base(l->c->w->style, real);
    f.stubs = tn_str_eq(base, "stubs");
    f.compat = tn_str_starts(base, "compat") || strstr(real, "/compat/");
    l->folder = tn_arena_grow(l->c->tmp, l->folder, l->n_folder, &l->cap_folder, sizeof *l->folder);
    l->folder[l->n_folder] = f;
    return (int)l->n_folder++;
}

int tn_lib_folder(struct tn_lib *l, const char *path, enum tn_lib_place place)
{
    const char *key = tn_path_key(l->c->tmp, l->c->w->style, path);
    int number = tn_lib_map_get(&l->by_path, key);
    if (number != TN_LIB_NEW)
        return number;
    struct tn_answer a = tn_world_stat(l->c->w, path);
    tn_lib_trouble(l, "stat", path, place, &a);
    bool folder = a.got == TN_KNOWN && a.st.type == 'd';
    const char *real = folder ? tn_world_real(l->c->w, l->c->tmp, path, NULL) : NULL;
    if (a.got == TN_DENIED || a.got == TN_FAILED) /* trouble depends on who asks: ask again */
        return -1;
    if (!real || l->n_folder >= MAX_FOLDERS) {
        tn_lib_map_put(&l->by_path, l->c->tmp, key, -1);
        return -1;
    }
    const char *real_key = tn_path_key(l->c->tmp, l->c->w->style, real);
    number = tn_lib_map_get(&l->by_real, real_key);
    if (number == TN_LIB_NEW) {
        number = add_folder(l, path, real, place);
        tn_lib_map_put(&l->by_real, l->c->tmp, real_key, number);
    }
    tn_lib_map_put(&l->by_path, l->c->tmp, key, number);
    return number;
}

static void add_env(struct tn_lib *l, const char *path, const struct tn_rec_env *e)
{
    size_t before = l->n_folder;
    int i = tn_lib_folder(l, path, TN_LIB_ENV);
    if (i >= 0 && (size_t)i == before) {
        l->folder[i].env = e->id.v;
        l->folder[i].env_src = e->id.src;
    }
}

/* The listing of the site folder has told it already, where it was read. */
static bool may_hold(const struct tn_rec_env *e, const char *folder)
{
    return e->holders.k != TN_KNOWN || tn_list_has(e->holders, folder);
}

/* NVIDIA's wheels: <site>/nvidia/cublas/lib, <site>/nvidia/cu13/lib; on Windows bin, and bin\x86_64 for CUDA 13.
 * What frameworks bundle: torch/lib, tensorrt_libs. */
static void add_site(struct tn_lib *l, const char *site, const struct tn_rec_env *e)
{
    const char *nvidia = tn_lib_join(l, site, "nvidia");
    struct tn_answer a = {.n_entry = 0};
    if (may_hold(e, nvidia))
        a = tn_world_list(l->c->w, l->c->tmp, nvidia);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *part = tn_lib_join(l, nvidia, a.entry[i].name);
        if (a.entry[i].type == 'f' || a.entry[i].name[0] == '_')
            continue;
        add_env(l, tn_lib_join(l, part, l->win ? "bin" : "lib"), e);
        if (l->win)
            add_env(l, tn_lib_join(l, part, "bin\\x86_64"), e);
    }
    const char *torch = tn_lib_join(l, site, "torch"), *tensorrt = tn_lib_join(l, site, "tensorrt_libs");
    if (may_hold(e, torch))
        add_env(l, tn_lib_join(l, torch, "lib"), e);
    if (may_hold(e, tensorrt))
        add_env(l, tensorrt, e);
}

/* A folder belongs to the environment that holds it, not to one that only sees it (system site packages). */
static void add_envs(struct tn_lib *l, bool own)
{
    const struct tn_snap *s = l->c->s;
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        if (!tn_known(e->id) || (l->c->want && l->c->want->judged_only && !tn_is(e->judged, 1)))
            continue;
        for (size_t k = 0; e->site.k == TN_KNOWN && k < e->site.n; k++)
            if (own == (tn_known(e->path) && tn_path_under(l->c->w->style, e->site.v[k], e->path.v)))
                add_site(l, e->site.v[k], e);
        if (own && tn_says(e->kind, "conda") && tn_known(e->path))
            add_env(l, tn_lib_join(l, e->path.v, l->win ? "Library\\bin" : "lib"), e);
        if (own && l->win && tn_known(e->path)) /* Windows searches the folder of the program first */
            add_env(l, e->path.v, e);
        if (!own && l->win && tn_known(e->base))
            tn_lib_folder(l, e->base.v, TN_LIB_SYSTEM);
    }
}

static void add_with_stubs(struct tn_lib *l, const char *dir)
{
    if (tn_lib_folder(l, dir, TN_LIB_TOOLKIT) >= 0)
        tn_lib_folder(l, tn_lib_join(l, dir, "stubs"), TN_LIB_TOOLKIT);
}

static void add_compat(struct tn_lib *l, const char *root)
{
    const char *compat = tn_lib_join(l, root, "compat");
    if (tn_lib_folder(l, compat, TN_LIB_TOOLKIT) < 0)
        return;
    tn_lib_folder(l, tn_lib_join(l, compat, "lib"), TN_LIB_TOOLKIT); /* NVIDIA's framework images */
    tn_lib_folder(l, tn_lib_join(l, compat, "lib.real"), TN_LIB_TOOLKIT);
}

static void add_toolkits(struct tn_lib *l)
{
    const struct tn_snap *s = l->c->s;
    for (size_t i = 0; i < s->toolkit.n; i++) {
        if (!tn_known(s->toolkit.v[i].path))
            continue;
        const char *root = s->toolkit.v[i].path.v;
        if (l->win) {
            tn_lib_folder(l, tn_lib_join(l, root, "bin"), TN_LIB_TOOLKIT);
            tn_lib_folder(l, tn_lib_join(l, root, "bin\\x64"), TN_LIB_TOOLKIT);
            continue;
        }
        add_with_stubs(l, tn_lib_join(l, root, "lib64"));
        add_with_stubs(l, tn_lib_join(l, root, "lib"));
        struct tn_answer a = tn_world_list(l->c->w, l->c->tmp, tn_lib_join(l, root, "targets"));
        for (size_t k = 0; k < a.n_entry; k++)
            add_with_stubs(
                l, tn_path_join3(l->c->tmp, TN_PATH_POSIX, tn_lib_join(l, root, "targets"), a.entry[k].name, "lib"));
        tn_lib_folder(l, tn_lib_join(l, root, "extras/CUPTI/lib64"), TN_LIB_TOOLKIT);
        tn_lib_folder(l, tn_lib_join(l, root, "nvvm/lib64"), TN_LIB_TOOLKIT);
    }
    if (l->win)
        return;
    /* cuda-compat comes without a toolkit. */
    struct tn_answer a = tn_world_list(l->c->w, l->c->tmp, "/usr/local");
    for (size_t i = 0; i < a.n_entry; i++)
        if (a.entry[i].type == 'd' && tn_str_starts(a.entry[i].name, "cuda"))
            add_compat(l, tn_lib_join(l, "/usr/local", a.entry[i].name));
}

static bool is_ours(const void *ctx, const char *name)
{
    return tn_str_starts(name, "nvidia-") || tn_lib_may_be(ctx, name);
}

/* Debian keeps each driver in nvidia/current, nvidia/tesla-470 ... behind its alternatives; Ubuntu once in nvidia-304;
 * Fedora and SUSE in plain folders or in lib64/nvidia; WSL in its own; clouds mount theirs below /usr/local/nvidia. */
static void add_driver(struct tn_lib *l)
{
    static const char *const fixed[] = {"/usr/lib/wsl/lib",
                                        "/usr/lib64",
                                        "/usr/lib64/nvidia",
                                        "/usr/lib/nvidia",
                                        "/usr/lib32",
                                        "/usr/lib32/nvidia",
                                        "/usr/local/nvidia/lib64",
                                        "/usr/local/nvidia/lib",
                                        "/usr/lib/aarch64-linux-gnu/tegra",
                                        "/run/opengl-driver/lib"};
    static const char *const multi[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                        "/usr/lib/i386-linux-gnu"};
    for (unsigned i = 0; i < TN_LEN(fixed); i++)
        tn_lib_folder(l, fixed[i], TN_LIB_SYSTEM);
    for (unsigned i = 0; i < TN_LEN(multi); i++) {
        const char *nvidia = tn_lib_join(l, multi[i], "nvidia");
        if (tn_lib_folder(l, multi[i], TN_LIB_SYSTEM) < 0)
            continue;
        tn_lib_folder(l, nvidia, TN_LIB_DRIVER);
        struct tn_answer a = tn_world_list(l->c->w, l->c->tmp, nvidia);
        for (size_t k = 0; k < a.n_entry; k++)
            if (a.entry[k].type != 'f')
                tn_lib_folder(l, tn_lib_join(l, nvidia, a.entry[k].name), TN_LIB_DRIVER);
    }
    static const char wsl[] = "/usr/lib/wsl/drivers"; /* the Windows driver's own folders */
    struct tn_answer a = tn_world_list(l->c->w, l->c->tmp, wsl);
    for (size_t i = 0; i < a.n_entry; i++)
        if (tn_str_starts(a.entry[i].name, "nv"))
            tn_lib_folder(l, tn_lib_join(l, wsl, a.entry[i].name), TN_LIB_DRIVER);
    int usr = tn_lib_folder(l, "/usr/lib", TN_LIB_SYSTEM);
    a = tn_world_list_some(l->c->w, l->c->tmp, "/usr/lib", is_ours, &l->win);
    if (usr >= 0) {
        l->folder[usr].list = a;
        l->folder[usr].src = tn_probe_src(l->c->s, "list", "/usr/lib", &a);
        l->folder[usr].listed = true;
    }
    for (size_t i = 0; i < a.n_entry; i++)
        if (a.entry[i].type != 'f' && tn_str_starts(a.entry[i].name, "nvidia-") && tn_is_digit(a.entry[i].name[7]))
            tn_lib_folder(l, tn_lib_join(l, "/usr/lib", a.entry[i].name), TN_LIB_DRIVER);
}

/* C:\Windows\System32, and each driver's folder in the driver store. */
static void add_windows(struct tn_lib *l)
{
    const char *root = tn_probe_env(l->c, "SystemRoot", NULL);
    const char *sys = tn_lib_join(l, root ? root : "C:\\Windows", "System32");
    tn_lib_folder(l, sys, TN_LIB_SYSTEM);
    const char *store = tn_lib_join(l, sys, "DriverStore\\FileRepository");
    struct tn_answer a = tn_world_list(l->c->w, l->c->tmp, store);
    for (size_t i = 0; i < a.n_entry; i++)
        if (tn_str_starts(a.entry[i].name, "nv"))
            tn_lib_folder(l, tn_lib_join(l, store, a.entry[i].name), TN_LIB_DRIVER);
    /* cuDNN's own installer: CUDNN\v9.x\bin\12.6 */
    static const char cudnn[] = "C:\\Program Files\\NVIDIA\\CUDNN";
    a = tn_world_list(l->c->w, l->c->tmp, cudnn);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *bin = tn_lib_join(l, tn_lib_join(l, cudnn, a.entry[i].name), "bin");
        struct tn_answer in = tn_world_list(l->c->w, l->c->tmp, bin);
        tn_lib_folder(l, bin, TN_LIB_SYSTEM);
        for (size_t k = 0; k < in.n_entry; k++)
            if (in.entry[k].type == 'd')
                tn_lib_folder(l, tn_lib_join(l, bin, in.entry[k].name), TN_LIB_SYSTEM);
    }
}

static void add_search(struct tn_lib *l, const char *by, enum tn_lib_place place)
{
    const struct tn_snap *s = l->c->s;
    for (size_t i = 0; i < s->search.n; i++)
        if (tn_says(s->search.v[i].by, by) && tn_known(s->search.v[i].path) &&
            tn_path_is_abs(l->c->w->style, s->search.v[i].path.v))
            tn_lib_folder(l, s->search.v[i].path.v, place);
}

void tn_lib_folders(struct tn_lib *l)
{
    add_envs(l, true);
    add_envs(l, false);
    add_toolkits(l);
    if (l->win) {
        add_windows(l);
        add_search(l, "PATH", TN_LIB_PATH);
        return;
    }
    add_driver(l);
    add_search(l, "ld.so.cache", TN_LIB_SYSTEM);
    add_search(l, "default", TN_LIB_SYSTEM);
    add_search(l, "LD_LIBRARY_PATH", TN_LIB_PATH);
}
