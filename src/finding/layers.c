/* layers.c - see layers.h.
 *
 * Invariant: a layer is called good only for something that was seen; not looked at is "unknown", nothing to look at
 * is "nothing". Every say has all its arguments, and the facts that it speaks of. */
#include "finding/layers.h"

#include <string.h>

#include "base/str.h"
#include "strings.gen.h"

static const char *text_or(struct tn_str f, const char *other)
{
    return tn_known(f) ? f.v : other;
}

static void arg(struct tn_layer *l, const char *key, const char *value)
{
    l->arg[l->n_arg++] = (struct tn_arg){key, value};
}

static void set(struct tn_layer *l, enum tn_layer_status status, const char *say)
{
    l->status = status;
    l->say = say;
}

static void fact(struct tn_layer *l, struct tn_ref ref)
{
    if (l->n_fact < TN_LAYER_FACTS)
        l->fact[l->n_fact++] = ref;
}

static bool is_wsl(const struct tn_snap *s)
{
    return TN_THE(s, host)->wsl.k == TN_KNOWN && TN_THE(s, host)->wsl.v > 0;
}

static const char *gpu_name(struct tn_arena *mem, const struct tn_rec_gpu *g)
{
    if (tn_known(g->name) || !tn_known(g->device_id))
        return text_or(g->name, "NVIDIA GPU");
    return tn_arena_printf(mem, "NVIDIA GPU %s", g->device_id.v);
}

static bool same_card(const struct tn_rec_gpu *a, const struct tn_rec_gpu *b)
{
    return tn_str_eq(text_or(a->name, ""), text_or(b->name, "")) &&
           tn_str_eq(text_or(a->device_id, ""), text_or(b->device_id, "")) &&
           tn_str_eq(text_or(a->capability, ""), text_or(b->capability, ""));
}

/* "2 x NVIDIA A100 (8.0), NVIDIA T4 (7.5)": equal neighbours together. */
static const char *list_cards(const struct tn_judge *j, struct tn_arena *mem)
{
    const struct tn_rec_gpu *last = NULL;
    const char *all = "";
    unsigned n = 0;
    for (size_t row = 0;;) {
        const struct tn_rec_gpu *g = tn_judge_gpu(j, &row);
        if (last && (!g || !same_card(g, last))) {
            const char *cc = text_or(last->capability, "");
            const char *times = n > 1 ? tn_arena_printf(mem, "%u x ", n) : "";
            all = tn_arena_printf(mem, "%s%s%s%s", all, *all ? ", " : "", times, gpu_name(mem, last));
            if (*cc)
                all = tn_arena_printf(mem, "%s (%s)", all, cc);
            n = 0;
        }
        if (!g)
            return all;
        last = g;
        n++;
    }
}

static void see_hardware(const struct tn_judge *j, struct tn_arena *mem, struct tn_layer *l)
{
    size_t row = 0, n = 0;
    const struct tn_rec_gpu *first = NULL;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row)); n++) {
        fact(l, TN_REF(gpu, row - 1, name));
        fact(l, TN_REF(gpu, row - 1, capability));
        first = first ? first : g;
    }
    if (n == 0) {
        bool known = j->s->gpu.listed == TN_KNOWN;
        if (!known && TN_THE(j->s, host)->wsl.k == TN_KNOWN && TN_THE(j->s, host)->wsl.v > 0 &&
            tn_judge_node(j->s, "/dev/dxg")) {
            set(l, TN_LAYER_GOOD, TN_S_layer_hardware_wsl); /* there is no bus to look at */
            fact(l, TN_REF_REC(node));
            return;
        }
        set(l, known ? TN_LAYER_NOTHING : TN_LAYER_UNKNOWN, known ? TN_S_layer_hardware_none : TN_S_layer_unknown);
        fact(l, TN_REF_REC(gpu));
        return;
    }
    if (n > 1)
        set(l, TN_LAYER_GOOD, TN_S_layer_hardware_several);
    else
        set(l, TN_LAYER_GOOD, tn_known(first->capability) ? TN_S_layer_hardware_good : TN_S_layer_hardware_bare);
    arg(l, "gpu", n > 1 ? list_cards(j, mem) : gpu_name(mem, first));
    arg(l, "capability", text_or(first->capability, ""));
}

