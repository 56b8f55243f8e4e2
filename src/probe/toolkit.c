/* toolkit.c - CUDA toolkits: folders that hold a compiler or the run time libraries together.
 *
 * Invariant: one toolkit is one row, by whatever links and variables it is reached; its path has no links in it.
 * Its package: owner.c. */
#include "probe/toolkit.h"

#include <string.h>

#include "base/str.h"

#define MAX_TOOLKITS 64u
#define MAX_NAMES 16u
#define DEBIAN "/usr/lib/nvidia-cuda-toolkit"
#define WIN_BASE "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"
#define WIN_KEY "HKLM\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA"

struct cand {
    const char *real;
    const char *name[MAX_NAMES];
    unsigned n;
    uint32_t src;
    bool on_path;
};

struct found {
    struct tn_probe_ctx *c;
    struct cand v[MAX_TOOLKITS];
    unsigned n;
};

static const char *join(struct found *f, const char *a, const char *b)
{
    return tn_path_join(f->c->tmp, f->c->w->style, a, b);
}

/* Notes a folder, resolved, with the name by which it was reached. Returns NULL when it is none. */
static struct cand *consider(struct found *f, const char *path, uint32_t src)
{
    struct cand *k = NULL;
    const char *real = tn_world_real(f->c->w, f->c->tmp, path, NULL);
    if (!real || !tn_world_is_dir(f->c->w, real))
        return NULL;
    /* Debian spreads its toolkit over /usr; these two are its handles. */
    if (tn_str_eq(real, "/usr/lib/cuda") && tn_world_is_dir(f->c->w, DEBIAN))
        real = DEBIAN;
    for (unsigned i = 0; i < f->n && !k; i++)
        if (tn_path_same(f->c->w->style, f->v[i].real, real))
            k = &f->v[i];
    if (!k) {
        if (f->n == MAX_TOOLKITS)
            return NULL;
        k = &f->v[f->n++];
        memset(k, 0, sizeof *k);
        k->real = real;
        k->src = src;
    }
    path = tn_path_norm(f->c->tmp, f->c->w->style, path);
    for (unsigned i = 0; i < k->n; i++)
        if (tn_str_eq(k->name[i], path))
            return k;
    if (!tn_str_eq(path, real) && k->n < MAX_NAMES)
        k->name[k->n++] = path;
    return k;
}

static void consider_children(struct found *f, const char *folder, const char *pattern)
{
    struct tn_answer a = tn_world_list(f->c->w, f->c->tmp, folder);
    uint32_t src = 0;
    for (size_t i = 0; i < a.n_entry; i++) {
        if (a.entry[i].type == 'f' || !tn_str_glob(pattern, a.entry[i].name))
            continue;
        if (!src)
            src = tn_probe_src(f->c->s, "list", folder, &a);
        consider(f, join(f, folder, a.entry[i].name), src);
    }
}

/* /opt/nvidia/hpc_sdk/Linux_x86_64/24.3/cuda/12.3 */
static void consider_hpc_sdk(struct found *f)
{
    static const char base[] = "/opt/nvidia/hpc_sdk";
    struct tn_answer arch = tn_world_list(f->c->w, f->c->tmp, base);
    for (size_t i = 0; i < arch.n_entry; i++) {
        const char *dir = join(f, base, arch.entry[i].name);
        struct tn_answer v = tn_str_starts(arch.entry[i].name, "Linux_") ? tn_world_list(f->c->w, f->c->tmp, dir)
                                                                         : (struct tn_answer){0};
        for (size_t k = 0; k < v.n_entry; k++)
            if (tn_is_digit(v.entry[k].name[0]))
                consider_children(f, join(f, join(f, dir, v.entry[k].name), "cuda"), "*.*");
    }
}

static void consider_variables(struct found *f)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT", "EBROOTCUDA"};
    for (unsigned i = 0; i < TN_LEN(names); i++) {
        uint32_t src;
        const char *v = tn_probe_env(f->c, names[i], &src);
        if (v && tn_path_is_abs(f->c->w->style, v))
            consider(f, v, src);
    }
}

/* A small script in place of nvcc ("exec /usr/lib/nvidia-cuda-toolkit/bin/nvcc"): the file that it starts; else path.
 */
static const char *behind_script(struct found *f, const char *path)
{
    struct tn_answer a = tn_world_stat(f->c->w, path);
    if (a.got != TN_KNOWN || a.st.type != 'f' || a.st.size > 4096)
        return path;
    a = tn_world_read(f->c->w, f->c->tmp, path, 4096);
    if (a.got != TN_KNOWN || !tn_span_starts(a.data, "#!"))
        return path;
    size_t end = tn_span_find(a.data, 2, "/nvcc", 5), from = end;
    if (end == SIZE_MAX)
        return path;
    while (from && !strchr(" \t\n\"'=", a.data.p[from - 1]))
        from--;
    const char *to = tn_arena_strndup(f->c->tmp, (const char *)a.data.p + from, end + 5 - from);
    return tn_path_is_abs(f->c->w->style, to) ? to : path;
}

