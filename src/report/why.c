/* why.c - see why.h: which row is meant, and what is known of its file. */
#include "report/why.h"

#include <string.h>

#include "base/str.h"

/* What follows "cudart" in "cudart64_110.dll". */
static bool is_dll_of(const char *rest)
{
    size_t n = strlen(rest), digits = strspn(rest, "0123456789_");
    return n >= 4 && tn_str_ieq(rest + n - 4, ".dll") && digits + 4 == n;
}

static bool means(const char *lib, const char *name)
{
    size_t n = strlen(lib);
    if (tn_str_ieq(name, lib) && n > 4 && tn_str_ieq(lib + n - 4, ".dll")) /* Windows knows no case */
        return true;
    if (strncmp(name, lib, n) != 0)
        return strchr(lib, '*') && tn_str_glob(lib, name);
    return !name[n] || (name[n] == '.' && (strncmp(name + n, ".so", 3) == 0 || tn_str_ends(lib, ".so"))) ||
           is_dll_of(name + n);
}

const struct tn_load *tn_why_row(const struct tn_why *w, const struct tn_why_asker *a)
{
    const struct tn_load *exact = tn_loads_find(a->loads, w->lib);
    for (unsigned i = 0; !exact && i < a->loads->n; i++)
        if (means(w->lib, a->loads->v[i].name))
            exact = tn_loads_find(a->loads, a->loads->v[i].name);
    return exact;
}

static enum tn_outcome worse(enum tn_outcome a, enum tn_outcome b)
{
    static const int weight[] = {
        [TN_OUTCOME_FOUND] = 0, [TN_OUTCOME_UNKNOWN] = 1, [TN_OUTCOME_MISSING] = 2, [TN_OUTCOME_STOPS] = 2};
    return weight[b] > weight[a] ? b : a;
}

static enum tn_outcome of_everything(const struct tn_loads *l)
{
    enum tn_outcome all = l->start == TN_OUTCOME_FOUND ? TN_OUTCOME_FOUND : TN_OUTCOME_UNKNOWN;
    for (unsigned i = 0; i < l->n; i++)
        if (!l->v[i].need && l->v[i].ask->is == TN_ASK_REQUIRED)
            all = worse(all, l->v[i].outcome);
    return all;
}

enum tn_outcome tn_why_outcome(const struct tn_why *w)
{
    enum tn_outcome all = TN_OUTCOME_FOUND;
    bool any = false;
    for (unsigned i = 0; i < w->n; i++) {
        const struct tn_load *v = w->lib ? tn_why_row(w, &w->v[i]) : NULL;
        any |= v || !w->lib;
        all = worse(all, v ? v->outcome : w->lib ? TN_OUTCOME_FOUND : of_everything(w->v[i].loads));
    }
    return any ? all : TN_OUTCOME_UNKNOWN;
}

static bool same(enum tn_path_style st, const char *a, const char *b)
{
    return st == TN_PATH_WINDOWS ? tn_path_same(st, a, b) : strcmp(a, b) == 0;
}

static const char *file_of(const struct tn_load *v)
{
    return v->real ? v->real : v->path;
}

const struct tn_rec_library *tn_why_file(const struct tn_why *w, const char *path)
{
    enum tn_path_style st = tn_snap_style(w->s);
    const char *file = path ? tn_path_norm(w->mem, st, path) : NULL;
    for (size_t i = 0; file && i < w->s->library.n; i++)
        if (tn_known(w->s->library.v[i].path) && same(st, w->s->library.v[i].path.v, file))
            return &w->s->library.v[i];
    return NULL;
}

const struct tn_rec_library *tn_why_library(const struct tn_why *w, const struct tn_load *v)
{
    return tn_why_file(w, file_of(v));
}

static bool hides(const struct tn_why *w, const struct tn_load *v, const char *path)
{
    for (size_t i = 0; i < v->n_shadowed; i++)
        if (same(tn_snap_style(w->s), tn_path_norm(w->mem, tn_snap_style(w->s), v->shadowed[i]), path))
            return true;
    return false;
}

const struct tn_rec_library *tn_why_elsewhere(const struct tn_why *w, const struct tn_load *v, size_t *row)
{
    while (*row < w->s->library.n) {
        const struct tn_rec_library *l = &w->s->library.v[(*row)++];
        bool ours = !tn_known(l->env) || (w->env && tn_known(w->env->id) && tn_says(l->env, w->env->id.v));
        bool named = tn_snap_style(w->s) == TN_PATH_WINDOWS ? tn_known(l->soname) && tn_str_ieq(l->soname.v, v->name)
                                                            : tn_says(l->soname, v->name);
        if (ours && named && tn_known(l->path) && !tn_is(l->bits, 32) &&
            !(file_of(v) && same(tn_snap_style(w->s), l->path.v, file_of(v))) && !hides(w, v, l->path.v))
            return l;
    }
    return NULL;
}

const char *tn_why_owner(const struct tn_rec_library *l)
{
    return l && tn_known(l->owner) ? l->owner.v : NULL;
}
