/* elf.c - headers, .dynamic and version tables: see elf.h. Sections, notes and symbols are in elf_more.c.
 *
 * Invariant: *ret is filled at the end only. */
#include "image/elf.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/bytes.h"

enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3, PT_NOTE = 4, PT_GNU_STACK = 0x6474e551 };

struct reader {
    struct tn_bytes b;
    struct tn_arena *a;
    struct tn_elf e;
    uint64_t dyn_vaddr, dyn_off, dyn_size;
    uint64_t interp_off, interp_size;
    uint64_t verneed, verdef; /* virtual addresses */
    size_t versions;          /* nodes met */
};

struct header {
    uint64_t phoff, shoff;
    uint16_t phentsize, phnum, shentsize, shnum, shstrndx;
};

/* Fields whose place differs between classes: offsets for 32 and 64 bits. */
static uint64_t word(const struct reader *r, struct tn_span s, unsigned off32, unsigned off64)
{
    uint64_t v = 0;
    uint32_t w = 0;
    if (r->e.is64)
        tn_span_u64(s, off64, r->e.big, &v);
    else if (tn_span_u32(s, off32, r->e.big, &w))
        v = w;
    return v;
}

static uint32_t u32(const struct reader *r, struct tn_span s, unsigned off)
{
    uint32_t v = 0;
    tn_span_u32(s, off, r->e.big, &v);
    return v;
}

static uint16_t u16(const struct reader *r, struct tn_span s, unsigned off)
{
    uint16_t v = 0;
    tn_span_u16(s, off, r->e.big, &v);
    return v;
}

static int read_header(struct reader *r, struct header *h, struct tn_err *err)
{
    struct tn_elf *e = &r->e;
    struct tn_span s = {0};
    if (r->b.view->size < 52 || tn_image_bytes_at(&r->b, 0, 20, &s, NULL) || memcmp(s.p, "\177ELF", 4) != 0)
        return tn_err_set(err, TN_E_FORMAT, NULL, "not an ELF file");
    if ((s.p[4] != 1 && s.p[4] != 2) || (s.p[5] != 1 && s.p[5] != 2)) /* its version musl does not look at */
        return tn_err_set(err, TN_E_FORMAT, NULL, "unknown ELF class or byte order");
    e->is64 = s.p[4] == 2;
    e->big = s.p[5] == 2;
    e->osabi = s.p[7];
    e->abiversion = s.p[8];
    int rc = tn_image_bytes_at(&r->b, 0, e->is64 ? 64 : 52, &s, err);
    if (rc)
        return rc;
    e->type = u16(r, s, 16);
    e->machine = u16(r, s, 18);
    h->phoff = word(r, s, 28, 32);
    h->shoff = word(r, s, 32, 40);
    unsigned at = e->is64 ? 48 : 36;
    e->flags = u32(r, s, at);
    h->phentsize = u16(r, s, at + 6);
    h->phnum = u16(r, s, at + 8);
    h->shentsize = u16(r, s, at + 10);
    h->shnum = u16(r, s, at + 12);
    h->shstrndx = u16(r, s, at + 14);
    return 0;
}

static void add_load(struct reader *r, struct tn_elf_load **list, size_t *n, const struct tn_elf_load *l, size_t most)
{
    if (!*list)
        *list = tn_arena_array(r->a, most, sizeof **list);
    (*list)[(*n)++] = *l;
}

static void program_header(struct reader *r, struct tn_span s, unsigned phnum)
{
    struct tn_elf *e = &r->e;
    uint32_t type = u32(r, s, 0);
    struct tn_elf_load l = {word(r, s, 8, 16), word(r, s, 4, 8), word(r, s, 16, 32), u32(r, s, e->is64 ? 4 : 24)};
    if (l.off <= UINT64_MAX - l.filesz && l.off + l.filesz > e->file_end)
        e->file_end = l.off + l.filesz;
    else if (l.off > UINT64_MAX - l.filesz)
        e->file_end = UINT64_MAX;
    switch (type) {
    case PT_LOAD: add_load(r, &e->loads, &e->n_loads, &l, phnum); break;
    case PT_NOTE: add_load(r, &e->notes, &e->n_notes, &l, phnum); break;
    case PT_DYNAMIC:
        e->has_dynamic = true;
        r->dyn_vaddr = l.vaddr;
        r->dyn_off = l.off;
        r->dyn_size = l.filesz;
        break;
    case PT_INTERP:
        r->interp_off = l.off;
        r->interp_size = l.filesz;
        break;
    case PT_GNU_STACK:
        e->has_stack_header = true;
        e->exec_stack = l.flags & 1;
        break;
    default: break;
    }
}