static void see_driver(const struct tn_judge *j, struct tn_layer *l)
{
    size_t row = 0;
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    bool no_card = j->s->gpu.listed == TN_KNOWN && tn_judge_gpu(j, &row) == NULL && !is_wsl(j->s);
    const char *version = text_or(d->version, text_or(d->library_version, NULL));
    if (version && tn_known(d->cuda))
        set(l, TN_LAYER_GOOD, is_wsl(j->s) ? TN_S_layer_driver_wsl : TN_S_layer_driver_good);
    else if (version || tn_is(d->loaded, 1))
        set(l, TN_LAYER_GOOD, version ? TN_S_layer_driver_version : TN_S_layer_driver_loaded);
    else if (no_card)
        set(l, TN_LAYER_NOTHING, TN_S_layer_driver_needless);
    else if (d->library_version.k == TN_ABSENT)
        set(l, TN_LAYER_NOTHING, TN_S_layer_driver_none);
    else
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    arg(l, "driver", version ? version : "");
    arg(l, "cuda", text_or(d->cuda, ""));
    fact(l, tn_known(d->version) ? TN_REF(driver, 0, version) : TN_REF(driver, 0, library_version));
    fact(l, TN_REF(driver, 0, cuda));
}

static void see_container(const struct tn_judge *j, struct tn_layer *l)
{
    struct tn_str kind = TN_THE(j->s, container)->kind;
    if (tn_known(kind))
        set(l, TN_LAYER_GOOD, TN_S_layer_container_good);
    else if (kind.k == TN_ABSENT || kind.k == TN_UNASKED)
        set(l, TN_LAYER_NOTHING, TN_S_layer_container_none);
    else
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    arg(l, "kind", text_or(kind, ""));
    fact(l, TN_REF(container, 0, kind));
}

static unsigned place_of(const struct tn_rec_framework *f)
{
    static const char *const order[] = {"tensorflow", "torch", "jax"};
    unsigned i = 0;
    while (i < TN_LEN(order) && !tn_says(f->name, order[i]))
        i++;
    return i + (tn_is(f->gpu_build, 1) ? 0 : 10);
}

const struct tn_rec_framework *tn_layers_framework(const struct tn_judge *j, bool gpu)
{
    size_t row = 0;
    const struct tn_rec_framework *best = NULL;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));)
        if ((!gpu || tn_is(f->gpu_build, 1)) && (!best || place_of(f) < place_of(best)))
            best = f;
    return best;
}

static bool is_stem(const struct tn_rec_library *l, const char *const stem[2])
{
    return tn_says(l->stem, stem[0]) || tn_says(l->stem, stem[1]);
}

static bool is_asked(const struct tn_rec_framework *f, const struct tn_rec_library *l)
{
    for (uint32_t i = 0; f->asks.k == TN_KNOWN && tn_known(l->soname) && i < f->asks.n; i++)
        if (tn_str_ieq(f->asks.v[i], l->soname.v))
            return true;
    return false;
}

/* The copy that the judged environment would most likely load: of the name that is asked for, its own before what
 * everybody finds. library.n if there is none. */
static size_t first_library(const struct tn_judge *j, const struct tn_rec_framework *f, const char *const stem[2])
{
    size_t best = j->s->library.n, row = 0;
    int best_weight = -1;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));) {
        if (!is_stem(l, stem) || tn_says(l->kind, "stub") || tn_says(l->kind, "empty") || tn_is(l->bits, 32))
            continue;
        bool own = tn_known(l->env) && tn_known(j->env->id) && tn_says(l->env, j->env->id.v);
        int weight = 8 * is_asked(f, l) + 4 * own + 2 * tn_known(l->env) + tn_is(l->reachable, 1);
        if (weight > best_weight) {
            best = row - 1;
            best_weight = weight;
        }
    }
    return best;
}

