/* fatbin.c - see fatbin.h: containers, their entries, and what is counted.
 *
 * Container, 16 bytes: u32 0xBA55ED50, u16 version 1, u16 size of this header, u64 size of the entries behind it.
 * Entry, 64 bytes and more: 0 u16 kind, 4 u32 size of its header, 8 u64 size of what follows it, 24 u16 minor, 26 u16
 * major (of the PTX ISA), 28 u32 architecture, 40 u64 flags. The next container begins 8-aligned in the file. */
#include "image/fatbin.h"

#include <string.h>

#include "base/limits.h"
#include "image/elf.h"
#include "image/fatbin_place.h"

enum {
    MAGIC = 0xBA55ED50,
    KIND_PTX = 1,
    KIND_CUBIN = 2,
    KIND_LTO = 8,
    KIND_LAST = 64,
    FLAG_PACKED = 0x2000 | 0x8000, /* LZ4, zstd */
    FLAG_A = 0x100000,
    FLAG_F = 0x200000,
    CUBIN_OLD = 0x33, /* EI_OSABI: machine flags as before CUDA 13 */
    CUBIN_OLD_A = 0x800
};

#define ENTRY 64u
#define MAX_HEADER 4096u /* of an entry; 144 is the longest seen */
#define STEP 4096u       /* first step of a scan */
#define MAX_STEP (1u << 20)

struct walk {
    struct tn_fatbin_window w;
    struct tn_fatbin *f;
    uint32_t n_containers, n_entries; /* of all places: the bounds */
    bool parts;                       /* the place holds unlinked pieces */
    size_t ahead;                     /* read behind a header */
};

struct entry {
    unsigned kind, arch, isa;
    uint64_t flags, payload, header, size;
};

static void count(struct walk *k, enum tn_fatbin_kind kind, const struct entry *e)
{
    struct tn_fatbin_list *l = k->parts ? &k->f->parts[kind] : &k->f->code[kind];
    char mark = e->flags & FLAG_A ? 'a' : e->flags & FLAG_F ? 'f' : 0;
    unsigned i = 0;
    while (i < l->n && (l->v[i].number < e->arch || (l->v[i].number == e->arch && l->v[i].mark < mark)))
        i++;
    if (i == l->n || l->v[i].number != e->arch || l->v[i].mark != mark) {
        if (l->n == TN_FATBIN_ARCHS) {
            k->f->cut = true;
            return;
        }
        memmove(&l->v[i + 1], &l->v[i], (l->n - i) * sizeof l->v[0]);
        l->v[i] = (struct tn_fatbin_arch){e->arch, mark, 0, e->isa, e->isa};
        l->n++;
    }
    l->v[i].n++;
    if (e->isa < l->v[i].isa)
        l->v[i].isa = e->isa;
    if (e->isa > l->v[i].isa_last)
        l->v[i].isa_last = e->isa;
}

/* The machine flags of a cubin name its architecture, too. */
static bool cubin_arch(struct tn_span s, struct entry *e)
{
    uint16_t machine = 0;
    uint32_t flags = 0;
    uint8_t abi = 0;
    if (s.n < 64 || memcmp(s.p, "\177ELF", 4) != 0 || !tn_span_u16(s, 18, false, &machine) || machine != TN_EM_CUDA)
        return false;
    tn_span_u8(s, 7, &abi);
    tn_span_u32(s, 48, false, &flags);
    e->arch = abi == CUBIN_OLD ? flags & 0xFF : flags >> 8 & 0xFF;
    if (abi == CUBIN_OLD && (flags & CUBIN_OLD_A))
        e->flags |= FLAG_A;
    return e->arch != 0;
}

/* The entry at off whose container ends at end. */
static bool read_entry(struct walk *k, uint64_t off, uint64_t end, struct entry *ret, int *rc, struct tn_err *err)
{
    struct tn_span s;
    uint16_t kind = 0, minor = 0, major = 0;
    uint32_t header = 0, arch = 0;
    uint64_t size = 0, flags = 0;
    if (end - off < ENTRY || (*rc = tn_fatbin_at(&k->w, off, ENTRY, k->ahead, &s, err)) != 0)
        return false;
    tn_span_u16(s, 0, false, &kind);
    tn_span_u32(s, 4, false, &header);
    tn_span_u64(s, 8, false, &size);
    tn_span_u16(s, 24, false, &minor);
    tn_span_u16(s, 26, false, &major);
    tn_span_u32(s, 28, false, &arch);
    tn_span_u64(s, 40, false, &flags);
    if (kind == 0 || kind > KIND_LAST || header < ENTRY || header > MAX_HEADER || header > end - off ||
        size > end - off - header)
        return false;
    *ret = (struct entry){kind, arch, major * 100u + minor, flags, off + header, header, size};
    return true;
}

static int take_entry(struct walk *k, struct entry *e, struct tn_err *err)
{
    struct tn_span s;
    if (e->kind == KIND_CUBIN && e->arch == 0 && !(e->flags & FLAG_PACKED) && e->size >= 64) {
        int rc = tn_fatbin_at(&k->w, e->payload, 64, 0, &s, err);
        if (rc)
            return rc;
        cubin_arch(s, e);
    }
    if (e->arch == 0 || e->arch > 9999)
        k->f->other++;
    else if (e->kind == KIND_CUBIN)
        count(k, TN_FATBIN_SASS, e);
    else if (e->kind == KIND_PTX)
        count(k, TN_FATBIN_PTX, e);
    else if (e->kind == KIND_LTO)
        count(k, TN_FATBIN_LTO, e);
    else
        k->f->other++;
    return 0;
}

