/* loader_disk.c - see loader_disk.h.
 *
 * Invariant: one row an answer, also for "not there"; nothing that the snapshot knows is asked again. Sources: glibc
 * elf/dl-load.c (open, fstat: which errors go on), elf/dl-cache.c (names that are equal but for leading zeros of their
 * numbers are one). */
#include "probe/loader_disk.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/ldcache.h"
#include "probe/loader_image.h"
#include "probe/probe.h"

#define CACHE "/etc/ld.so.cache"

struct asked {
    struct tn_world *w;
    struct tn_snap *s;
    struct tn_arena *mem;
    struct tn_disk known;
    bool win;
    const char *cwd; /* "" when it cannot be told */
    bool cache_read;
    enum tn_know cache_got;
    uint32_t cache_src;
    struct tn_ldcache cache;
    uint32_t *slot; /* entry + 1 by hash of its name; 0 free */
    size_t n_slot;
    const char *dir, *dir_real; /* the folder asked for last */
};

/* Relative paths are looked up from the working folder; NULL where there is none to know of. */
static const char *whole(struct asked *d, const char *path)
{
    if (d->win) /* relative to what a process has as its drive and folder: not looked at */
        return tn_path_is_abs(TN_PATH_WINDOWS, path) ? path : NULL;
    if (path[0] == '/')
        return path;
    if (!d->cwd) {
        struct tn_answer a = tn_world_sys(d->w, d->mem, "cwd");
        d->cwd = a.got == TN_KNOWN ? tn_arena_strdup(d->mem, (const char *)a.data.p) : "";
    }
    return d->cwd[0] == '/' ? tn_path_join(d->mem, TN_PATH_POSIX, d->cwd, *path ? path : ".") : NULL;
}

static bool has_long_name(const char *path)
{
    size_t n = 0;
    for (const char *p = path; *p; p++) {
        n = *p == '/' || *p == '\\' ? 0 : n + 1;
        if (n > TN_MAX_NAME_BYTES)
            return true;
    }
    return (size_t)strlen(path) >= TN_MAX_PATH_BYTES;
}

static const char *word_of(const struct tn_answer *a, const char *path)
{
    switch (a->got) {
    case TN_ABSENT: return "none";
    case TN_DENIED: return "denied";
    case TN_FAILED:
        if (a->note && strcmp(a->note, TN_NOTE_TOO_LONG) == 0)
            return has_long_name(path) ? "long" : "loop";
        return "failed";
    default: return a->st.type == 'f' ? "file" : a->st.type == 'd' ? "folder" : "other";
    }
}

/* Links resolved; most files of one folder are asked for one after the other. */
static const char *real_of(struct asked *d, const char *path)
{
    if (d->win)
        return path;
    struct tn_answer a = tn_world_lstat(d->w, path);
    const char *slash = strrchr(path, '/');
    size_t n = slash == path ? 1 : (size_t)(slash - path);
    if (a.got != TN_KNOWN || a.st.type == 'l')
        return tn_world_real(d->w, d->mem, path, NULL);
    if (!d->dir || strlen(d->dir) != n || strncmp(d->dir, path, n) != 0) {
        d->dir = tn_arena_strndup(d->mem, path, n);
        d->dir_real = tn_world_real(d->w, d->mem, d->dir, NULL);
    }
    return d->dir_real ? tn_path_join(d->mem, TN_PATH_POSIX, d->dir_real, slash + 1) : NULL;
}

static void read_file(struct asked *d, const char *at, struct tn_rec_image *r, uint32_t src, const struct tn_stat *st)
{
    struct tn_world_file file;
    struct tn_arena mem;
    struct tn_err err;
    enum tn_know got;
    r->id = tn_fact_str(d->s, src,
                        tn_arena_printf(d->mem, "%llx:%llu", (unsigned long long)st->dev, (unsigned long long)st->ino));
    r->bytes = tn_fact_int(src, (int64_t)st->size);
    r->real = tn_fact_str(d->s, src, real_of(d, at));
    tn_arena_init(&mem);
    if (tn_world_open(d->w, &mem, at, &file, &got, &err) == 0) {
        uint32_t read = tn_snap_src_of(d->s, TN_KNOWN, NULL, "read", at);
        if (d->win)
            tn_probe_image_pe(d->s, read, &file.view, r);
        else
            tn_probe_image_elf(d->s, read, &file.view, r);
    } else {
        uint32_t bad = tn_snap_src_of(d->s, got, err.text, "read", at);
        r->seen = got == TN_DENIED   ? tn_fact_str(d->s, bad, "denied")
                  : got == TN_FAILED ? tn_fact_str(d->s, bad, "failed")
                                     : tn_fact_nostr(bad, got);
    }
    tn_arena_deinit(&mem);
}

