/* loader_image.c - an ELF file as glibc's loader looks at it before it takes it.
 *
 * Source: glibc elf/dl-load.c (open_verify: the order of its tests; _dl_map_object_from_fd), gABI chapters 4 and 5. A
 * file that is damaged says so in one word; the words are those of schema.def. */
#include "probe/loader_image.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/elf.h"

#define DF_1_NOOPEN 0x40u

static const char *machine_of(unsigned m, bool big, struct tn_arena *mem)
{
    switch (m) {
    case TN_EM_386: return "i386";
    case TN_EM_X86_64: return "x86_64";
    case TN_EM_AARCH64: return "aarch64";
    case TN_EM_ARM: return "arm";
    case TN_EM_PPC64: return big ? "ppc64" : "ppc64le";
    default: return tn_arena_printf(mem, "elf-%u", m);
    }
}

/* Has it a segment to load (PT_LOAD)? Of a header that is whole. */
static bool has_load(const struct tn_view *v, struct tn_span h)
{
    bool is64 = h.p[4] == 2;
    uint16_t n = 0;
    uint32_t type = 0, half = 0;
    uint64_t phoff = 0;
    tn_span_u16(h, is64 ? 56 : 44, false, &n);
    if (is64)
        tn_span_u64(h, 32, false, &phoff);
    else if (tn_span_u32(h, 28, false, &half))
        phoff = half;
    struct tn_span all = {0};
    size_t each = is64 ? 56 : 32;
    if (n > TN_MAX_ELF_PHDRS || tn_view_at(v, phoff, n * each, &all, NULL))
        return true;
    for (size_t i = 0; i < n; i++)
        if (tn_span_u32(all, i * each, false, &type) && type == 1)
            return true;
    return false;
}

/* In the order of open_verify. */
static const char *header_damage(struct tn_span h, uint64_t size)
{
    static const unsigned char none[7] = {0};
    uint16_t type = 0, each = 0, n = 0;
    uint32_t version = 0, half = 0;
    uint64_t phoff = 0;
    bool is64 = h.p[4] == 2;
    if (h.p[5] != 1)
        return "encoding";
    if (h.p[6] != 1)
        return "version";
    if (memcmp(h.p + 9, none, sizeof none) != 0)
        return "padding";
    tn_span_u16(h, 16, false, &type);
    tn_span_u32(h, 20, false, &version);
    tn_span_u16(h, is64 ? 54 : 42, false, &each);
    tn_span_u16(h, is64 ? 56 : 44, false, &n);
    if (is64)
        tn_span_u64(h, 32, false, &phoff);
    else if (tn_span_u32(h, 28, false, &half))
        phoff = half;
    if (version != 1)
        return "e_version";
    if (type != TN_ET_DYN && type != TN_ET_EXEC)
        return "type";
    if (each != (is64 ? 56 : 32))
        return "phentsize";
    return phoff > size || (uint64_t)n * each > size - phoff ? "headers" : NULL;
}

static struct tn_list run_path(struct tn_snap *s, uint32_t src, struct tn_arena *mem, const char *text)
{
    const char **v = NULL;
    size_t n = 0, cap = 0;
    if (!text)
        return tn_fact_nolist(src, TN_ABSENT);
    for (const char *p = *text ? text : NULL; p && n < TN_MAX_LIST;) {
        size_t len = strcspn(p, ":");
        v = tn_arena_grow(mem, v, n, &cap, sizeof *v);
        v[n++] = tn_arena_strndup(mem, p, len);
        p = p[len] ? p + len + 1 : NULL;
    }
    return tn_fact_list(s, src, v, n);
}

static struct tn_list flags_of(struct tn_snap *s, uint32_t src, const struct tn_elf *e)
{
    const char *v[8];
    size_t n = 0;
    if (e->type == TN_ET_EXEC)
        v[n++] = "exec";
    if (e->dt_flags_1 & TN_DF_1_PIE)
        v[n++] = "pie";
    if (e->dt_flags_1 & TN_DF_1_NODEFLIB)
        v[n++] = "nodeflib";
    if (e->dt_flags_1 & DF_1_NOOPEN)
        v[n++] = "noopen";
    if (e->exec_stack)
        v[n++] = "exec-stack";
    if (!e->has_stack_header)
        v[n++] = "no-stack-header";
    if (!e->has_dynamic)
        v[n++] = "no-dynamic";
    if (!e->n_loads)
        v[n++] = "no-load";
    return tn_fact_list(s, src, v, n);
}

