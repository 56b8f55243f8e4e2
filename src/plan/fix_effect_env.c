/* fix_effect_env.c - see fix_effect.h: what a shell and a Python environment are like after a remedy.
 *
 * Changes of one package are made to its row. Where another build of a framework comes, or its run time, the judged
 * environment is promised anew with what it holds otherwise: the caller lets probe/promised.c do that. */
#include <string.h>

#include "base/str.h"
#include "plan/fix_effect.h"
#include "version/dotted.h"
#include "version/pep440.h"

/* --- variables --- */

static bool drop_variable(struct tn_snap *s, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < s->variable.n; i++)
        if (!tn_says(s->variable.v[i].name, name))
            s->variable.v[n++] = s->variable.v[i];
    bool had = n < s->variable.n;
    s->variable.n = n;
    return had;
}

static void set_variable(const struct tn_effect_of *e, const char *name, const char *value)
{
    drop_variable(e->s, name);
    struct tn_rec_variable *v = TN_ADD(e->s, variable);
    v->name = tn_fact_str(e->s, e->src, name);
    v->value = tn_fact_str(e->s, e->src, value);
}

static enum tn_fix_told unset(const struct tn_effect_of *e)
{
    const char *id = e->r->id;
    const char *name = tn_str_eq(id, "show-all-gpus")     ? "CUDA_VISIBLE_DEVICES"
                       : tn_str_eq(id, "drop-pythonhome") ? "PYTHONHOME"
                                                          : tn_effect_arg(e->r, "name");
    e->after->loads = tn_str_eq(name, "LD_LIBRARY_PATH") || tn_str_eq(name, "LD_PRELOAD");
    return drop_variable(e->s, name) ? TN_FIX_TOLD : TN_FIX_TOLD_BY_HAND;
}

/* name=value as the remedy's own command has it; NULL: from an argument. */
static enum tn_fix_told set(const struct tn_effect_of *e)
{
    static const struct {
        char id[24], name[32], value[32];
    } of[] = {{"expandable-segments", "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"},
              {"jax-no-preallocation", "XLA_PYTHON_CLIENT_PREALLOCATE", "false"},
              {"memory-growth", "TF_FORCE_GPU_ALLOW_GROWTH", "true"},
              {"keep-compute-cache", "CUDA_CACHE_MAXSIZE", "4294967296"},
              {"nccl-without-p2p", "NCCL_P2P_DISABLE", "1"}};
    const char *id = e->r->id;
    for (unsigned i = 0; i < TN_LEN(of); i++)
        if (tn_str_eq(of[i].id, id))
            set_variable(e, of[i].name, of[i].value);
    if (tn_str_eq(id, "use-other-gpu"))
        set_variable(e, "CUDA_VISIBLE_DEVICES", tn_effect_arg(e->r, "id"));
    if (tn_str_eq(id, "xla-data-dir"))
        set_variable(e, "XLA_FLAGS", tn_arena_printf(e->mem, "--xla_gpu_cuda_data_dir=%s", tn_effect_arg(e->r, "dir")));
    if (tn_str_eq(id, "older-host-compiler"))
        return TN_FIX_TOLD_TRY; /* which compilers are there then nobody has looked at */
    if (tn_str_eq(id, "mend-variable")) {
        if (tn_says(TN_THE(e->s, host)->os, "windows"))
            return TN_FIX_TOLD_BY_HAND;
        if (*tn_effect_arg(e->r, "value"))
            set_variable(e, tn_effect_arg(e->r, "name"), tn_effect_arg(e->r, "value"));
        else
            drop_variable(e->s, tn_effect_arg(e->r, "name"));
    }
    return TN_FIX_TOLD;
}

/* --- LD_LIBRARY_PATH --- */

