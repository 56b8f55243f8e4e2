/* framework.c - the frameworks of one environment: which are there, and what they were built for.
 *
 * A package folder without a record and a record without a folder are both rows: half an installation is a fact. What
 * the build says of itself wins; what it does not say comes from the tables. Nothing is imported or run. */
#include "probe/framework.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

struct tn_rec_framework *tn_pyfw_row(struct tn_pyfw *f)
{
    return &f->p->s->framework.v[f->row];
}

const char *tn_pyfw_join(struct tn_pyfw *f, const char *below)
{
    if (f->p->st == TN_PATH_WINDOWS) {
        char *own = tn_arena_strdup(f->p->mem, below);
        for (char *c = own; *c; c++)
            if (*c == '/')
                *c = '\\';
        below = own;
    }
    return tn_pyenv_join(f->p, f->folder, below);
}

struct tn_answer tn_pyfw_read(struct tn_pyfw *f, const char *below, uint32_t *ret_src)
{
    struct tn_answer a;
    memset(&a, 0, sizeof a);
    a.got = TN_ABSENT;
    if (!f->folder)
        return a;
    const char *at = tn_pyfw_join(f, below);
    a = tn_world_read(f->p->w, f->p->mem, at, TN_MAX_SMALL_FILE);
    *ret_src = tn_probe_src(f->p->s, "read", at, &a);
    return a;
}

void tn_pyfw_add(struct tn_pyfw *f, const char *name)
{
    struct tn_snap *s = f->p->s;
    struct tn_rec_framework *r = TN_ADD(s, framework);
    f->row = s->framework.n - 1;
    r->env = f->e->id_fact;
    r->name = tn_fact_str(s, f->site->src, name);
    r->path = tn_fact_str(s, f->site->src, f->folder);
}

static const struct tn_rec_dist *find_dist(struct tn_pyfw *f, const char *name, bool conda)
{
    struct tn_snap *s = f->p->s;
    for (size_t i = f->p->first_dist; i < s->dist.n; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        if (strcmp(d->name.v, name) != 0 || *tn_path_base(f->p->st, d->path.v) == '~')
            continue;
        if (conda ? f->e->meta && tn_path_under(f->p->st, d->path.v, f->e->meta->path)
                  : tn_path_under(f->p->st, d->path.v, f->site->path))
            return d;
    }
    return NULL;
}

const struct tn_rec_dist *tn_pyfw_package(struct tn_pyfw *f, const char *const *names)
{
    const struct tn_rec_dist *d = NULL;
    for (unsigned conda = 0; conda < 2 && !d; conda++)
        for (const char *const *n = names; *n && !d; n++)
            d = find_dist(f, *n, conda != 0);
    struct tn_rec_framework *r = tn_pyfw_row(f);
    if (!d) {
        r->package = tn_fact_nostr(f->site->src, TN_ABSENT);
        return NULL;
    }
    r->package = d->name;
    if (r->version.k != TN_KNOWN)
        r->version = d->version;
    return d;
}

void tn_pyfw_cuda_of_build(struct tn_pyfw *f, const struct tn_rec_dist *d)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    const char *digits = tn_str_starts(d->build.v, "cuda") ? d->build.v + 4 : "";
    size_t n = strspn(digits, "0123456789");
    if (r->cuda.k != TN_KNOWN && (n == 3 || (n == 2 && digits[0] != '1'))) /* 112, 118, 92; not "cuda_" or "cuda12" */
        r->cuda = tn_fact_str(f->p->s, d->build.src,
                              tn_arena_printf(f->p->mem, "%.*s.%c", (int)n - 1, digits, digits[n - 1]));
}

static void close_str(struct tn_str *t, enum tn_know got, uint32_t src)
{
    if (t->k == TN_UNASKED)
        *t = tn_fact_nostr(src, got);
}

static void close_list(struct tn_list *t, enum tn_know got, uint32_t src)
{
    if (t->k == TN_UNASKED)
        *t = tn_fact_nolist(src, got);
}

void tn_pyfw_close(struct tn_pyfw *f, enum tn_know got, uint32_t src)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    close_str(&r->version, got, src);
    if (r->gpu_build.k == TN_UNASKED)
        r->gpu_build = tn_fact_noint(src, got);
    if (tn_is(r->gpu_build, 0)) /* asks for nothing, holds nothing: that is known */
        got = TN_ABSENT;
    close_str(&r->cuda, got, src);
    close_str(&r->cudnn, got, src);
    close_str(&r->evidence, got, src);
    if (!tn_is(r->gpu_build, 1)) { /* of a GPU build they are in its objects, which nobody read here */
        close_list(&r->sass, got, src);
        close_list(&r->ptx, got, src);
    }
    close_list(&r->asks, got, src);
    close_list(&r->dirs, got, src);
}

