/* reach.c - see look.h: does a framework's own search lead to a library of its environment?
 *
 * Rules (ld.so(8)): a bare name is looked for in the run path of the object that opens it, in LD_LIBRARY_PATH, in the
 * cache and the default folders. Of the folders below site-packages only the run path tells (framework.dirs); the same
 * of a conda prefix's lib from TensorFlow 2.10 on, whose wheels carry DT_RUNPATH, which ends the interpreter's own
 * DT_RPATH (read in the wheels 2.10 to 2.21; 1.15 has DT_RPATH). torch and JAX load the packages' files by full path
 * where their run path does not do (torch/__init__.py _preload_cuda_deps; jax_plugins), so nothing is concluded there.
 * Not known, or a file that lies elsewhere: no reason to doubt. All that only where the loader's own answer (record
 * load) is not known. */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

struct search {
    struct tn_arena mem;
    const char *packages, *folder; /* folder of the framework's packages; of the library */
    struct tn_list searched;
};

static bool searches(struct search *x, const char *folder)
{
    for (uint32_t i = 0; i < x->searched.n; i++) {
        const char *dir = tn_path_join(&x->mem, TN_PATH_POSIX, x->packages, x->searched.v[i]);
        if (tn_path_same(TN_PATH_POSIX, tn_path_norm(&x->mem, TN_PATH_POSIX, dir), folder))
            return true;
    }
    return false;
}

static bool by_run_path(const struct tn_judge *j, struct search *x, const struct tn_rec_framework *f,
                        const struct tn_rec_library *l)
{
    x->packages = tn_path_dir(&x->mem, TN_PATH_POSIX, f->path.v);
    x->folder = tn_path_dir(&x->mem, TN_PATH_POSIX, l->path.v);
    if (searches(x, x->folder))
        return true;
    if (tn_path_under(TN_PATH_POSIX, x->folder, x->packages))
        return false;
    bool runpath = tn_says(f->name, "tensorflow") && tn_known(f->version) &&
                   tn_version_dotted_cmp_parts(f->version.v, "2.10", 2) >= 0;
    if (!runpath || !j->env || !tn_says(j->env->kind, "conda") || !tn_known(j->env->path) ||
        !tn_path_under(TN_PATH_POSIX, x->folder, j->env->path.v))
        return true;
    /* Links in lib lead to files in targets/... */
    return searches(x, tn_path_join(&x->mem, TN_PATH_POSIX, j->env->path.v, "lib"));
}

bool tn_look_reached(const struct tn_judge *j, const struct tn_rec_framework *f, const struct tn_rec_library *l)
{
    static const char *const opens_by_name[] = {"tensorflow", "onnxruntime", NULL};
    struct search x;
    size_t load = f && tn_known(l->soname) ? tn_look_load(j, f, l->soname.v) : j->s->load.n;
    if (load < j->s->load.n && tn_known(l->path)) /* the loader's own answer */
        return tn_look_is_loaded(j, load, l);
    if (!f || !tn_known(l->env) || tn_is(l->reachable, 1) || f->dirs.k != TN_KNOWN || !tn_known(f->path) ||
        !tn_known(l->path) || !tn_known(f->name) || !tn_str_in(f->name.v, opens_by_name) ||
        tn_snap_style(j->s) != TN_PATH_POSIX)
        return true;
    tn_arena_init(&x.mem);
    x.searched = f->dirs;
    bool yes = by_run_path(j, &x, f, l);
    tn_arena_deinit(&x.mem);
    return yes;
}

size_t tn_look_variable(const struct tn_snap *s, const char *name)
{
    for (size_t i = 0; i < s->variable.n; i++)
        if (tn_says(s->variable.v[i].name, name) && tn_known(s->variable.v[i].value))
            return i;
    return s->variable.n;
}

static bool has_dir(const char *list, const char *dir)
{
    size_t n = strlen(dir);
    for (const char *p = list; (p = strstr(p, dir)) != NULL; p += n)
        if ((p == list || p[-1] == ':') && (p[n] == ':' || !p[n]))
            return true;
    return false;
}

const char *tn_look_search_value(const struct tn_judge *j, struct tn_arena *mem, const size_t *library, unsigned n)
{
    struct tn_buf b;
    size_t old = tn_look_variable(j->s, "LD_LIBRARY_PATH");
    tn_buf_init(&b);
    for (unsigned i = 0; i < n; i++) {
        struct tn_str path = j->s->library.v[library[i]].path;
        const char *dir = tn_known(path) ? tn_path_dir(mem, TN_PATH_POSIX, path.v) : "";
        if (*dir && !has_dir(b.p, dir))
            tn_buf_printf(&b, "%s%s", b.n ? ":" : "", dir);
    }
    if (old < j->s->variable.n && j->s->variable.v[old].value.v[0] && b.n)
        tn_buf_printf(&b, ":%s", j->s->variable.v[old].value.v);
    const char *ret = tn_arena_strdup(mem, b.p);
    tn_buf_deinit(&b);
    return ret;
}

const char *tn_look_search_without(const struct tn_judge *j, struct tn_arena *mem, const char *path)
{
    size_t v = tn_look_variable(j->s, "LD_LIBRARY_PATH");
    const char *list = v < j->s->variable.n ? j->s->variable.v[v].value.v : "", *rest = "";
    const char *folder = tn_path_dir(mem, TN_PATH_POSIX, path);
    bool any = false;
    while (*list) {
        size_t n = strcspn(list, ":");
        const char *dir = tn_arena_strndup(mem, list, n);
        bool it = n && tn_path_same(TN_PATH_POSIX, dir, folder);
        if (!it && n)
            rest = tn_arena_printf(mem, "%s%s%s", rest, *rest ? ":" : "", dir);
        any |= it;
        list += n + (list[n] == ':');
    }
    return any ? rest : NULL;
}