static int read_program_headers(struct reader *r, const struct header *h, struct tn_err *err)
{
    unsigned least = r->e.is64 ? 56 : 32;
    if (h->phnum == 0)
        return 0;
    if (h->phnum > TN_MAX_ELF_PHDRS) /* 0xffff (PN_XNUM) would mean more than that */
        return tn_err_set(err, TN_E_LIMIT, NULL, "%u program headers", h->phnum);
    if (h->phentsize < least)
        return tn_err_set(err, TN_E_FORMAT, NULL, "program headers of %u bytes", h->phentsize);
    for (unsigned i = 0; i < h->phnum; i++) {
        struct tn_span s = {0};
        if (h->phoff > r->b.view->size)
            return tn_err_set(err, TN_E_FORMAT, NULL, "program headers lie outside the file");
        int rc = tn_image_bytes_at(&r->b, h->phoff + (uint64_t)i * h->phentsize, least, &s, err);
        if (rc)
            return rc;
        program_header(r, s, h->phnum);
    }
    return 0;
}

bool tn_image_elf_offset(const struct tn_elf *e, uint64_t vaddr, uint64_t n, uint64_t *ret)
{
    for (size_t i = 0; i < e->n_loads; i++) {
        const struct tn_elf_load *l = &e->loads[i];
        if (vaddr < l->vaddr || vaddr - l->vaddr >= l->filesz || n > l->filesz - (vaddr - l->vaddr))
            continue;
        if (l->off > UINT64_MAX - (vaddr - l->vaddr))
            continue;
        *ret = l->off + (vaddr - l->vaddr);
        return true;
    }
    return false;
}

/* Text of .dynstr. */
static int dyn_text(struct reader *r, uint64_t at, size_t max, const char **ret, struct tn_err *err)
{
    const struct tn_elf *e = &r->e;
    if (e->strtab == 0 || at >= e->strtab_end - e->strtab)
        return tn_err_set(err, TN_E_FORMAT, ".dynstr", "text at %llu is outside the string table",
                          (unsigned long long)at);
    return tn_image_bytes_text(&r->b, e->strtab + at, e->strtab_end, max, r->a, ret, err);
}

enum {
    DT_NULL = 0,
    DT_NEEDED = 1,
    DT_HASH = 4,
    DT_STRTAB = 5,
    DT_SYMTAB = 6,
    DT_STRSZ = 10,
    DT_SONAME = 14,
    DT_RPATH = 15,
    DT_RUNPATH = 29,
    DT_FLAGS = 30,
    DT_GNU_HASH = 0x6ffffef5,
    DT_FLAGS_1 = 0x6ffffffb,
    DT_VERDEF = 0x6ffffffc,
    DT_VERNEED = 0x6ffffffe
};

/* Entry i of .dynamic; *ret_tag = DT_NULL at the end of the segment as well. */
static int dyn_entry(struct reader *r, uint64_t i, uint64_t *ret_tag, uint64_t *ret_val, struct tn_err *err)
{
    unsigned size = r->e.is64 ? 16 : 8;
    struct tn_span s = {0};
    *ret_tag = DT_NULL;
    if (i >= r->dyn_size / size)
        return 0;
    int rc = tn_image_bytes_at(&r->b, r->dyn_off + i * size, size, &s, err);
    if (rc)
        return rc;
    *ret_tag = word(r, s, 0, 0);
    *ret_val = word(r, s, 4, 8);
    return 0;
}

