/* alike.c - see check.h: do two environments hold the same facts, so that one judgement serves both?
 *
 * Invariant: "yes" only where every fact that the schema says matters is the same, names and paths of the environments
 * apart, and where neither has libraries of its own nor sees another environment: those are judged by where they lie.
 */
#include "check/check.h"

static bool same_row(unsigned rec, const void *a, const void *b)
{
    for (unsigned i = 0; i < tn_schema[rec].n_field; i++) {
        const struct tn_field_desc *f = &tn_schema[rec].field[i];
        if (f->weight == TN_WEIGHT_MATTERS && f->privacy != TN_CLASS_PSEUDONYM && !tn_field_same(a, b, f))
            return false;
    }
    return true;
}

/* Rows of other environments among them are no hindrance for a judge, but they are here. */
static bool same_rows(const struct tn_judge *a, const struct tn_judge *b, unsigned rec, size_t env_at,
                      struct tn_range of_a, struct tn_range of_b)
{
    size_t n = of_a.to - of_a.from;
    if (n != of_b.to - of_b.from)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *x = tn_snap_row(a->s, rec, of_a.from + i), *y = tn_snap_row(b->s, rec, of_b.from + i);
        if (!tn_says(*(const struct tn_str *)(const void *)(x + env_at), a->env->id.v) ||
            !tn_says(*(const struct tn_str *)(const void *)(y + env_at), b->env->id.v) || !same_row(rec, x, y))
            return false;
    }
    return true;
}

static bool stands_alone(const struct tn_judge *j)
{
    return tn_known(j->env->id) && j->rows->library.to == 0 && !tn_is(j->env->system_site, 1);
}

bool tn_check_alike(const struct tn_judge *a, const struct tn_judge *b)
{
    return stands_alone(a) && stands_alone(b) && same_row(TN_REC_env, a->env, b->env) &&
           same_rows(a, b, TN_REC_framework, offsetof(struct tn_rec_framework, env), a->rows->framework,
                     b->rows->framework) &&
           same_rows(a, b, TN_REC_dist, offsetof(struct tn_rec_dist, env), a->rows->dist, b->rows->dist);
}
