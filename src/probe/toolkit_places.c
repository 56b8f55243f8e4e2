/* toolkit_places.c - see toolkit.h: toolkits in trees that no PATH leads to.
 *
 * Invariant: a tree is looked at only when its root is there or named; each listing is bounded. Sources: Spack's
 * default install_tree (config.yaml: opt/spack, projections "{architecture}/{name}-{version}-{hash}", before 1.0 with
 * "{compiler.name}-{compiler.version}" between); Environment Modules' modulefile(4) and Lmod's setenv(), MODULEPATH and
 * their default folders; Nix' /nix/store/HASH-NAME. */
#include "probe/toolkit.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

#define MAX_LIST 400u /* folders looked into below one tree */
#define MODULEFILE_BYTES 16384u
#define MAX_SETS 32u

static const char *join(struct tn_probe_cands *f, const char *a, const char *b)
{
    return tn_path_join(f->c->tmp, f->c->w->style, a, b);
}

/* Installed packages below one architecture folder: "cuda-12.4.0-HASH", or one compiler folder deeper. */
static void look_spack_arch(struct tn_probe_cands *f, const char *arch, unsigned *left, bool deeper)
{
    struct tn_answer a = tn_world_list(f->c->w, f->c->tmp, arch);
    uint32_t src = 0;
    for (size_t i = 0; i < a.n_entry && *left; i++) {
        const char *name = a.entry[i].name;
        if (a.entry[i].type == 'f' || name[0] == '.')
            continue;
        if (tn_str_starts(name, "cuda-") && tn_is_digit(name[5])) {
            src = src ? src : tn_probe_src(f->c->s, "list", arch, &a);
            tn_probe_toolkit_consider(f, join(f, arch, name), src, "spack");
            --*left;
        } else if (deeper && strchr(name, '-')) {
            --*left;
            look_spack_arch(f, join(f, arch, name), left, false);
        }
    }
}

static void look_spack(struct tn_probe_cands *f)
{
    const char *root = tn_probe_env(f->c, "SPACK_ROOT", NULL), *home = tn_probe_env(f->c, "HOME", NULL);
    const char *tree[] = {root ? join(f, root, "opt/spack") : NULL, "/opt/spack/opt/spack",
                          home ? join(f, home, "spack/opt/spack") : NULL};
    for (unsigned i = 0; i < TN_LEN(tree); i++) {
        unsigned left = MAX_LIST;
        struct tn_answer a = {0};
        if (tree[i] && tn_path_is_abs(TN_PATH_POSIX, tree[i]))
            a = tn_world_list(f->c->w, f->c->tmp, tree[i]);
        for (size_t k = 0; k < a.n_entry; k++) /* linux-ubuntu22.04-x86_64_v3, or "linux-x86_64_v3" */
            if (a.entry[k].type != 'f' && tn_str_starts(a.entry[k].name, "linux-"))
                look_spack_arch(f, join(f, tree[i], a.entry[k].name), &left, true);
    }
}

static bool is_nix_cuda(const void *ctx, const char *name)
{
    const char *dash = strchr(name, '-');
    (void)ctx;
    return dash && (tn_str_starts(dash, "-cudatoolkit-") || tn_str_starts(dash, "-cuda-merged-") ||
                    tn_str_starts(dash, "-cuda_nvcc-"));
}

static void look_nix(struct tn_probe_cands *f)
{
    static const char store[] = "/nix/store";
    if (!tn_world_is_dir(f->c->w, store))
        return;
    struct tn_answer a = tn_world_list_some(f->c->w, f->c->tmp, store, is_nix_cuda, NULL);
    uint32_t src = tn_probe_src(f->c->s, "list", store, &a);
    for (size_t i = 0; i < a.n_entry; i++)
        if (a.entry[i].type != 'f' && is_nix_cuda(NULL, a.entry[i].name))
            tn_probe_toolkit_consider(f, join(f, store, a.entry[i].name), src, "nix");
}

/* One word of a modulefile: bare, in double quotes, or in braces; Lua's commas and brackets are blanks. */
static struct tn_span word(struct tn_span *line)
{
    size_t i = 0, end;
    while (i < line->n && strchr(" \t,()=\"'{}", (char)line->p[i]) && line->p[i])
        i++;
    end = i;
    while (end < line->n && !(strchr(" \t,()=\"'{}", (char)line->p[end]) && line->p[end])) {
        if (line->p[end] == '$' && end + 1 < line->n && line->p[end + 1] == '{') /* ${root}/12.4 */
            while (end < line->n && line->p[end] != '}')
                end++;
        if (end < line->n)
            end++;
    }
    struct tn_span w = tn_span_of(line->p + i, end - i);
    *line = tn_span_from(*line, end);
    return w;
}

struct set {
    struct tn_span name;
    const char *value;
};

static bool same(struct tn_span a, const char *text)
{
    return a.n == strlen(text) && memcmp(a.p, text, a.n) == 0;
}

static const char *set_to(const struct set *v, unsigned n, const unsigned char *name, size_t len)
{
    for (unsigned i = n; i-- > 0;)
        if (v[i].name.n == len && memcmp(v[i].name.p, name, len) == 0)
            return v[i].value;
    return NULL;
}