/* First pass: numbers and addresses, which the texts of the second pass need. */
static int dynamic_numbers(struct reader *r, size_t *ret_needed, struct tn_err *err)
{
    struct tn_elf *e = &r->e;
    uint64_t tag, val, off, strtab = 0, strsz = 0;
    if (tn_image_elf_offset(e, r->dyn_vaddr, r->dyn_size, &off))
        r->dyn_off = off; /* what a loader reads; p_offset is for debuggers */
    if (r->dyn_off > r->b.view->size)
        return tn_err_set(err, TN_E_FORMAT, ".dynamic", "lies outside the file");
    for (uint64_t i = 0;; i++) {
        int rc = dyn_entry(r, i, &tag, &val, err);
        if (rc)
            return rc;
        if (tag == DT_NULL)
            break;
        if (i >= TN_MAX_ELF_DYNAMIC)
            return tn_err_set(err, TN_E_LIMIT, ".dynamic", "more than %u entries", TN_MAX_ELF_DYNAMIC);
        switch (tag) {
        case DT_NEEDED: ++*ret_needed; break;
        case DT_STRTAB: strtab = val; break;
        case DT_STRSZ: strsz = val; break;
        case DT_SYMTAB: e->symtab = val; break;
        case DT_HASH: e->sysv_hash = val; break;
        case DT_GNU_HASH: e->gnu_hash = val; break;
        case DT_FLAGS: e->dt_flags = val; break;
        case DT_FLAGS_1: e->dt_flags_1 = val; break;
        case DT_VERDEF: r->verdef = val; break;
        case DT_VERNEED: r->verneed = val; break;
        default: break;
        }
    }
    /* A cut file may lack the table: then texts fail one by one, with their own message. */
    if (strsz && tn_image_elf_offset(e, strtab, strsz, &e->strtab) && e->strtab <= UINT64_MAX - strsz)
        e->strtab_end = e->strtab + strsz;
    else
        e->strtab = 0;
    return 0;
}

static int dynamic_texts(struct reader *r, size_t needed, struct tn_err *err)
{
    struct tn_elf *e = &r->e;
    uint64_t tag, val;
    e->needed = tn_arena_array(r->a, needed, sizeof *e->needed);
    for (uint64_t i = 0;; i++) {
        int rc = dyn_entry(r, i, &tag, &val, err);
        if (rc || tag == DT_NULL)
            return rc;
        switch (tag) {
        case DT_NEEDED:
            rc = dyn_text(r, val, TN_MAX_PATH_BYTES, &e->needed[e->n_needed], err);
            e->n_needed++;
            break;
        case DT_SONAME: rc = dyn_text(r, val, TN_MAX_PATH_BYTES, &e->soname, err); break;
        case DT_RPATH: rc = dyn_text(r, val, TN_MAX_RUNPATH, &e->rpath, err); break;
        case DT_RUNPATH: rc = dyn_text(r, val, TN_MAX_RUNPATH, &e->runpath, err); break;
        default: break;
        }
        if (rc)
            return rc;
    }
}

/* A node of the version tables at a virtual address. */
static int version_node(struct reader *r, uint64_t vaddr, size_t n, struct tn_span *ret, struct tn_err *err)
{
    uint64_t off;
    if (++r->versions > TN_MAX_ELF_VERSIONS)
        return tn_err_set(err, TN_E_LIMIT, "symbol versions", "more than %u", TN_MAX_ELF_VERSIONS);
    if (!tn_image_elf_offset(&r->e, vaddr, n, &off))
        return tn_err_set(err, TN_E_FORMAT, "symbol versions", "a node is outside the file");
    return tn_image_bytes_at(&r->b, off, n, ret, err);
}

/* Verneed {u16 version, cnt; u32 file, aux, next}, Vernaux {u32 hash; u16 flags, other; u32 name, next}. */
static int need_versions(struct reader *r, uint64_t at, unsigned cnt, struct tn_elf_need *need, struct tn_err *err)
{
    struct tn_span s = {0};
    size_t cap = 0;
    for (unsigned i = 0; i < cnt; i++) {
        int rc = version_node(r, at, 16, &s, err);
        if (rc)
            return rc;
        need->versions = tn_arena_grow(r->a, need->versions, need->n, &cap, sizeof *need->versions);
        rc = dyn_text(r, u32(r, s, 8), TN_MAX_SYMBOL_NAME, &need->versions[need->n].name, err);
        if (rc)
            return rc;
        need->versions[need->n++].weak = u16(r, s, 4) & 2; /* VER_FLG_WEAK */
        if (u32(r, s, 12) == 0)
            break;
        at += u32(r, s, 12);
    }
    return 0;
}

static int read_verneed(struct reader *r, struct tn_err *err)
{
    struct tn_elf *e = &r->e;
    struct tn_span s = {0};
    size_t cap = 0;
    for (uint64_t at = r->verneed; at;) {
        int rc = version_node(r, at, 16, &s, err);
        if (rc)
            return rc;
        unsigned cnt = u16(r, s, 2);
        uint32_t file = u32(r, s, 4), aux = u32(r, s, 8), next = u32(r, s, 12);
        e->needs = tn_arena_grow(r->a, e->needs, e->n_needs, &cap, sizeof *e->needs);
        struct tn_elf_need *need = &e->needs[e->n_needs];
        memset(need, 0, sizeof *need);
        rc = dyn_text(r, file, TN_MAX_PATH_BYTES, &need->file, err);
        if (rc == 0)
            rc = need_versions(r, at + aux, cnt, need, err);
        if (rc)
            return rc;
        e->n_needs++;
        if (next == 0)
            break;
        at += next;
    }
    return 0;
}

