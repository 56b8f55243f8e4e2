/* framework_jax.c - JAX: jax/version.py, and the plug-in that makes it a GPU build.
 *
 * Source: jax-ml/jax. CUDA comes as jax_plugins/xla_cuda12 or xla_cuda13 (from 0.4.26 on, distributions
 * jax-cuda12-plugin and jax-cuda12-pjrt); before, as a jaxlib whose local version says so (0.4.20+cuda12.cudnn89).
 * The plug-in opens its libraries itself, by names composed at run time, along its own DT_RPATH. */
#include <string.h>

#include "base/str.h"
#include "probe/framework.h"
#include "version/dotted.h"

static const char *const packages[] = {"jax", NULL};
static const char *const jaxlib[] = {"jaxlib", NULL};
/* "Unable to load CUDA, cuDNN, cuFFT, cuPTI, cuBLAS, cuSPARSE": the components that JAX itself names. */
static const char *const components[] = {"cudart", "cublas", "cufft", "cusolver", "cusparse", "cupti", "cudnn", NULL};

static bool read_version(struct tn_pyfw *f, enum tn_know *got, uint32_t *src)
{
    struct tn_answer a = tn_pyfw_read(f, "version.py", src);
    struct tn_pyvalue v;
    *got = a.got;
    /* 0.2 and earlier: __version__; later _version, with __version__ computed */
    if (a.got != TN_KNOWN || ((!tn_pyfw_value(f->p->mem, a.data, "_version", &v) || v.kind != TN_PYVALUE_STR) &&
                              (!tn_pyfw_value(f->p->mem, a.data, "__version__", &v) || v.kind != TN_PYVALUE_STR)))
        return false;
    tn_pyfw_row(f)->version = tn_fact_str(f->p->s, *src, v.text);
    return true;
}

/* The newest plug-in folder of any site folder: "xla_cuda12". */
static const char *plugin(struct tn_pyfw *f, const struct tn_pysite **ret_site, enum tn_know *ret_hidden)
{
    const char *best = NULL;
    for (size_t s = 0; s < f->e->n_site; s++) {
        if (!tn_pyenv_entry(f->e->site[s], "jax_plugins"))
            continue;
        const char *at = tn_pyenv_join(f->p, f->e->site[s]->path, "jax_plugins");
        struct tn_answer a = tn_world_list(f->p->w, f->p->mem, at);
        if (a.got == TN_DENIED || a.got == TN_FAILED)
            *ret_hidden = a.got;
        for (size_t i = 0; i < a.n_entry; i++)
            if (tn_str_starts(a.entry[i].name, "xla_cuda") && tn_is_digit(a.entry[i].name[8])) {
                best = a.entry[i].name;
                *ret_site = f->e->site[s];
            }
        if (best)
            return best;
    }
    return NULL;
}

/* conda-forge's jaxlib holds CUDA itself and says so in its build string: "cuda118py311h..." against "cpu_py311h...".
 */
static const struct tn_rec_dist *conda_jaxlib(struct tn_pyfw *f)
{
    struct tn_snap *s = f->p->s;
    for (size_t i = f->p->first_dist; i < s->dist.n; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        if (tn_says(d->name, "jaxlib") && tn_says(d->installer, "conda") && d->build.k == TN_KNOWN &&
            tn_str_starts(d->build.v, "cuda"))
            return d;
    }
    return NULL;
}

/* The build of a plug-in, "cuda12", or of an old jaxlib's local version; NULL: a CPU build. */
static const char *extra_of(struct tn_pyfw *f, const char **ret_plugin, uint32_t *ret_src, enum tn_know *ret_hidden)
{
    const struct tn_pysite *site = NULL;
    *ret_plugin = plugin(f, &site, ret_hidden);
    if (*ret_plugin) {
        *ret_src = tn_snap_src(f->p->s, TN_KNOWN, NULL, "list %s", tn_pyenv_join(f->p, site->path, "jax_plugins"));
        f->site = site;
        return *ret_plugin + 4;
    }
    struct tn_pyfw probe = *f;
    struct tn_rec_framework keep = *tn_pyfw_row(f);
    const struct tn_rec_dist *d = tn_pyfw_package(&probe, jaxlib);
    *tn_pyfw_row(f) = keep;
    const struct tn_rec_dist *conda = conda_jaxlib(f);
    if (conda) {
        *ret_src = conda->build.src;
        tn_pyfw_cuda_of_build(f, conda);
        return "conda"; /* no build of the tables: the architectures are its own choice */
    }
    const char *local = d && d->version.k == TN_KNOWN ? strstr(d->version.v, "+cuda") : NULL;
    if (!local)
        return NULL;
    *ret_src = d->version.src;
    size_t n = 4 + strspn(local + 5, "0123456789");
    return n > 4 ? tn_arena_strndup(f->p->mem, local + 1, n) : NULL;
}

