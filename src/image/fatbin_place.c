/* fatbin_place.c - see fatbin_place.h. Sources: gABI chapter 4 (sections); Microsoft "PE Format" (section table). */
#include "image/fatbin_place.h"

#include <string.h>

#include "base/limits.h"

enum {
    SHT_PROGBITS = 1,
    SHT_NOBITS = 8,
    SHF_ALLOC = 2,
    SHF_EXECINSTR = 4,
    PT_LOAD = 1,
    PF_X = 1,
    IMAGE_SCN_CNT_INITIALIZED_DATA = 0x40,
    IMAGE_SCN_MEM_EXECUTE = 0x20000000
};

int tn_fatbin_at(struct tn_fatbin_window *w, uint64_t off, size_t n, size_t ahead, struct tn_span *ret,
                 struct tn_err *err)
{
    if (off >= w->off && tn_span_sub(w->s, off - w->off, n, ret))
        return 0;
    if (off > w->view->size || n > w->view->size - off)
        return tn_err_set(err, TN_E_FORMAT, NULL, "%zu bytes at %llu are beyond the end (%llu)", n,
                          (unsigned long long)off, (unsigned long long)w->view->size);
    uint64_t left = w->view->size - off - n;
    size_t want = n + (left < ahead ? (size_t)left : ahead);
    int rc = tn_view_at(w->view, off, want, &w->s, err);
    if (rc) {
        w->s.n = 0;
        return rc;
    }
    w->off = off;
    w->bytes += want;
    w->reads++;
    tn_span_sub(w->s, 0, n, ret);
    return 0;
}

struct places {
    struct tn_fatbin_window *w;
    struct tn_fatbin_place *v;
    unsigned n;
    bool anywhere, cut;
};

/* Sections for code come first, so that a crowd of others does not push them out. */
static void add(struct places *p, const char *name, uint64_t off, uint64_t size, bool data)
{
    static const struct {
        const char *name;
        int kind;
    } known[] = {{".nv_fatbin", TN_PLACE_CODE}, /* 8 characters in a PE file */
                 {".nv_fatb", TN_PLACE_CODE},
                 {"__nv_relfatbin", TN_PLACE_PARTS},
                 {"__nv_rel", TN_PLACE_PARTS}};
    struct tn_fatbin_place at = {off, size, TN_PLACE_OTHER};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            at.kind = known[i].kind;
    if (at.kind == TN_PLACE_OTHER && !(p->anywhere && data))
        return;
    if (off >= p->w->view->size || size < 16)
        return;
    if (size > p->w->view->size - off) { /* a cut file */
        at.size = p->w->view->size - off;
        p->cut = true;
    }
    unsigned to = p->n;
    if (p->n == TN_FATBIN_PLACES) {
        p->cut = true;
        if (at.kind == TN_PLACE_OTHER || p->v[p->n - 1].kind != TN_PLACE_OTHER)
            return;
        to = --p->n;
    }
    for (; at.kind != TN_PLACE_OTHER && to > 0 && p->v[to - 1].kind == TN_PLACE_OTHER; to--)
        p->v[to] = p->v[to - 1];
    p->v[to] = at;
    p->n++;
}

/* Programs in 32 bits and of other byte order have held no GPU code for long: their places are not looked for. */
struct elf {
    uint64_t phoff, shoff, names, names_size;
    uint16_t phentsize, phnum, shentsize, shnum, shstrndx;
};

static int elf_segments(struct places *p, const struct elf *e, struct tn_err *err)
{
    struct tn_span s;
    for (unsigned i = 0; i < e->phnum && i < TN_MAX_ELF_PHDRS; i++) {
        uint32_t type, flags;
        uint64_t off, size;
        int rc = tn_fatbin_at(p->w, e->phoff + (uint64_t)i * e->phentsize, 56, 4096, &s, err);
        if (rc)
            return rc;
        tn_span_u32(s, 0, false, &type);
        tn_span_u32(s, 4, false, &flags);
        tn_span_u64(s, 8, false, &off);
        tn_span_u64(s, 32, false, &size);
        if (type == PT_LOAD && !(flags & PF_X))
            add(p, ".nv_fatbin", off, size, true);
    }
    return 0;
}

#define NAMES 8192u /* of section names; real files have a few hundred bytes */

