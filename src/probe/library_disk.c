/* library_disk.c - files of a wanted name wherever they lie, each looked at as a vendor library is.
 *
 * Invariant: a file is one row, however many links and hard links lead to it; their names are kept with it. A file that
 * was met in a folder of the loader, a toolkit or an environment stays what it was there. A link that leads nowhere is
 * a row whose kind is absent. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/library.h"
#include "world/seek.h"

struct disks {
    struct tn_lib *l;
    struct tn_seek_line *hit;
    size_t n, cap;
};

static void mount(struct tn_lib *l, const struct tn_seek_line *t, uint32_t src)
{
    struct tn_rec_mount *m = TN_ADD(l->c->s, mount);
    m->path = tn_fact_str(l->c->s, src, t->path);
    m->type = tn_fact_str(l->c->s, src, *t->other ? t->other : NULL);
    m->state = tn_fact_str(l->c->s, src, t->state);
    m->folders = tn_fact_int(src, (int64_t)t->folders);
    m->unreadable = tn_fact_int(src, (int64_t)t->unreadable);
}

/* The environment that holds a path: the one with the longest folder. Of the system's Python only its packages count.
 */
static const struct tn_rec_env *env_of(const struct tn_lib *l, const char *path)
{
    const struct tn_rec_env *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < l->c->s->env.n; i++) {
        const struct tn_rec_env *e = &l->c->s->env.v[i];
        bool system = !tn_known(e->kind) || tn_says(e->kind, "system");
        for (size_t k = 0; k <= (e->site.k == TN_KNOWN ? e->site.n : 0); k++) {
            const char *folder = k ? e->site.v[k - 1] : !system && tn_known(e->path) ? e->path.v : NULL;
            if (folder && strlen(folder) > longest && tn_path_under(l->c->w->style, path, folder)) {
                best = e;
                longest = strlen(folder);
            }
        }
    }
    return best && tn_known(best->id) ? best : NULL;
}

/* A folder of its own for each hit outside the known ones: it is not listed, and nothing searches it. */
static unsigned folder_of(struct tn_lib *l, const char *path)
{
    const char *dir = tn_path_dir(l->c->tmp, l->c->w->style, path);
    const char *key = tn_path_key(l->c->tmp, l->c->w->style, dir);
    int number = tn_lib_map_get(&l->by_real, key);
    if (number >= 0)
        return (unsigned)number;
    const struct tn_rec_env *e = env_of(l, path);
    struct tn_lib_folder f = {.path = dir, .real = dir, .place = e ? TN_LIB_ENV : TN_LIB_DISK};
    const char *base = tn_path_base(l->c->w->style, dir);
    f.stubs = tn_str_eq(base, "stubs");
    f.compat = tn_str_starts(base, "compat");
    f.env = e ? e->id.v : NULL;
    f.env_src = e ? e->id.src : 0;
    f.listed = true;
    l->folder = tn_arena_grow(l->c->tmp, l->folder, l->n_folder, &l->cap_folder, sizeof *l->folder);
    l->folder[l->n_folder] = f;
    tn_lib_map_put(&l->by_real, l->c->tmp, key, (int)l->n_folder);
    return (unsigned)l->n_folder++;
}

static void add_link(struct tn_lib *l, struct tn_lib_file *f, const char *path)
{
    if (tn_path_same(l->c->w->style, f->path, path) || f->n_link == TN_MAX_LIST)
        return;
    for (size_t i = 0; i < f->n_link && f->n_link < 64; i++)
        if (strcmp(f->link[i], path) == 0)
            return;
    f->link = tn_arena_grow(l->c->tmp, (void *)f->link, f->n_link, &f->cap_link, sizeof *f->link);
    f->link[f->n_link++] = path;
    if (f->n_name < TN_LIB_MAX_NAMES) /* it may be asked for by that name */
        f->name[f->n_name++] = (struct tn_lib_name){folder_of(l, path), tn_path_base(l->c->w->style, path)};
}

