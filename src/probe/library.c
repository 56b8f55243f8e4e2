/* library.c - vendor libraries as files: the driver's user space, CUDA, cuDNN, NCCL, TensorRT; who would be loaded.
 *
 * Invariant: one file is one row, whatever links lead to it. driver.library_version is that of the libcuda that the
 * loader meets first; "absent" there means that it meets none. Owner packages: owner.c. */
#include "probe/library.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/elf_version.h"
#include "probe/tables.h"

static const char *const place_words[] = {"system", "driver", "toolkit", "env", "path", "disk"};

struct tn_lib_file *tn_lib_add(struct tn_lib *l, unsigned folder, const char *path, const char *stem)
{
    int number = tn_lib_map_get(&l->by_file, path);
    struct tn_lib_file *f = number >= 0 ? &l->file[number] : NULL;
    if (!f) {
        if (l->n_file >= TN_MAX_ROWS)
            return NULL;
        l->file = tn_arena_grow(l->c->tmp, l->file, l->n_file, &l->cap_file, sizeof *l->file);
        tn_lib_map_put(&l->by_file, l->c->tmp, path, (int)l->n_file);
        f = &l->file[l->n_file++];
        memset(f, 0, sizeof *f);
        f->path = path;
        f->folder = folder;
        memcpy(f->stem, stem, strlen(stem) + 1);
    }
    return f;
}

static void found(struct tn_lib *l, unsigned folder, const char *name, const char *path, const char *stem)
{
    struct tn_lib_file *f = tn_lib_add(l, folder, path, stem);
    if (f && f->n_name < TN_LIB_MAX_NAMES)
        f->name[f->n_name++] = (struct tn_lib_name){folder, name};
}

/* Where an entry leads. Most links name a neighbour ("libcudart.so.13"): then one question is enough. */
static const char *target(struct tn_lib *l, const struct tn_lib_folder *d, const char *name)
{
    const char *path = tn_lib_join(l, d->real, name), *at = path;
    for (unsigned hop = 0; hop < 4; hop++) {
        struct tn_answer a = tn_world_link(l->c->w, l->c->tmp, at);
        const char *to = (const char *)a.data.p;
        if (a.got != TN_KNOWN || !*to || strchr(to, '/'))
            break;
        for (size_t k = 0; k < d->list.n_entry; k++)
            if (d->list.entry[k].type == 'f' && tn_str_eq(d->list.entry[k].name, to))
                return tn_lib_join(l, d->real, to);
        at = tn_lib_join(l, d->real, to);
    }
    struct tn_answer a = {0};
    const char *real = tn_world_real(l->c->w, l->c->tmp, path, &a.got);
    tn_lib_trouble(l, "link", path, TN_LIB_ENV, &a);
    return real;
}

static void look_folder(struct tn_lib *l, unsigned i)
{
    struct tn_lib_folder *d = &l->folder[i];
    if (!d->listed) {
        d->list = tn_world_list_some(l->c->w, l->c->tmp, d->real, tn_lib_may_be, &l->win);
        d->listed = true;
    }
    tn_lib_trouble(l, "list", d->real, d->place, &d->list);
    for (size_t k = 0; k < d->list.n_entry; k++) {
        const struct tn_entry *e = &d->list.entry[k];
        struct tn_soname cut;
        if (e->type == 'd' || !tn_lib_name(e->name, l->win, &cut) || strlen(cut.stem) >= sizeof l->file->stem)
            continue;
        const char *path = tn_lib_join(l, d->real, e->name);
        if (e->type != 'f' && !l->win)
            path = target(l, d, e->name);
        if (path)
            found(l, i, e->name, path, cut.stem);
    }
}

/* A file of the driver lies in a system folder; the same file in a toolkit is a stub or a compat library. */
static const char *place_of(const struct tn_lib *l, const struct tn_lib_file *f)
{
    enum tn_lib_place p = l->folder[f->folder].place;
    if (tn_lib_is_driver(f->stem) && (p == TN_LIB_SYSTEM || p == TN_LIB_DRIVER))
        return place_words[TN_LIB_DRIVER];
    return place_words[p == TN_LIB_DRIVER ? TN_LIB_SYSTEM : p];
}

static void make_rows(struct tn_lib *l)
{
    struct tn_snap *s = l->c->s;
    for (size_t i = 0; i < l->n_file; i++) {
        struct tn_lib_file *f = &l->file[i];
        const struct tn_lib_folder *d = &l->folder[f->folder];
        struct tn_rec_library *r = TN_ADD(s, library);
        uint32_t src = tn_snap_src(s, TN_KNOWN, NULL, "list %s", d->real);
        r->stem = tn_fact_str(s, src, f->stem);
        r->path = tn_fact_str(s, src, f->path);
        r->place = tn_fact_str(s, src, place_of(l, f));
        r->env = d->env ? tn_fact_str(s, d->env_src, d->env) : tn_fact_nostr(src, TN_ABSENT);
        if (f->n_link)
            r->links = tn_fact_list(s, src, f->link, f->n_link);
        tn_lib_look(l, f, r);
    }
}

