/* process_windows.c - the process that a Python of a Windows machine would become: what its searches begin with.
 *
 * Sources: CPython PC/launcher.c (the python.exe of a virtual environment starts its base's; from 3.7.2 on),
 * Python/dynload_win.c; Microsoft Learn, "Dynamic-link library search order"; the patch of conda-forge's Python
 * (python-feedstock, CondaEcosystemModifyDllSearchPath, in each branch from 3.8 to 3.13): five folders of its prefix
 * with AddDllDirectory, from 3.8.13, 3.9.9 and 3.10.0 on by default, from 3.11 on always; before 3.11,
 * CONDA_DLL_SEARCH_MODIFICATION_ENABLE (but for "0") adds PATH's folders, too. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"
#include "version/dotted.h"

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

static const struct tn_rec_search *place(const struct tn_snap *s, const char *by, int64_t rank)
{
    for (size_t i = 0; i < s->search.n; i++) {
        const struct tn_rec_search *r = &s->search.v[i];
        if (tn_says(r->by, by) && tn_is(r->rank, rank) && tn_known(r->path) && !tn_known(r->env))
            return r;
    }
    return NULL;
}

static const char *value(const struct tn_snap *s, const char *name)
{
    for (size_t i = 0; i < s->variable.n; i++)
        if (tn_says(s->variable.v[i].name, name) && tn_known(s->variable.v[i].value))
            return s->variable.v[i].value.v;
    return NULL;
}

static const struct tn_rec_env *base_of(const struct tn_snap *s, const struct tn_rec_env *env)
{
    for (size_t i = 0; tn_known(env->base) && i < s->env.n; i++)
        if (tn_known(s->env.v[i].path) && tn_path_same(TN_PATH_WINDOWS, s->env.v[i].path.v, env->base.v))
            return &s->env.v[i];
    return env;
}

/* "python310.dll" and what it needs: loaded in every Python that runs. */
static void set_own(struct tn_windows *w, const struct tn_rec_env *env, struct tn_arena *mem)
{
    struct words own = {.mem = mem};
    uint64_t minor = 0;
    bool known = env && tn_known(env->python) && tn_version_dotted_part(env->python.v, 1, &minor);
    if (env) {
        for (unsigned m = known ? (unsigned)minor : 5; m <= (known ? (unsigned)minor : 30); m++)
            add(&own, tn_arena_printf(mem, "python3%u.dll", m)); /* a release that is not known: whichever it is */
        add(&own, "python3.dll");
        add(&own, "vcruntime140.dll"); /* python3*.dll needs it */
    }
    w->own = own.v;
    w->n_own = own.n;
}

/* Does this release of conda-forge's Python add its folders, by default or always? */
static bool adds(const char *python, bool *ret_always)
{
    uint64_t minor = 0, micro = 0;
    (void)tn_version_dotted_part(python, 1, &minor);
    (void)tn_version_dotted_part(python, 2, &micro);
    *ret_always = minor >= 11;
    return minor >= 10 || (minor == 9 && micro >= 9) || (minor == 8 && micro >= 13);
}

static void set_added(struct tn_windows *w, const struct tn_snap *s, const struct tn_rec_env *env, struct tn_arena *mem)
{
    static const char *const below[] = {"bin", "Scripts", "Library\\bin", "Library\\usr\\bin",
                                        "Library\\mingw-w64\\bin"};
    const char *enable = value(s, "CONDA_DLL_SEARCH_MODIFICATION_ENABLE");
    bool on = enable && strcmp(enable, "0") != 0, always = false;
    struct words added = {.mem = mem};
    if (!tn_says(env->kind, "conda") || !tn_known(env->path) || !tn_known(env->python))
        return;
    bool by_default = adds(env->python.v, &always);
    for (size_t i = 0; (by_default || on) && i < TN_LEN(below); i++)
        add(&added, tn_path_join(mem, TN_PATH_WINDOWS, env->path.v, below[i]));
    for (size_t i = 0; on && !always && i < w->n_path; i++)
        add(&added, w->path[i]);
    w->added = added.v;
    w->n_added = added.n;
}

static void set_folders(struct tn_windows *w, const struct tn_snap *s, struct tn_arena *mem)
{
    struct words path = {.mem = mem};
    const struct tn_rec_search *r = place(s, "default", 0);
    for (int64_t i = 0; i < 4096; i++) {
        const struct tn_rec_search *p = place(s, "PATH", i);
        if (!p)
            break;
        add(&path, p->path.v);
    }
    w->system = r ? r->path.v : NULL;
    w->folder = r ? tn_path_dir(mem, TN_PATH_WINDOWS, r->path.v) : NULL;
    w->path = path.v;
    w->n_path = path.n;
    w->path_known = s->search.listed == TN_KNOWN;
}

bool tn_process_windows(const struct tn_snap *s, const struct tn_rec_env *env, struct tn_arena *mem,
                        struct tn_process *ret)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    struct tn_windows *w = tn_arena_alloc(mem, sizeof *w);
    struct tn_process p;
    memset(w, 0, sizeof *w);
    memset(&p, 0, sizeof p);
    if (env && !tn_known(env->interpreter))
        return false;
    p.kind = TN_PROCESS_WINDOWS;
    p.windows = w;
    p.machine = env && tn_known(env->machine) ? env->machine.v : tn_known(h->arch) ? h->arch.v : NULL;
    if (!p.machine)
        return false;
    if (tn_str_ieq(p.machine, "amd64"))
        p.machine = "x86_64";
    else if (tn_str_ieq(p.machine, "arm64"))
        p.machine = "aarch64";
    p.bits = strcmp(p.machine, "i386") == 0 ? 32 : 64;
    p.version = p.library_path = p.preload = p.audit = "";
    set_folders(w, s, mem);
    set_own(w, env, mem);
    if (env) {
        const struct tn_rec_env *real = base_of(s, env); /* a virtual environment starts its base */
        bool store = tn_says(env->kind, "store") || tn_says(real->kind, "store");
        if (store) { /* its program is a link that nothing but the system reads; its own folder is not known */
            w->packaged = true;
            w->application = NULL;
        } else if (tn_known(env->base) && env != real && tn_known(real->interpreter)) {
            p.program = real->interpreter.v;
        } else if (tn_known(env->base)) {
            p.program = tn_path_join(mem, TN_PATH_WINDOWS, env->base.v, "python.exe");
        } else {
            p.program = env->interpreter.v;
        }
        if (p.program)
            w->application = tn_path_dir(mem, TN_PATH_WINDOWS, p.program);
        set_added(w, s, real, mem);
    }
    *ret = p;
    return true;
}
