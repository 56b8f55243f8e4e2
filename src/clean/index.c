/* index.c - see index.h. */
#include "clean/index.h"

#include "base/str.h"

const char *tn_clean_loaded(const struct tn_rec_load *l)
{
    return tn_known(l->real) ? l->real.v : tn_known(l->path) ? l->path.v : NULL;
}

const struct tn_rec_env *tn_clean_env(const struct tn_clean *c, struct tn_str id)
{
    const struct tn_key *k;
    return tn_known(id) && tn_keys_find(&c->index->env, id.v, &k) ? &c->s->env.v[k->row] : NULL;
}

static void environments(struct tn_clean *c, struct tn_clean_index *x)
{
    const struct tn_snap *s = c->s;
    for (size_t i = 0; i < s->env.n; i++)
        if (tn_known(s->env.v[i].id))
            tn_keys_add(&x->env, c->mem, s->env.v[i].id.v, i);
    for (size_t i = 0; i < s->stock.n; i++) {
        if (!tn_known(s->stock.v[i].env))
            continue;
        tn_keys_add(&x->stock, c->mem, s->stock.v[i].env.v, i);
        if (tn_says(s->stock.v[i].kind, "env"))
            tn_keys_add(&x->broken, c->mem, s->stock.v[i].env.v, i);
    }
    tn_keys_sort(&x->env);
    tn_keys_sort(&x->stock);
    tn_keys_sort(&x->broken);
}

static void files(struct tn_clean *c, struct tn_clean_index *x)
{
    const struct tn_snap *s = c->s;
    enum tn_path_style st = tn_snap_style(s);
    for (size_t i = 0; i < s->load.n; i++) {
        const struct tn_rec_load *l = &s->load.v[i];
        const char *file = tn_clean_loaded(l);
        if (file && tn_clean_env(c, l->env) && !tn_says(l->outcome, "missing") && !tn_keys_has(&x->broken, l->env.v))
            tn_keys_add(&x->load, c->mem, tn_path_key(c->mem, st, file), i);
    }
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (tn_known(l->path))
            tn_keys_add(&x->library, c->mem, tn_path_key(c->mem, st, l->path.v), i);
        if (tn_known(l->path) && tn_known(l->owner))
            tn_keys_add(&x->owned, c->mem, tn_known(l->env) ? l->env.v : "", i);
    }
    for (size_t i = 0; i < s->mention.n; i++)
        if (tn_known(s->mention.v[i].leads_to))
            tn_keys_add(&x->mention, c->mem, s->mention.v[i].leads_to.v, i);
    tn_keys_sort(&x->load);
    tn_keys_sort(&x->library);
    tn_keys_sort(&x->owned);
    tn_keys_sort(&x->mention);
}

/* Frameworks of an environment of which the loader's answer is not known: they may load from anywhere. */
static void unclear(struct tn_clean *c, struct tn_clean_index *x)
{
    static const char *const loaders[] = {"tensorflow", "torch", "jax", "onnxruntime", NULL};
    const struct tn_snap *s = c->s;
    struct tn_keys loads = {0};
    for (size_t i = 0; i < s->load.n; i++)
        if (tn_known(s->load.v[i].env))
            tn_keys_add(&loads, c->mem, s->load.v[i].env.v, i);
    tn_keys_sort(&loads);
    for (size_t i = 0; i < s->framework.n; i++) {
        const struct tn_rec_framework *f = &s->framework.v[i];
        const struct tn_key *k;
        bool known = false;
        if (tn_is(f->gpu_build, 0) || !tn_known(f->env) || !tn_known(f->name) || !tn_str_in(f->name.v, loaders) ||
            tn_keys_has(&x->broken, f->env.v))
            continue;
        for (size_t n = tn_keys_find(&loads, f->env.v, &k); n && !known; n--, k++)
            known = tn_says(s->load.v[k->row].framework, f->name.v);
        if (!known)
            tn_keys_add(&x->unclear, c->mem, f->env.v, i);
    }
    tn_keys_sort(&x->unclear);
}

void tn_clean_index(struct tn_clean *c)
{
    struct tn_clean_index *x = tn_arena_alloc(c->mem, sizeof *x);
    c->index = x;
    environments(c, x);
    files(c, x);
    unclear(c, x);
}
