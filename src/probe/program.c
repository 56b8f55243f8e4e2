/* program.c - the tool chain as the shell and nvcc would find it: which nvcc, ptxas and host compiler run, of what
 * version.
 *
 * Invariant: no program is started. A version comes from the toolkit that holds the program, from the name of the file
 * behind links (x86_64-linux-gnu-gcc-12, llvm-17/bin/clang), from the compiler's own folder (lib/gcc/TRIPLE/VERSION,
 * lib/clang/VERSION), from Microsoft's folder names (MSVC\14.29.30133\bin); else it stays not asked (ccache and other
 * wrappers). Sources: GCC manual "Directory options"; NVCC manual, -ccbin, NVCC_CCBIN, NVCC_PREPEND_FLAGS and
 * nvcc.profile, which puts nvcc's own folder in front of PATH; CMake's CUDAHOSTCXX. */
#include <string.h>

#include "base/str.h"
#include "probe/toolkit.h"
#include "version/dotted.h"

#define MAX_EQUAL 4u /* places on PATH that are kept of one name */

static const char *const posix_names[] = {"nvcc", "ptxas", "gcc", "g++", "clang", NULL};
static const char *const windows_names[] = {"nvcc", "ptxas", "cl", NULL};

static const char *join(struct tn_probe_ctx *c, const char *a, const char *b)
{
    return tn_path_join(c->tmp, c->w->style, a, b);
}

/* The newest folder of dir whose name is a version ("12", "13.2.1"); NULL if there is none. */
static const char *newest(struct tn_probe_ctx *c, const char *dir)
{
    const char *best = NULL;
    struct tn_answer a = tn_world_list(c->w, c->tmp, dir);
    for (size_t i = 0; i < a.n_entry; i++)
        if (a.entry[i].type != 'f' && tn_version_dotted_ok(a.entry[i].name) &&
            (!best || tn_version_dotted_cmp(a.entry[i].name, best) > 0))
            best = a.entry[i].name;
    return best;
}

/* A version at the end of a name behind a dash: "x86_64-linux-gnu-g++-12", "clang-17"; NULL if none. */
static const char *of_name(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash && tn_version_dotted_ok(dash + 1) ? dash + 1 : NULL;
}

/* The compiler's private folders; "/usr" for /usr/bin/gcc. Of several triples the one whose name the file has. */
static struct tn_str of_folders(struct tn_probe_ctx *c, const char *real, bool clang)
{
    static const char *const gcc_dirs[] = {"lib/gcc", "lib64/gcc"}, *const clang_dirs[] = {"lib/clang", "lib64/clang"};
    struct tn_str none = {0};
    const char *root = tn_path_dir(c->tmp, TN_PATH_POSIX, tn_path_dir(c->tmp, TN_PATH_POSIX, real));
    for (unsigned k = 0; k < 2; k++) {
        const char *dir = join(c, root, clang ? clang_dirs[k] : gcc_dirs[k]), *best = clang ? newest(c, dir) : NULL;
        struct tn_answer a = clang ? (struct tn_answer){0} : tn_world_list(c->w, c->tmp, dir);
        for (size_t i = 0; i < a.n_entry; i++) {
            const char *v = a.entry[i].type == 'f' ? NULL : newest(c, join(c, dir, a.entry[i].name));
            /* A cross compiler's folder is not this one's. */
            if (v && (!strstr(a.entry[i].name, "mingw") && !strstr(a.entry[i].name, "-elf")) &&
                (!best || tn_str_starts(tn_path_base(TN_PATH_POSIX, real), a.entry[i].name)))
                best = v;
        }
        if (best)
            return tn_fact_str(c->s, tn_snap_src(c->s, TN_KNOWN, NULL, "list %s", dir), best);
    }
    return none;
}

