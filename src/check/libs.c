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
    if (!tn_known(l->env))
        return true;
    return j->env && tn_known(j->env->id) && tn_says(l->env, j->env->id.v);
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

size_t tn_look_library(const struct tn_judge *j, const char *soname)
{
    size_t best = j->s->library.n, row = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));) {
        if (!same_name(j, l->soname, soname) || !tn_look_usable(j, l))
            continue;
        const struct tn_rec_library *b = best < j->s->library.n ? &j->s->library.v[best] : NULL;
        /* The environment's own copy, then the loader's order, then any that lies in a toolkit. */
        int own = tn_known(l->env), b_own = b && tn_known(b->env);
        int found = tn_look_found(j, l), b_found = b && tn_look_found(j, b);
        if (b == NULL || own > b_own ||
            (own == b_own && (found > b_found || (found == b_found && rank_of(l) < rank_of(b)))))
            best = row - 1;
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
