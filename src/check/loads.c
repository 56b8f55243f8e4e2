/* loads.c - see look.h: what the loader would give the frameworks (record load), for checks.
 *
 * Where the loader's answer is known it replaces what tags and folders suggest; where it is not (an old record, a
 * described machine, Windows) nothing changes. */
#include "base/str.h"
#include "check/look.h"

const struct tn_rec_load *tn_look_load_next(const struct tn_judge *j, const struct tn_rec_framework *f, size_t *row)
{
    const struct tn_snap *s = j->s;
    while (*row < s->load.n) {
        const struct tn_rec_load *r = &s->load.v[(*row)++];
        if (tn_known(r->env) && tn_judge_sees(j, r->env) &&
            (!f || (tn_known(f->name) && tn_says(r->framework, f->name.v))))
            return r;
    }
    return NULL;
}

size_t tn_look_load(const struct tn_judge *j, const struct tn_rec_framework *f, const char *name)
{
    size_t row = 0, preload = j->s->load.n;
    for (const struct tn_rec_load *r; (r = tn_look_load_next(j, f, &row));) {
        if (!tn_says(r->name, name) || tn_known(r->after) || !tn_known(r->outcome) || tn_says(r->outcome, "unknown"))
            continue;
        if (!tn_says(r->how, "preload"))
            return row - 1;
        preload = preload < j->s->load.n ? preload : row - 1;
    }
    return preload;
}

bool tn_look_is_loaded(const struct tn_judge *j, size_t load, const struct tn_rec_library *l)
{
    const struct tn_rec_load *r = &j->s->load.v[load];
    struct tn_str at = tn_known(r->real) ? r->real : r->path;
    return tn_known(at) && tn_known(l->path) && tn_path_same(tn_snap_style(j->s), at.v, l->path.v);
}