/* Verdef {u16 version, flags, ndx, cnt; u32 hash, aux, next}; its first Verdaux {u32 name, next} is the name. */
static int read_verdef(struct reader *r, struct tn_err *err)
{
    struct tn_elf *e = &r->e;
    struct tn_span s = {0}, aux = {0};
    size_t cap = 0;
    for (uint64_t at = r->verdef; at;) {
        const char *name = NULL;
        int rc = version_node(r, at, 20, &s, err);
        if (rc)
            return rc;
        bool base = u16(r, s, 2) & 1; /* VER_FLG_BASE */
        uint32_t next = u32(r, s, 16);
        rc = version_node(r, at + u32(r, s, 12), 8, &aux, err);
        if (rc == 0)
            rc = dyn_text(r, u32(r, aux, 0), TN_MAX_SYMBOL_NAME, &name, err);
        if (rc)
            return rc;
        if (base) {
            e->defines_base = name;
        } else {
            e->defines = tn_arena_grow(r->a, e->defines, e->n_defines, &cap, sizeof *e->defines);
            e->defines[e->n_defines++] = name;
        }
        if (next == 0)
            break;
        at += next;
    }
    return 0;
}

static void section_headers(struct reader *r, const struct header *h)
{
    struct tn_elf *e = &r->e;
    unsigned least = e->is64 ? 64 : 40;
    struct tn_span s = {0};
    uint32_t shnum = h->shnum, strndx = h->shstrndx;
    if (h->shoff == 0 || h->shentsize < least || tn_image_bytes_at(&r->b, h->shoff, least, &s, NULL))
        return; /* stripped or cut off: no loader needs them */
    if (shnum == 0 && word(r, s, 20, 32) <= TN_MAX_ELF_SECTIONS)
        shnum = (uint32_t)word(r, s, 20, 32);
    if (strndx == 0xffff)
        strndx = u32(r, s, e->is64 ? 40 : 24);
    if (shnum > TN_MAX_ELF_SECTIONS || strndx >= shnum ||
        tn_image_bytes_at(&r->b, h->shoff + (uint64_t)strndx * h->shentsize, least, &s, NULL))
        return;
    e->shstr = word(r, s, 16, 24);
    e->shstr_size = word(r, s, 20, 32);
    e->shoff = h->shoff;
    e->shnum = shnum;
    e->shentsize = h->shentsize;
}

int tn_image_elf_open(const struct tn_view *v, struct tn_arena *a, struct tn_elf *ret, struct tn_err *err)
{
    struct reader r;
    struct header h;
    size_t needed = 0;
    memset(&r, 0, sizeof r);
    memset(&h, 0, sizeof h);
    tn_image_bytes_init(&r.b, v, TN_MAX_ELF_TEXT);
    r.a = a;
    int rc = read_header(&r, &h, err);
    if (rc == 0)
        rc = read_program_headers(&r, &h, err);
    if (rc == 0 && r.interp_size)
        rc = tn_image_bytes_text(&r.b, r.interp_off,
                                 r.interp_off > UINT64_MAX - r.interp_size ? 0 : r.interp_off + r.interp_size,
                                 TN_MAX_PATH_BYTES, a, &r.e.interp, err);
    if (rc == 0 && r.e.has_dynamic) {
        rc = dynamic_numbers(&r, &needed, err);
        if (rc == 0)
            rc = dynamic_texts(&r, needed, err);
        if (rc == 0)
            rc = read_verneed(&r, err);
        if (rc == 0)
            rc = read_verdef(&r, err);
    }
    if (rc)
        return rc;
    section_headers(&r, &h);
    *ret = r.e;
    return 0;
}

const char *tn_image_elf_machine(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {{TN_EM_386, "i386"}, {TN_EM_X86_64, "x86-64"}, {TN_EM_AARCH64, "aarch64"},
                 {TN_EM_ARM, "arm"},  {TN_EM_PPC64, "ppc64"},   {TN_EM_CUDA, "cuda"},
                 {243, "riscv"}};
    for (size_t i = 0; i < TN_LEN(names); i++)
        if (names[i].machine == machine)
            return names[i].name;
    return NULL;
}
