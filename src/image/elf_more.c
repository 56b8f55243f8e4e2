/* elf_more.c - sections, notes and dynamic symbols of an opened ELF file: see elf.h. */
#include "image/elf.h"

#include <string.h>

#include "base/limits.h"
#include "image/bytes.h"

static uint64_t word(const struct tn_elf *e, struct tn_span s, unsigned off32, unsigned off64)
{
    uint64_t v = 0;
    uint32_t w = 0;
    if (e->is64)
        tn_span_u64(s, off64, e->big, &v);
    else if (tn_span_u32(s, off32, e->big, &w))
        v = w;
    return v;
}

static uint32_t u32(const struct tn_elf *e, struct tn_span s, unsigned off)
{
    uint32_t v = 0;
    tn_span_u32(s, off, e->big, &v);
    return v;
}

int tn_image_elf_section(const struct tn_elf *e, const struct tn_view *v, const char *name, struct tn_elf_section *ret,
                         struct tn_err *err)
{
    struct tn_bytes headers, names;
    struct tn_span s;
    tn_image_bytes_init(&headers, v, 0);
    tn_image_bytes_init(&names, v, 0);
    for (uint32_t i = 1; i < e->shnum; i++) {
        int r = tn_image_bytes_at(&headers, e->shoff + (uint64_t)i * e->shentsize, e->is64 ? 64 : 40, &s, err);
        if (r)
            return r;
        uint32_t at = u32(e, s, 0);
        if (at >= e->shstr_size || e->shstr > UINT64_MAX - at)
            continue;
        r = tn_image_bytes_differ(&names, e->shstr + at, name, err);
        if (r < 0)
            return r;
        if (r)
            continue;
        ret->type = u32(e, s, 4);
        ret->flags = word(e, s, 8, 8);
        ret->addr = word(e, s, 12, 16);
        ret->off = word(e, s, 16, 24);
        ret->size = word(e, s, 20, 32);
        return 0;
    }
    return tn_err_set(err, TN_E_NOTFOUND, name, "no such section");
}

/* One note at off, which ends before end; returns the offset behind it, or 0 when it is malformed. */
static uint64_t read_note(struct tn_bytes *b, const struct tn_elf *e, uint64_t off, uint64_t end, struct tn_arena *a,
                          struct tn_elf_note *ret)
{
    enum { MAX_OWNER = 256, MAX_DESC = 64 << 10 };
    struct tn_span s;
    if (end - off < 12 || tn_image_bytes_at(b, off, 12, &s, NULL))
        return 0;
    uint64_t namesz = u32(e, s, 0), descsz = u32(e, s, 4), name_at = off + 12;
    ret->type = u32(e, s, 8);
    uint64_t desc_at = name_at + (namesz + 3) / 4 * 4, next = desc_at + (descsz + 3) / 4 * 4;
    if (namesz > MAX_OWNER || desc_at + descsz > end || tn_image_bytes_at(b, name_at, (size_t)namesz, &s, NULL))
        return 0;
    while (s.n && s.p[s.n - 1] == 0)
        s.n--;
    ret->owner = tn_arena_strndup(a, (const char *)s.p, s.n);
    ret->desc = tn_span_of("", 0);
    if (descsz && descsz <= MAX_DESC && descsz <= b->text_left) {
        if (tn_image_bytes_at(b, desc_at, (size_t)descsz, &s, NULL))
            return 0;
        ret->desc = tn_span_of(tn_arena_memdup(a, s.p, s.n), s.n);
        b->text_left -= s.n;
    }
    return next;
}

int tn_image_elf_notes(const struct tn_elf *e, const struct tn_view *v, struct tn_arena *a, struct tn_elf_note **ret,
                       size_t *ret_n, struct tn_err *err)
{
    struct tn_elf_note *list = NULL;
    size_t n = 0, cap = 0;
    struct tn_bytes b;
    tn_image_bytes_init(&b, v, TN_MAX_ELF_TEXT);
    for (size_t i = 0; i < e->n_notes; i++) {
        uint64_t off = e->notes[i].off, end;
        if (off > v->size)
            continue;
        end = e->notes[i].filesz > v->size - off ? v->size : off + e->notes[i].filesz;
        while (off && off < end) {
            struct tn_elf_note note;
            off = read_note(&b, e, off, end, a, &note);
            if (off == 0)
                break;
            if (n == TN_MAX_ELF_NOTES)
                return tn_err_set(err, TN_E_LIMIT, "notes", "more than %u", TN_MAX_ELF_NOTES);
            list = tn_arena_grow(a, list, n, &cap, sizeof *list);
            list[n++] = note;
        }
    }
    *ret = list;
    *ret_n = n;
    return 0;
}

/* A search for one name: three windows, since table, symbols and names lie apart. */
struct lookup {
    const struct tn_elf *e;
    const char *name;
    struct tn_bytes table, syms, names;
};

static int table_u32(struct lookup *l, uint64_t vaddr, uint32_t *ret, struct tn_err *err)
{
    struct tn_span s;
    uint64_t off;
    if (!tn_image_elf_offset(l->e, vaddr, 4, &off))
        return tn_err_set(err, TN_E_FORMAT, "symbol hash", "the table lies outside the file");
    int r = tn_image_bytes_at(&l->table, off, 4, &s, err);
    if (r == 0)
        *ret = u32(l->e, s, 0);
    return r;
}