/* The folder with the toolkit's own path in the place of a link to it: "/usr/local/cuda/lib64". */
static const char *resolved(const struct tn_effect_of *e, const char *folder)
{
    const struct tn_snap *s = e->s;
    for (size_t i = 0; i < s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        for (uint32_t k = 0; t->names.k == TN_KNOWN && k < t->names.n && tn_known(t->path); k++) {
            size_t n = strlen(t->names.v[k]);
            if (strncmp(folder, t->names.v[k], n) == 0 && (folder[n] == '/' || !folder[n]))
                return tn_arena_printf(e->mem, "%s%s", t->path.v, folder + n);
        }
    }
    return folder;
}

static bool is_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    const char *slash = strrchr(path, '/');
    return slash && (size_t)(slash - path) == n && strncmp(path, folder, n) == 0;
}

static bool list_has(const struct tn_effect_of *e, const char *list, const char *path)
{
    while (*list) {
        size_t n = strcspn(list, ":;");
        const char *folder = tn_arena_strndup(e->mem, list, n);
        if (n && (is_in(path, folder) || is_in(path, resolved(e, folder))))
            return true;
        list += n + (list[n] != 0);
    }
    return false;
}

/* In a folder that every program searches without the variable. */
static bool is_met_anyway(const struct tn_snap *s, const char *path)
{
    for (size_t i = 0; i < s->search.n; i++) {
        const struct tn_rec_search *r = &s->search.v[i];
        if ((tn_says(r->by, "ld.so.cache") || tn_says(r->by, "default")) && tn_known(r->path) && is_in(path, r->path.v))
            return true;
    }
    return false;
}

static void search_rows(const struct tn_effect_of *e, const char *value)
{
    struct tn_snap *s = e->s;
    size_t n = 0;
    for (size_t i = 0; i < s->search.n; i++)
        if (!tn_says(s->search.v[i].by, "LD_LIBRARY_PATH"))
            s->search.v[n++] = s->search.v[i];
    s->search.n = n;
    for (int64_t rank = 0; *value; rank++) {
        size_t k = strcspn(value, ":;");
        struct tn_rec_search *r = TN_ADD(s, search);
        r->by = tn_fact_str(s, e->src, "LD_LIBRARY_PATH");
        r->rank = tn_fact_int(e->src, rank);
        r->path = tn_fact_strn(s, e->src, value, k);
        value += k + (value[k] != 0);
    }
}

/* Which copy of a name is met first: those of the variable before the others, else in the order of before. */
static void order(const struct tn_effect_of *e, const char *value)
{
    struct tn_snap *s = e->s;
    int64_t *key = tn_arena_array(e->mem, s->library.n + 1, sizeof *key);
    for (size_t i = 0; i < s->library.n; i++) {
        struct tn_rec_library *l = &s->library.v[i];
        const char *path = tn_known(l->path) ? l->path.v : "";
        bool listed = list_has(e, value, path);
        bool met = listed || is_met_anyway(s, path) ||
                   (!tn_says(l->place, "path") && tn_is(l->reachable, 1) && tn_says(l->place, "driver"));
        l->reachable = tn_fact_int(e->src, met);
        key[i] = met ? (listed ? 0 : 1 << 20) + (l->rank.k == TN_KNOWN ? l->rank.v : 1 << 10) : -1;
    }
    for (size_t i = 0; i < s->library.n; i++) {
        struct tn_rec_library *l = &s->library.v[i];
        int64_t rank = 0;
        for (size_t k = 0; k < s->library.n && key[i] >= 0 && tn_known(l->soname); k++)
            rank += key[k] >= 0 && key[k] < key[i] && tn_says(s->library.v[k].soname, l->soname.v);
        l->rank = key[i] >= 0 ? tn_fact_int(e->src, rank) : tn_fact_noint(e->src, TN_ABSENT);
    }
}

static void libcuda(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    struct tn_rec_driver *d = TN_THE(s, driver);
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (!tn_says(l->soname, "libcuda.so.1") || !tn_is(l->rank, 0) || tn_is(l->bits, 32))
            continue;
        d->library_path = l->path;
        d->library_version = l->version;
        return;
    }
}