static bool ask_image(void *ctx, const char *path, struct tn_rec_image *ret)
{
    struct asked *d = ctx;
    if (d->known.image(d->known.ctx, path, ret))
        return true;
    const char *at = whole(d, path);
    struct tn_answer a = {0};
    if (at && strlen(at) < TN_MAX_PATH_BYTES)
        a = tn_world_stat(d->w, at);
    else if (at) /* the kernel's own limit */
        a.got = TN_FAILED, a.note = TN_NOTE_TOO_LONG;
    if (a.got == TN_UNASKED || d->s->image.n >= TN_MAX_ROWS)
        return false;
    uint32_t src = tn_probe_src(d->s, "stat", at, &a);
    struct tn_rec_image r;
    memset(&r, 0, sizeof r);
    r.path = tn_fact_str(d->s, src, path);
    r.seen = tn_fact_str(d->s, src, word_of(&a, at));
    if (a.got == TN_KNOWN && a.st.type == 'f')
        read_file(d, at, &r, src, &a.st);
    *TN_ADD(d->s, image) = r;
    *ret = r;
    return r.seen.k == TN_KNOWN;
}

static struct tn_rec_dir *row_of(struct asked *d, const char *path)
{
    for (size_t i = d->s->dir.n; i-- > 0;)
        if (tn_says(d->s->dir.v[i].path, path))
            return &d->s->dir.v[i];
    return NULL;
}

/* The folders for hardware that "X" of "X/tls" holds, as a fact of X. */
static bool list_hardware(struct asked *d, const char *path)
{
    static const char *const top[] = {"avx512_1", "glibc-hwcaps", "haswell", "tls", "x86_64", "xeon_phi", NULL};
    const char *slash = strrchr(path, '/'), *have[6];
    size_t n = 0;
    if (!slash || slash == path || !tn_str_in(slash + 1, top))
        return false;
    const char *parent = tn_arena_strndup(d->mem, path, (size_t)(slash - path));
    if (d->known.folder(d->known.ctx, parent) != TN_KNOWN)
        return false;
    struct tn_rec_dir *r = row_of(d, parent);
    if (!r || r->hardware.k != TN_UNASKED)
        return false;
    struct tn_answer a = {0};
    for (size_t i = 0; top[i]; i++) {
        a = tn_world_stat(d->w, tn_arena_printf(d->mem, "%s/%s", parent, top[i]));
        if (a.got != TN_KNOWN && a.got != TN_ABSENT)
            return false;
        if (a.got == TN_KNOWN && a.st.type == 'd')
            have[n++] = top[i];
    }
    a.got = TN_KNOWN;
    row_of(d, parent)->hardware = tn_fact_list(d->s, tn_probe_src(d->s, "stat", parent, &a), have, n);
    return true;
}

static enum tn_know ask_folder(void *ctx, const char *path)
{
    struct asked *d = ctx;
    enum tn_know k = d->known.folder(d->known.ctx, path);
    if (k != TN_UNASKED)
        return k;
    if (list_hardware(d, path))
        return d->known.folder(d->known.ctx, path);
    const char *at = whole(d, path);
    struct tn_answer a = {0};
    if (at && strlen(at) < TN_MAX_PATH_BYTES)
        a = tn_world_stat(d->w, at);
    if (a.got == TN_UNASKED || d->s->dir.n >= TN_MAX_ROWS)
        return TN_UNASKED;
    uint32_t src = tn_probe_src(d->s, "stat", at, &a);
    bool looked = a.got == TN_KNOWN || a.got == TN_ABSENT;
    /* glibc: a folder that cannot be looked at, whatever the reason, is one that is not there */
    struct tn_rec_dir *r = TN_ADD(d->s, dir);
    r->path = tn_fact_str(d->s, src, path);
    r->exists = looked ? tn_fact_int(src, a.got == TN_KNOWN && a.st.type == 'd') : tn_fact_noint(src, a.got);
    return d->known.folder(d->known.ctx, path);
}

/* Without leading zeros of its numbers: names that are equal then are one to ldconfig. */
static const char *cache_key(struct tn_arena *mem, const char *name)
{
    char *out = tn_arena_strdup(mem, name), *o = out;
    for (const char *p = name; *p; p++) {
        if (*p == '0' && tn_is_digit(p[1]) && (o == out || !tn_is_digit(o[-1])))
            continue;
        *o++ = *p;
    }
    *o = 0;
    return out;
}

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static void read_cache(struct asked *d)
{
    struct tn_answer a = tn_world_read(d->w, d->mem, CACHE, TN_MAX_TEXT_FILE);
    struct tn_err err;
    d->cache_read = true;
    if (a.got == TN_KNOWN && tn_image_ldcache_parse(a.data, d->mem, &d->cache, &err)) {
        d->cache.n = 0; /* the loader passes over such a file */
        a.got = err.code == TN_E_FORMAT ? TN_ABSENT : TN_FAILED;
        a.note = err.text;
    }
    d->cache_got = a.got == TN_DENIED ? TN_ABSENT : a.got; /* who may not read it goes on without it */
    d->cache_src = tn_probe_src(d->s, "read", CACHE, &a);
    for (d->n_slot = 64; d->n_slot < 2 * d->cache.n;)
        d->n_slot *= 2;
    d->slot = tn_arena_array(d->mem, d->n_slot, sizeof *d->slot);
    for (size_t i = 0; i < d->cache.n; i++) {
        const char *key = cache_key(d->mem, d->cache.entries[i].soname);
        size_t at = hash(key) & (d->n_slot - 1);
        while (d->slot[at])
            at = (at + 1) & (d->n_slot - 1);
        d->slot[at] = (uint32_t)i + 1;
    }
}