static struct tn_lib_file *add_file(struct tn_lib *l, const char *path)
{
    struct tn_soname cut;
    const char *base = tn_path_base(l->c->w->style, path), *stem = base;
    if (tn_version_soname_parse(base, &cut, NULL) == 0)
        stem = cut.stem;
    if (strlen(stem) >= sizeof l->file->stem)
        stem = tn_arena_strndup(l->c->tmp, stem, sizeof l->file->stem - 1);
    size_t before = l->n_file;
    unsigned folder = folder_of(l, path);
    struct tn_lib_file *f = tn_lib_add(l, folder, path, stem);
    if (f && l->n_file > before)
        f->name[f->n_name++] = (struct tn_lib_name){folder, base};
    return f;
}

/* Files first: of several hard links the one that is known already, else the first by name. */
static void add_files(struct disks *d)
{
    struct tn_lib *l = d->l;
    struct tn_lib_map by_inode = {NULL, 0, 0};
    for (unsigned known = 0; known < 2; known++)
        for (size_t i = 0; i < d->n; i++) {
            const struct tn_seek_line *h = &d->hit[i];
            const char *path = h->path;
            if (h->type != 'f' || (tn_lib_map_get(&l->by_file, path) < 0) != (known == 1))
                continue;
            bool hard = h->links > 1 && h->ino;
            const char *key =
                hard ? tn_arena_printf(l->c->tmp, "%llu:%llu", (unsigned long long)h->dev, (unsigned long long)h->ino)
                     : NULL;
            int first = hard ? tn_lib_map_get(&by_inode, key) : TN_LIB_NEW;
            if (first >= 0 && !known) /* both are known rows already */
                continue;
            if (first >= 0) {
                add_link(l, &l->file[first], path);
                tn_lib_map_put(&l->by_file, l->c->tmp, path, first); /* where links lead */
                continue;
            }
            struct tn_lib_file *f = add_file(l, path);
            if (hard && f)
                tn_lib_map_put(&by_inode, l->c->tmp, key, (int)(f - l->file));
        }
}

static void add_links(struct disks *d)
{
    struct tn_lib *l = d->l;
    for (size_t i = 0; i < d->n; i++) {
        const struct tn_seek_line *h = &d->hit[i];
        if (h->type != 'l')
            continue;
        const char *real = tn_world_real(l->c->w, l->c->tmp, h->path, NULL);
        struct tn_answer a = {.got = TN_ABSENT};
        if (real)
            a = tn_world_stat(l->c->w, real);
        if (real && a.got == TN_KNOWN && a.st.type != 'f') /* to a folder */
            continue;
        struct tn_lib_file *f = add_file(l, real ? real : h->path);
        if (f && real)
            add_link(l, f, h->path);
    }
}

void tn_lib_disks(struct tn_lib *l)
{
    const struct tn_want_file *want = l->c->want ? l->c->want->file : NULL;
    struct disks d = {.l = l};
    struct tn_seek_line line;
    if (!want)
        return;
    struct tn_question q = {.kind = TN_Q_SEEK,
                            .name = want->name,
                            .sub = want->all ? "all" : NULL,
                            .keep = want->keep,
                            .ctx = want->ctx,
                            .tick = l->c->want->tick,
                            .tick_ctx = l->c->want->tick_ctx};
    struct tn_answer a = tn_world_ask(l->c->w, l->c->tmp, &q);
    uint32_t src = tn_probe_src(l->c->s, "seek", want->name, &a);
    l->c->s->mount.listed = a.got;
    l->c->s->mount.src = src;
    struct tn_span rest = a.data;
    while (a.got == TN_KNOWN && tn_seek_next(l->c->tmp, &rest, &line)) {
        if (line.type == 't') {
            mount(l, &line, src);
            continue;
        }
        if (d.n >= TN_MAX_SEEK_HITS)
            continue;
        d.hit = tn_arena_grow(l->c->tmp, d.hit, d.n, &d.cap, sizeof *d.hit);
        d.hit[d.n++] = line;
    }
    add_files(&d);
    add_links(&d);
}
