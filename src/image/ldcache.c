/* ldcache.c - see ldcache.h.
 *
 * Invariant: nothing is allocated before the count is known to fit into the file. Byte order: the cache is of the
 * machine that wrote it; a header flag names it since glibc 2.33, else the count decides. */
#include "image/ldcache.h"

#include <string.h>

#include "base/limits.h"

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"
#define EXTENSION_MAGIC 0xEAA42174u
#define HWCAP_EXTENSION (UINT64_C(1) << 62)

enum { OLD_HEADER = 16, OLD_ENTRY = 12, NEW_HEADER = 48, NEW_ENTRY = 24, TAG_GENERATOR = 0, TAG_HWCAPS = 1 };

struct cache {
    struct tn_span s; /* the block that offsets are relative to */
    bool big;
    uint32_t count;
    struct tn_span hwcaps; /* array of u32 offsets of names */
};

static uint32_t u32(const struct cache *c, uint64_t off)
{
    uint32_t v = 0;
    tn_span_u32(c->s, off, c->big, &v);
    return v;
}

static const char *text(const struct cache *c, uint64_t off)
{
    return tn_span_cstr(c->s, off, TN_MAX_PATH_BYTES);
}

static void read_extension(struct cache *c, struct tn_ldcache *ret)
{
    uint32_t at = u32(c, 32), count;
    if (at == 0 || u32(c, at) != EXTENSION_MAGIC)
        return;
    count = u32(c, (uint64_t)at + 4);
    for (uint64_t i = 0; i < count && i < 64; i++) {
        uint64_t e = at + 8 + i * 16;
        struct tn_span data;
        if (!tn_span_sub(c->s, u32(c, e + 8), u32(c, e + 12), &data))
            continue;
        if (u32(c, e) == TAG_GENERATOR)
            ret->generator = (const char *)data.p;
        else if (u32(c, e) == TAG_HWCAPS)
            c->hwcaps = data;
        if (u32(c, e) == TAG_GENERATOR && data.n == 0)
            ret->generator = NULL;
    }
}

static bool new_entries(struct cache *c, struct tn_arena *a, struct tn_ldcache *ret)
{
    ret->entries = tn_arena_array(a, c->count, sizeof *ret->entries);
    for (uint64_t i = 0; i < c->count; i++) {
        struct tn_ldcache_entry *e = &ret->entries[i];
        uint64_t at = NEW_HEADER + i * NEW_ENTRY, hwcap = 0;
        tn_span_u64(c->s, at + 16, c->big, &hwcap);
        e->flags = u32(c, at);
        e->soname = text(c, u32(c, at + 4));
        e->path = text(c, u32(c, at + 8));
        if (hwcap & HWCAP_EXTENSION) {
            uint32_t name = 0;
            if (tn_span_u32(c->hwcaps, (hwcap & 0xffffffffu) * 4, c->big, &name))
                e->hwcap = text(c, name);
            if (!e->hwcap)
                return false;
        } else {
            e->legacy_hwcap = hwcap;
        }
        if (!e->soname || !e->path)
            return false;
    }
    ret->n = c->count;
    return true;
}

static int parse_new(struct tn_span s, struct tn_arena *a, struct tn_ldcache *ret, struct tn_err *err)
{
    struct cache c = {s, false, 0, {NULL, 0}};
    struct tn_ldcache v = {NULL, 0, NULL, false};
    if (s.n < NEW_HEADER)
        return tn_err_set(err, TN_E_FORMAT, NULL, "the cache is cut short");
    c.hwcaps = tn_span_of(s.p, 0);
    unsigned order = s.p[28] & 3u; /* 0 unset, 1 invalid, 2 little, 3 big */
    c.big = order == 3;
    c.count = u32(&c, 20);
    if (order == 0 && c.count > s.n / NEW_ENTRY) {
        c.big = true;
        c.count = u32(&c, 20);
    }
    if (order == 1 || c.count > (s.n - NEW_HEADER) / NEW_ENTRY)
        return tn_err_set(err, TN_E_FORMAT, NULL, "the cache is damaged or cut short");
    if (c.count > TN_MAX_LDCACHE_ENTRIES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "%u cache entries", c.count);
    read_extension(&c, &v);
    if (v.generator) {
        /* The text has a length, no NUL. */
        size_t left = s.n - (size_t)((const unsigned char *)v.generator - s.p), n = 0;
        while (n < left && n < 256 && v.generator[n] >= ' ' && v.generator[n] < 127)
            n++;
        v.generator = tn_arena_strndup(a, v.generator, n);
    }
    if (!new_entries(&c, a, &v))
        return tn_err_set(err, TN_E_FORMAT, NULL, "an entry of the cache points outside it");
    *ret = v;
    return 0;
}

static int parse_old(struct tn_span s, struct tn_arena *a, struct tn_ldcache *ret, struct tn_err *err)
{
    struct cache c = {s, false, 0, {NULL, 0}};
    struct tn_ldcache v = {NULL, 0, NULL, true};
    if (s.n < OLD_HEADER)
        return tn_err_set(err, TN_E_FORMAT, NULL, "the cache is cut short");
    c.count = u32(&c, 12);
    if (c.count > s.n / OLD_ENTRY) {
        c.big = true;
        c.count = u32(&c, 12);
    }
    if (c.count > (s.n - OLD_HEADER) / OLD_ENTRY)
        return tn_err_set(err, TN_E_FORMAT, NULL, "the cache is damaged or cut short");
    if (c.count > TN_MAX_LDCACHE_ENTRIES)
        return tn_err_set(err, TN_E_LIMIT, NULL, "%u cache entries", c.count);
    uint64_t strings = OLD_HEADER + (uint64_t)c.count * OLD_ENTRY, block = (strings + 7) / 8 * 8;
    struct tn_span newer = tn_span_from(s, block);
    if (tn_span_starts(newer, NEW_MAGIC))
        return parse_new(newer, a, ret, err);
    v.entries = tn_arena_array(a, c.count, sizeof *v.entries);
    v.n = c.count;
    for (uint64_t i = 0; i < c.count; i++) {
        uint64_t at = OLD_HEADER + i * OLD_ENTRY;
        v.entries[i].flags = u32(&c, at);
        v.entries[i].soname = text(&c, strings + u32(&c, at + 4));
        v.entries[i].path = text(&c, strings + u32(&c, at + 8));
        if (!v.entries[i].soname || !v.entries[i].path)
            return tn_err_set(err, TN_E_FORMAT, NULL, "an entry of the cache points outside it");
    }
    *ret = v;
    return 0;
}

int tn_image_ldcache_parse(struct tn_span file, struct tn_arena *a, struct tn_ldcache *ret, struct tn_err *err)
{
    if (tn_span_starts(file, NEW_MAGIC))
        return parse_new(file, a, ret, err);
    if (tn_span_starts(file, OLD_MAGIC))
        return parse_old(file, a, ret, err);
    return tn_err_set(err, TN_E_FORMAT, NULL, "not a loader cache");
}
