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

/* The records met so far, by name: the first of each name hides those of later folders, and two in one folder mean that
 * one of them was not removed. Names come from outside, so a table keeps this linear. */
struct seen {
    struct slot {
        const char *name;
        size_t site, row;
    } * slot;
    size_t size;
};

static struct seen start(struct tn_py *p, const struct tn_pyenv *e)
{
    struct seen t = {NULL, 16};
    size_t n = 0;
    for (size_t s = 0; s < e->n_site; s++)
        n += e->site[s]->n;
    while (t.size < 2 * n)
        t.size *= 2;
    t.slot = tn_arena_array(p->mem, t.size, sizeof *t.slot);
    memset(t.slot, 0, t.size * sizeof *t.slot);
    return t;
}

static struct slot *find(struct seen *t, const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    size_t i = h & (t->size - 1);
    while (t->slot[i].name && strcmp(t->slot[i].name, name) != 0)
        i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

static void set_local(struct tn_py *p, struct tn_rec_dist *r)
{
    const char *plus = r->version.k == TN_KNOWN ? strchr(r->version.v, '+') : NULL;
    r->build = plus && plus[1] ? tn_fact_str(p->s, r->version.src, plus + 1) : tn_fact_nostr(r->version.src, TN_ABSENT);
}

/* Has it a direct_url.json, readable or not? Then its folder may be anywhere (an editable install). */
static bool from_elsewhere(const struct tn_rec_dist *r)
{
    return r->origin.k != TN_UNASKED && r->origin.k != TN_ABSENT;
}

/* Of the judged environment: what it holds, and whether all of it is there. */
static bool read_judged(struct tn_py *p, const struct tn_pyenv *e, const struct tn_pysite *site,
                        const struct tn_pyentry *d, const char *path, size_t row)
{
    bool whole = tn_pydist_read(p, d, path, row);
    if (d->kind != TN_PYDIST_INFO)
        return whole;
    tn_pydist_origin(p, path, row);
    const struct tn_rec_dist *r = &p->s->dist.v[row];
    const char *folder = folder_of(d->package);
    if (folder && !has_folder(e, folder) && !from_elsewhere(r))
        tn_pydist_damage(p, row, "files-missing", tn_pyenv_join(p, site->path, folder), site->src);
    else if (tn_package_is_framework(d->package) && !(p->want && p->want->loads_only))
        tn_pydist_files(p, site, path, row);
    return whole;
}

static void add_dist(struct tn_py *p, const struct tn_pyenv *e, size_t n, const struct tn_pyentry *d, struct seen *seen)
{
    const struct tn_pysite *site = e->site[n];
    const char *path = tn_pyenv_join_in(p, &p->s->mem, site->path, d->name), *folder = folder_of(d->package);
    struct slot *first = find(seen, d->package);
    struct tn_rec_dist *r = TN_ADD(p->s, dist);
    size_t row = p->s->dist.n - 1;
    r->env = e->id_fact;
    r->name = tn_fact_str(p->s, site->src, d->package);
    r->version = *d->version ? tn_fact_str(p->s, site->src, d->version) : tn_fact_nostr(site->src, TN_ABSENT);
    r->path = (struct tn_str){path, site->src, TN_KNOWN}; /* made in the snapshot's memory */
    if (e->judged)
        r->site = tn_fact_str(p->s, site->src, site->path);
    r->place = (struct tn_str){tn_pyenv_place(e, n), site->src, TN_KNOWN};
    r->hidden = tn_fact_int(site->src, first->name && first->site != n);
    bool leftover = d->kind == TN_PYDIST_LEFTOVER, twice = first->name && first->site == n && !leftover;
    if (!first->name && !leftover)
        *first = (struct slot){d->package, n, row};
    bool bad = leftover || twice || d->type == 'p';
    if (e->judged && d->type != 'p' && !leftover)
        bad |= !read_judged(p, e, site, d, path, row);
    if (leftover || twice)
        tn_pydist_damage(p, row, leftover ? "leftover" : "doubled", path, site->src);
    if (twice) {
        tn_pydist_damage(p, first->row, "doubled", path, site->src);
        p->s->dist.v[first->row].whole = tn_fact_int(site->src, 0);
    }
    r = &p->s->dist.v[row];
    struct tn_pep440 v;
    if (r->version.k != TN_KNOWN || tn_version_pep440_parse(tn_span_str(r->version.v), &v, NULL) != 0)
        bad = true;
    if (!bad && folder && !has_folder(e, folder) && !from_elsewhere(r))
        bad = true;
    if (e->judged && r->damage.k == TN_UNASKED)
        r->damage = r->damaged_path = tn_fact_nostr(site->src, TN_ABSENT);
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
    r->place = (struct tn_str){"conda", src, TN_KNOWN};
    if (e->judged)
        tn_pydist_read_conda(p, path, row);
}

/* A package that conda and pip both record, in different versions: pip's is what Python imports. */
static void compare_conda(struct tn_py *p, const struct tn_pyenv *e, struct seen *seen)
{
    for (size_t i = p->first_dist; e->judged && e->meta && i < p->s->dist.n; i++) {
        struct tn_rec_dist *c = &p->s->dist.v[i];
        if (!tn_says(c->place, "conda"))
            break;
        const struct slot *at = find(seen, strcmp(c->name.v, "pytorch") == 0 ? "torch" : c->name.v);
        const struct tn_rec_dist *d = at->name ? &p->s->dist.v[at->row] : NULL;
        if (d && tn_says(d->place, "env") && tn_known(d->installer) && strcmp(d->installer.v, "conda") != 0)
            tn_pydist_damage(p, i, "files-replaced", d->path.v, d->path.src);
        else
            c->damage = c->damaged_path = tn_fact_nostr(c->path.src, TN_ABSENT);
    }
}

void tn_pydist_rows(struct tn_py *p, const struct tn_pyenv *e)
{
    p->first_dist = p->s->dist.n;
    for (size_t i = 0; e->meta && i < e->meta->n; i++)
        add_conda(p, e, &e->meta->entry[i]);
    struct seen seen = start(p, e);
    for (size_t s = 0; s < e->n_site; s++)
        for (size_t i = 0; i < e->site[s]->n; i++)
            if (e->site[s]->entry[i].kind)
                add_dist(p, e, s, &e->site[s]->entry[i], &seen);
    compare_conda(p, e, &seen);
}