/* Does the framework open none of this kind by name: it brings the code itself? */
static bool is_built_in(const struct tn_rec_framework *f, const char *const stem[2])
{
    for (uint32_t i = 0; f->asks.k == TN_KNOWN && i < f->asks.n; i++)
        if (tn_str_starts(f->asks.v[i], stem[0]) || tn_str_starts(f->asks.v[i], stem[1]))
            return false;
    return f->asks.k == TN_KNOWN;
}

/* "11.8.0, 13.0"; "" if there is none. */
static const char *list_toolkits(const struct tn_judge *j, struct tn_arena *mem, struct tn_layer *l)
{
    const char *all = "";
    for (size_t i = 0; i < j->s->toolkit.n; i++)
        if (tn_known(j->s->toolkit.v[i].version)) {
            all = tn_arena_printf(mem, "%s%s%s", all, *all ? ", " : "", j->s->toolkit.v[i].version.v);
            fact(l, TN_REF(toolkit, i, version));
        }
    return all;
}

static const char *say_library(const struct tn_rec_library *lib, const char *toolkits, bool cuda)
{
    if (!tn_known(lib->env))
        return cuda ? TN_S_layer_cuda_good : TN_S_layer_cudnn_good;
    if (!cuda)
        return TN_S_layer_cudnn_env;
    return *toolkits ? TN_S_layer_cuda_env_toolkit : TN_S_layer_cuda_env;
}

static void see_library(const struct tn_judge *j, struct tn_arena *mem, struct tn_layer *l, bool cuda)
{
    static const char *const cudart[] = {"libcudart", "cudart"}, *const cudnn[] = {"libcudnn", "cudnn"};
    const char *const *stem = cuda ? cudart : cudnn, *dir = "?";
    const struct tn_rec_framework *f = tn_layers_framework(j, true);
    size_t row = f ? first_library(j, f, stem) : j->s->library.n;
    const struct tn_rec_library *lib = row < j->s->library.n ? &j->s->library.v[row] : NULL;
    if (lib)
        fact(l, TN_REF(library, row, version));
    if (lib && tn_known(lib->path))
        dir = tn_path_dir(mem, tn_snap_style(j->s), lib->path.v);
    const char *toolkits = cuda ? list_toolkits(j, mem, l) : "";
    if (f == NULL && *toolkits)
        set(l, TN_LAYER_GOOD, TN_S_layer_cuda_toolkit);
    else if (f == NULL)
        set(l, TN_LAYER_NOTHING, TN_S_layer_not_needed);
    else if (lib)
        set(l, TN_LAYER_GOOD, say_library(lib, toolkits, cuda));
    else if (is_built_in(f, stem))
        set(l, TN_LAYER_GOOD, TN_S_layer_built_in);
    else /* not looked for, or a finding tells it */
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    arg(l, "version", lib ? text_or(lib->version, "?") : "");
    arg(l, "file", lib ? text_or(lib->soname, "?") : "");
    arg(l, "dir", dir);
    arg(l, "toolkit", toolkits);
    arg(l, "package", f ? text_or(f->package, text_or(f->name, "?")) : "");
}

static const char *os_name(const struct tn_snap *s)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    if (is_wsl(s))
        return h->wsl.v == 1 ? "WSL 1" : "WSL 2";
    return tn_says(h->os, "linux") ? "Linux" : tn_says(h->os, "windows") ? "Windows" : text_or(h->os, "?");
}

/* The other frameworks of the environment: "torch 2.5.1, jax 0.5.0". */
static const char *list_others(const struct tn_judge *j, struct tn_arena *mem, const struct tn_rec_framework *first)
{
    const char *all = "";
    size_t row = 0;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));)
        if (f != first)
            all = tn_arena_printf(mem, "%s%s%s %s", all, *all ? ", " : "", text_or(f->package, text_or(f->name, "?")),
                                  text_or(f->version, "?"));
    return all;
}

static const char *say_framework(const struct tn_rec_framework *f, bool also)
{
    if (tn_is(f->gpu_build, 1) && tn_known(f->cuda))
        return also ? TN_S_layer_framework_good_also : TN_S_layer_framework_good;
    if (tn_is(f->gpu_build, 1))
        return also ? TN_S_layer_framework_gpu_also : TN_S_layer_framework_gpu;
    if (tn_is(f->gpu_build, 0))
        return also ? TN_S_layer_framework_cpu_also : TN_S_layer_framework_cpu;
    return also ? TN_S_layer_framework_bare_also : TN_S_layer_framework_bare;
}