static struct tn_list versions_needed(struct tn_snap *s, uint32_t src, struct tn_arena *mem, const struct tn_elf *e)
{
    const char **v = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < e->n_needs; i++)
        for (size_t k = 0; k < e->needs[i].n && n < TN_MAX_LIST; k++) {
            const struct tn_elf_version *w = &e->needs[i].versions[k];
            v = tn_arena_grow(mem, v, n, &cap, sizeof *v);
            v[n++] = tn_arena_printf(mem, "%s:%s%s", e->needs[i].file, w->name, w->weak ? "?" : "");
        }
    return tn_fact_list(s, src, v, n);
}

static void fill(struct tn_snap *s, uint32_t src, struct tn_arena *mem, const struct tn_elf *e,
                 struct tn_rec_image *ret)
{
    ret->soname = tn_fact_str(s, src, e->soname);
    ret->needed = tn_fact_list(s, src, e->needed, e->n_needed);
    ret->rpath = run_path(s, src, mem, e->rpath);
    ret->runpath = run_path(s, src, mem, e->runpath);
    ret->interp = tn_fact_str(s, src, e->interp);
    ret->flags = flags_of(s, src, e);
    ret->requires = versions_needed(s, src, mem, e);
    ret->provides = e->defines_base || e->n_defines ? tn_fact_list(s, src, e->defines, e->n_defines)
                                                    : tn_fact_nolist(src, TN_ABSENT);
}

void tn_probe_image_elf(struct tn_snap *s, uint32_t src, const struct tn_view *v, struct tn_rec_image *ret)
{
    struct tn_arena mem;
    struct tn_elf e;
    struct tn_err err;
    struct tn_span h = {0};
    int rc = v->size < 64 ? TN_E_FORMAT : tn_view_at(v, 0, 64, &h, &err);
    if (rc == TN_E_FORMAT || (rc == 0 && memcmp(h.p, "\177ELF", 4) != 0)) {
        ret->damage = tn_fact_str(s, src, rc ? "short" : "not-elf");
        return;
    }
    if (rc) { /* could not be read, or a record does not hold it */
        ret->seen = rc == TN_E_NOTFOUND ? tn_fact_nostr(src, TN_UNASKED) : tn_fact_str(s, src, "failed");
        return;
    }
    uint16_t machine = 0;
    tn_span_u16(h, 18, h.p[5] == 2, &machine);
    tn_arena_init(&mem);
    ret->format = tn_fact_str(s, src, "elf");
    ret->bits = tn_fact_int(src, h.p[4] == 2 ? 64 : 32);
    ret->machine = tn_fact_str(s, src, machine_of(machine, h.p[5] == 2, &mem));
    ret->osabi = tn_fact_int(src, h.p[7] + 256 * h.p[8]);
    const char *damage = header_damage(h, v->size);
    rc = tn_image_elf_open(v, &mem, &e, &err);
    if (rc == 0) {
        fill(s, src, &mem, &e, ret);
        damage = damage ? damage : e.file_end > v->size ? "cut" : NULL;
    } else {
        uint32_t bad = tn_snap_src(s, TN_FAILED, err.text, "%s", s->src[src].asked);
        ret->needed = tn_fact_nolist(bad, rc == TN_E_NOTFOUND ? TN_UNASKED : TN_FAILED);
        ret->rpath = ret->runpath = ret->needed;
        if (!damage && !has_load(v, h)) {
            static const char *const flag[] = {"no-load"};
            ret->flags = tn_fact_list(s, src, flag, 1);
        } else if (!damage && rc == TN_E_FORMAT) {
            damage = "cut";
        }
    }
    ret->damage = tn_fact_str(s, src, damage);
    tn_arena_deinit(&mem);
}
