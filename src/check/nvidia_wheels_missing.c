/* nvidia_wheels_missing.c - the environment holds the CUDA libraries that a build opens, in folders that it does not
 * search.
 *
 * Read in the wheels and tried with TensorFlow's own check: the run path of 2.16.1 names cuda_runtime alone, that of
 * 2.21.0 lacks cusolver; 2.13 and before name none of NVIDIA's folders (table tf_run_path). onnxruntime has no run path
 * at all; programs may load the files themselves (onnxruntime.preload_dlls), so there it is possible only. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

struct unsearched {
    size_t library[TN_MAX_ASKS];
    unsigned n;
};

static void look(const struct tn_judge *j, const struct tn_rec_framework *fw, struct unsearched *ret)
{
    const char *ask[TN_MAX_ASKS];
    unsigned n = tn_look_asks(j->s, fw, ask);
    ret->n = 0;
    for (unsigned i = 0; i < n; i++) {
        size_t row = tn_look_library(j, fw, ask[i]);
        size_t load = tn_look_load(j, fw, ask[i]);
        if (load < j->s->load.n && tn_says(j->s->load.v[load].outcome, "found"))
            continue; /* whichever: it has one */
        if (row < j->s->library.n && tn_known(j->s->library.v[row].env) && tn_known(j->s->library.v[row].path) &&
            !tn_look_reached(j, fw, &j->s->library.v[row]))
            ret->library[ret->n++] = row;
    }
}

/* "nvidia/cusolver/lib": the folder below site-packages, which is what the table holds; "" for one elsewhere. */
static const char *below_site(struct tn_sink *out, const struct tn_rec_framework *fw, const char *dir)
{
    const char *site = tn_known(fw->path) ? tn_path_dir(out->mem, TN_PATH_POSIX, fw->path.v) : "/";
    size_t n = strlen(site);
    return tn_path_under(TN_PATH_POSIX, dir, site) && dir[n] == '/' ? dir + n + 1 : "";
}

/* Does this row's run path name all the folders? */
static bool names_all(const struct tn_judge *j, struct tn_sink *out, const struct tn_rec_framework *fw,
                      const struct unsearched *u, const struct tn_table *t, uint32_t row)
{
    for (unsigned i = 0; i < u->n; i++) {
        const char *dir = tn_path_dir(out->mem, TN_PATH_POSIX, j->s->library.v[u->library[i]].path.v);
        const char *below = below_site(out, fw, dir);
        bool ours = tn_str_starts(below, "nvidia/");
        const char *part = ours ? strchr(below, '/') + 1 : below;
        const char *name = tn_arena_strndup(out->mem, part, ours ? strcspn(part, "/") : 0);
        const struct tn_filter has = {"folders", TN_FILTER_HAS, name};
        if (!*name || tn_facts_next(t, row, &has, 1) != row)
            return false;
    }
    return true;
}

/* The nearest release that searches all of them: the next one up, else the next one down. */
static const char *neighbour(const struct tn_judge *j, struct tn_sink *out, const struct tn_rec_framework *fw,
                             const struct unsearched *u)
{
    const struct tn_table *t = tn_facts_find("tf_run_path");
    const char *above = NULL, *below = NULL;
    for (uint32_t r = 0; t && tn_says(fw->name, "tensorflow") && tn_known(fw->version) && r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "version");
        int order = tn_version_dotted_cmp(v, fw->version.v);
        if (tn_facts_rank(t, r) != 1 || order == 0 || !names_all(j, out, fw, u, t, r))
            continue;
        if (order > 0 && (!above || tn_version_dotted_cmp(v, above) < 0))
            above = v;
        if (order < 0 && (!below || tn_version_dotted_cmp(v, below) > 0))
            below = v;
    }
    return above ? above : below;
}

/* Would onnxruntime.preload_dlls() do? Also where that is not known (onnxruntime/__init__.py from 1.21 on). */
static bool preload_helps(const struct tn_judge *j, const struct tn_rec_framework *fw)
{
    size_t row = 0;
    if (!tn_says(fw->name, "onnxruntime") || !tn_known(fw->version) || tn_version_dotted_cmp(fw->version.v, "1.21") < 0)
        return false;
    for (const struct tn_rec_load *r; (r = tn_look_load_next(j, fw, &row));)
        if (tn_says(r->after, "preload_dlls") && tn_says(r->name, "libonnxruntime_providers_cuda.so"))
            return tn_says(r->outcome, "found");
    return true;
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t row, const struct unsearched *u)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    const struct tn_rec_library *first = &j->s->library.v[u->library[0]];
    bool preload = tn_says(fw->name, "onnxruntime");
    struct tn_finding *f = tn_find(out, preload ? TN_POSSIBLE : TN_CONFIRMED, TN_REF(framework, row, dirs));
    if (preload)
        f->severity = TN_WARNING;
    f->variant = u->n > 1 ? "several" : NULL;
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "file", "%s", tn_look_text(first->soname, "?"));
    tn_find_arg(out, f, "dir", "%s", tn_path_dir(out->mem, TN_PATH_POSIX, first->path.v));
    tn_find_arg(out, f, "n", "%u", u->n);
    tn_find_evidence(f, TN_REF(framework, row, asks));
    tn_find_evidence(f, TN_REF(framework, row, dirs));
    for (unsigned i = 0; i < u->n; i++)
        tn_find_evidence(f, TN_REF(library, u->library[i], path));
    if (preload_helps(j, fw))
        tn_find_remedy(out, f, "preload-dlls", NULL);
    struct tn_remedy *r = tn_find_remedy(out, f, "search-wheel-folders", NULL);
    tn_remedy_arg(out, r, "value", "%s", tn_look_search_value(j, out->mem, u->library, u->n));
    const char *release = neighbour(j, out, fw, u);
    if (release) {
        r = tn_find_remedy(out, f, "neighbour-release", NULL);
        tn_remedy_arg(out, r, "release", "%s", release);
        tn_look_env_args(out, r, j);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    struct unsearched u;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        look(j, fw, &u);
        if (u.n)
            report(j, out, row - 1, &u);
    }
}

TN_CHECK(nvidia_wheels_missing, "nvidia-wheels-missing", run, .needs = TN_NEEDS_LIBRARY);
