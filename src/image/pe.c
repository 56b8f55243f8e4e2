/* pe.c - headers, imports and the way to the version resource: see pe.h. */
#include <string.h>

#include "image/pe_inner.h"
#include "image/pe_version.h"

enum { RT_VERSION = 16, EN_US = 0x409, IMAGE_FILE_DLL = 0x2000 };

#define u16 tn_pe_u16
#define u32 tn_pe_u32

bool tn_pe_map(const struct tn_pe_reader *r, uint32_t rva, uint32_t n, uint64_t *ret, uint64_t *ret_end)
{
    for (unsigned i = 0; i < r->n_sections; i++) {
        const struct tn_pe_section *s = &r->sections[i];
        if (rva < s->rva || rva - s->rva >= s->raw_size || n > s->raw_size - (rva - s->rva))
            continue;
        *ret = (uint64_t)s->raw_off + (rva - s->rva);
        *ret_end = (uint64_t)s->raw_off + s->raw_size;
        return true;
    }
    if (rva >= r->header_size || n > r->header_size - rva)
        return false;
    *ret = rva;
    *ret_end = r->header_size;
    return true;
}

int tn_pe_at(struct tn_pe_reader *r, uint32_t rva, uint32_t n, struct tn_span *ret, struct tn_err *err)
{
    uint64_t off, end;
    if (!tn_pe_map(r, rva, n, &off, &end))
        return tn_err_set(err, TN_E_FORMAT, NULL, "address %#x is outside the file", rva);
    return tn_image_bytes_at(&r->b, off, n, ret, err);
}

static int read_sections(struct tn_pe_reader *r, uint64_t at, unsigned n, struct tn_err *err)
{
    struct tn_span s = {0};
    if (n > TN_MAX_PE_SECTIONS)
        return tn_err_set(err, TN_E_LIMIT, NULL, "%u sections", n);
    for (unsigned i = 0; i < n; i++) {
        int rc = tn_image_bytes_at(&r->b, at + i * UINT64_C(40), 40, &s, err);
        if (rc)
            return rc;
        struct tn_pe_section *sec = &r->sections[r->n_sections++];
        sec->rva = u32(s, 12);
        sec->raw_size = u32(s, 16);
        sec->raw_off = u32(s, 20);
        uint64_t end = (uint64_t)sec->raw_off + sec->raw_size;
        if (sec->raw_size && end > r->pe.file_end)
            r->pe.file_end = end;
    }
    return 0;
}

static int read_headers(struct tn_pe_reader *r, struct tn_err *err)
{
    struct tn_span s = {0};
    if (r->b.view->size < 64 || tn_image_bytes_at(&r->b, 0, 64, &s, NULL) || s.p[0] != 'M' || s.p[1] != 'Z')
        return tn_err_set(err, TN_E_FORMAT, NULL, "not a PE file");
    uint64_t at = u32(s, 0x3C);
    if (tn_image_bytes_at(&r->b, at, 24, &s, NULL) || memcmp(s.p, "PE\0\0", 4) != 0)
        return tn_err_set(err, TN_E_FORMAT, NULL, "a DOS program, not a PE file");
    r->pe.machine = u16(s, 4);
    r->pe.dll = u16(s, 22) & IMAGE_FILE_DLL;
    unsigned sections = u16(s, 6), opt_size = u16(s, 20);
    uint64_t opt = at + 24;
    int rc = tn_image_bytes_at(&r->b, opt, opt_size, &s, err);
    if (rc)
        return rc;
    unsigned magic = u16(s, 0);
    if (magic != 0x10B && magic != 0x20B)
        return tn_err_set(err, TN_E_FORMAT, NULL, "unknown optional header %#x", magic);
    r->pe.plus = magic == 0x20B;
    r->header_size = u32(s, 60);
    if (r->pe.plus)
        tn_span_u64(s, 24, false, &r->base);
    else
        r->base = u32(s, 28);
    size_t dirs = r->pe.plus ? 112 : 96;
    uint32_t n = u32(s, dirs - 4);
    for (size_t i = 0; i < n && i < TN_PE_DIRS && dirs + (i + 1) * 8 <= opt_size; i++) {
        r->dirs[i].rva = u32(s, dirs + i * 8);
        r->dirs[i].size = u32(s, dirs + i * 8 + 4);
    }
    return read_sections(r, opt + opt_size, sections, err);
}

int tn_pe_start(struct tn_pe_reader *r, const struct tn_view *v, struct tn_arena *a, struct tn_err *err)
{
    memset(r, 0, sizeof *r);
    tn_image_bytes_init(&r->b, v, TN_PE_MAX_TEXT);
    r->a = a;
    return read_headers(r, err);
}

int tn_pe_name(struct tn_pe_reader *r, uint32_t rva, const char **ret, struct tn_err *err)
{
    uint64_t off, end;
    if (!tn_pe_map(r, rva, 1, &off, &end))
        return tn_err_set(err, TN_E_FORMAT, "imports", "a name is outside the file");
    return tn_image_bytes_text(&r->b, off, end, TN_PE_MAX_NAME, r->a, ret, err);
}

