/* process.c - the process that a program of this machine would become: what its loader takes from the system.
 *
 * Sources: glibc sysdeps/x86/cpu-features.c ($PLATFORM: haswell, xeon_phi on Intel's), sysdeps/x86_64/dl-hwcaps*.c and
 * elf/dl-hwcaps.c (glibc-hwcaps from 2.33 on; tls, haswell, avx512_1, x86_64 and their chains until 2.36); levels of
 * the x86-64 psABI, table 3.1. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"
#include "version/dotted.h"

bool tn_process_is(const struct tn_process *p, unsigned major, unsigned minor)
{
    uint64_t have[2] = {0, 0};
    if (!p->version || !tn_version_dotted_part(p->version, 0, &have[0]))
        return true;
    (void)tn_version_dotted_part(p->version, 1, &have[1]);
    return have[0] != major ? have[0] > major : have[1] >= minor;
}

static bool has_all(const struct tn_rec_cpu *c, const char *const *flag)
{
    for (; *flag; flag++)
        if (!tn_list_has(c->flags, *flag))
            return false;
    return true;
}

struct words {
    struct tn_arena *mem;
    const char **v;
    size_t n, cap;
};

static void add(struct words *w, const char *text)
{
    w->v = tn_arena_grow(w->mem, w->v, w->n, &w->cap, sizeof *w->v);
    w->v[w->n++] = text;
}

static void add_levels(struct words *w, const struct tn_rec_cpu *c)
{
    static const char *const v2[] = {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3", NULL},
                             *const v3[] = {"avx", "avx2", "bmi1",  "bmi2",  "f16c",
                                            "fma", "abm",  "movbe", "xsave", NULL},
                             *const v4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", NULL};
    bool two = has_all(c, v2), three = two && has_all(c, v3);
    if (three && has_all(c, v4))
        add(w, "glibc-hwcaps/x86-64-v4");
    if (three)
        add(w, "glibc-hwcaps/x86-64-v3");
    if (two)
        add(w, "glibc-hwcaps/x86-64-v2");
}

/* Every chain of the words in their order, the longest first: tls/haswell/x86_64, tls/haswell, tls/x86_64 ... */
static void add_chains(struct words *w, const char *const *word, unsigned n)
{
    for (unsigned set = 1u << n; set-- > 1;) {
        const char *chain = NULL;
        for (unsigned i = 0; i < n; i++)
            if (set >> (n - 1 - i) & 1)
                chain = chain ? tn_arena_printf(w->mem, "%s/%s", chain, word[i]) : word[i];
        add(w, chain);
    }
}

static void set_hardware(struct tn_process *p, const struct tn_rec_cpu *c, struct tn_arena *mem)
{
    static const char *const haswell[] = {"avx2", "fma", "bmi1", "bmi2", "abm", "movbe", "popcnt", NULL},
                             *const avx512_1[] = {"avx512cd", "avx512bw", "avx512dq", "avx512vl", NULL};
    struct words w = {.mem = mem};
    p->platform = p->machine;
    if (strcmp(p->machine, "x86_64") != 0 || c->flags.k != TN_KNOWN) {
        if (strcmp(p->machine, "x86_64") == 0)
            p->platform = NULL;
        return;
    }
    bool intel = tn_says(c->vendor, "GenuineIntel");
    if (intel && has_all(c, haswell))
        p->platform = "haswell";
    if (tn_process_is(p, 2, 33))
        add_levels(&w, c);
    if (!tn_process_is(p, 2, 37)) {
        const char *word[4] = {"tls"};
        unsigned n = 1;
        if (strcmp(p->platform, "haswell") == 0)
            word[n++] = "haswell";
        if (intel && has_all(c, avx512_1))
            word[n++] = "avx512_1";
        word[n++] = "x86_64";
        add_chains(&w, word, n);
    }
    p->hwcaps = w.v;
    p->n_hwcaps = w.n;
}

static void set_defaults(struct tn_process *p, const struct tn_snap *s, struct tn_arena *mem)
{
    struct words w = {.mem = mem};
    for (int64_t rank = 0; rank < 64; rank++)
        for (size_t i = 0; i < s->search.n; i++) {
            const struct tn_rec_search *r = &s->search.v[i];
            if (tn_says(r->by, "default") && tn_is(r->rank, rank) && tn_known(r->path) && !tn_known(r->env))
                add(&w, r->path.v);
        }
    p->defaults = w.v;
    p->n_defaults = w.n;
    const char *multi = tn_arena_printf(mem, "/lib/%s-linux-gnu", p->machine);
    p->lib = !w.n ? NULL : strcmp(w.v[0], multi) == 0 ? multi + 1 : strcmp(w.v[0], "/lib64") == 0 ? "lib64" : "lib";
    p->foreign = p->foreign || !w.n;
}

/* A variable that is not set is ""; where variables cannot be asked (another root folder) none is set. */
static const char *variable(const struct tn_snap *s, const char *name)
{
    for (size_t i = 0; i < s->variable.n; i++)
        if (tn_says(s->variable.v[i].name, name))
            return tn_known(s->variable.v[i].value) ? s->variable.v[i].value.v : NULL;
    return "";
}

/* Nix, Guix, Homebrew and others bring their own glibc: its cache and folders are its own. */
static bool of_system(const char *loader)
{
    static const char *const head[] = {"/lib/",       "/lib64/",     "/lib32/", "/usr/lib/",
                                       "/usr/lib64/", "/usr/lib32/", "/libx32/"};
    for (size_t i = 0; i < TN_LEN(head); i++)
        if (tn_str_starts(loader, head[i]))
            return true;
    return false;
}

bool tn_process_of(const struct tn_snap *s, const struct tn_rec_env *env, struct tn_arena *mem, struct tn_process *ret)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    struct tn_process p;
    memset(&p, 0, sizeof p);
    if (tn_says(h->os, "windows"))
        return tn_process_windows(s, env, mem, ret);
    if (tn_known(h->os) && strcmp(h->os.v, "linux") != 0)
        return false;
    if (env && !tn_known(env->interpreter))
        return false;
    p.machine = env && tn_known(env->machine) ? env->machine.v : tn_known(h->arch) ? h->arch.v : NULL;
    if (!p.machine)
        return false;
    p.bits = strcmp(p.machine, "i386") == 0 || strcmp(p.machine, "arm") == 0 ? 32 : 64;
    p.program = env ? env->interpreter.v : NULL;
    p.self = env && tn_known(env->loader) ? env->loader.v : NULL;
    bool musl = p.self ? strstr(p.self, "ld-musl-") != NULL : tn_says(h->libc, "musl");
    if (!musl && !p.self && !tn_says(h->libc, "glibc"))
        return false;
    p.kind = musl ? TN_PROCESS_MUSL : TN_PROCESS_GLIBC;
    bool others = tn_known(h->libc) && !tn_says(h->libc, musl ? "musl" : "glibc"); /* not the system's C library */
    p.foreign = others || (p.self && !of_system(p.self));
    p.version = !p.foreign && tn_known(h->libc_version) ? h->libc_version.v : "";
    set_defaults(&p, s, mem);
    if (!musl)
        set_hardware(&p, TN_THE(s, cpu), mem);
    p.library_path = variable(s, "LD_LIBRARY_PATH");
    p.preload = variable(s, "LD_PRELOAD");
    if (p.foreign || musl)
        p.preload_file.k = TN_ABSENT; /* one with a prefix of its own looks there */
    else
        p.preload_file = h->preload;
    p.audit = variable(s, "LD_AUDIT");
    *ret = p;
    return true;
}
