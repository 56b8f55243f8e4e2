/* stock_toolkit.c - see stock.h: CUDA toolkits, and cuDNN outside environments.
 *
 * Invariant: what a package manager has installed is told by its package names and never walked through. Of a toolkit
 * that none has installed every entry must be one of NVIDIA's layout (names below), not younger than the toolkit itself
 * by more than a day; what is neither is named. Sources of the layout: file lists of NVIDIA's packages cuda-*-11-8 and
 * cuda-*-13-0, its runfile's own lists bin/.uninstall_manifest_do_not_delete.txt and bin/cuda-uninstaller (CUDA
 * Installation Guide for Linux, "Removing CUDA Toolkit"). */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "probe/library.h"
#include "probe/owner.h"
#include "probe/stock.h"

#define DAY 86400
#define BLOCK 4096u

struct tree {
    struct tn_stock *k;
    int64_t newest; /* seconds; no file of the installer is younger; 0: not known */
};

/* Folders and files at the top. "*": the rest of the name is a version or a part. */
static const char *const top[] = {"bin",
                                  "lib64",
                                  "lib",
                                  "include",
                                  "targets",
                                  "nvvm",
                                  "nvvmx",
                                  "extras",
                                  "share",
                                  "src",
                                  "doc",
                                  "tools",
                                  "compute-sanitizer",
                                  "compat",
                                  "libnvvp",
                                  "libnsight",
                                  "nsight-compute-*",
                                  "nsight-systems-*",
                                  "NsightCompute-*",
                                  "NsightSystems-*",
                                  "nsightee_plugins",
                                  "nvml",
                                  "gds",
                                  "gds-*",
                                  "jre",
                                  "pkgconfig",
                                  "dist-info",
                                  "DOCS",
                                  "EULA.txt",
                                  "LICENSE",
                                  "README",
                                  "version.txt",
                                  "version.json",
                                  "CUDA_Toolkit_Release_Notes.txt",
                                  NULL};
static const char *const programs[] = {"nvcc",
                                       "nvcc.profile",
                                       "__nvcc_device_query",
                                       "ptxas",
                                       "cicc",
                                       "fatbinary",
                                       "cudafe",
                                       "cudafe++",
                                       "bin2c",
                                       "nvlink",
                                       "nvprune",
                                       "cuobjdump",
                                       "nvdisasm",
                                       "cu++filt",
                                       "cuda-gdb*",
                                       "cuda-memcheck",
                                       "compute-sanitizer",
                                       "nvprof",
                                       "nvvp",
                                       "computeprof",
                                       "nsight",
                                       "nsight-sys",
                                       "nsys",
                                       "nsys-ui",
                                       "nsys-exporter",
                                       "ncu",
                                       "ncu-ui",
                                       "nv-nsight-cu",
                                       "nv-nsight-cu-cli",
                                       "nsight_ee_plugins_manage.sh",
                                       "gpu-library-advisor",
                                       "tileiras",
                                       "cuda-uninstaller",
                                       "cuda-install-samples-*.sh",
                                       "uninstall_cuda_*.pl",
                                       ".*uninstall_manifest_do_not_delete.txt",
                                       "crt",
                                       NULL};
/* Besides those of library_name.c. */
static const char *const libraries[] = {"libcudadevrt*",
                                        "libcufilt*",
                                        "libculibos*",
                                        "libcuinj64*",
                                        "libaccinj64*",
                                        "libcudla*",
                                        "libcuda.so",
                                        "libcufile_rdma*",
                                        "libcusolverMg*",
                                        "libcusolver*static.a",
                                        "libnvidia-ml.so",
                                        "libnvjpeg*",
                                        "libnvptxcompiler*",
                                        "libnvfatbin*",
                                        "libnvgraph*",
                                        "libnvperf_*",
                                        "libnvtx3interop*",
                                        "libnvrtc*",
                                        "libnpp*",
                                        "libOpenCL.so*",
                                        "libpcsamplingutil*",
                                        "libcheckpoint*",
                                        "libmetis_static.a",
                                        "liblapack_static.a",
                                        "libcublas*static.a",
                                        "libcudart_static.a",
                                        "libcudnn*.a",
                                        "libcufft*static*.a",
                                        "libcurand_static.a",
                                        "libcusparse_static.a",
                                        "libnvJitLink_static.a",
                                        "libnccl_static.a",
                                        "libcupti_static.a",
                                        "stubs",
                                        "cmake",
                                        "pkgconfig",
                                        NULL};
