/* framework_code.c - machine code and PTX of a build, from the headers of the object that holds its kernels.
 *
 * For a verdict alone this is read only where nothing nearer knows: builds that no table lists, conda's (the tables
 * speak of the makers' own builds), and PTX for a CUDA that is newer than the driver's, whose own version then decides.
 * CuPy compiles its kernels for the card when they are first used; the code that it brings is that of sorting, scans
 * and random numbers, and no check reads it.
 * Sources of the names: wheels of each generation (torch 1.x to 2.15, tensorflow 1.15 to 2.21, onnxruntime-gpu 1.31,
 * jax plug-ins 0.12, cupy-cuda12x and -cuda13x 14.2). */
#include <string.h>

#include "base/str.h"
#include "probe/fatbin.h"
#include "probe/framework.h"
#include "version/dotted.h"

static const struct {
    const char *framework;
    const char *linux_file[4], *windows_file[3]; /* in the package folder (JAX: site folder), * at the end: an extension
                                                    module's own suffix; the first that holds code */
} objects[] = {
    {"torch",
     {"lib/libtorch_cuda.so", "lib/libtorch_cuda_cu.so", "lib/libtorch.so", NULL},
     {"lib/torch_cuda.dll", "lib/torch_cuda_cu.dll", NULL}},
    {"tensorflow",
     {"libtensorflow_cc.so.2", "python/_pywrap_tensorflow_internal.so", NULL},
     {"python/_pywrap_tensorflow_internal.pyd", NULL}},
    {"jax", {"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so", NULL}, {NULL}},
    {"onnxruntime", {"capi/libonnxruntime_providers_cuda.so", NULL}, {"capi/onnxruntime_providers_cuda.dll", NULL}},
    {"cupy", {"cuda/thrust.*", "cuda/cub.*", NULL}, {"cuda/thrust.*", "cuda/cub.*", NULL}},
};

static bool known(const struct tn_list *l)
{
    return l->k == TN_KNOWN;
}

/* The list is a table's, and the build conda's. */
static bool is_of_others(struct tn_pyfw *f)
{
    struct tn_snap *s = f->p->s;
    const struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_str package = r->package;
    if (r->sass.src >= s->n_src || !tn_str_starts(s->src[r->sass.src].asked, "table "))
        return false;
    for (size_t i = f->p->first_dist; tn_known(package) && i < s->dist.n; i++)
        if (tn_says(s->dist.v[i].name, package.v) && tn_says(s->dist.v[i].installer, "conda"))
            return true;
    return false;
}

/* Would the driver perhaps refuse the build's PTX? It reads that of its own CUDA release and older ones. */
static bool is_newer(struct tn_pyfw *f)
{
    const struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_str ceiling = TN_THE(f->p->s, driver)->cuda;
    return known(&r->ptx) && r->ptx.n && tn_known(r->cuda) && tn_known(ceiling) &&
           tn_version_dotted_cmp_parts(ceiling.v, r->cuda.v, 2) < 0;
}

static bool has_card(const struct tn_snap *s)
{
    if (s->gpu.listed != TN_KNOWN)
        return true;
    for (size_t i = 0; i < s->gpu.n; i++)
        if (tn_says(s->gpu.v[i].vendor, "nvidia"))
            return true;
    return false;
}

static bool is_wanted(struct tn_pyfw *f)
{
    const struct tn_rec_framework *r = tn_pyfw_row(f);
    if (!f->folder || !f->e->judged || !tn_is(r->gpu_build, 1) || (f->p->want && f->p->want->no_code))
        return false;
    if (!f->p->want || !f->p->want->plain)
        return true;
    return !tn_says(r->name, "cupy") && has_card(f->p->s) &&
           (!(known(&r->sass) || known(&r->ptx)) || is_of_others(f) || is_newer(f));
}

static void take(struct tn_pyfw *f, const struct tn_probe_code *c, uint32_t src)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_snap *s = f->p->s;
    r->sass = tn_fact_list(s, src, c->sass, c->n_sass);
    r->ptx = tn_fact_list(s, src, c->ptx, c->n_ptx);
    r->ptx_isa = c->isa ? tn_fact_str(s, src, tn_arena_printf(f->p->mem, "%u.%u", c->isa / 100, c->isa % 100))
                        : tn_fact_nostr(src, TN_ABSENT);
}

/* "cuda/thrust.*" -> cuda/thrust.cpython-311-x86_64-linux-gnu.so of the package; NULL: there is none. */
static const char *module_file(struct tn_pyfw *f, const char *file)
{
    const char *dir = tn_pyfw_join(f, tn_path_dir(f->p->mem, TN_PATH_POSIX, file));
    const char *base = tn_path_base(TN_PATH_POSIX, file);
    struct tn_answer a = tn_world_list(f->p->w, f->p->mem, dir);
    for (size_t i = 0; i < a.n_entry; i++)
        if (a.entry[i].type != 'd' && tn_str_glob(base, a.entry[i].name) &&
            (tn_str_ends(a.entry[i].name, ".so") || tn_str_ends(a.entry[i].name, ".pyd")))
            return tn_pyenv_join(f->p, dir, a.entry[i].name);
    return NULL;
}

static const char *object_file(struct tn_pyfw *f, const char *file)
{
    if (tn_str_ends(file, "*"))
        return module_file(f, file);
    return tn_says(tn_pyfw_row(f)->name, "jax") ? tn_pyenv_join(f->p, f->site->path, file) : tn_pyfw_join(f, file);
}

/* True: this was the object, whatever came of it. */
static bool look(struct tn_pyfw *f, const char *path)
{
    struct tn_probe_code c;
    enum tn_know got;
    struct tn_rec_framework *r = tn_pyfw_row(f);
    if (!path || !tn_world_exists(f->p->w, path))
        return false;
    uint32_t src = tn_probe_code_of(f->p->w, f->p->s, f->p->mem, path, true, &c, &got);
    if (got == TN_KNOWN && c.containers == 0)
        return false;
    if (got == TN_KNOWN)
        take(f, &c, src);
    else if (got != TN_UNASKED && r->sass.k == TN_UNASKED)
        r->sass = r->ptx = tn_fact_nolist(src, got);
    return true;
}

void tn_pyfw_code(struct tn_pyfw *f)
{
    if (!is_wanted(f))
        return;
    const struct tn_rec_framework *r = tn_pyfw_row(f);
    for (unsigned i = 0; i < TN_LEN(objects); i++) {
        if (!tn_says(r->name, objects[i].framework))
            continue;
        const char *const *file = f->p->st == TN_PATH_WINDOWS ? objects[i].windows_file : objects[i].linux_file;
        while (*file && !look(f, object_file(f, *file)))
            file++;
        return;
    }
}