static enum tn_fix_told library_path(const struct tn_effect_of *e)
{
    bool nix = tn_str_eq(e->r->id, "search-driver-folder");
    const char *value = nix ? "/run/opengl-driver/lib" : tn_effect_arg(e->r, "value");
    if (nix && e->s->library.listed != TN_KNOWN)
        return TN_FIX_TOLD_TRY;
    if (*value)
        set_variable(e, "LD_LIBRARY_PATH", value);
    else
        drop_variable(e->s, "LD_LIBRARY_PATH");
    search_rows(e, value);
    order(e, value);
    libcuda(e);
    e->after->loads = true;
    return TN_FIX_TOLD;
}

/* --- the environment --- */

static const char *judged(const struct tn_snap *s)
{
    const struct tn_rec_env *env = tn_snap_judged(s);
    return env && tn_known(env->id) ? env->id.v : NULL;
}

static bool is_of(const struct tn_rec_dist *d, const char *env, const char *name)
{
    return tn_says(d->env, env) && tn_known(d->name) && (!name || tn_str_eq(d->name.v, name));
}

/* What the environment holds, those left out that are named (ends with NULL). False: there is no environment. */
static bool hold(const struct tn_effect_of *e, const char *const *without)
{
    struct tn_snap *s = e->s;
    const char *env = judged(s);
    if (!env)
        return false;
    e->after->env = true;
    for (size_t i = 0; i < s->dist.n && e->after->n < TN_FIX_MAX_PROMISES; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        if (!is_of(d, env, NULL) || !tn_known(d->version) || tn_is(d->hidden, 1) || tn_str_in(d->name.v, without))
            continue;
        e->after->v[e->after->n].package = d->name.v;
        e->after->v[e->after->n].stays = true;
        e->after->v[e->after->n++].version = d->version.v;
    }
    return true;
}

static void promise(const struct tn_effect_of *e, const char *package, const char *version)
{
    if (e->after->n == TN_FIX_MAX_PROMISES || !*package || !*version)
        return;
    e->after->v[e->after->n].package = package;
    e->after->v[e->after->n++].version = version;
}

/* "torch==2.4.1" -> "torch" and "2.4.1"; NULL: no exact one. */
static const char *exact(const struct tn_effect_of *e, const char *want, const char **ret_name)
{
    size_t n = strcspn(want, "=<>!~[ ");
    const char *eq = strstr(want, "==");
    *ret_name = tn_arena_strndup(e->mem, want, n);
    return eq && !strpbrk(eq + 2, "*,<> ") && eq[2] != '=' ? eq + 2 : NULL;
}

/* A release in the range: the last one of the lines that people are held back to (lists of releases of the package
 * index), else one that the range names itself. */
static const char *release_in(const struct tn_effect_of *e, const char *name, const char *spec)
{
    static const struct {
        char name[12], version[8];
    } last[] = {{"numpy", "1.26.4"}, {"protobuf", "3.20.3"}, {"protobuf", "3.19.6"}, {"keras", "2.15.0"}};
    struct tn_err err;
    bool ok = false;
    for (unsigned i = 0; i < TN_LEN(last); i++)
        if (tn_str_eq(last[i].name, name) && tn_version_pep440_match(last[i].version, spec, &ok, &err) == 0 && ok)
            return last[i].version;
    for (const char *p = spec; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t op = strspn(p, "=<>!~ ");
        const char *v = tn_arena_strndup(e->mem, p + op, strcspn(p + op, ", "));
        if (*v && tn_version_pep440_match(v, spec, &ok, &err) == 0 && ok)
            return v;
    }
    return NULL;
}

