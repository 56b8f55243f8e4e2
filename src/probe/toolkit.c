/* toolkit.c - CUDA toolkits: folders that hold a compiler or the run time libraries together.
 *
 * Invariant: one toolkit is one row, by whatever links and variables it is reached; its path has no links in it. Runs
 * after the environments are known, since some hold one. Its package: owner.c. */
#include "probe/toolkit.h"

#include <string.h>

#include "base/str.h"

#define DEBIAN "/usr/lib/nvidia-cuda-toolkit"
#define WIN_BASE "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"
#define WIN_KEY "HKLM\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA"

static const char *join(struct tn_probe_cands *f, const char *a, const char *b)
{
    return tn_path_join(f->c->tmp, f->c->w->style, a, b);
}

struct tn_probe_cand *tn_probe_toolkit_consider(struct tn_probe_cands *f, const char *path, uint32_t src,
                                                const char *kind)
{
    struct tn_probe_cand *k = NULL;
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
        if (f->n == TN_MAX_TOOLKITS)
            return NULL;
        k = &f->v[f->n++];
        memset(k, 0, sizeof *k);
        k->real = real;
        k->src = src;
        k->kind = kind;
    }
    path = tn_path_norm(f->c->tmp, f->c->w->style, path);
    for (unsigned i = 0; i < k->n; i++)
        if (tn_str_eq(k->name[i], path))
            return k;
    if (!tn_str_eq(path, real) && k->n < TN_MAX_TOOLKIT_NAMES)
        k->name[k->n++] = path;
    return k;
}

static struct tn_probe_cand *consider(struct tn_probe_cands *f, const char *path, uint32_t src)
{
    return tn_probe_toolkit_consider(f, path, src, NULL);
}

static void consider_children(struct tn_probe_cands *f, const char *folder, const char *pattern, const char *kind)
{
    struct tn_answer a = tn_world_list(f->c->w, f->c->tmp, folder);
    uint32_t src = 0;
    for (size_t i = 0; i < a.n_entry; i++) {
        if (a.entry[i].type == 'f' || !tn_str_glob(pattern, a.entry[i].name))
            continue;
        if (!src)
            src = tn_probe_src(f->c->s, "list", folder, &a);
        tn_probe_toolkit_consider(f, join(f, folder, a.entry[i].name), src, kind);
    }
}

/* /opt/nvidia/hpc_sdk/Linux_x86_64/24.3/cuda/12.3 */
static void consider_hpc_sdk(struct tn_probe_cands *f)
{
    static const char base[] = "/opt/nvidia/hpc_sdk";
    struct tn_answer arch = tn_world_list(f->c->w, f->c->tmp, base);
    for (size_t i = 0; i < arch.n_entry; i++) {
        const char *dir = join(f, base, arch.entry[i].name);
        struct tn_answer v = tn_str_starts(arch.entry[i].name, "Linux_") ? tn_world_list(f->c->w, f->c->tmp, dir)
                                                                         : (struct tn_answer){0};
        for (size_t k = 0; k < v.n_entry; k++)
            if (tn_is_digit(v.entry[k].name[0]))
                consider_children(f, join(f, join(f, dir, v.entry[k].name), "cuda"), "*.*", "hpc-sdk");
    }
}

static void consider_variables(struct tn_probe_cands *f)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT", "EBROOTCUDA"};
    for (unsigned i = 0; i < TN_LEN(names); i++) {
        uint32_t src;
        const char *v = tn_probe_env(f->c, names[i], &src);
        if (v && tn_path_is_abs(f->c->w->style, v))
            consider(f, v, src);
    }
}

const char *tn_probe_behind_script(struct tn_probe_ctx *c, const char *path, const char *slash_name)
{
    struct tn_answer a = tn_world_stat(c->w, path);
    if (a.got != TN_KNOWN || a.st.type != 'f' || a.st.size > 4096)
        return path;
    a = tn_world_read(c->w, c->tmp, path, 4096);
    if (a.got != TN_KNOWN || !tn_span_starts(a.data, "#!"))
        return path;
    size_t end = tn_span_find(a.data, 2, slash_name, strlen(slash_name)), from = end;
    if (end == SIZE_MAX)
        return path;
    while (from && !strchr(" \t\n\"'=", a.data.p[from - 1]))
        from--;
    const char *to = tn_arena_strndup(c->tmp, (const char *)a.data.p + from, end + strlen(slash_name) - from);
    return tn_path_is_abs(c->w->style, to) ? to : path;
}

