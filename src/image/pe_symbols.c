/* pe_symbols.c - exports that another DLL serves, and the symbols that are imported from one DLL: see pe.h.
 *
 * A forwarder is an entry of the export address table whose RVA lies inside the export directory: there stands the text
 * "DLL.symbol" or "DLL.#number" (Microsoft, "PE Format", Export Address Table). */
#include <string.h>

#include "base/str.h"
#include "image/pe_inner.h"

struct exports {
    uint32_t base, n, n_names, functions, names, ordinals;
};

static int read_exports(struct tn_pe_reader *r, struct exports *x, struct tn_err *err)
{
    struct tn_span s = {0};
    memset(x, 0, sizeof *x);
    if (r->dirs[TN_PE_DIR_EXPORT].rva == 0 || r->dirs[TN_PE_DIR_EXPORT].size == 0)
        return 0;
    int rc = tn_pe_at(r, r->dirs[TN_PE_DIR_EXPORT].rva, 40, &s, err);
    if (rc)
        return rc;
    x->base = tn_pe_u32(s, 16);
    x->n = tn_pe_u32(s, 20);
    x->n_names = tn_pe_u32(s, 24);
    x->functions = tn_pe_u32(s, 28);
    x->names = tn_pe_u32(s, 32);
    x->ordinals = tn_pe_u32(s, 36);
    if (x->n > TN_MAX_PE_EXPORTS || x->n_names > TN_MAX_PE_EXPORTS)
        return tn_err_set(err, TN_E_LIMIT, "exports", "more than %u", TN_MAX_PE_EXPORTS);
    return 0;
}

/* "fast.impl" -> "fast.dll", "impl"; the last dot counts, as a DLL's name may hold others. */
static void split(struct tn_pe_reader *r, const char *text, struct tn_pe_forward *f)
{
    const char *dot = strrchr(text, '.');
    if (!dot) {
        f->dll = f->target = "";
        return;
    }
    f->dll = tn_arena_printf(r->a, "%.*s.dll", (int)(dot - text), text);
    f->target = dot + 1;
}

/* Names of the forwarded entries: each name's ordinal is looked up once. */
static int name_them(struct tn_pe_reader *r, const struct exports *x, const uint32_t *at, struct tn_pe_forward *f,
                     struct tn_err *err)
{
    struct tn_span s = {0};
    for (uint32_t i = 0; i < x->n_names; i++) {
        int rc = tn_pe_at(r, x->ordinals + i * 2, 2, &s, err);
        if (rc)
            return rc;
        uint32_t ordinal = tn_pe_u16(s, 0);
        if (ordinal >= x->n || at[ordinal] == 0 || f[at[ordinal] - 1].symbol)
            continue;
        rc = tn_pe_at(r, x->names + i * 4, 4, &s, err);
        if (rc == 0)
            rc = tn_pe_name(r, tn_pe_u32(s, 0), &f[at[ordinal] - 1].symbol, err);
        if (rc)
            return rc;
    }
    return 0;
}

int tn_image_pe_forwards(const struct tn_view *v, struct tn_arena *a, struct tn_pe_forward **ret, size_t *ret_n,
                         struct tn_err *err)
{
    struct tn_pe_reader r;
    struct exports x;
    struct tn_span s = {0};
    size_t cap = 0;
    *ret = NULL;
    *ret_n = 0;
    int rc = tn_pe_start(&r, v, a, err);
    if (rc == 0)
        rc = read_exports(&r, &x, err);
    if (rc || x.n == 0)
        return rc;
    uint32_t *at = tn_arena_array(a, x.n, sizeof *at), from = r.dirs[TN_PE_DIR_EXPORT].rva; /* number + 1 */
    memset(at, 0, x.n * sizeof *at);
    for (uint32_t i = 0; i < x.n; i++) {
        const char *text;
        rc = tn_pe_at(&r, x.functions + i * 4, 4, &s, err);
        if (rc)
            return rc;
        uint32_t rva = tn_pe_u32(s, 0);
        if (rva < from || rva - from >= r.dirs[TN_PE_DIR_EXPORT].size)
            continue;
        rc = tn_pe_name(&r, rva, &text, err);
        if (rc)
            return rc;
        *ret = tn_arena_grow(a, *ret, *ret_n, &cap, sizeof **ret);
        struct tn_pe_forward *f = &(*ret)[(*ret_n)++];
        *f = (struct tn_pe_forward){.ordinal = x.base + i};
        split(&r, text, f);
        at[i] = (uint32_t)*ret_n;
    }
    return *ret_n ? name_them(&r, &x, at, *ret, err) : 0;
}

/* The thunks of one descriptor: 8 or 4 bytes each, ended by 0; the highest bit says "by number". */
static int read_thunks(struct tn_pe_reader *r, uint32_t rva, struct tn_pe_symbol **ret, size_t *ret_n, size_t *cap,
                       struct tn_err *err)
{
    struct tn_span s = {0};
    uint32_t size = r->pe.plus ? 8 : 4;
    for (uint32_t i = 0;; i++) {
        if (*ret_n >= TN_MAX_PE_EXPORTS)
            return tn_err_set(err, TN_E_LIMIT, "imports", "more than %u symbols", TN_MAX_PE_EXPORTS);
        int rc = tn_pe_at(r, rva + i * size, size, &s, err);
        if (rc)
            return rc;
        uint32_t low = tn_pe_u32(s, 0), high = r->pe.plus ? tn_pe_u32(s, 4) : low;
        if (low == 0 && high == 0)
            return 0;
        *ret = tn_arena_grow(r->a, *ret, *ret_n, cap, sizeof **ret);
        struct tn_pe_symbol *y = &(*ret)[*ret_n];
        *y = (struct tn_pe_symbol){.ordinal = low & 0xFFFF};
        if (!(high & 0x80000000u)) {
            *y = (struct tn_pe_symbol){0};
            rc = tn_pe_name(r, low + 2, &y->name, err); /* behind the hint */
            if (rc)
                return rc;
        }
        ++*ret_n;
    }
}

int tn_image_pe_symbols(const struct tn_view *v, const char *dll, struct tn_arena *a, struct tn_pe_symbol **ret,
                        size_t *ret_n, struct tn_err *err)
{
    struct tn_pe_reader r;
    struct tn_span s = {0};
    size_t cap = 0;
    *ret = NULL;
    *ret_n = 0;
    int rc = tn_pe_start(&r, v, a, err);
    uint32_t at = r.dirs[TN_PE_DIR_IMPORT].rva;
    for (uint32_t i = 0; rc == 0 && at; i++) {
        const char *name;
        if (i == TN_MAX_PE_IMPORTS)
            return tn_err_set(err, TN_E_LIMIT, "imports", "more than %u", TN_MAX_PE_IMPORTS);
        rc = tn_pe_at(&r, at + i * 20, 20, &s, err);
        if (rc || tn_pe_u32(s, 12) == 0)
            return rc;
        uint32_t thunks = tn_pe_u32(s, 0) ? tn_pe_u32(s, 0) : tn_pe_u32(s, 16); /* old linkers: one table only */
        rc = tn_pe_name(&r, tn_pe_u32(s, 12), &name, err);
        if (rc == 0 && tn_str_ieq(name, dll))
            rc = read_thunks(&r, thunks, ret, ret_n, &cap, err);
    }
    return rc;
}