static const char *const headers[] = {"*.h",   "*.hpp", "*.hxx", "*.cuh", "*.inl",
                                      "*.inc", "*.ipp", "*.def", "*.f90", NULL};

static bool matches(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (tn_str_glob(*list, name))
            return true;
    return false;
}

static bool is_library(const char *name)
{
    struct tn_soname cut;
    return tn_lib_name(name, false, &cut) || matches(name, libraries);
}

/* tail behind a folder of libraries: "libcudart.so.11.0", "stubs/libcuda.so", "cmake/cub/..." */
static bool in_lib(const char *tail, char type)
{
    const char *base = tn_path_base(TN_PATH_POSIX, tail);
    if (tn_str_starts(tail, "cmake/") || tn_str_starts(tail, "pkgconfig/"))
        return type == 'd' || tn_str_ends(base, ".cmake") || tn_str_ends(base, ".pc") || tn_str_ends(base, ".in") ||
               tn_str_ends(base, ".md");
    return (!strchr(tail, '/') || tn_str_starts(tail, "stubs/")) && is_library(base);
}

/* C++'s standard headers have no ending: include/cuda/std/atomic. */
static bool in_include(const char *tail, char type)
{
    const char *base = tn_path_base(TN_PATH_POSIX, tail);
    bool cxx = tn_str_starts(tail, "cuda/") || tn_str_starts(tail, "nv/") || tn_str_starts(tail, "cccl/");
    return type == 'd' || matches(base, headers) || (cxx && !strchr(base, '.'));
}

static bool in_layout(const char *tail, char type)
{
    const char *slash = strchr(tail, '/'), *rest = slash ? slash + 1 : "";
    char first[64];
    size_t n = slash ? (size_t)(slash - tail) : strlen(tail);
    if (n >= sizeof first)
        return false;
    memcpy(first, tail, n);
    first[n] = 0;
    if (!matches(first, top))
        return false;
    if (!slash)
        return true;
    if (tn_str_eq(first, "bin"))
        return tn_str_starts(rest, "crt/") || (!strchr(rest, '/') && matches(rest, programs));
    if (tn_str_eq(first, "lib64") || tn_str_eq(first, "lib"))
        return in_lib(rest, type);
    if (tn_str_eq(first, "include"))
        return in_include(rest, type);
    if (!tn_str_eq(first, "targets"))
        return true;
    const char *part = strchr(rest, '/'); /* targets/x86_64-linux/lib/... */
    if (!part)
        return type == 'd' && strstr(rest, "-linux") != NULL;
    part++;
    if (tn_str_starts(part, "lib/"))
        return in_lib(part + 4, type);
    if (tn_str_starts(part, "include/"))
        return in_include(part + 8, type);
    return tn_str_eq(part, "lib") || tn_str_eq(part, "include") || tn_str_starts(part, "nvvm");
}

static bool is_of_toolkit(const void *ctx, const struct tn_stock_entry *e)
{
    const struct tree *t = ctx;
    if (!in_layout(e->tail, e->type))
        return false;
    if (e->type != 'f' || !t->newest || (e->youngest && e->youngest <= t->newest) ||
        tn_str_starts(tn_path_base(TN_PATH_POSIX, e->tail), "libcudnn") ||
        tn_str_starts(tn_path_base(TN_PATH_POSIX, e->tail), "cudnn"))
        return true;
    struct tn_answer a = tn_world_lstat(t->k->c->w, e->path);
    return a.got == TN_KNOWN && a.st.mtime <= t->newest;
}

