/* disk.c - the files of a machine as its snapshot tells of them: rows of image, dir and cached, found by name.
 *
 * Invariant: what no row speaks of is not known. Rows that are added later are found as well; of two rows of one name
 * the first counts. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

struct rows {
    const struct tn_snap *s;
    struct tn_arena *mem;
    struct tn_names image, dir, cached; /* number of the (first) row */
    size_t n_image, n_dir, n_cached;    /* rows that are in the tables */
    uint32_t *next, *last; /* of cached: the next row with the same name, UINT32_MAX if none; the last one of a first */
    size_t cap_next, cap_last;
};

static void add_cached(struct rows *r, uint32_t i)
{
    const struct tn_rec_cached *c = &r->s->cached.v[i];
    r->next = tn_arena_grow(r->mem, r->next, i, &r->cap_next, sizeof *r->next);
    r->last = tn_arena_grow(r->mem, r->last, i, &r->cap_last, sizeof *r->last);
    r->next[i] = UINT32_MAX;
    r->last[i] = i;
    if (!tn_known(c->soname))
        return;
    size_t first = tn_names_find(&r->cached, c->soname.v);
    if (first == TN_NO_OBJECT) {
        tn_names_add(r->mem, &r->cached, c->soname.v, i, false);
    } else {
        r->next[r->last[first]] = i;
        r->last[first] = i;
    }
}

/* Windows: two spellings of a path are one. */
static const char *key_of(struct rows *r, const char *path)
{
    return tn_snap_style(r->s) == TN_PATH_WINDOWS ? tn_path_key(r->mem, TN_PATH_WINDOWS, path) : path;
}

/* Rows that came since the last look. */
static struct rows *rows(void *ctx)
{
    struct rows *r = ctx;
    for (; r->n_image < r->s->image.n; r->n_image++)
        if (tn_known(r->s->image.v[r->n_image].path) && r->s->image.v[r->n_image].seen.k != TN_UNASKED)
            tn_names_add(r->mem, &r->image, key_of(r, r->s->image.v[r->n_image].path.v), r->n_image, false);
    for (; r->n_dir < r->s->dir.n; r->n_dir++)
        if (tn_known(r->s->dir.v[r->n_dir].path))
            tn_names_add(r->mem, &r->dir, key_of(r, r->s->dir.v[r->n_dir].path.v), r->n_dir, false);
    for (; r->n_cached < r->s->cached.n; r->n_cached++)
        add_cached(r, (uint32_t)r->n_cached);
    return r;
}

static bool row_of_image(void *ctx, const char *path, struct tn_rec_image *ret)
{
    struct rows *r = rows(ctx);
    size_t i = tn_names_find(&r->image, key_of(r, path));
    if (i == TN_NO_OBJECT)
        return false;
    *ret = r->s->image.v[i];
    return ret->seen.k == TN_KNOWN;
}

/* "/x/lib/tls" of the row "/x/lib", which lists its folders for hardware. */
static enum tn_know by_parent(struct rows *r, const char *path)
{
    static const char *const top[] = {"glibc-hwcaps", "tls", "haswell", "xeon_phi", "avx512_1", "x86_64", NULL};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (!tn_str_in(base, top))
        return TN_UNASKED;
    size_t n = slash ? (size_t)(slash - path) : 0;
    const char *parent = slash == path ? "/" : tn_arena_strndup(r->mem, path, n);
    size_t i = tn_names_find(&r->dir, parent);
    const struct tn_rec_dir *d = i == TN_NO_OBJECT ? NULL : &r->s->dir.v[i];
    if (!d)
        return TN_UNASKED;
    if (tn_is(d->exists, 0))
        return TN_ABSENT;
    return d->hardware.k != TN_KNOWN ? TN_UNASKED : tn_list_has(d->hardware, base) ? TN_KNOWN : TN_ABSENT;
}

static enum tn_know row_of_folder(void *ctx, const char *path)
{
    struct rows *r = rows(ctx);
    size_t i = tn_names_find(&r->dir, key_of(r, path));
    if (i == TN_NO_OBJECT)
        return by_parent(r, path);
    const struct tn_rec_dir *d = &r->s->dir.v[i];
    return d->exists.k != TN_KNOWN ? d->exists.k : d->exists.v ? TN_KNOWN : TN_ABSENT;
}

static enum tn_know row_of_cache(void *ctx, const char *soname, size_t i, struct tn_rec_cached *ret)
{
    struct rows *r = rows(ctx);
    size_t at = tn_names_find(&r->cached, soname);
    if (at == TN_NO_OBJECT)
        return TN_UNASKED;
    uint32_t row = (uint32_t)at;
    while (i-- && row != UINT32_MAX)
        row = r->next[row];
    if (row == UINT32_MAX)
        return TN_ABSENT;
    *ret = r->s->cached.v[row];
    return ret->path.k;
}

static enum tn_know row_of_forward(void *ctx, const char *importer, const char *dll, const char *exporter,
                                   const char *target)
{
    struct rows *r = rows(ctx);
    size_t i = tn_names_find(&r->image, key_of(r, importer)), n = strlen(dll);
    const struct tn_list *takes = i == TN_NO_OBJECT ? NULL : &r->s->image.v[i].takes;
    enum tn_know k = TN_UNASKED;
    (void)exporter;
    for (uint32_t t = 0; takes && takes->k == TN_KNOWN && t < takes->n; t++) {
        const char *v = takes->v[t];
        if (strlen(v) <= n || v[n] != ':' || !tn_str_ieq(tn_arena_strndup(r->mem, v, n), dll))
            continue;
        if (tn_str_ieq(v + n + 1, target))
            return TN_KNOWN;
        k = TN_ABSENT;
    }
    return k;
}

void tn_disk_snapshot(struct tn_disk *ret, const struct tn_snap *s, struct tn_arena *mem)
{
    struct rows *r = tn_arena_alloc(mem, sizeof *r);
    r->s = s;
    r->mem = mem;
    *ret = (struct tn_disk){r, row_of_image, row_of_folder, row_of_cache, row_of_forward};
}
