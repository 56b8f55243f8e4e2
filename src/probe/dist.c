/* dist.c - installed distributions of one environment, from the listings of its site folders and conda-meta.
 *
 * Names and versions cost no file; of the judged environment the records of packages on the public list are read as
 * well. Only packages of that list become rows (design 6.6). A record that is half there is whole = 0, never left
 * out. */
#include <string.h>

#include "base/str.h"
#include "probe/dist.h"
#include "snapshot/packages.h"
#include "version/pep440.h"

/* Which folder a framework's distribution brings; a plain extension or plug-in brings another. */
static const char *folder_of(const char *name)
{
    static const char *const tf[] = {"tensorflow",
                                     "tensorflow-cpu",
                                     "tensorflow-gpu",
                                     "tensorflow-intel",
                                     "tensorflow-macos",
                                     "tf-nightly",
                                     "tf-nightly-gpu",
                                     "tf-nightly-cpu",
                                     "intel-tensorflow",
                                     "tensorflow-rocm",
                                     "tensorflow-cpu-aws",
                                     "tensorflow-aarch64",
                                     NULL};
    static const char *const same[] = {"torch", "jax", "jaxlib", "numpy", "onnxruntime", NULL};
    if (tn_str_in(name, tf))
        return "tensorflow";
    if (tn_str_in(name, same))
        return name;
    return strncmp(name, "onnxruntime-", 12) == 0 && strcmp(name, "onnxruntime-extensions") != 0 &&
                   strcmp(name, "onnxruntime-genai") != 0
               ? "onnxruntime"
               : NULL;
}

static bool has_folder(const struct tn_pyenv *e, const char *folder)
{
    for (size_t i = 0; i < e->n_site; i++)
        if (tn_pyenv_entry(e->site[i], folder) ||
            (strcmp(folder, "tensorflow") == 0 && tn_pyenv_entry(e->site[i], "tensorflow_core")))
            return true;
    return false;
}

/* Another record of the same name in the same folder: one of the two was not removed. */
static bool doubled(const struct tn_pysite *site, const struct tn_pyentry *self)
{
    for (size_t i = 0; i < site->n; i++)
        if (&site->entry[i] != self && strcmp(site->entry[i].package, self->package) == 0 && site->entry[i].kind &&
            site->entry[i].kind != TN_PYDIST_LEFTOVER)
            return true;
    return false;
}

static void set_local(struct tn_py *p, struct tn_rec_dist *r)
{
    const char *plus = r->version.k == TN_KNOWN ? strchr(r->version.v, '+') : NULL;
    r->build = plus && plus[1] ? tn_fact_str(p->s, r->version.src, plus + 1) : tn_fact_nostr(r->version.src, TN_ABSENT);
}

static void add_dist(struct tn_py *p, const struct tn_pyenv *e, const struct tn_pysite *site,
                     const struct tn_pyentry *d)
{
    const char *path = tn_pyenv_join_in(p, &p->s->mem, site->path, d->name), *folder = folder_of(d->package);
    struct tn_rec_dist *r = TN_ADD(p->s, dist);
    size_t row = p->s->dist.n - 1;
    r->env = e->id_fact;
    r->name = tn_fact_str(p->s, site->src, d->package);
    r->version = *d->version ? tn_fact_str(p->s, site->src, d->version) : tn_fact_nostr(site->src, TN_ABSENT);
    r->path = (struct tn_str){path, site->src, TN_KNOWN}; /* made in the snapshot's memory */
    bool bad = d->kind == TN_PYDIST_LEFTOVER || doubled(site, d) || d->type == 'p';
    if (e->judged && !bad)
        bad = !tn_pydist_read(p, d, path, row);
    r = &p->s->dist.v[row];
    struct tn_pep440 v;
    if (r->version.k != TN_KNOWN || tn_version_pep440_parse(tn_span_str(r->version.v), &v, NULL) != 0)
        bad = true;
    if (!bad && folder && !has_folder(e, folder) &&
        !(e->judged && tn_world_exists(p->w, tn_pyenv_join(p, path, "direct_url.json"))))
        bad = true;
    if (bad || e->judged)
        r->whole = tn_fact_int(r->whole.src ? r->whole.src : site->src, !bad);
    set_local(p, r);
}

static void add_conda(struct tn_py *p, const struct tn_pyenv *e, const struct tn_pyentry *d)
{
    const char *path = tn_pyenv_join_in(p, &p->s->mem, e->meta->path, d->name);
    struct tn_rec_dist *r = TN_ADD(p->s, dist);
    uint32_t src = e->meta->src;
    size_t row = p->s->dist.n - 1;
    r->env = e->id_fact;
    r->name = tn_fact_str(p->s, src, d->package);
    r->version = tn_fact_str(p->s, src, d->version);
    r->build = tn_fact_str(p->s, src, d->build);
    r->installer = tn_fact_str(p->s, src, "conda");
    r->path = (struct tn_str){path, src, TN_KNOWN};
    if (e->judged)
        tn_pydist_read_conda(p, path, row);
}

void tn_pydist_rows(struct tn_py *p, const struct tn_pyenv *e)
{
    p->first_dist = p->s->dist.n;
    for (size_t i = 0; e->meta && i < e->meta->n; i++)
        add_conda(p, e, &e->meta->entry[i]);
    for (size_t s = 0; s < e->n_site; s++)
        for (size_t i = 0; i < e->site[s]->n; i++)
            if (e->site[s]->entry[i].kind)
                add_dist(p, e, e->site[s], &e->site[s]->entry[i]);
}