/* A day behind the youngest of the files that an installer writes for itself. */
static int64_t newest(struct tn_stock *k, const char *root)
{
    static const char *const mark[] = {"bin/.uninstall_manifest_do_not_delete.txt",
                                       "bin/.cuda_toolkit_uninstall_manifest_do_not_delete.txt",
                                       "bin/cuda-uninstaller",
                                       "version.json",
                                       "version.txt",
                                       "bin/nvcc",
                                       "EULA.txt"};
    int64_t at = 0;
    for (unsigned i = 0; i < TN_LEN(mark); i++) {
        struct tn_answer a = tn_world_lstat(k->c->w, tn_stock_join(k, root, mark[i]));
        if (a.got == TN_KNOWN && a.st.type == 'f' && a.st.mtime > at)
            at = a.st.mtime;
    }
    return at ? at + DAY : 0;
}

/* The system's package manager of a package row; NULL: none. */
static const char *manager(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_known(s->package.v[i].manager))
            return s->package.v[i].manager.v;
    return NULL;
}

/* "libcudnn8 8.9.7-1": the first word. */
static const char *owner_name(struct tn_arena *mem, struct tn_str owner)
{
    return tn_arena_strndup(mem, owner.v, strcspn(owner.v, " "));
}

/* NVIDIA's packages of one toolkit end with its release: cuda-nvcc-11-6, libcublas-dev-11-6 (all of cuda-repo). */
static struct tn_list packages_of(struct tn_stock *k, const struct tn_rec_toolkit *t, uint32_t src)
{
    const struct tn_snap *s = k->c->s;
    const char **name = tn_arena_array(k->c->tmp, s->package.n + 1, sizeof *name);
    size_t n = 0;
    unsigned dots = 0, at = 0;
    char end[24] = "-";
    for (const char *v = tn_known(t->version) ? t->version.v : ""; *v && at + 2 < sizeof end; v++) {
        if (*v == '.' && ++dots == 2)
            break;
        end[++at] = *v == '.' ? '-' : *v;
        end[at + 1] = 0;
    }
    for (size_t i = 0; i < s->package.n; i++)
        if (dots && tn_known(s->package.v[i].name) && tn_says(s->package.v[i].state, "installed") &&
            !tn_is(s->package.v[i].driver, 1) && tn_str_ends(s->package.v[i].name.v, end))
            name[n++] = s->package.v[i].name.v;
    if (n == 0)
        name[n++] = owner_name(k->c->tmp, t->owner);
    return tn_fact_list(k->c->s, src, name, n);
}

static bool is_runfile(struct tn_stock *k, const char *root)
{
    return tn_world_exists(k->c->w, tn_stock_join(k, root, "bin/cuda-uninstaller")) ||
           tn_world_exists(k->c->w, tn_stock_join(k, root, "bin/.uninstall_manifest_do_not_delete.txt")) ||
           tn_world_exists(k->c->w, tn_stock_join(k, root, "bin/.cuda_toolkit_uninstall_manifest_do_not_delete.txt"));
}

static void add_toolkit(struct tn_stock *k, size_t at)
{
    static const char *const keepers[] = {"debian", "hpc-sdk", "spack", "nix", NULL};
    const struct tn_rec_toolkit t = k->c->s->toolkit.v[at];
    if (!tn_known(t.path) || tn_says(t.kind, "system") || tn_says(t.kind, "conda") || strcmp(t.path.v, "/") == 0 ||
        strcmp(t.path.v, "/usr") == 0)
        return;
    for (size_t i = 0; i < k->c->s->env.n; i++) /* a prefix of conda or of Spack is no toolkit alone */
        if (tn_known(k->c->s->env.v[i].path) && tn_path_same(TN_PATH_POSIX, k->c->s->env.v[i].path.v, t.path.v))
            return;
    struct tn_rec_stock *r = tn_stock_add(k, "toolkit", "cuda", t.path.v, t.path.src);
    size_t row = k->c->s->stock.n - 1;
    r->version = t.version;
    tn_stock_measure(k, t.path.v);
    if (tn_known(t.owner)) {
        const char *by = manager(k->c->s);
        r->by = tn_fact_str(k->c->s, t.owner.src, by ? by : "package");
        r->packages = packages_of(k, &t, t.owner.src);
        tn_stock_mounts(k, row, t.path.v);
    } else if (tn_known(t.kind) && tn_str_in(t.kind.v, keepers)) {
        r->by = t.kind;
        tn_stock_mounts(k, row, t.path.v);
    } else {
        struct tree *tree = tn_arena_alloc(k->c->tmp, sizeof *tree);
        *tree = (struct tree){k, newest(k, t.path.v)};
        if (t.owner.k != TN_ABSENT) /* whose it is was not to be learned */
            r->by = tn_fact_nostr(t.owner.src, t.owner.k);
        else if (is_runfile(k, t.path.v))
            r->by = tn_fact_str(k->c->s, t.path.src, "runfile");
        tn_stock_walk(k, row, t.path.v, is_of_toolkit, tree);
    }
}