/* requires: what the new release asks for, as far as that is known; NULL: not. */
static bool set_dist(const struct tn_effect_of *e, const char *name, const char *version, const char *requires)
{
    const char *env = judged(e->s);
    bool found = false;
    for (size_t i = 0; i < e->s->dist.n && env; i++) {
        struct tn_rec_dist *d = &e->s->dist.v[i];
        if (!is_of(d, env, name))
            continue;
        d->version = tn_fact_str(e->s, e->src, version);
        d->damage = tn_fact_nostr(e->src, TN_ABSENT);
        d->requires = requires ? tn_fact_list(e->s, e->src, &requires, 1) : tn_fact_nolist(e->src, TN_UNASKED);
        found = true;
    }
    return found;
}

/* NVIDIA's wheels bring libraries: with another release of one the loader's answers are other ones. */
static bool brings_libraries(const char *name)
{
    return tn_str_starts(name, "nvidia-");
}

/* "nvidia-cuda-runtime-cu12" brings libcudart, "nvidia-nvjitlink-cu12" libnvJitLink. */
static bool is_from(const struct tn_rec_library *l, const char *package)
{
    const char *part = package + strlen("nvidia-");
    size_t n = strcspn(part, "-");
    if (tn_str_starts(part, "cuda-runtime"))
        return tn_says(l->stem, "libcudart");
    if (tn_str_starts(part, "cuda-nvrtc"))
        return tn_says(l->stem, "libnvrtc");
    if (!tn_known(l->stem) || !tn_str_starts(l->stem.v, "lib") || !n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (tn_lower(l->stem.v[3 + i]) != part[i])
            return false;
    return true;
}

static enum tn_fix_told with_libraries(const struct tn_effect_of *e, const char *name, const char *version)
{
    struct tn_snap *s = e->s;
    const char *env = judged(s);
    bool cudnn = tn_str_starts(name, "nvidia-cudnn-cu");
    size_t n = 0;
    if (!env || !set_dist(e, name, version, NULL))
        return TN_FIX_TOLD_CHOICE;
    for (size_t i = 0; i < s->library.n; i++) {
        struct tn_rec_library *l = &s->library.v[i];
        bool it = tn_says(l->env, env) && is_from(l, name);
        if (it && cudnn)
            continue; /* the whole set comes anew */
        if (it)
            l->version = tn_fact_str(s, e->src, version);
        s->library.v[n++] = *l;
    }
    s->library.n = n;
    for (size_t i = 0; i < s->load.n; i++) { /* its own copy serves, wherever it was found before */
        struct tn_rec_load *r = &s->load.v[i];
        if (tn_known(r->name) && cudnn && tn_str_starts(r->name.v, "libcudnn")) {
            r->outcome = tn_fact_str(s, e->src, "found");
            r->culprit = r->fault = r->error = tn_fact_nostr(e->src, TN_ABSENT);
        }
        if (tn_says(r->place, "env") || (cudnn && tn_known(r->name) && tn_str_starts(r->name.v, "libcudnn")))
            r->version = r->own_version = tn_fact_nostr(e->src, TN_UNASKED);
    }
    if (cudnn)
        e->after->cudnn = version;
    return TN_FIX_TOLD;
}

/* The release of a companion that goes with this one of torch: torchvision 0.(N+15) with 2.N, 0.(N+1) with 1.N from
 * 1.4 on; torchaudio has torch's own number, before 2.0 with 0 in front (pytorch/vision and pytorch/audio, README.md,
 * tables of releases). Of others no rule is known. */
static const char *companion(const struct tn_effect_of *e, const char *name, const char *on, const char *version)
{
    unsigned major = (unsigned)tn_version_dotted_major(version), minor = 0;
    const char *dot = strchr(version, '.');
    for (size_t i = 1; dot && i < 4 && tn_is_digit(dot[i]); i++)
        minor = minor * 10 + (unsigned)(dot[i] - '0');
    if (!tn_str_eq(on, "torch") || !dot || major < 1 || major > 2 || (major == 1 && minor < 4))
        return NULL;
    if (tn_str_eq(name, "torchvision"))
        return tn_arena_printf(e->mem, "0.%u.0", major == 2 ? minor + 15 : minor + 1);
    if (tn_str_eq(name, "torchaudio"))
        return tn_arena_printf(e->mem, "%u.%u.0", major == 2 ? 2u : 0u, minor);
    return NULL;
}

static enum tn_fix_told package(const struct tn_effect_of *e)
{
    const char *name, *want = tn_effect_arg(e->r, "want"), *version;
    if (tn_str_eq(e->r->id, "pin-numpy"))
        want = "numpy<2";
    if (tn_str_eq(e->r->id, "nvcc-wheel")) {
        const char *wheel = tn_arena_printf(e->mem, "nvidia-cuda-nvcc-cu%s", tn_effect_arg(e->r, "major")), *env;
        if (!(env = judged(e->s)))
            return TN_FIX_TOLD_TRY;
        struct tn_rec_dist *d = TN_ADD(e->s, dist);
        d->env = tn_fact_str(e->s, e->src, env);
        d->name = tn_fact_str(e->s, e->src, wheel);
        d->place = tn_fact_str(e->s, e->src, "env");
        return TN_FIX_TOLD;
    }
    version = exact(e, want, &name);
    if (tn_str_eq(e->r->id, "fitting-companion")) {
        const char *other = tn_effect_arg(e->r, "companion");
        const char *fits = version ? companion(e, other, name, version) : NULL;
        return fits && set_dist(e, other, fits, want) ? TN_FIX_TOLD : TN_FIX_TOLD_CHOICE;
    }
    if (!version)
        version = release_in(e, name, want + strlen(name));
    if (!version)
        return TN_FIX_TOLD_CHOICE;
    if (brings_libraries(name))
        return with_libraries(e, name, version);
    return set_dist(e, name, version, NULL) ? TN_FIX_TOLD : TN_FIX_TOLD_CHOICE;
}

static enum tn_fix_told restored(const struct tn_effect_of *e)
{
    const char *name = tn_effect_arg(e->r, "package"), *version = tn_effect_arg(e->r, "version"), *gone = "";
    if (tn_str_eq(e->r->id, "separate-environments")) {
        version = exact(e, tn_effect_arg(e->r, "want"), &name);
        gone = tn_effect_arg(e->r, "name");
    }
    const char *const old[] = {name, gone, NULL};
    if (!version || !*version || !hold(e, old))
        return TN_FIX_TOLD_TRY;
    promise(e, name, version);
    e->after->keep = true;
    if (tn_str_starts(name, "nvidia-cudnn-"))
        e->after->cudnn = version;
    else
        e->after->own = brings_libraries(name);
    return TN_FIX_TOLD;
}

static enum tn_fix_told removed(const struct tn_effect_of *e)
{
    const char *name, *version = exact(e, tn_effect_arg(e->r, "want"), &name);
    const char *const old[] = {tn_effect_arg(e->r, "package"), tn_effect_arg(e->r, "other"), name, NULL};
    if (!hold(e, old))
        return TN_FIX_TOLD_TRY;
    if (*tn_effect_arg(e->r, "want") && !version)
        return TN_FIX_TOLD_CHOICE;
    if (version)
        promise(e, name, version);
    e->after->keep = true;
    return TN_FIX_TOLD;
}

static enum tn_fix_told with_torch(const struct tn_effect_of *e, const char *release, const char *flavour)
{
    static const char *const names[] = {"torch", "torchvision", "torchaudio", NULL};
    const char *env = judged(e->s);
    if (!hold(e, names))
        return TN_FIX_TOLD_TRY;
    promise(e, "torch", tn_arena_printf(e->mem, "%s+%s", release, flavour));
    for (unsigned i = 1; names[i]; i++) {
        const char *fits = companion(e, names[i], "torch", release);
        bool had = false;
        for (size_t k = 0; k < e->s->dist.n; k++)
            had = had || is_of(&e->s->dist.v[k], env, names[i]);
        if (had && fits)
            promise(e, names[i], tn_arena_printf(e->mem, "%s+%s", fits, flavour));
    }
    e->after->own = true;
    return TN_FIX_TOLD;
}

/* jaxlib of the tables: the build for CUDA as old releases write it. */
static void promise_jax(const struct tn_effect_of *e, const char *version)
{
    promise(e, "jax", version);
    promise(e, "jaxlib", tn_arena_printf(e->mem, "%s+cuda%s", version, tn_effect_arg(e->r, "major")));
    e->after->own = true;
}

static enum tn_fix_told cpu_build(const struct tn_effect_of *e)
{
    const char *variant = e->r->variant ? e->r->variant : "", *version = tn_effect_arg(e->r, "version");
    const char *package = tn_effect_arg(e->r, "package");
    const char *const old[] = {package, tn_str_eq(variant, "torch") ? "torch" : "", NULL};
    if (!tn_str_eq(variant, "tensorflow") && !tn_str_eq(variant, "torch"))
        return TN_FIX_TOLD_CHOICE;
    if (!hold(e, old))
        return TN_FIX_TOLD_TRY;
    if (tn_str_eq(variant, "torch"))
        promise(e, "torch", tn_arena_printf(e->mem, "%s+cpu", version));
    else
        promise(e, "tensorflow-cpu", version);
    e->after->keep = e->after->cpu = true;
    return TN_FIX_TOLD;
}

static enum tn_fix_told build_of(const struct tn_effect_of *e)
{
    const char *id = e->r->id, *release = tn_effect_arg(e->r, "release"), *version = tn_effect_arg(e->r, "version");
    const char *variant = e->r->variant ? e->r->variant : "", *package = tn_effect_arg(e->r, "package");
    if (tn_str_eq(id, "use-cpu-build"))
        return cpu_build(e);
    if (tn_str_eq(id, "fitting-torch"))
        return with_torch(e, release, tn_effect_arg(e->r, "flavour"));
    const char *const old[] = {"tensorflow",
                               "tensorflow-cpu",
                               "tensorflow-gpu",
                               "tensorflow-intel",
                               *package ? package : "tensorflow",
                               "jaxlib",
                               NULL};
    bool jax = tn_str_eq(variant, "jax");
    if (!hold(e, old))
        return TN_FIX_TOLD_TRY;
    if (tn_str_eq(id, "tensorflow-2-4-1"))
        version = "2.4.1";
    if (jax) {
        promise_jax(e, version);
    } else if (tn_str_eq(variant, "onnxruntime")) {
        promise(e, "onnxruntime-gpu", version);
        e->after->own = true;
    } else if (tn_str_eq(id, "gpu-build")) {
        promise(e, tn_effect_arg(e->r, "gpu_package"), version);
    } else {
        promise(e, "tensorflow", *release ? release : version);
        e->after->own =
            tn_str_eq(id, "gpu-build-wheels") || tn_str_eq(id, "neighbour-release") || tn_str_eq(variant, "extra");
    }
    e->after->keep = !e->after->own;
    return TN_FIX_TOLD;
}

static enum tn_fix_told cuda_of_its_own(const struct tn_effect_of *e)
{
    static const char *const none[] = {NULL};
    const char *cuda = tn_effect_arg(e->r, "cuda"), *cudnn = tn_effect_arg(e->r, "cudnn");
    if (!hold(e, none))
        return TN_FIX_TOLD_TRY;
    bool wheels11 = tn_str_eq(e->r->id, "env-cuda11-wheels");
    e->after->cuda = wheels11 ? "11.8" : cuda;
    e->after->cudnn = wheels11 ? "8.6.0" : cudnn;
    e->after->own = true;
    return TN_FIX_TOLD;
}

/* Without the folder below the home folder, or those of PYTHONPATH: what it hid is seen. */
static enum tn_fix_told without_place(const struct tn_effect_of *e, const char *place)
{
    struct tn_snap *s = e->s;
    const char *env = judged(s);
    size_t n = 0;
    if (!env)
        return TN_FIX_TOLD_TRY;
    for (size_t i = 0; i < s->dist.n; i++) {
        struct tn_rec_dist *d = &s->dist.v[i];
        if (is_of(d, env, NULL) && tn_says(d->place, place))
            continue;
        if (is_of(d, env, NULL))
            d->hidden = tn_fact_int(e->src, 0);
        s->dist.v[n++] = *d;
    }
    s->dist.n = n;
    n = 0;
    for (size_t i = 0; i < s->shadow.n; i++)
        if (!tn_says(s->shadow.v[i].by, place))
            s->shadow.v[n++] = s->shadow.v[i];
    s->shadow.n = n;
    static const char *const none[] = {NULL};
    if (!hold(e, none))
        return TN_FIX_TOLD_TRY;
    e->after->keep = true;
    return TN_FIX_TOLD;
}

static enum tn_fix_told shadow(const struct tn_effect_of *e)
{
    size_t n = 0;
    for (size_t i = 0; i < e->s->shadow.n; i++)
        if (!tn_says(e->s->shadow.v[i].path, tn_effect_arg(e->r, "path")))
            e->s->shadow.v[n++] = e->s->shadow.v[i];
    e->s->shadow.n = n;
    return TN_FIX_TOLD;
}

/* "global.index-url" of the file, or wherever it is set. */
static enum tn_fix_told unset_index(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    const char *name = tn_effect_arg(e->r, "name"), *dot = strchr(name, '.');
    size_t n = 0;
    for (size_t i = 0; i < s->config.n; i++) {
        const struct tn_rec_config *c = &s->config.v[i];
        bool it = tn_says(c->path, tn_effect_arg(e->r, "file")) &&
                  (!*name || (dot && tn_says(c->key, dot + 1) && tn_known(c->section)));
        if (!it)
            s->config.v[n++] = *c;
    }
    bool had = n < s->config.n;
    s->config.n = n;
    return had ? TN_FIX_TOLD : TN_FIX_TOLD_BY_HAND;
}

static enum tn_fix_told shell(const struct tn_effect_of *e)
{
    if (tn_str_eq(e->r->id, "allow-profile"))
        TN_THE(e->s, shell)->policy = tn_fact_str(e->s, e->src, "RemoteSigned");
    else
        TN_THE(e->s, shell)->conda_init = tn_fact_int(e->src, 1);
    return TN_FIX_TOLD;
}

enum tn_fix_told tn_effect_env(const struct tn_effect_of *e, enum tn_effect kind)
{
    switch (kind) {
    case TN_EFFECT_UNSET: return unset(e);
    case TN_EFFECT_SET: return set(e);
    case TN_EFFECT_LIBRARY_PATH: return library_path(e);
    case TN_EFFECT_SHELL: return shell(e);
    case TN_EFFECT_USER_SITE: set_variable(e, "PYTHONNOUSERSITE", "1"); return without_place(e, "user");
    case TN_EFFECT_PYTHONPATH: drop_variable(e->s, "PYTHONPATH"); return without_place(e, "path");
    case TN_EFFECT_SHADOW: return shadow(e);
    case TN_EFFECT_INDEX: return unset_index(e);
    case TN_EFFECT_PACKAGE: return package(e);
    case TN_EFFECT_RESTORED: return restored(e);
    case TN_EFFECT_REMOVED: return removed(e);
    case TN_EFFECT_BUILD_OF: return build_of(e);
    case TN_EFFECT_CUDA: return cuda_of_its_own(e);
    default: return TN_FIX_TOLD_TRY;
    }
}
