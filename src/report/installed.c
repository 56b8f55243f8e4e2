/* installed.c - what is installed of the stack: name, true version, owner package and file of each toolkit and library.
 *
 * Libraries of environments other than the judged one are left out: they are no part of its verdict. */
#include "report/report.h"

static const char *text_of(struct tn_str f)
{
    return tn_known(f) ? f.v : NULL;
}

static bool is_foreign(const struct tn_report *r, const struct tn_rec_library *l)
{
    const struct tn_rec_env *e = r->judge->env;
    return tn_known(l->env) && !(e && tn_known(e->id) && tn_says(l->env, e->id.v));
}

bool tn_report_installed(const struct tn_report *r, size_t *at, struct tn_installed *ret)
{
    const struct tn_snap *s = r->judge->s;
    size_t i = (*at)++;
    if (i < s->toolkit.n) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        *ret = (struct tn_installed){"CUDA toolkit", text_of(t->version), text_of(t->kind), text_of(t->path), t->owner};
        return true;
    }
    for (i -= s->toolkit.n; i < s->library.n && is_foreign(r, &s->library.v[i]); i++)
        ++*at;
    if (i >= s->library.n)
        return false;
    const struct tn_rec_library *l = &s->library.v[i];
    const char *name = tn_known(l->soname) ? l->soname.v : text_of(l->stem);
    *ret = (struct tn_installed){name ? name : "?", text_of(l->version), text_of(l->kind), text_of(l->path), l->owner};
    return true;
}