/* Folders of PATH that hold nvcc, itself or a link or script that leads to it: the folder above is a toolkit. */
static void consider_path(struct tn_probe_cands *f)
{
    enum tn_path_style style = f->c->w->style;
    bool win = tn_probe_is_windows(f->c);
    for (size_t i = 0; i < f->c->s->search.n; i++) {
        const struct tn_rec_search *r = &f->c->s->search.v[i];
        if (!tn_says(r->by, "PATH") || !tn_known(r->path) || !tn_path_is_abs(style, r->path.v))
            continue;
        const char *nvcc = join(f, r->path.v, win ? "nvcc.exe" : "nvcc");
        const char *file = tn_world_exists(f->c->w, nvcc) ? tn_probe_behind_script(f->c, nvcc, "/nvcc") : NULL;
        const char *bin = file ? tn_world_real(f->c->w, f->c->tmp, file, NULL) : NULL;
        if (bin)
            bin = tn_path_dir(f->c->tmp, style, bin);
        else if (strstr(r->path.v, "cuda") || strstr(r->path.v, "CUDA"))
            bin = tn_world_real(f->c->w, f->c->tmp, r->path.v, NULL);
        if (!bin || !tn_str_ieq(tn_path_base(style, bin), "bin"))
            continue;
        struct tn_probe_cand *k = consider(f, tn_path_dir(f->c->tmp, style, bin), r->path.src);
        if (k)
            k->on_path = true;
    }
}

static bool has_cudart(struct tn_probe_cands *f, const char *dir)
{
    struct tn_answer a = tn_world_list(f->c->w, f->c->tmp, dir);
    for (size_t i = 0; i < a.n_entry; i++)
        if (tn_str_starts(a.entry[i].name, "libcudart.so") || tn_str_starts(a.entry[i].name, "cudart64_"))
            return true;
    return false;
}

/* The first of these that is there, joined to the root; else NULL, and *ret_got says whether that is known. */
static const char *first_of(struct tn_probe_cands *f, const char *root, const char *const *name, enum tn_know *ret_got)
{
    *ret_got = TN_ABSENT;
    for (; *name; name++) {
        const char *path = join(f, root, *name);
        struct tn_answer a = tn_world_stat(f->c->w, path);
        if (a.got == TN_KNOWN) {
            *ret_got = TN_KNOWN;
            return path;
        }
        if (a.got != TN_ABSENT)
            *ret_got = a.got;
    }
    return NULL;
}

/* NVIDIA's own layout, Debian's, and Windows'. */
static const char *const nvcc_names[] = {"bin/nvcc", NULL}, *const nvcc_win[] = {"bin\\nvcc.exe", NULL};
static const char *const ptxas_names[] = {"bin/ptxas", NULL}, *const ptxas_win[] = {"bin\\ptxas.exe", NULL};
static const char *const device_names[] = {"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc", NULL},
                         *const device_win[] = {"nvvm\\libdevice\\libdevice.10.bc", NULL};

static const char *kind_of(struct tn_probe_cands *f, const struct tn_probe_cand *k)
{
    if (tn_str_eq(k->real, DEBIAN))
        return "debian";
    if (tn_world_is_dir(f->c->w, join(f, k->real, "conda-meta")))
        return "conda";
    if (k->kind)
        return k->kind;
    /* Spread over the system's folders: Fedora's packages of negativo17, hand-made copies. */
    return tn_str_eq(k->real, "/usr") || tn_str_eq(k->real, "/usr/local") ? "system" : "nvidia";
}

static const char *include_of(struct tn_probe_cands *f, const struct tn_probe_cand *k, const char *kind)
{
    static const char *const names[] = {"include/cuda/cuda.h", "include/cuda.h", NULL};
    if (tn_str_eq(kind, "debian"))
        return "/usr/include";
    enum tn_know got;
    const char *file = tn_str_eq(kind, "system") ? first_of(f, k->real, names, &got) : NULL;
    return file ? tn_path_dir(f->c->tmp, TN_PATH_POSIX, file) : join(f, k->real, "include");
}