/* Folders of PATH that hold nvcc, itself or a link or script that leads to it: the folder above is a toolkit. */
static void consider_path(struct found *f)
{
    enum tn_path_style style = f->c->w->style;
    bool win = tn_probe_is_windows(f->c);
    for (size_t i = 0; i < f->c->s->search.n; i++) {
        const struct tn_rec_search *r = &f->c->s->search.v[i];
        if (!tn_says(r->by, "PATH") || !tn_known(r->path) || !tn_path_is_abs(style, r->path.v))
            continue;
        const char *nvcc = join(f, r->path.v, win ? "nvcc.exe" : "nvcc");
        const char *file = tn_world_exists(f->c->w, nvcc) ? behind_script(f, nvcc) : NULL;
        const char *bin = file ? tn_world_real(f->c->w, f->c->tmp, file, NULL) : NULL;
        if (bin)
            bin = tn_path_dir(f->c->tmp, style, bin);
        else if (strstr(r->path.v, "cuda") || strstr(r->path.v, "CUDA"))
            bin = tn_world_real(f->c->w, f->c->tmp, r->path.v, NULL);
        if (!bin || !tn_str_ieq(tn_path_base(style, bin), "bin"))
            continue;
        struct cand *k = consider(f, tn_path_dir(f->c->tmp, style, bin), r->path.src);
        if (k)
            k->on_path = true;
    }
}

static bool has_cudart(struct found *f, const char *dir)
{
    struct tn_answer a = tn_world_list(f->c->w, f->c->tmp, dir);
    for (size_t i = 0; i < a.n_entry; i++)
        if (tn_str_starts(a.entry[i].name, "libcudart.so") || tn_str_starts(a.entry[i].name, "cudart64_"))
            return true;
    return false;
}

/* Fills the row of one folder; false when it holds neither compiler nor run time (a left-over, cuda-compat). */
static bool fill(struct found *f, const struct cand *k)
{
    struct tn_probe_ctx *c = f->c;
    bool win = tn_probe_is_windows(c), debian = tn_str_eq(k->real, DEBIAN);
    const char *nvcc = join(f, k->real, win ? "bin\\nvcc.exe" : "bin/nvcc");
    struct tn_probe_toolkit t = {k->real, debian ? "/usr/include" : join(f, k->real, "include"),
                                 win ? join(f, k->real, "bin") : join(f, k->real, "lib64"),
                                 tn_world_exists(c->w, nvcc) ? nvcc : NULL};
    bool conda = tn_world_is_dir(c->w, join(f, k->real, "conda-meta"));
    if (!t.nvcc && !has_cudart(f, t.lib) && !has_cudart(f, join(f, k->real, "lib")) &&
        !tn_world_exists(c->w, join(f, k->real, "version.json")))
        return false;
    struct tn_rec_toolkit *r = TN_ADD(c->s, toolkit);
    r->path = tn_fact_str(c->s, k->src, k->real);
    r->names = tn_fact_list(c->s, k->src, k->name, k->n);
    r->kind = tn_fact_str(c->s, k->src, debian ? "debian" : conda ? "conda" : "nvidia");
    if (c->s->search.listed == TN_KNOWN) /* PATH was asked */
        r->on_path = tn_fact_int(k->src, k->on_path);
    if (!t.nvcc)
        r->nvcc = tn_fact_nostr(tn_snap_src(c->s, TN_ABSENT, NULL, "stat %s", nvcc), TN_ABSENT);
    tn_probe_toolkit_versions(c, &t, &r->version, &r->nvcc);
    return true;
}

static void look(struct tn_probe_ctx *c)
{
    struct found f = {.c = c};
    struct tn_answer a;
    if (tn_probe_is_windows(c)) {
        consider_children(&f, WIN_BASE, "v*");
        a = tn_world_reg_list(c->w, c->tmp, WIN_KEY);
        for (size_t i = 0; i < a.n_entry; i++) {
            const char *key = tn_arena_printf(c->tmp, WIN_KEY "\\%s", a.entry[i].name);
            const char *dir = a.entry[i].type == 'd' ? tn_probe_reg(c, key, "InstallDir") : NULL;
            if (dir)
                consider(&f, dir, tn_snap_src(c->s, TN_KNOWN, NULL, "reg %s InstallDir", key));
        }
    } else {
        consider_children(&f, "/usr/local", "cuda*");
        consider_children(&f, "/opt", "cuda*");
        consider_hpc_sdk(&f);
        a = tn_world_stat(c->w, DEBIAN);
        if (a.got == TN_KNOWN)
            consider(&f, DEBIAN, tn_probe_src(c->s, "stat", DEBIAN, &a));
        a = tn_world_stat(c->w, "/usr/lib/cuda");
        if (a.got == TN_KNOWN)
            consider(&f, "/usr/lib/cuda", tn_probe_src(c->s, "stat", "/usr/lib/cuda", &a));
    }
    consider_variables(&f);
    consider_path(&f);
    for (unsigned i = 0; i < f.n; i++)
        fill(&f, &f.v[i]);
    const char *base = tn_probe_is_windows(c) ? WIN_BASE : "/usr/local";
    a = tn_world_stat(c->w, base);
    c->s->toolkit.listed = a.got == TN_ABSENT ? TN_KNOWN : a.got;
    c->s->toolkit.src = tn_snap_src(c->s, c->s->toolkit.listed, a.note, "list %s", base);
}

TN_PROBE(toolkit, TN_PHASE_SEARCH, look, "CUDA toolkits and their releases; from the usual folders, variables, PATH",
         .gives = TN_HAS(toolkit), .reads = TN_HAS(search));