/* "...\MSVC\14.29.30133\bin\Hostx64\x64\cl.exe", ".../llvm-17/bin/clang", "/usr/lib/llvm/17/bin/clang" */
static const char *of_path(struct tn_probe_ctx *c, const char *real)
{
    static const char *const lead[] = {"\\MSVC\\", "/llvm-", "/llvm/"};
    for (unsigned i = 0; i < TN_LEN(lead); i++) {
        const char *at = strstr(real, lead[i]), *v = at ? at + strlen(lead[i]) : "";
        size_t n = strcspn(v, "/\\");
        const char *text = n && n < TN_DOTTED_TEXT ? tn_arena_strndup(c->tmp, v, n) : "";
        if (tn_version_dotted_ok(text))
            return text;
    }
    return NULL;
}

/* nvcc and ptxas: what the toolkit's row says, else their own text. */
static struct tn_str of_toolkit(struct tn_probe_ctx *c, const char *name, const char *real)
{
    const char *root = tn_path_dir(c->tmp, c->w->style, tn_path_dir(c->tmp, c->w->style, real));
    bool nvcc = tn_str_eq(name, "nvcc");
    for (size_t i = 0; i < c->s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &c->s->toolkit.v[i];
        if (tn_known(t->path) && tn_path_same(c->w->style, t->path.v, root) && tn_known(nvcc ? t->nvcc : t->ptxas))
            return nvcc ? t->nvcc : t->ptxas;
    }
    return tn_probe_tool_version(c, real);
}

static struct tn_str version_of(struct tn_probe_ctx *c, const char *name, const char *real, uint32_t src)
{
    struct tn_str none = {0};
    const char *base = tn_path_base(c->w->style, real), *v = of_path(c, real);
    if (tn_str_eq(name, "nvcc") || tn_str_eq(name, "ptxas"))
        return of_toolkit(c, name, real);
    if (v)
        return tn_fact_str(c->s, src, v);
    if (tn_probe_is_windows(c))
        return none;
    if (strstr(base, "ccache") || strstr(base, "distcc") || strstr(base, "sccache"))
        return none;
    v = of_name(base);
    if (v)
        return tn_fact_str(c->s, src, v);
    return of_folders(c, real, strstr(base, "clang") != NULL);
}

/* Adds the row if the file is there. */
static bool add(struct tn_probe_ctx *c, const char *name, const char *found, const char *by, int64_t rank)
{
    struct tn_answer a = tn_world_stat(c->w, found);
    if (a.got != TN_KNOWN || a.st.type == 'd')
        return false;
    bool nvcc = tn_str_eq(name, "nvcc");
    const char *real = tn_world_real(c->w, c->tmp, nvcc ? tn_probe_behind_script(c, found, "/nvcc") : found, NULL);
    if (!real)
        return false;
    for (size_t i = 0; i < c->s->program.n; i++) /* /bin is /usr/bin */
        if (tn_says(c->s->program.v[i].name, name) && tn_says(c->s->program.v[i].by, by) &&
            tn_says(c->s->program.v[i].path, real))
            return false;
    uint32_t src = tn_probe_src(c->s, "stat", found, &a);
    struct tn_rec_program *r = TN_ADD(c->s, program);
    r->name = tn_fact_str(c->s, src, name);
    r->found = tn_fact_str(c->s, src, found);
    r->path = tn_fact_str(c->s, src, real);
    r->by = tn_fact_str(c->s, src, by);
    if (rank >= 0)
        r->rank = tn_fact_int(src, rank);
    r->version = version_of(c, name, real, src);
    return true;
}

/* What a name stands for in its search: "gcc-11" counts as gcc. */
static const char *kind_of(const char *name)
{
    return strstr(name, "clang")                                  ? "clang"
           : strstr(name, "g++") || strstr(name, "c++")           ? "g++"
           : strstr(name, "gcc") || tn_str_eq(name, "cc")         ? "gcc"
           : tn_str_ieq(name, "cl.exe") || tn_str_ieq(name, "cl") ? "cl"
                                                                  : NULL;
}