/* 0: symbol i has the name and is defined; 1: not. */
static int symbol_is(struct lookup *l, uint32_t i, struct tn_elf_symbol *ret, struct tn_err *err)
{
    const struct tn_elf *e = l->e;
    unsigned size = e->is64 ? 24 : 16;
    struct tn_span s;
    uint64_t off;
    uint16_t shndx = 0;
    if (!tn_image_elf_offset(e, e->symtab + (uint64_t)i * size, size, &off))
        return tn_err_set(err, TN_E_FORMAT, "symbol table", "symbol %u lies outside the file", i);
    int r = tn_image_bytes_at(&l->syms, off, size, &s, err);
    if (r)
        return r;
    uint32_t at = u32(e, s, 0);
    tn_span_u16(s, e->is64 ? 6 : 14, e->big, &shndx);
    if (e->strtab == 0 || at >= e->strtab_end - e->strtab || shndx == 0)
        return 1;
    r = tn_image_bytes_differ(&l->names, e->strtab + at, l->name, err);
    if (r)
        return r;
    unsigned info = s.p[e->is64 ? 4 : 12];
    ret->value = word(e, s, 4, 8);
    ret->size = word(e, s, 8, 16);
    ret->type = info & 15;
    ret->bind = info >> 4;
    return 0;
}

/* DT_GNU_HASH: {nbuckets, first symbol, bloom words, shift}, bloom filter, buckets, then one hash per symbol whose
 * lowest bit ends a chain. The filter only saves time and is skipped. */
static int gnu_lookup(struct lookup *l, struct tn_elf_symbol *ret, struct tn_err *err)
{
    uint64_t at = l->e->gnu_hash;
    uint32_t hash = 5381, nbuckets = 0, first = 0, bloom = 0, i = 0, h = 0;
    for (const unsigned char *p = (const unsigned char *)l->name; *p; p++)
        hash = hash * 33 + *p;
    int r = table_u32(l, at, &nbuckets, err);
    if (r == 0)
        r = table_u32(l, at + 4, &first, err);
    if (r == 0)
        r = table_u32(l, at + 8, &bloom, err);
    if (r || nbuckets == 0)
        return r ? r : 1;
    uint64_t buckets = at + 16 + (uint64_t)bloom * (l->e->is64 ? 8 : 4), chain = buckets + (uint64_t)nbuckets * 4;
    r = table_u32(l, buckets + (uint64_t)(hash % nbuckets) * 4, &i, err);
    if (r || i < first || i == 0)
        return r ? r : 1;
    for (unsigned steps = 0; steps < TN_MAX_ELF_CHAIN; steps++, i++) {
        r = table_u32(l, chain + (uint64_t)(i - first) * 4, &h, err);
        if (r)
            return r;
        if ((h | 1) == (hash | 1)) {
            r = symbol_is(l, i, ret, err);
            if (r <= 0)
                return r;
        }
        if (h & 1)
            return 1;
    }
    return tn_err_set(err, TN_E_LIMIT, "symbol hash", "a chain of more than %u", TN_MAX_ELF_CHAIN);
}

/* DT_HASH (gABI, "Hash Table"): {nbucket, nchain}, buckets, chains. */
static int sysv_lookup(struct lookup *l, struct tn_elf_symbol *ret, struct tn_err *err)
{
    uint64_t at = l->e->sysv_hash;
    uint32_t hash = 0, nbuckets = 0, i = 0;
    for (const unsigned char *p = (const unsigned char *)l->name; *p; p++) {
        hash = (hash << 4) + *p;
        hash ^= (hash & 0xf0000000u) >> 24;
        hash &= 0x0fffffffu;
    }
    int r = table_u32(l, at, &nbuckets, err);
    if (r || nbuckets == 0)
        return r ? r : 1;
    r = table_u32(l, at + 8 + (uint64_t)(hash % nbuckets) * 4, &i, err);
    for (unsigned steps = 0; r == 0 && i; steps++) {
        if (steps == TN_MAX_ELF_CHAIN)
            return tn_err_set(err, TN_E_LIMIT, "symbol hash", "a chain of more than %u", TN_MAX_ELF_CHAIN);
        r = symbol_is(l, i, ret, err);
        if (r <= 0)
            return r;
        r = table_u32(l, at + 8 + ((uint64_t)nbuckets + i) * 4, &i, err);
    }
    return r ? r : 1;
}

int tn_image_elf_symbol(const struct tn_elf *e, const struct tn_view *v, const char *name, struct tn_elf_symbol *ret,
                        struct tn_err *err)
{
    struct lookup l;
    int r;
    memset(&l, 0, sizeof l);
    l.e = e;
    l.name = name;
    tn_image_bytes_init(&l.table, v, 0);
    tn_image_bytes_init(&l.syms, v, 0);
    tn_image_bytes_init(&l.names, v, 0);
    if (e->symtab == 0 || (e->gnu_hash == 0 && e->sysv_hash == 0))
        return tn_err_set(err, TN_E_UNSUPPORTED, NULL, "no symbol hash table");
    r = e->gnu_hash ? gnu_lookup(&l, ret, err) : sysv_lookup(&l, ret, err);
    if (r > 0)
        return tn_err_set(err, TN_E_NOTFOUND, name, "no such symbol");
    return r;
}

int tn_image_elf_symbol_bytes(const struct tn_elf *e, const struct tn_view *v, const char *name, size_t max,
                              struct tn_span *ret, struct tn_err *err)
{
    struct tn_elf_symbol sym = {0};
    uint64_t off;
    int r = tn_image_elf_symbol(e, v, name, &sym, err);
    if (r)
        return r;
    size_t n = sym.size < max ? (size_t)sym.size : max;
    if (n == 0 || !tn_image_elf_offset(e, sym.value, n, &off))
        return tn_err_set(err, TN_E_NOTFOUND, name, "the symbol has no bytes in the file");
    return tn_view_at(v, off, n, ret, err);
}