bool tn_layers_looked(const struct tn_judge *j)
{
    return (j->env ? j->s->framework.listed : j->s->env.listed) == TN_KNOWN;
}

static void no_framework(const struct tn_judge *j, struct tn_layer *layer)
{
    bool known = tn_layers_looked(j);
    set(&layer[TN_FRAMEWORK], known ? TN_LAYER_NOTHING : TN_LAYER_UNKNOWN,
        known ? TN_S_layer_framework_none : TN_S_layer_unknown);
    set(&layer[TN_PLATFORM], TN_LAYER_NOTHING, TN_S_layer_platform_none);
    fact(&layer[TN_FRAMEWORK], TN_REF_REC(framework));
}

static void see_framework(const struct tn_judge *j, struct tn_arena *mem, struct tn_layer *layer)
{
    const struct tn_rec_framework *f = tn_layers_framework(j, false);
    if (f == NULL) {
        no_framework(j, layer);
        return;
    }
    const char *others = list_others(j, mem, f);
    size_t at = (size_t)(f - j->s->framework.v);
    set(&layer[TN_FRAMEWORK], f->gpu_build.k == TN_KNOWN ? TN_LAYER_GOOD : TN_LAYER_UNKNOWN,
        say_framework(f, *others != '\0'));
    set(&layer[TN_PLATFORM], TN_LAYER_GOOD, TN_S_layer_platform_good);
    for (unsigned i = 0; i < 2; i++) {
        struct tn_layer *l = &layer[i ? TN_PLATFORM : TN_FRAMEWORK];
        arg(l, "package", text_or(f->package, text_or(f->name, "?")));
        arg(l, "version", text_or(f->version, "?"));
        arg(l, "cuda", text_or(f->cuda, "?"));
        arg(l, "os", os_name(j->s));
        arg(l, "others", others);
        fact(l, TN_REF(framework, at, version));
    }
    fact(&layer[TN_FRAMEWORK], TN_REF(framework, at, gpu_build));
    fact(&layer[TN_FRAMEWORK], TN_REF(framework, at, cuda));
    fact(&layer[TN_PLATFORM], TN_REF(host, 0, os));
}

static void see_python(const struct tn_judge *j, struct tn_layer *l)
{
    const struct tn_rec_dist *numpy = tn_judge_dist(j, "numpy");
    if (j->env == NULL)
        set(l, TN_LAYER_NOTHING, TN_S_layer_python_none);
    else if (!tn_known(j->env->python))
        set(l, TN_LAYER_UNKNOWN, TN_S_layer_unknown);
    else
        set(l, TN_LAYER_GOOD, numpy && tn_known(numpy->version) ? TN_S_layer_python_numpy : TN_S_layer_python_good);
    arg(l, "python", j->env ? text_or(j->env->python, "") : "");
    arg(l, "numpy", numpy ? text_or(numpy->version, "") : "");
    if (j->env)
        fact(l, TN_REF(env, j->env_row, python));
    if (numpy)
        fact(l, TN_REF(dist, numpy - j->s->dist.v, version));
}

void tn_layers_see(const struct tn_judge *j, struct tn_arena *mem, struct tn_layer layer[TN_LAYERS])
{
    static const char *const name[TN_LAYERS] = {"hardware", "driver", "container", "platform",
                                                "cuda",     "cudnn",  "framework", "python"};
    for (unsigned i = 0; i < TN_LAYERS; i++)
        layer[i].name = name[i];
    see_hardware(j, mem, &layer[TN_HARDWARE]);
    see_driver(j, &layer[TN_DRIVER]);
    see_container(j, &layer[TN_CONTAINER]);
    see_library(j, mem, &layer[TN_CUDA], true);
    see_library(j, mem, &layer[TN_CUDNN], false);
    see_framework(j, mem, layer);
    see_python(j, &layer[TN_PYTHON]);
}