/* cuDNN. */
static bool is_cudnn(const struct tn_rec_library *l)
{
    return tn_known(l->stem) && tn_str_starts(l->stem.v, "libcudnn") && tn_known(l->path) && !tn_known(l->env) &&
           tn_says(l->kind, "real");
}

static bool names_cudnn(const void *ctx, const char *name)
{
    (void)ctx;
    return tn_str_starts(name, "libcudnn") || (tn_str_starts(name, "cudnn") && tn_str_ends(name, ".h"));
}

struct set {
    const char **v;
    size_t n, cap;
    uint64_t bytes;
};

static void add_piece(struct tn_stock *k, struct set *x, const char *path)
{
    struct tn_answer a = tn_world_lstat(k->c->w, path);
    if (a.got != TN_KNOWN || (a.st.type != 'f' && a.st.type != 'l'))
        return;
    x->v = tn_arena_grow(k->c->tmp, (void *)x->v, x->n, &x->cap, sizeof *x->v);
    x->v[x->n++] = path;
    if (a.st.type == 'f')
        x->bytes += (a.st.size + BLOCK - 1) / BLOCK * BLOCK;
}

/* Names in the folder that lead to files of this version; with every of them where there is no other version. */
static void pieces_in(struct tn_stock *k, struct set *x, const char *dir, const char *version, bool only_one)
{
    const struct tn_snap *s = k->c->s;
    struct tn_answer a = tn_world_list_some(k->c->w, k->c->tmp, dir, names_cudnn, NULL);
    for (size_t i = 0; a.got == TN_KNOWN && i < a.n_entry; i++) {
        const char *name = a.entry[i].name, *path = tn_stock_join(k, dir, name);
        bool his = only_one;
        if (!names_cudnn(NULL, name))
            continue;
        const char *real = tn_world_real(k->c->w, k->c->tmp, path, NULL);
        bool inside = real && tn_path_same(TN_PATH_POSIX, tn_path_dir(k->c->tmp, TN_PATH_POSIX, real), dir);
        for (size_t n = 0; real && n < s->library.n; n++)
            if (is_cudnn(&s->library.v[n]) && strcmp(s->library.v[n].path.v, real) == 0)
                his = tn_says(s->library.v[n].version, version) && s->library.v[n].owner.k == TN_ABSENT;
        if (his && (inside || !real))
            add_piece(k, x, path);
    }
}

