/* libs.c - see look.h: which copy of a library the judged environment would meet.
 *
 * Invariant: another environment's copy never counts; a system copy counts where the loader or a toolkit holds it. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "check/look.h"

bool tn_look_usable(const struct tn_judge *j, const struct tn_rec_library *l)
{
    if (tn_is(l->bits, 32) || tn_says(l->kind, "stub") || tn_says(l->kind, "empty"))
        return false;
    return !tn_known(l->env) || tn_judge_sees(j, l->env);
}

bool tn_look_found(const struct tn_judge *j, const struct tn_rec_library *l)
{
    return tn_look_usable(j, l) && (tn_known(l->env) || tn_is(l->reachable, 1));
}

static bool same_name(const struct tn_judge *j, struct tn_str soname, const char *name)
{
    if (!tn_known(soname))
        return false;
    /* Windows compares file names without case. */
    return tn_look_platform(j->s) == TN_PLATFORM_WINDOWS ? tn_str_ieq(soname.v, name) : tn_str_eq(soname.v, name);
}

static int64_t rank_of(const struct tn_rec_library *l)
{
    return l->rank.k == TN_KNOWN ? l->rank.v : INT64_MAX;
}

/* What counts first: met at all, the environment's own, the loader's order. */
static int weight(const struct tn_judge *j, const struct tn_rec_framework *f, const struct tn_rec_library *l)
{
    bool own = j->env && tn_known(l->env) && tn_known(j->env->id) && tn_says(l->env, j->env->id.v);
    bool met = tn_look_found(j, l) && tn_look_reached(j, f, l);
    return 8 * met + 4 * own + 2 * tn_known(l->env) + tn_look_found(j, l);
}

size_t tn_look_library(const struct tn_judge *j, const struct tn_rec_framework *f, const char *soname)
{
    size_t best = j->s->library.n, row = 0, load = f ? tn_look_load(j, f, soname) : j->s->load.n;
    int best_weight = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));) {
        if (!same_name(j, l->soname, soname) || !tn_look_usable(j, l))
            continue;
        if (load < j->s->load.n && tn_look_is_loaded(j, load, l))
            return row - 1;
        int w = weight(j, f, l);
        if (best == j->s->library.n || w > best_weight ||
            (w == best_weight && rank_of(l) < rank_of(&j->s->library.v[best]))) {
            best = row - 1;
            best_weight = w;
        }
    }
    return best;
}

bool tn_look_is_libcuda(const struct tn_rec_library *l)
{
    return tn_says(l->stem, "libcuda") || tn_says(l->stem, "nvcuda");
}

size_t tn_look_libcuda(const struct tn_snap *s)
{
    struct tn_str path = TN_THE(s, driver)->library_path;
    size_t best = s->library.n;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (!tn_look_is_libcuda(l) || tn_known(l->env) || tn_is(l->bits, 32))
            continue;
        if (tn_known(path) && tn_known(l->path) && tn_path_same(tn_snap_style(s), path.v, l->path.v))
            return i;
        if (tn_is(l->reachable, 1) && (best == s->library.n || rank_of(l) < rank_of(&s->library.v[best])))
            best = i;
    }
    return best;
}