/* Some libraries do not know their version; one of the same product in the same folder does. */
static void ask_partners(struct tn_lib *l)
{
    struct tn_rec_library *v = l->c->s->library.v;
    for (size_t i = 0; i < l->n_file; i++) {
        const char *partner = tn_image_elf_version_partner(l->file[i].stem);
        if (v[i].version.k != TN_UNASKED || !partner || !tn_says(v[i].kind, "real"))
            continue;
        for (size_t k = 0; k < l->n_file; k++)
            if (l->file[k].folder == l->file[i].folder && tn_str_eq(l->file[k].stem, partner) && tn_known(v[k].version))
                v[i].version = v[k].version;
    }
}

static bool number(struct tn_lib *l)
{
    struct tn_rec_library *v = l->c->s->library.v;
    uint32_t src = tn_snap_src(l->c->s, TN_KNOWN, NULL, "search orders");
    if (!tn_lib_order(l)) /* no search order was seen: a folder without a system in it */
        return false;
    for (size_t i = 0; i < l->n_file; i++) {
        int64_t rank = 0;
        v[i].reachable = tn_fact_int(src, l->file[i].order >= 0);
        v[i].rank = tn_fact_noint(src, TN_ABSENT);
        if (l->file[i].order < 0 && l->lost) /* the folder that leads to it may be one that was not looked at */
            v[i].reachable = v[i].rank = tn_fact_noint(l->lost, TN_FAILED);
        if (l->file[i].order < 0)
            continue;
        for (size_t k = 0; k < l->n_file; k++)
            rank += l->file[k].order >= 0 && l->file[k].order < l->file[i].order &&
                    (l->win ? tn_str_ieq(l->file[k].soname, l->file[i].soname)
                            : tn_str_eq(l->file[k].soname, l->file[i].soname)) &&
                    v[k].bits.v == v[i].bits.v;
        v[i].rank = tn_fact_int(src, rank);
    }
    return true;
}

static void name_driver(struct tn_probe_ctx *c, bool searched, uint32_t lost)
{
    struct tn_rec_driver *d = TN_THE(c->s, driver);
    const char *want = tn_probe_is_windows(c) ? "nvcuda.dll" : "libcuda.so.1";
    for (size_t i = 0; i < c->s->library.n; i++) {
        const struct tn_rec_library *r = &c->s->library.v[i];
        if (!tn_known(r->soname) || !tn_str_ieq(r->soname.v, want) || !tn_is(r->rank, 0) || tn_is(r->bits, 32))
            continue;
        d->library_path = r->path;
        /* An empty or damaged file stops the loader whatever its name promises. */
        d->library_version =
            !tn_known(r->kind) || tn_says(r->kind, "empty") ? tn_fact_nostr(r->kind.src, TN_FAILED) : r->version;
        if (d->cuda.k == TN_UNASKED && tn_known(r->version) && tn_says(r->kind, "real"))
            d->cuda = tn_probe_cuda_of_driver(c->s, r->version.v);
        return;
    }
    for (size_t i = 0; i < c->s->search.n && !lost; i++)
        if (c->s->search.v[i].path.k == TN_FAILED || c->s->search.v[i].path.k == TN_DENIED)
            lost = c->s->search.v[i].path.src;
    if (lost) {
        d->library_path = d->library_version = tn_fact_nostr(lost, TN_FAILED);
        return;
    }
    if (!searched)
        return;
    uint32_t src = tn_snap_src(c->s, TN_ABSENT, NULL, "search orders for %s", want);
    d->library_path = d->library_version = tn_fact_nostr(src, TN_ABSENT);
}

static void look(struct tn_probe_ctx *c)
{
    struct tn_lib l = {.c = c, .win = tn_probe_is_windows(c)};
    tn_lib_folders(&l);
    tn_lib_packages(&l);
    for (unsigned i = 0; i < l.n_folder; i++)
        look_folder(&l, i);
    tn_lib_disks(&l);
    make_rows(&l);
    ask_partners(&l);
    bool searched = number(&l); /* which may find that something is lost */
    name_driver(c, searched, l.lost);
    tn_lib_code(&l);
    c->s->library.listed = l.trouble != TN_UNASKED ? l.trouble : l.n_folder ? TN_KNOWN : TN_UNASKED;
    c->s->library.src = l.trouble != TN_UNASKED
                            ? l.trouble_src
                            : tn_snap_src(c->s, TN_KNOWN, NULL, "folders of the loader, of toolkits and environments");
}

TN_PROBE(library, TN_PHASE_LIBRARY, look, "vendor libraries, their versions, and which the loader meets first",
         .gives = TN_HAS(library) | TN_HAS(driver) | TN_HAS(mount),
         .reads = TN_HAS(env) | TN_HAS(dist) | TN_HAS(search) | TN_HAS(toolkit) | TN_HAS(driver));