static void add_loose(struct tn_stock *k, size_t at, const char *dir)
{
    const struct tn_snap *s = k->c->s;
    const struct tn_rec_library l = s->library.v[at];
    bool only_one = true, header = true;
    for (size_t i = 0; i < s->library.n; i++)
        if (is_cudnn(&s->library.v[i]) &&
            tn_path_same(TN_PATH_POSIX, tn_path_dir(k->c->tmp, TN_PATH_POSIX, s->library.v[i].path.v), dir))
            only_one &= tn_says(s->library.v[i].version, l.version.v) && s->library.v[i].owner.k == TN_ABSENT;
    struct set x = {NULL, 0, 0, 0};
    pieces_in(k, &x, dir, l.version.v, only_one);
    for (size_t i = 0; i < s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        if (!tn_known(t->path) || !tn_path_under(TN_PATH_POSIX, dir, t->path.v) || !tn_known(t->cudnn_header))
            continue;
        header = tn_str_starts(l.version.v, t->cudnn_header.v) || tn_str_starts(t->cudnn_header.v, l.version.v);
        const char *include = tn_world_real(k->c->w, k->c->tmp, tn_stock_join(k, t->path.v, "include"), NULL);
        if (include && header && only_one && !tn_says(t->kind, "system") && !tn_says(t->kind, "debian"))
            pieces_in(k, &x, include, l.version.v, true);
    }
    if (!x.n)
        return;
    struct tn_rec_stock *r = tn_stock_add(k, "cudnn", "cudnn", l.path.v, l.path.src);
    r->version = l.version;
    r->pieces = tn_fact_list(k->c->s, l.path.src, x.v, x.n);
    r->bytes = r->freed_bytes = tn_fact_int(l.path.src, (int64_t)x.bytes);
    r->foreign = tn_fact_list(k->c->s, l.path.src, NULL, 0);
    r->n_foreign = tn_fact_int(l.path.src, 0);
}

static void add_packaged(struct tn_stock *k, size_t at)
{
    const struct tn_snap *s = k->c->s;
    const struct tn_rec_library l = s->library.v[at];
    const char *name = owner_name(k->c->tmp, l.owner), **all = tn_arena_array(k->c->tmp, s->package.n + 1, sizeof *all);
    size_t n = 0;
    uint64_t bytes = 0;
    all[n++] = name;
    for (size_t i = 0; i < s->package.n; i++) /* libcudnn8-dev, libcudnn9-headers-cuda-12 */
        if (tn_known(s->package.v[i].name) && tn_says(s->package.v[i].state, "installed") &&
            tn_str_starts(s->package.v[i].name.v, name) && s->package.v[i].name.v[strlen(name)] == '-')
            all[n++] = s->package.v[i].name.v;
    for (size_t i = 0; i < s->library.n; i++)
        if (is_cudnn(&s->library.v[i]) && tn_known(s->library.v[i].owner) &&
            strcmp(s->library.v[i].owner.v, l.owner.v) == 0 && s->library.v[i].bytes.k == TN_KNOWN)
            bytes += ((uint64_t)s->library.v[i].bytes.v + BLOCK - 1) / BLOCK * BLOCK;
    struct tn_rec_stock *r = tn_stock_add(k, "cudnn", "cudnn", l.path.v, l.path.src);
    r->version = l.version;
    r->by = tn_fact_str(k->c->s, l.owner.src, manager(s) ? manager(s) : "package");
    r->packages = tn_fact_list(k->c->s, l.owner.src, all, n);
    r->bytes = r->freed_bytes = tn_fact_int(l.path.src, (int64_t)bytes);
}

/* One row for each folder and version, or for each package. */
static void add_cudnn(struct tn_stock *k)
{
    const struct tn_snap *s = k->c->s;
    struct tn_arena *mem = k->c->tmp;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        bool again = false;
        if (!is_cudnn(l) || !tn_known(l->version) || (l->owner.k != TN_ABSENT && l->owner.k != TN_KNOWN))
            continue;
        const char *dir = tn_path_dir(mem, TN_PATH_POSIX, l->path.v);
        for (size_t n = 0; n < i && !again; n++) {
            const struct tn_rec_library *b = &s->library.v[n];
            if (!is_cudnn(b) || b->owner.k != l->owner.k || !tn_known(b->version))
                continue;
            again = tn_known(l->owner)
                        ? strcmp(b->owner.v, l->owner.v) == 0
                        : strcmp(b->version.v, l->version.v) == 0 &&
                              tn_path_same(TN_PATH_POSIX, tn_path_dir(mem, TN_PATH_POSIX, b->path.v), dir);
        }
        if (!again && tn_known(l->owner))
            add_packaged(k, i);
        else if (!again)
            add_loose(k, i, dir);
    }
}

void tn_stock_toolkits(struct tn_stock *k)
{
    for (size_t i = 0; i < k->c->s->toolkit.n; i++)
        add_toolkit(k, i);
    add_cudnn(k);
}