/* Fills the row of one folder; false when it holds neither compiler nor run time (a left-over, cuda-compat). */
static bool fill(struct tn_probe_cands *f, const struct tn_probe_cand *k)
{
    struct tn_probe_ctx *c = f->c;
    bool win = tn_probe_is_windows(c);
    const char *kind = kind_of(f, k);
    enum tn_know nvcc, ptxas, libdevice;
    struct tn_probe_toolkit t = {k->real, include_of(f, k, kind), join(f, k->real, win ? "bin" : "lib64"),
                                 first_of(f, k->real, win ? nvcc_win : nvcc_names, &nvcc),
                                 first_of(f, k->real, win ? ptxas_win : ptxas_names, &ptxas)};
    if (!t.nvcc && !has_cudart(f, t.lib) && !has_cudart(f, join(f, k->real, "lib")) &&
        !tn_world_exists(c->w, join(f, k->real, "version.json")))
        return false;
    struct tn_rec_toolkit *r = TN_ADD(c->s, toolkit);
    r->path = tn_fact_str(c->s, k->src, k->real);
    r->names = tn_fact_list(c->s, k->src, k->name, k->n);
    r->kind = tn_fact_str(c->s, k->src, kind);
    if (c->s->search.listed == TN_KNOWN) /* PATH was asked */
        r->on_path = tn_fact_int(k->src, k->on_path);
    const char *device = first_of(f, k->real, win ? device_win : device_names, &libdevice);
    if (!t.nvcc)
        r->nvcc = tn_fact_nostr(tn_snap_src_of(c->s, nvcc, NULL, "stat", join(f, k->real, "bin")), nvcc);
    if (!t.ptxas)
        r->ptxas = tn_fact_nostr(tn_snap_src_of(c->s, ptxas, NULL, "stat", join(f, k->real, "bin")), ptxas);
    uint32_t src = tn_snap_src_of(c->s, libdevice, NULL, "stat", device ? device : join(f, k->real, "nvvm"));
    r->libdevice = libdevice == TN_KNOWN || libdevice == TN_ABSENT ? tn_fact_int(src, device != NULL)
                                                                   : tn_fact_noint(src, libdevice);
    tn_probe_toolkit_versions(c, &t, &r->version, &r->nvcc, &r->ptxas);
    r->cudnn_header = tn_probe_cudnn_header(c, &t);
    return true;
}

/* Folders that variables name and that are on no search order: are they there? */
static void look_named_dirs(struct tn_probe_ctx *c)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDNN_PATH"};
    for (unsigned i = 0; i < TN_LEN(names); i++) {
        uint32_t src;
        bool known = false;
        const char *v = tn_probe_env(c, names[i], &src);
        for (size_t k = 0; v && k < c->s->dir.n; k++)
            known = known || tn_says(c->s->dir.v[k].path, v);
        if (!v || known || !tn_path_is_abs(c->w->style, v))
            continue;
        struct tn_answer a = tn_world_stat(c->w, v);
        struct tn_rec_dir *d = TN_ADD(c->s, dir);
        uint32_t at = tn_probe_src(c->s, "stat", v, &a);
        d->path = tn_fact_str(c->s, src, v);
        d->exists = a.got == TN_KNOWN || a.got == TN_ABSENT ? tn_fact_int(at, a.got == TN_KNOWN && a.st.type == 'd')
                                                            : tn_fact_noint(at, a.got);
    }
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_probe_cands f = {.c = c};
    struct tn_answer a;
    if (tn_probe_is_windows(c)) {
        consider_children(&f, WIN_BASE, "v*", NULL);
        a = tn_world_reg_list(c->w, c->tmp, WIN_KEY);
        for (size_t i = 0; i < a.n_entry; i++) {
            const char *key = tn_arena_printf(c->tmp, WIN_KEY "\\%s", a.entry[i].name);
            const char *dir = a.entry[i].type == 'd' ? tn_probe_reg(c, key, "InstallDir") : NULL;
            if (dir)
                consider(&f, dir, tn_snap_src(c->s, TN_KNOWN, NULL, "reg %s InstallDir", key));
        }
    } else {
        consider_children(&f, "/usr/local", "cuda*", NULL);
        consider_children(&f, "/opt", "cuda*", NULL);
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
    tn_probe_toolkit_places(&f);
    look_named_dirs(c);
    for (unsigned i = 0; i < f.n; i++)
        fill(&f, &f.v[i]);
    const char *base = tn_probe_is_windows(c) ? WIN_BASE : "/usr/local";
    a = tn_world_stat(c->w, base);
    c->s->toolkit.listed = a.got == TN_ABSENT ? TN_KNOWN : a.got;
    c->s->toolkit.src = tn_snap_src(c->s, c->s->toolkit.listed, a.note, "list %s", base);
}

TN_PROBE(toolkit, TN_PHASE_PYTHON, look,
         "CUDA toolkits and their releases; from the usual folders, variables, PATH, Spack, modules, Nix, conda",
         .gives = TN_HAS(toolkit) | TN_HAS(dir), .reads = TN_HAS(search) | TN_HAS(env));