/* Both import tables: descriptors of `size` bytes with the name's RVA at `at`, ended by one without a name. */
static int read_imports(struct tn_pe_reader *r, unsigned dir, uint32_t size, uint32_t at, const char ***ret,
                        size_t *ret_n, struct tn_err *err)
{
    struct tn_span s = {0};
    size_t cap = 0;
    if (r->dirs[dir].rva == 0)
        return 0;
    for (uint32_t i = 0;; i++) {
        if (i == TN_MAX_PE_IMPORTS)
            return tn_err_set(err, TN_E_LIMIT, "imports", "more than %u", TN_MAX_PE_IMPORTS);
        int rc = tn_pe_at(r, r->dirs[dir].rva + i * size, size, &s, err);
        if (rc)
            return rc;
        uint32_t name = u32(s, at);
        if (name == 0)
            return 0;
        if (dir == TN_PE_DIR_DELAY && !(u32(s, 0) & 1)) /* old linkers wrote addresses, not RVAs */
            name -= (uint32_t)r->base;
        *ret = tn_arena_grow(r->a, *ret, *ret_n, &cap, sizeof **ret);
        rc = tn_pe_name(r, name, &(*ret)[*ret_n], err);
        if (rc)
            return rc;
        ++*ret_n;
    }
}

/* The entry with the wanted id (any for 0) of the resource folder at off below the root; false if none. */
static bool resource_entry(struct tn_pe_reader *r, uint32_t off, uint32_t want, uint32_t *ret)
{
    struct tn_span s = {0};
    if (off > r->dirs[TN_PE_DIR_RESOURCE].size || tn_pe_at(r, r->dirs[TN_PE_DIR_RESOURCE].rva + off, 16, &s, NULL))
        return false;
    uint32_t n = (uint32_t)u16(s, 12) + u16(s, 14);
    for (uint32_t i = 0; i < n; i++) {
        if (++r->visited > TN_MAX_PE_RESOURCES)
            return false;
        if (tn_pe_at(r, r->dirs[TN_PE_DIR_RESOURCE].rva + off + 16 + i * 8, 8, &s, NULL))
            return false;
        if (want == 0 || u32(s, 0) == want) {
            *ret = u32(s, 4);
            return true;
        }
    }
    return false;
}

/* Type 16, then the first name, then US English or the first language. */
static void read_version(struct tn_pe_reader *r)
{
    const uint32_t folder = 0x80000000u;
    struct tn_span s = {0};
    uint32_t at = 0;
    if (r->dirs[TN_PE_DIR_RESOURCE].rva == 0)
        return;
    for (unsigned level = 0; level < 3; level++) {
        uint32_t dir = at & ~folder;
        const uint32_t want[] = {RT_VERSION, 0, EN_US};
        if (!resource_entry(r, dir, want[level], &at) && (level != 2 || !resource_entry(r, dir, 0, &at)))
            return;
        if (!(at & folder) != (level == 2))
            return;
    }
    if (tn_pe_at(r, r->dirs[TN_PE_DIR_RESOURCE].rva + at, 16, &s, NULL))
        return;
    uint32_t size = u32(s, 4);
    if (size > TN_MAX_PE_VERSION)
        size = TN_MAX_PE_VERSION;
    if (tn_pe_at(r, u32(s, 0), size, &s, NULL) == 0)
        tn_image_pe_version_parse(s, r->a, &r->pe);
}

/* Descriptors of 8 bytes: time, offset of a name from the table's start, number of further ones (what the bound DLL
 * forwards to) behind it. Ended by one without a name. A damaged table is left out: nothing depends on it. */
static void read_bound(struct tn_pe_reader *r)
{
    struct tn_span s = {0};
    size_t cap = 0;
    uint32_t at = r->dirs[TN_PE_DIR_BOUND].rva, size = r->dirs[TN_PE_DIR_BOUND].size;
    for (uint32_t i = 0; at && i < TN_MAX_PE_IMPORTS && i * 8 + 8 <= size; i++) {
        const char *name = NULL;
        if (tn_pe_at(r, at + i * 8, 8, &s, NULL) || u16(s, 4) == 0 || tn_pe_name(r, at + u16(s, 4), &name, NULL) ||
            !name)
            return;
        r->pe.bound = tn_arena_grow(r->a, r->pe.bound, r->pe.n_bound, &cap, sizeof *r->pe.bound);
        r->pe.bound[r->pe.n_bound++] = name;
    }
}

int tn_image_pe_open(const struct tn_view *v, struct tn_arena *a, struct tn_pe *ret, struct tn_err *err)
{
    struct tn_pe_reader r;
    int rc = tn_pe_start(&r, v, a, err);
    if (rc == 0)
        rc = read_imports(&r, TN_PE_DIR_IMPORT, 20, 12, &r.pe.imports, &r.pe.n_imports, err);
    if (rc == 0)
        rc = read_imports(&r, TN_PE_DIR_DELAY, 32, 4, &r.pe.delayed, &r.pe.n_delayed, err);
    if (rc)
        return rc;
    read_bound(&r);
    read_version(&r);
    *ret = r.pe;
    return 0;
}

const char *tn_image_pe_version_text(const uint16_t version[4], struct tn_arena *a)
{
    return tn_arena_printf(a, "%u.%u.%u.%u", version[0], version[1], version[2], version[3]);
}