/* A program that a variable names: a path, or a name that PATH leads to. Words behind it are options. */
static void add_named(struct tn_probe_ctx *c, const char *by, const char *value)
{
    size_t n = strcspn(value, " \t");
    const char *word = tn_arena_strndup(c->tmp, value, n), *name = kind_of(tn_path_base(c->w->style, word));
    if (tn_path_is_abs(c->w->style, word)) {
        if (tn_world_is_dir(c->w, word)) /* -ccbin takes the folder, too */
            add(c, "g++", join(c, word, "g++"), by, -1);
        else if (name)
            add(c, name, word, by, -1);
        return;
    }
    for (size_t i = 0; name && i < c->s->search.n; i++) {
        const struct tn_rec_search *d = &c->s->search.v[i];
        if (tn_says(d->by, "PATH") && tn_known(d->path) && tn_path_is_abs(c->w->style, d->path.v) &&
            add(c, name, join(c, d->path.v, word), by, -1))
            return;
    }
}

/* "-ccbin /usr/bin/g++-11", "--compiler-bindir=/usr/bin/g++-11" */
static void add_of_flags(struct tn_probe_ctx *c, const char *by, const char *flags)
{
    static const char *const option[] = {"-ccbin", "--compiler-bindir"};
    for (unsigned i = 0; i < TN_LEN(option); i++) {
        const char *at = strstr(flags, option[i]);
        if (!at)
            continue;
        at += strlen(option[i]);
        at += strspn(at, " =\t\"'");
        add_named(c, by, tn_arena_strndup(c->tmp, at, strcspn(at, " \t\"'")));
        return;
    }
}

static void look_path(struct tn_probe_ctx *c, const char *name)
{
    bool win = tn_probe_is_windows(c);
    const char *file = win ? tn_arena_printf(c->tmp, "%s.exe", name) : name;
    int64_t rank = 0;
    for (size_t i = 0; i < c->s->search.n && rank < (int64_t)MAX_EQUAL; i++) {
        const struct tn_rec_search *d = &c->s->search.v[i];
        if (!tn_says(d->by, "PATH") || !tn_known(d->path) || !tn_path_is_abs(c->w->style, d->path.v))
            continue;
        bool doubled = false;
        for (size_t k = 0; k < i && !doubled; k++)
            doubled = tn_says(c->s->search.v[k].by, "PATH") && tn_says(c->s->search.v[k].path, d->path.v);
        if (!doubled && add(c, name, join(c, d->path.v, file), "PATH", rank))
            rank++;
    }
}

/* Compilers that lie in the folder of the nvcc that runs: nvcc takes these. */
static void look_beside_nvcc(struct tn_probe_ctx *c)
{
    for (size_t i = 0; i < c->s->program.n; i++) {
        const struct tn_rec_program *r = &c->s->program.v[i];
        if (!tn_says(r->name, "nvcc") || !tn_is(r->rank, 0))
            continue;
        const char *dir = tn_path_dir(c->tmp, TN_PATH_POSIX, r->path.v);
        if (!tn_str_eq(dir, "/usr/bin")) {
            add(c, "gcc", join(c, dir, "gcc"), "nvcc", -1);
            add(c, "g++", join(c, dir, "g++"), "nvcc", -1);
        }
        return;
    }
}

static void look(struct tn_probe_ctx *c)
{
    static const char *const plain[] = {"CUDAHOSTCXX", "NVCC_CCBIN", "CC", "CXX"};
    static const char *const flags[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    const char *const *name = tn_probe_is_windows(c) ? windows_names : posix_names;
    for (; *name; name++)
        look_path(c, *name);
    for (unsigned i = 0; i < TN_LEN(plain) + TN_LEN(flags); i++) {
        const char *by = i < TN_LEN(plain) ? plain[i] : flags[i - TN_LEN(plain)], *v = tn_probe_env(c, by, NULL);
        if (v && i < TN_LEN(plain))
            add_named(c, by, v);
        else if (v)
            add_of_flags(c, by, v);
    }
    if (!tn_probe_is_windows(c))
        look_beside_nvcc(c);
    c->s->program.listed = c->s->search.listed;
    c->s->program.src = c->s->search.src;
}

TN_PROBE(program, TN_PHASE_LIBRARY, look, "nvcc, ptxas and host compilers as PATH and variables lead to them",
         .gives = TN_HAS(program), .reads = TN_HAS(search) | TN_HAS(toolkit));
