/* disk.c - the files of a machine as its snapshot tells of them: rows of image, dir and cached, found by name.
 *
 * Invariant: what no row speaks of is not known. A file in a folder that is not there is not there either. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

struct rows {
    const struct tn_snap *s;
    struct tn_arena *mem;
    struct tn_names image, dir, cached; /* number of the (first) row */
    uint32_t *next;                     /* next row of cached with the same name; UINT32_MAX: none */
};

static bool row_of_image(void *ctx, const char *path, struct tn_rec_image *ret)
{
    struct rows *r = ctx;
    size_t i = tn_names_find(&r->image, path);
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
    struct rows *r = ctx;
    size_t i = tn_names_find(&r->dir, path);
    if (i == TN_NO_OBJECT)
        return by_parent(r, path);
    const struct tn_rec_dir *d = &r->s->dir.v[i];
    return d->exists.k != TN_KNOWN ? d->exists.k : d->exists.v ? TN_KNOWN : TN_ABSENT;
}

static enum tn_know row_of_cache(void *ctx, const char *soname, size_t i, struct tn_rec_cached *ret)
{
    struct rows *r = ctx;
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

void tn_disk_snapshot(struct tn_disk *ret, const struct tn_snap *s, struct tn_arena *mem)
{
    struct rows *r = tn_arena_alloc(mem, sizeof *r);
    r->s = s;
    r->mem = mem;
    for (size_t i = 0; i < s->image.n; i++)
        if (tn_known(s->image.v[i].path))
            tn_names_add(mem, &r->image, s->image.v[i].path.v, i, false);
    for (size_t i = 0; i < s->dir.n; i++)
        if (tn_known(s->dir.v[i].path))
            tn_names_add(mem, &r->dir, s->dir.v[i].path.v, i, false);
    r->next = tn_arena_array(mem, s->cached.n, sizeof *r->next);
    uint32_t *last = tn_arena_array(mem, s->cached.n, sizeof *last);
    for (size_t i = 0; i < s->cached.n; i++) {
        r->next[i] = UINT32_MAX;
        last[i] = (uint32_t)i;
        if (!tn_known(s->cached.v[i].soname))
            continue;
        size_t first = tn_names_find(&r->cached, s->cached.v[i].soname.v);
        if (first == TN_NO_OBJECT) {
            tn_names_add(mem, &r->cached, s->cached.v[i].soname.v, i, false);
        } else {
            r->next[last[first]] = (uint32_t)i;
            last[first] = (uint32_t)i;
        }
    }
    *ret = (struct tn_disk){r, row_of_image, row_of_folder, row_of_cache};
}