static void add_cached(struct asked *d, const char *soname, const struct tn_ldcache_entry *e, int64_t rank)
{
    struct tn_rec_cached *c = TN_ADD(d->s, cached);
    c->soname = tn_fact_str(d->s, d->cache_src, soname);
    c->rank = tn_fact_int(d->cache_src, rank);
    if (!e) {
        c->path = tn_fact_nostr(d->cache_src, d->cache_got == TN_KNOWN ? TN_ABSENT : d->cache_got);
        return;
    }
    c->path = tn_fact_str(d->s, d->cache_src, e->path);
    c->flags = tn_fact_int(d->cache_src, (int64_t)e->flags);
    c->hwcap = tn_fact_str(d->s, d->cache_src, e->hwcap);
    c->legacy = tn_fact_int(d->cache_src, (int64_t)e->legacy_hwcap);
}

static enum tn_know ask_cached(void *ctx, const char *soname, size_t i, struct tn_rec_cached *ret)
{
    struct asked *d = ctx;
    enum tn_know k = d->known.cached(d->known.ctx, soname, i, ret);
    if (k != TN_UNASKED || i || d->s->cached.n >= TN_MAX_ROWS)
        return k;
    if (!d->cache_read)
        read_cache(d);
    const char *key = cache_key(d->mem, soname);
    size_t first = d->cache.n;
    for (size_t at = hash(key) & (d->n_slot - 1); d->slot[at]; at = (at + 1) & (d->n_slot - 1)) {
        size_t e = d->slot[at] - 1;
        if (e < first && strcmp(cache_key(d->mem, d->cache.entries[e].soname), key) == 0)
            first = e;
    }
    int64_t rank = 0;
    for (size_t e = first; e < d->cache.n && strcmp(cache_key(d->mem, d->cache.entries[e].soname), key) == 0; e++)
        add_cached(d, soname, &d->cache.entries[e], rank++);
    if (!rank)
        add_cached(d, soname, NULL, 0);
    return d->known.cached(d->known.ctx, soname, 0, ret);
}

static struct tn_rec_image *image_row(struct asked *d, const char *path)
{
    for (size_t i = d->s->image.n; i-- > 0;)
        if (tn_known(d->s->image.v[i].path) && tn_path_same(tn_snap_style(d->s), d->s->image.v[i].path.v, path))
            return &d->s->image.v[i];
    return NULL;
}

/* "a.dll:b.dll" for each that serves a part of what is taken from a.dll; "a.dll:" when none does. */
static enum tn_know ask_forwarded(void *ctx, const char *importer, const char *dll, const char *exporter,
                                  const char *target)
{
    struct asked *d = ctx;
    struct tn_world_file from, by;
    struct tn_arena mem;
    struct tn_err err;
    enum tn_know got;
    enum { MAX = 64 };
    const char *to[MAX], **all;
    size_t n = 0;
    enum tn_know k = d->known.forwarded(d->known.ctx, importer, dll, exporter, target);
    if (k != TN_UNASKED || !d->win || !image_row(d, importer))
        return k;
    tn_arena_init(&mem);
    int rc = tn_world_open(d->w, &mem, importer, &from, &got, &err);
    if (rc == 0)
        rc = tn_world_open(d->w, &mem, exporter, &by, &got, &err);
    if (rc == 0)
        rc = tn_probe_pe_takes(&from.view, dll, &by.view, &mem, to, MAX, &n, &err);
    struct tn_list *had = &image_row(d, importer)->takes;
    size_t old = had->k == TN_KNOWN ? had->n : 0;
    if (rc == 0 && old < TN_MAX_LIST - MAX) {
        all = tn_arena_array(&mem, old + n + 1, sizeof *all);
        for (size_t i = 0; i < old; i++)
            all[i] = had->v[i];
        for (size_t i = 0; i < n; i++)
            all[old + i] = tn_arena_printf(&mem, "%s:%s", dll, to[i]);
        if (!n)
            all[old + n++] = tn_arena_printf(&mem, "%s:", dll);
        *had = tn_fact_list(d->s, tn_snap_src_of(d->s, TN_KNOWN, NULL, "read", importer), all, old + n);
    }
    tn_arena_deinit(&mem);
    return rc ? TN_UNASKED : d->known.forwarded(d->known.ctx, importer, dll, exporter, target);
}

void tn_disk_world(struct tn_disk *ret, struct tn_world *w, struct tn_snap *s, struct tn_arena *mem)
{
    struct asked *d = tn_arena_alloc(mem, sizeof *d);
    d->w = w;
    d->s = s;
    d->mem = mem;
    d->win = tn_snap_style(s) == TN_PATH_WINDOWS;
    tn_disk_snapshot(&d->known, s, mem);
    *ret = (struct tn_disk){d, ask_image, ask_folder, ask_cached, ask_forwarded};
}