/* Of a text that states releases: the plug-in's name there ("jax-cuda12-plugin"), "cuda12" of it. */
static const char *plugin_told(struct tn_pyfw *f, uint32_t *ret_src)
{
    struct tn_snap *s = f->p->s;
    for (size_t i = f->p->first_dist; i < s->dist.n; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        if (tn_known(d->name) && tn_str_starts(d->name.v, "jax-cuda") && tn_is_digit(d->name.v[8])) {
            *ret_src = d->name.src;
            return tn_arena_strndup(f->p->mem, d->name.v + 4, 4 + strspn(d->name.v + 8, "0123456789"));
        }
    }
    return NULL;
}

/* Whether a text tells enough to call its JAX a build for the CPU: the release of jaxlib, and from the release on that
 * takes CUDA from a plug-in a list of packages without one. jax itself has no local version. */
static bool told_for_cpu(const struct tn_pyfw *f)
{
    enum { LIST = 6 }; /* fewer rows are releases that somebody names */
    const struct tn_snap *s = f->p->s;
    for (size_t i = f->p->first_dist; i < s->dist.n; i++)
        if (tn_says(s->dist.v[i].name, "jaxlib") && tn_known(s->dist.v[i].version))
            return s->dist.n - f->p->first_dist >= LIST || tn_version_dotted_cmp(s->dist.v[i].version.v, "0.4.26") < 0;
    return false;
}

/* The plug-in's own minimum, "nvidia-cudnn-cu12<10.0,>=9.8; extra == 'with-cuda'", where the table has none. */
static void cudnn_of_plugin(struct tn_pyfw *f, const char *extra)
{
    const char *const names[] = {tn_arena_printf(f->p->mem, "jax-%s-plugin", extra), NULL};
    struct tn_rec_framework keep = *tn_pyfw_row(f);
    const struct tn_rec_dist *d = tn_pyfw_package(f, names);
    *tn_pyfw_row(f) = keep;
    for (uint32_t i = 0; d && d->requires.k == TN_KNOWN && i < d->requires.n; i++) {
        const char *one = d->requires.v[i], *least = strstr(one, ">=");
        size_t n = least ? strspn(least + 2, "0123456789.") : 0;
        if (n && tn_str_starts(one, "nvidia-cudnn-cu"))
            tn_pyfw_row(f)->cudnn = tn_fact_strn(f->p->s, d->requires.src, least + 2, n);
    }
}

void tn_pyfw_jax(struct tn_pyfw *f)
{
    uint32_t src = f->site->src, by = src;
    enum tn_know got;
    const char *name = NULL;
    read_version(f, &got, &src);
    tn_pyfw_package(f, packages);
    enum tn_know hidden = TN_KNOWN;
    const char *extra = extra_of(f, &name, &by, &hidden);
    bool told = strcmp(f->e->kind, "stated") == 0;
    if (!extra && told)
        extra = plugin_told(f, &by);
    struct tn_rec_framework *r = tn_pyfw_row(f);
    if (!extra && told && !told_for_cpu(f)) {
        tn_pyfw_close(f, TN_ABSENT, src);
        return;
    }
    if (!extra && hidden != TN_KNOWN) { /* the folder of plug-ins is there: no CPU build for want of a look */
        r->gpu_build = tn_fact_noint(by, hidden);
        tn_pyfw_close(f, hidden, src);
        return;
    }
    r->gpu_build = tn_fact_int(by, extra != NULL);
    r->evidence = tn_fact_str(f->p->s, by, name ? "jax_plugins" : extra ? "jaxlib" : "no plugin");
    if (extra) {
        tn_pyfw_jax_of_table(f, extra);
        if (r->cudnn.k != TN_KNOWN)
            cudnn_of_plugin(f, extra);
        if (r->cuda.k != TN_KNOWN && tn_is_digit(extra[4]))
            r->cuda = tn_fact_str(f->p->s, by, extra + 4); /* the major alone */
        if (name)
            tn_pyfw_elf(f, tn_arena_printf(f->p->mem, "jax_plugins/%s/xla_cuda_plugin.so", name), false);
        if (r->cuda.k == TN_KNOWN)
            tn_pyfw_asks_of_rule(f, components, r->cuda.v, r->cudnn.k == TN_KNOWN ? r->cudnn.v : NULL, r->cuda.src);
    }
    tn_pyfw_close(f, TN_ABSENT, src);
}
