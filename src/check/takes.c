/* takes.c - see takes.h. */
#include "check/takes.h"

#include <string.h>

#include "base/str.h"
#include "check/look.h"

bool tn_check_is_store(const struct tn_judge *j)
{
    if (!j->env)
        return false;
    if (tn_says(j->env->kind, "store"))
        return true;
    for (size_t i = 0; tn_known(j->env->base) && i < j->s->env.n; i++) { /* a virtual environment starts its base */
        const struct tn_rec_env *e = &j->s->env.v[i];
        if (tn_says(e->kind, "store") && tn_known(e->path) &&
            tn_path_same(tn_snap_style(j->s), e->path.v, j->env->base.v))
            return true;
    }
    return false;
}

static bool in_folder_by(const struct tn_snap *s, const struct tn_rec_library *l, const char *by)
{
    enum tn_path_style st = tn_snap_style(s);
    struct tn_arena mem;
    bool yes = false;
    if (!tn_known(l->path))
        return false;
    tn_arena_init(&mem);
    const char *dir = tn_path_dir(&mem, st, l->path.v);
    for (size_t i = 0; i < s->search.n && !yes; i++)
        yes = tn_says(s->search.v[i].by, by) && tn_known(s->search.v[i].path) &&
              tn_path_same(st, s->search.v[i].path.v, dir);
    tn_arena_deinit(&mem);
    return yes;
}

static bool asks_for(const struct tn_judge *j, const struct tn_rec_framework *f, const char *soname)
{
    const char *asks[TN_MAX_ASKS];
    unsigned n = tn_look_asks(j->s, f, asks);
    for (unsigned i = 0; i < n; i++)
        if (tn_look_platform(j->s) == TN_PLATFORM_WINDOWS ? tn_str_ieq(asks[i], soname) : tn_str_eq(asks[i], soname))
            return true;
    return false;
}

/* Without a framework that asks: any program there that opens the name. */
static void answer(const struct tn_judge *j, const struct tn_rec_framework *f, size_t row, struct tn_takes_answer *ret)
{
    const struct tn_rec_library *l = &j->s->library.v[row];
    size_t first = tn_look_library(j, f, l->soname.v);
    bool found = tn_look_found(j, l) && (!f || tn_look_reached(j, f, l));
    if (ret->path_unused)
        found = false;
    if (!found && l->reachable.k == TN_UNASKED && !tn_known(l->env)) {
        ret->how = TN_TAKES_UNKNOWN;
    } else if (first == row) {
        ret->how = found ? TN_TAKES_YES : TN_TAKES_NO;
    } else if (found && first < j->s->library.n) {
        ret->how = TN_TAKES_SHADOWED;
        ret->first = first;
    } else {
        ret->how = TN_TAKES_NO;
    }
    ret->by = f;
}

/* The loader's own answer, where it names this file or says that another one comes first under its name. */
static bool by_loader(const struct tn_judge *j, const struct tn_rec_library *l, struct tn_takes_answer *ret)
{
    size_t row = 0, at = 0;
    for (const struct tn_rec_framework *f; j->env && (f = tn_judge_framework(j, &at));) {
        bool other = false;
        row = 0;
        for (const struct tn_rec_load *r; (r = tn_look_load_next(j, f, &row));) {
            if (!tn_says(r->outcome, "found") || tn_known(r->after))
                continue;
            if (tn_look_is_loaded(j, row - 1, l)) {
                *ret = (struct tn_takes_answer){.how = TN_TAKES_YES, .by = f, .first = j->s->library.n};
                return true;
            }
            bool named = tn_known(l->soname) && tn_says(r->name, l->soname.v);
            other |= named;
            for (size_t i = 0; named && i < j->s->library.n && ret->first == j->s->library.n; i++)
                if (tn_look_is_loaded(j, row - 1, &j->s->library.v[i]))
                    ret->first = i;
        }
        if (other) {
            ret->by = f;
            ret->how = ret->first < j->s->library.n && tn_look_found(j, l) ? TN_TAKES_SHADOWED : TN_TAKES_NO;
        }
    }
    return ret->by != NULL;
}

void tn_check_takes(const struct tn_judge *j, size_t library_row, struct tn_takes_answer *ret)
{
    const struct tn_rec_library *l = &j->s->library.v[library_row];
    memset(ret, 0, sizeof *ret);
    ret->first = j->s->library.n;
    ret->how = TN_TAKES_UNKNOWN;
    if (!tn_known(l->soname) || (!tn_known(l->kind) && l->kind.k != TN_UNASKED))
        return;
    ret->path_unused =
        !tn_known(l->env) && tn_check_is_store(j) && in_folder_by(j->s, l, "PATH") && !in_folder_by(j->s, l, "default");
    if (tn_known(l->env) && (!j->env || !tn_judge_sees(j, l->env))) {
        ret->how = TN_TAKES_NO;
        return;
    }
    size_t row = 0;
    struct tn_takes_answer best = *ret;
    if (by_loader(j, l, ret))
        return;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));)
        if (asks_for(j, f, l->soname.v)) {
            answer(j, f, library_row, ret);
            if (!best.by || ret->how == TN_TAKES_YES)
                best = *ret;
        }
    if (!best.by)
        answer(j, NULL, library_row, &best);
    *ret = best;
}
