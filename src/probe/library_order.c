/* library_order.c - in which order the loader meets files of equal names, for a program that adds no folders itself.
 *
 * Invariant: glibc takes LD_LIBRARY_PATH, then /etc/ld.so.cache, then its own folders (ld.so(8); elf/dl-load.c,
 * _dl_map_object); Windows its system folder, then PATH ("Dynamic-link library search order"). A file that none of them
 * leads to has no place. */
#include "probe/library.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/ldcache.h"

#define STAGE (1 << 20) /* places of one stage of the search */

static void meet(struct tn_lib_file *f, int64_t order)
{
    if (f->order < 0 || order < f->order)
        f->order = order;
}

/* Files whose soname lies in one of the folders of a search order. */
static void by_folders(struct tn_lib *l, const char *by, int64_t stage)
{
    const struct tn_snap *s = l->c->s;
    for (size_t i = 0; i < s->search.n; i++) {
        const struct tn_rec_search *r = &s->search.v[i];
        if (!tn_says(r->by, by) || !tn_known(r->path) || !tn_path_is_abs(l->c->w->style, r->path.v))
            continue;
        int at = tn_lib_folder(l, r->path.v, TN_LIB_SYSTEM);
        for (size_t k = 0; at >= 0 && k < l->n_file; k++)
            for (unsigned n = 0; n < l->file[k].n_name; n++) {
                const struct tn_lib_name *name = &l->file[k].name[n];
                if (name->folder == (unsigned)at && l->file[k].soname &&
                    (l->win ? tn_str_ieq(name->name, l->file[k].soname) : tn_str_eq(name->name, l->file[k].soname)))
                    meet(&l->file[k], stage * STAGE + r->rank.v);
            }
    }
}

/* Files that the cache names. Its paths have links; the file is known by folder and name. */
static void by_cache(struct tn_lib *l, int64_t stage)
{
    struct tn_answer a = tn_world_read(l->c->w, l->c->tmp, "/etc/ld.so.cache", TN_MAX_TEXT_FILE);
    struct tn_ldcache cache;
    struct tn_soname cut;
    const struct tn_want_file *want = l->c->want ? l->c->want->file : NULL;
    if (a.got == TN_FAILED || a.got == TN_DENIED)
        l->lost = tn_probe_src(l->c->s, "read", "/etc/ld.so.cache", &a);
    if (a.got != TN_KNOWN || tn_image_ldcache_parse(a.data, l->c->tmp, &cache, NULL))
        return;
    for (size_t i = 0; i < cache.n; i++) {
        const struct tn_ldcache_entry *e = &cache.entries[i];
        const char *base = tn_path_base(TN_PATH_POSIX, e->path);
        if (!tn_lib_name(base, false, &cut) && !(want && want->keep(want->ctx, base)))
            continue;
        int at = tn_lib_folder(l, tn_path_dir(l->c->tmp, TN_PATH_POSIX, e->path), TN_LIB_SYSTEM);
        for (size_t k = 0; at >= 0 && k < l->n_file; k++)
            for (unsigned n = 0; n < l->file[k].n_name; n++)
                if (l->file[k].name[n].folder == (unsigned)at && tn_str_eq(l->file[k].name[n].name, base) &&
                    tn_str_eq(l->file[k].soname, e->soname))
                    meet(&l->file[k], stage * STAGE + (int64_t)i);
    }
}

bool tn_lib_order(struct tn_lib *l)
{
    const struct tn_snap *s = l->c->s;
    bool known = false;
    for (size_t i = 0; i < s->search.n && !known; i++)
        known = tn_says(s->search.v[i].by, "default") || tn_says(s->search.v[i].by, "ld.so.cache");
    if (!known)
        return false;

    for (size_t i = 0; i < l->n_file; i++)
        l->file[i].order = -1;
    if (l->win) {
        by_folders(l, "default", 0);
        by_folders(l, "PATH", 1);
        return true;
    }
    by_folders(l, "LD_LIBRARY_PATH", 0);
    by_cache(l, 1);
    by_folders(l, "default", 2);
    return true;
}