/* The word with every $name and ${name} replaced by what was set before; NULL when one is not known. */
static const char *value_of(struct tn_arena *mem, const struct set *v, unsigned n, struct tn_span w)
{
    const char *text = "";
    for (size_t i = 0, to; i < w.n; i = to) {
        bool dollar = w.p[i] == '$', braces = dollar && i + 1 < w.n && w.p[i + 1] == '{';
        size_t from = i + dollar + braces;
        for (to = from; to < w.n && w.p[to] != '$' && (!dollar || (w.p[to] != '/' && w.p[to] != '}'));)
            to++;
        const char *part =
            dollar ? set_to(v, n, w.p + from, to - from) : tn_arena_strndup(mem, (const char *)w.p + from, to - from);
        if (!part || strlen(text) + strlen(part) >= TN_MAX_PATH_BYTES)
            return NULL;
        text = tn_arena_printf(mem, "%s%s", text, part);
        if (to < w.n && braces && w.p[to] == '}')
            to++;
    }
    return text;
}

/* Lua: a word may be the name of a local, and ".." puts two together. */
static const char *lua_value(struct tn_arena *mem, const struct set *v, unsigned n, struct tn_span w,
                             struct tn_span rest)
{
    const char *text = value_of(mem, v, n, w), *local = set_to(v, n, w.p, w.n);
    text = local ? local : text;
    if (text && same(word(&rest), "..")) {
        struct tn_span next = word(&rest);
        const char *more = set_to(v, n, next.p, next.n);
        more = more ? more : tn_arena_strndup(mem, (const char *)next.p, next.n);
        return strlen(text) + strlen(more) < TN_MAX_PATH_BYTES ? tn_arena_printf(mem, "%s%s", text, more) : NULL;
    }
    return text;
}

const char *tn_probe_modulefile_root(struct tn_arena *mem, struct tn_span text)
{
    static const char *const roots[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDADIR", "EBROOTCUDA"};
    struct set v[MAX_SETS];
    unsigned n = 0;
    struct tn_span line;
    while (tn_span_line(&text, &line)) {
        struct tn_span verb = word(&line), name = word(&line), value = word(&line);
        bool set = same(verb, "set") || same(verb, "local"), env = false;
        for (unsigned i = 0; same(verb, "setenv") && i < TN_LEN(roots); i++)
            env = env || same(name, roots[i]);
        const char *to = value.n && (set || env) ? lua_value(mem, v, n, value, line) : NULL;
        if (to && set && n < MAX_SETS)
            v[n++] = (struct set){name, to};
        else if (to && env && tn_path_is_abs(TN_PATH_POSIX, to))
            return to;
    }
    return NULL;
}

static void look_modulefile(struct tn_probe_cands *f, const char *file)
{
    struct tn_answer a = tn_world_read(f->c->w, f->c->tmp, file, MODULEFILE_BYTES);
    const char *root = a.got == TN_KNOWN ? tn_probe_modulefile_root(f->c->tmp, a.data) : NULL;
    if (root)
        tn_probe_toolkit_consider(f, root, tn_probe_src(f->c->s, "read", file, &a), NULL);
}

/* "cuda/12.4", "cuda/12.4.lua", "nvhpc/24.3", or a file "cuda" in one folder of MODULEPATH. */
static void look_module_folder(struct tn_probe_cands *f, const char *folder, unsigned *left)
{
    struct tn_answer a = tn_world_list(f->c->w, f->c->tmp, folder);
    for (size_t i = 0; i < a.n_entry && *left; i++) {
        const char *name = a.entry[i].name, *path = join(f, folder, name);
        if (!tn_str_starts(name, "cuda") && !tn_str_starts(name, "CUDA") && !tn_str_starts(name, "nvhpc"))
            continue;
        --*left;
        if (a.entry[i].type == 'f') {
            look_modulefile(f, path);
            continue;
        }
        struct tn_answer in = tn_world_list(f->c->w, f->c->tmp, path);
        for (size_t k = 0; k < in.n_entry && *left; k++)
            if (in.entry[k].type != 'd' && in.entry[k].name[0] != '.') {
                --*left;
                look_modulefile(f, join(f, path, in.entry[k].name));
            }
    }
}

static void look_modules(struct tn_probe_cands *f)
{
    static const char usual[] = "/usr/share/modules/modulefiles:/etc/modulefiles:/usr/share/modulefiles:"
                                "/etc/environment-modules/modules:/opt/modulefiles";
    const char *rest = tn_probe_env(f->c, "MODULEPATH", NULL);
    unsigned left = MAX_LIST;
    for (rest = rest ? rest : usual; *rest && left;) {
        size_t n = strcspn(rest, ":");
        const char *folder = tn_arena_strndup(f->c->tmp, rest, n);
        if (tn_path_is_abs(TN_PATH_POSIX, folder))
            look_module_folder(f, folder, &left);
        rest += n + (rest[n] == ':');
    }
}

/* Environments whose packages include the compiler. */
static void look_conda(struct tn_probe_cands *f)
{
    const struct tn_snap *s = f->c->s;
    for (size_t i = 0; i < s->env.n; i++) {
        const struct tn_rec_env *e = &s->env.v[i];
        if (!tn_says(e->kind, "conda") || !tn_known(e->path) ||
            (f->c->want && f->c->want->judged_only && !tn_is(e->judged, 1)))
            continue;
        bool win = tn_probe_is_windows(f->c);
        const char *root = win ? join(f, e->path.v, "Library") : e->path.v;
        if (tn_world_exists(f->c->w, join(f, root, win ? "bin\\nvcc.exe" : "bin/nvcc")))
            tn_probe_toolkit_consider(f, root, e->path.src, "conda");
    }
}

void tn_probe_toolkit_places(struct tn_probe_cands *f)
{
    look_conda(f);
    if (tn_probe_is_windows(f->c))
        return;
    look_spack(f);
    look_modules(f);
    look_nix(f);
}