static int elf_sections(struct places *p, const struct elf *e, struct tn_err *err)
{
    struct tn_span s = tn_span_of("", 0);
    char names[NAMES + 1];
    int rc = tn_fatbin_at(p->w, e->shoff + (uint64_t)e->shstrndx * e->shentsize, 64, 0, &s, err);
    uint64_t off = 0, size = 0;
    if (rc)
        return rc;
    tn_span_u64(s, 24, false, &off);
    tn_span_u64(s, 32, false, &size);
    if (size > NAMES)
        size = NAMES;
    if ((rc = tn_fatbin_at(p->w, off, (size_t)size, 0, &s, err)) != 0)
        return rc;
    memcpy(names, s.p, (size_t)size);
    memset(names + size, 0, sizeof names - (size_t)size);
    for (unsigned i = 0; i < e->shnum; i++) {
        uint32_t name, type;
        uint64_t flags;
        if ((rc = tn_fatbin_at(p->w, e->shoff + (uint64_t)i * e->shentsize, 64, 4096, &s, err)) != 0)
            return rc;
        tn_span_u32(s, 0, false, &name);
        tn_span_u32(s, 4, false, &type);
        tn_span_u64(s, 8, false, &flags);
        tn_span_u64(s, 24, false, &off);
        tn_span_u64(s, 32, false, &size);
        if (name >= NAMES)
            p->cut = true;
        else if (type != SHT_NOBITS)
            add(p, names + name, off, size, type == SHT_PROGBITS && (flags & SHF_ALLOC) && !(flags & SHF_EXECINSTR));
    }
    return 0;
}

static int elf_places(struct places *p, struct tn_err *err)
{
    struct tn_span s = tn_span_of("", 0);
    struct elf e;
    uint8_t bits, order;
    int rc = tn_fatbin_at(p->w, 0, 64, 4096 - 64, &s, err);
    if (rc)
        return rc;
    tn_span_u8(s, 4, &bits);
    tn_span_u8(s, 5, &order);
    tn_span_u64(s, 32, false, &e.phoff);
    tn_span_u64(s, 40, false, &e.shoff);
    tn_span_u16(s, 54, false, &e.phentsize);
    tn_span_u16(s, 56, false, &e.phnum);
    tn_span_u16(s, 58, false, &e.shentsize);
    tn_span_u16(s, 60, false, &e.shnum);
    tn_span_u16(s, 62, false, &e.shstrndx);
    if (bits != 2 || order != 1)
        return 0;
    if (e.shnum && e.shentsize >= 64 && e.shstrndx < e.shnum && e.shoff < p->w->view->size &&
        elf_sections(p, &e, err) == 0)
        return 0;
    p->n = 0; /* stripped of its section headers, or cut before them */
    if (e.phentsize < 56)
        return 0;
    return elf_segments(p, &e, err);
}

static int pe_places(struct places *p, struct tn_err *err)
{
    struct tn_span s = tn_span_of("", 0);
    uint32_t at, mark;
    uint16_t n, optional;
    int rc = tn_fatbin_at(p->w, 0x3C, 4, 1024, &s, err);
    if (rc)
        return rc;
    tn_span_u32(s, 0, false, &at);
    if ((rc = tn_fatbin_at(p->w, at, 24, 4096, &s, err)) != 0)
        return rc;
    tn_span_u32(s, 0, false, &mark);
    tn_span_u16(s, 6, false, &n);
    tn_span_u16(s, 20, false, &optional);
    if (mark != 0x4550)
        return tn_err_set(err, TN_E_FORMAT, NULL, "no PE header");
    for (unsigned i = 0; i < n && i < TN_MAX_PE_SECTIONS; i++) {
        char name[9] = "";
        uint32_t size, off, flags;
        if ((rc = tn_fatbin_at(p->w, (uint64_t)at + 24 + optional + 40u * i, 40, 4096, &s, err)) != 0)
            return rc;
        memcpy(name, s.p, 8);
        tn_span_u32(s, 16, false, &size);
        tn_span_u32(s, 20, false, &off);
        tn_span_u32(s, 36, false, &flags);
        add(p, name, off, size, (flags & IMAGE_SCN_CNT_INITIALIZED_DATA) && !(flags & IMAGE_SCN_MEM_EXECUTE));
    }
    return 0;
}

int tn_fatbin_places(struct tn_fatbin_window *w, enum tn_fatbin_where where, struct tn_fatbin_place *ret,
                     unsigned *ret_n, bool *ret_cut, struct tn_err *err)
{
    struct places p = {w, ret, 0, where == TN_FATBIN_ANYWHERE, false};
    struct tn_span s = tn_span_of("", 0);
    int rc = tn_fatbin_at(w, 0, 64, 4096 - 64, &s, err);
    if (rc)
        return rc;
    if (memcmp(s.p, "\177ELF", 4) == 0)
        rc = elf_places(&p, err);
    else if (memcmp(s.p, "MZ", 2) == 0)
        rc = pe_places(&p, err);
    else if (memcmp(s.p, "\x50\xED\x55\xBA", 4) == 0) /* a .fatbin file */
        add(&p, ".nv_fatbin", 0, w->view->size, true);
    else
        rc = tn_err_set(err, TN_E_FORMAT, NULL, "neither ELF, PE nor fatbin");
    *ret_n = p.n;
    *ret_cut = p.cut;
    return rc;
}
