/* library_package.c - versions of libraries that the packages around them state.
 *
 * Invariant: only when exactly one package can have brought the file; two that write the same folder (cudnn-cu11 and
 * cudnn-cu12) leave the question to the file's content. Names: NVIDIA's wheels; from CUDA 13 on without suffix and
 * in nvidia/cu13, but cudnn and nccl keep both suffix and folder. */
#include "probe/library.h"

#include <string.h>

#include "base/str.h"

static const struct {
    const char *stem, *component;
    bool family; /* stem is a head */
} components[] = {{"libcudart", "cuda-runtime", false},
                  {"libcublas", "cublas", true},
                  {"libnvblas", "cublas", false},
                  {"libcudnn", "cudnn", true},
                  {"libcufft", "cufft", true},
                  {"libcurand", "curand", false},
                  {"libcusolver", "cusolver", true},
                  {"libcusparse", "cusparse", false},
                  {"libnccl", "nccl", false},
                  {"libnvrtc", "cuda-nvrtc", true},
                  {"libnvJitLink", "nvjitlink", false},
                  {"libcupti", "cuda-cupti", false},
                  {"libnvvm", "nvvm", false}};

static const char *component_of(const char *stem, bool win)
{
    for (unsigned i = 0; i < TN_LEN(components); i++) {
        const char *want = win ? components[i].stem + 3 : components[i].stem;
        size_t n = strlen(want);
        char head[32];
        if (!components[i].family && strlen(stem) != n)
            continue;
        memcpy(head, stem, strlen(stem) < n ? strlen(stem) + 1 : n);
        head[strlen(stem) < n ? strlen(stem) : n] = 0;
        if (win ? tn_str_ieq(head, want) : tn_str_eq(head, want))
            return components[i].component;
    }
    return NULL;
}

static void add(struct tn_lib *l, const char *env, const char *root, const char *name, const char *version,
                uint32_t src)
{
    if (env && tn_lib_map_get(&l->by_env, env) == TN_LIB_NEW)
        tn_lib_map_put(&l->by_env, l->c->tmp, env, (int)l->n_package);
    l->package = tn_arena_grow(l->c->tmp, l->package, l->n_package, &l->cap_package, sizeof *l->package);
    l->package[l->n_package++] = (struct tn_lib_package){env, root, name, version, src};
}

void tn_lib_packages(struct tn_lib *l)
{
    const struct tn_snap *s = l->c->s;
    for (size_t i = 0; i < s->dist.n; i++) {
        const struct tn_rec_dist *d = &s->dist.v[i];
        if (tn_known(d->env) && tn_known(d->name) && tn_known(d->version) && tn_str_starts(d->name.v, "nvidia-"))
            add(l, d->env.v, NULL, d->name.v, d->version.v, d->version.src);
    }
    l->first_of_toolkits = l->n_package;
    for (size_t i = 0; i < s->toolkit.n; i++) {
        if (!tn_known(s->toolkit.v[i].path))
            continue;
        const char *root = s->toolkit.v[i].path.v, *dir = tn_lib_join(l, root, "dist-info");
        struct tn_answer a = tn_world_list(l->c->w, l->c->tmp, dir);
        uint32_t src = a.got == TN_KNOWN ? tn_probe_src(l->c->s, "list", dir, &a) : 0;
        for (size_t k = 0; k < a.n_entry; k++) {
            const char *name = a.entry[k].name, *dash = strchr(name, '-');
            if (!tn_str_starts(name, "nvidia_") || !dash || !tn_str_ends(name, ".dist-info"))
                continue;
            char *n = tn_arena_strndup(l->c->tmp, name, (size_t)(dash - name));
            for (char *p = n; *p; p++)
                *p = *p == '_' ? '-' : *p;
            add(l, NULL, root, n, tn_arena_strndup(l->c->tmp, dash + 1, strlen(dash + 1) - 10), src);
        }
    }
}

/* "nvidia-cublas-cu12" for cublas; in nvidia/cu13 also the name without suffix. */
static bool brings(const char *name, const char *component, bool cu13, bool toolkit)
{
    size_t n = strlen(component);
    if (strncmp(name + 7, component, n) != 0)
        return false;
    const char *suffix = name + 7 + n;
    if (toolkit)
        return *suffix == 0 || tn_str_starts(suffix, "-cu");
    if (cu13)
        return *suffix == 0 || tn_str_eq(suffix, "-cu13");
    return tn_str_starts(suffix, "-cu");
}

struct tn_str tn_lib_packaged(struct tn_lib *l, const struct tn_lib_file *f)
{
    struct tn_str none = {0};
    const struct tn_lib_folder *d = &l->folder[f->folder];
    const struct tn_lib_package *hit = NULL;
    const char *component = component_of(f->stem, l->win);
    bool wheel = d->env && (strstr(f->path, l->win ? "\\nvidia\\" : "/nvidia/") != NULL);
    bool cu13 = strstr(f->path, l->win ? "\\cu13\\" : "/cu13/") != NULL;
    if (!component || d->stubs || (d->env && !wheel))
        return none;
    int first = d->env ? tn_lib_map_get(&l->by_env, d->env) : (int)l->first_of_toolkits;
    for (size_t i = first < 0 ? l->n_package : (size_t)first; i < l->n_package; i++) {
        const struct tn_lib_package *p = &l->package[i];
        if (d->env && !tn_str_eq(p->env, d->env)) /* those of one environment lie side by side */
            break;
        if (!d->env && !tn_path_under(l->c->w->style, f->path, p->root))
            continue;
        if (!brings(p->name, component, cu13, !d->env))
            continue;
        if (hit)
            return none;
        hit = p;
    }
    return hit ? tn_fact_str(l->c->s, hit->src, hit->version) : none;
}