/* A container's header at off: false if there is none that fits before end. *ret: where its entries end. */
static bool is_container(struct tn_span s, uint64_t off, uint64_t end, uint64_t *ret)
{
    uint32_t magic = 0;
    uint16_t version = 0, header = 0;
    uint64_t size = 0;
    if (!tn_span_u32(s, 0, false, &magic) || magic != MAGIC || !tn_span_u16(s, 4, false, &version) || version != 1 ||
        !tn_span_u16(s, 6, false, &header) || header != 16 || !tn_span_u64(s, 8, false, &size) || size > end - off - 16)
        return false;
    *ret = off + 16 + size;
    return true;
}

/* Entries from off to end. False: the first one is none, so this was no container. */
static bool walk_entries(struct walk *k, uint64_t off, uint64_t end, int *rc, struct tn_err *err)
{
    bool first = true, whole = true;
    while (whole && off < end && *rc == 0 && k->n_entries < TN_MAX_FATBIN_ENTRIES) {
        struct entry e;
        whole = read_entry(k, off, end, &e, rc, err);
        if (!whole && first && *rc == 0)
            return false;
        if (whole) {
            k->n_entries++;
            off = e.payload + e.size;
            *rc = take_entry(k, &e, err);
        }
        first = false;
    }
    if (!whole)
        k->f->damaged++;
    return true;
}

/* The offset of the next magic number at an 8-byte step of the file, or end. */
static uint64_t next_magic(struct walk *k, uint64_t off, uint64_t end, int *rc, struct tn_err *err)
{
    static const unsigned char magic[4] = {0x50, 0xED, 0x55, 0xBA};
    size_t step = STEP;
    while (end - off >= 16) {
        struct tn_span s;
        size_t n = end - off < step ? (size_t)(end - off) : step;
        if ((*rc = tn_fatbin_at(&k->w, off, n, 0, &s, err)) != 0)
            return end;
        for (size_t i = 0; i + 8 <= n; i += 8)
            if (memcmp(s.p + i, magic, 4) == 0)
                return off + i;
        off += n & ~(size_t)7;
        step = step < MAX_STEP ? step * 2 : step;
    }
    return end;
}

static int walk_place(struct walk *k, const struct tn_fatbin_place *p, struct tn_err *err)
{
    uint64_t off = (p->off + 7) & ~UINT64_C(7), end = p->off + p->size, next;
    int rc = 0;
    bool any = false;
    while (off < end && end - off >= 16) {
        struct tn_span s;
        if (k->n_containers >= TN_MAX_FATBIN_CONTAINERS || k->n_entries >= TN_MAX_FATBIN_ENTRIES) {
            k->f->cut = true;
            break;
        }
        if ((rc = tn_fatbin_at(&k->w, off, 16, ENTRY + k->ahead, &s, err)) != 0)
            return rc;
        if (is_container(s, off, end, &next) && walk_entries(k, off + 16, next, &rc, err)) {
            if (rc)
                return rc;
            any = true;
            k->n_containers++;
            k->f->containers += !k->parts;
            off = (next + 7) & ~UINT64_C(7);
            continue;
        }
        if (rc)
            return rc;
        k->f->scanned = true;
        off = next_magic(k, off + 8, end, &rc, err);
        if (rc)
            return rc;
    }
    if (!any && p->kind != TN_PLACE_OTHER) /* such a section is never empty: zeroed, encrypted, cut */
        k->f->damaged++;
    return 0;
}

/* A cubin by itself. */
static bool is_cubin(struct walk *k, int *rc, struct tn_err *err)
{
    struct tn_span s;
    struct entry e = {KIND_CUBIN, 0, 0, 0, 0, 0, 0};
    if ((*rc = tn_fatbin_at(&k->w, 0, 64, STEP - 64, &s, err)) != 0 || !cubin_arch(s, &e))
        return false;
    count(k, TN_FATBIN_SASS, &e);
    k->f->section = true;
    return true;
}

int tn_image_fatbin_read(const struct tn_view *v, enum tn_fatbin_where where, struct tn_fatbin *ret, struct tn_err *err)
{
    struct tn_fatbin_place place[TN_FATBIN_PLACES];
    struct walk k = {.w = {.view = v}, .f = ret};
    uint64_t left = v->size + v->size / 2; /* sections that overlap are not walked again and again */
    unsigned n = 0;
    int rc = 0;
    memset(ret, 0, sizeof *ret);
    /* A record holds what was read, so a hop reads headers alone; among other data they lie close to each other. */
    k.ahead = where == TN_FATBIN_ANYWHERE ? STEP : 0;
    if (!is_cubin(&k, &rc, err) && rc == 0)
        rc = tn_fatbin_places(&k.w, where, place, &n, &ret->cut, err);
    for (unsigned i = 0; i < n && rc == 0; i++) {
        ret->section |= place[i].kind != TN_PLACE_OTHER;
        if (place[i].size > left) {
            ret->cut = true;
            continue;
        }
        left -= place[i].size;
        k.parts = place[i].kind == TN_PLACE_PARTS;
        rc = walk_place(&k, &place[i], err);
    }
    ret->bytes = k.w.bytes;
    ret->reads = k.w.reads;
    return rc;
}