struct kind {
    const char *name;
    const char *folder[2];
    const char *const *packages;
    void (*read)(struct tn_pyfw *f);
};

static const char *const tensorflow_packages[] = {"tensorflow",       "tensorflow-cpu", "tensorflow-gpu",
                                                  "tensorflow-intel", "tf-nightly",     NULL};
static const char *const torch_packages[] = {"torch", NULL};
static const char *const jax_packages[] = {"jax", NULL};
static const char *const onnx_packages[] = {"onnxruntime-gpu", "onnxruntime", NULL};

static const char *const cupy_packages[] = {NULL}; /* a record without a folder tells nothing */
static const char *const tensorrt_packages[] = {NULL};

static const struct kind kinds[] = {
    {"cupy", {"cupy", NULL}, cupy_packages, tn_pyfw_cupy},
    {"jax", {"jax", NULL}, jax_packages, tn_pyfw_jax},
    {"onnxruntime", {"onnxruntime", NULL}, onnx_packages, tn_pyfw_onnxruntime},
    {"tensorflow", {"tensorflow", "tensorflow_core"}, tensorflow_packages, tn_pyfw_tensorflow},
    {"tensorrt", {"tensorrt", "tensorrt_bindings"}, tensorrt_packages, tn_pyfw_tensorrt},
    {"torch", {"torch", NULL}, torch_packages, tn_pyfw_torch},
};

static const struct tn_pyentry *folder_in(const struct tn_pysite *site, const char *name)
{
    const struct tn_pyentry *at = name ? tn_pyenv_entry(site, name) : NULL;
    return at && at->type != 'f' ? at : NULL;
}

/* Where the import would find it: the first site folder that holds the package folder with an __init__.py; a folder
 * without one is a namespace package and is found only when no other is (PEP 420). A single
 * folder is the one in either case. */
static bool find_folder(struct tn_pyfw *f, const struct kind *k)
{
    struct tn_pyfw bare = {f->p, f->e, NULL, NULL, 0};
    unsigned n = 0;
    for (size_t s = 0; s < f->e->n_site; s++)
        for (unsigned i = 0; i < 2; i++)
            n += folder_in(f->e->site[s], k->folder[i]) != NULL;
    for (size_t s = 0; s < f->e->n_site; s++)
        for (unsigned i = 2; i-- > 0;) { /* tensorflow_core holds the build, tensorflow is a shell around it then */
            const struct tn_pyentry *at = folder_in(f->e->site[s], k->folder[i]);
            if (!at)
                continue;
            f->site = f->e->site[s];
            f->folder = tn_pyenv_join(f->p, f->site->path, at->name);
            if (n == 1 || tn_world_exists(f->p->w, tn_pyfw_join(f, "__init__.py")) ||
                tn_world_exists(f->p->w, tn_pyfw_join(f, "__init__.pyc")))
                return true;
            if (!bare.folder)
                bare = *f;
        }
    *f = bare;
    return f->folder != NULL;
}

static bool find_record(struct tn_pyfw *f, const struct kind *k)
{
    for (size_t s = 0; s < f->e->n_site; s++) {
        f->site = f->e->site[s];
        f->folder = NULL;
        for (const char *const *n = k->packages; *n; n++)
            if (find_dist(f, *n, false))
                return true;
    }
    return false;
}

/* What brings the objects: its own package, and jaxlib for JAX, which is Python alone. */
static void read_needs(struct tn_pyfw *f)
{
    struct tn_snap *s = f->p->s;
    struct tn_str package = tn_pyfw_row(f)->package;
    const char *const names[] = {package.k == TN_KNOWN ? package.v : NULL,
                                 tn_says(tn_pyfw_row(f)->name, "jax") ? "jaxlib" : NULL};
    for (unsigned n = 0; n < TN_LEN(names); n++) {
        bool conda = names[n] && f->e->meta && find_dist(f, names[n], true);
        for (size_t i = f->p->first_dist; names[n] && i < s->dist.n; i++)
            if (strcmp(s->dist.v[i].name.v, names[n]) == 0 && !tn_is(s->dist.v[i].whole, 0))
                tn_pyfw_needs(f, &s->dist.v[i], conda);
    }
}

void tn_pyframework_rows(struct tn_py *p, const struct tn_pyenv *e)
{
    for (unsigned i = 0; i < TN_LEN(kinds); i++) {
        struct tn_pyfw f = {p, e, NULL, NULL, 0};
        if (!find_folder(&f, &kinds[i]) && !find_record(&f, &kinds[i]))
            continue;
        tn_pyfw_add(&f, kinds[i].name);
        kinds[i].read(&f);
        tn_pyfw_code(&f);
        read_needs(&f);
    }
}
