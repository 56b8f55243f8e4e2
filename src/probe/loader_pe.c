/* loader_pe.c - a PE file as the loader of Windows looks at it: machine, imports, what it forwards.
 *
 * Source: Microsoft, "PE Format". A file that is damaged says so in one word; the words are those of schema.def. */
#include <string.h>

#include "base/str.h"
#include "image/pe.h"
#include "probe/loader_image.h"

static const char *machine_of(unsigned m, struct tn_arena *mem)
{
    switch (m) {
    case TN_PE_I386: return "i386";
    case TN_PE_AMD64: return "x86_64";
    case TN_PE_ARM64: return "aarch64";
    default: return tn_arena_printf(mem, "pe-%x", m);
    }
}

/* Each DLL once, in the order of the exports. */
static size_t targets(const struct tn_pe_forward *f, size_t n, const char **ret, size_t max)
{
    size_t have = 0;
    for (size_t i = 0; i < n && have < max; i++) {
        bool seen = !*f[i].dll;
        for (size_t k = 0; k < have && !seen; k++)
            seen = tn_str_ieq(ret[k], f[i].dll);
        if (!seen)
            ret[have++] = f[i].dll;
    }
    return have;
}

void tn_probe_image_pe(struct tn_snap *s, uint32_t src, const struct tn_view *v, struct tn_rec_image *ret)
{
    struct tn_arena mem;
    struct tn_pe pe;
    struct tn_err err;
    struct tn_span h = {0};
    int rc = v->size < 64 ? TN_E_FORMAT : tn_view_at(v, 0, 64, &h, &err);
    if (rc == TN_E_FORMAT || (rc == 0 && (h.p[0] != 'M' || h.p[1] != 'Z'))) {
        ret->damage = tn_fact_str(s, src, rc ? "short" : "not-pe");
        return;
    }
    tn_arena_init(&mem);
    rc = rc ? rc : tn_image_pe_open(v, &mem, &pe, &err);
    if (rc == TN_E_FORMAT || rc == TN_E_LIMIT) {
        ret->damage = tn_fact_str(s, src, "headers");
    } else if (rc) { /* could not be read, or a record does not hold it */
        ret->seen = rc == TN_E_NOTFOUND ? tn_fact_nostr(src, TN_UNASKED) : tn_fact_str(s, src, "failed");
    } else {
        struct tn_pe_forward *f = NULL;
        const char *to[64];
        size_t n = 0;
        ret->format = tn_fact_str(s, src, "pe");
        ret->bits = tn_fact_int(src, pe.plus ? 64 : 32);
        ret->machine = tn_fact_str(s, src, machine_of(pe.machine, &mem));
        ret->needed = tn_fact_list(s, src, pe.imports, pe.n_imports);
        ret->delayed = tn_fact_list(s, src, pe.delayed, pe.n_delayed);
        const char *dot = tn_known(ret->path) ? strrchr(ret->path.v, '.') : NULL;
        bool module = dot && tn_str_ieq(dot, ".pyd"); /* nobody has an import library of one that forwards */
        rc = module ? 0 : tn_image_pe_forwards(v, &mem, &f, &n, &err);
        ret->forwards = rc ? tn_fact_nolist(src, rc == TN_E_NOTFOUND ? TN_UNASKED : TN_FAILED)
                           : tn_fact_list(s, src, to, targets(f, n, to, TN_LEN(to)));
        ret->damage = tn_fact_str(s, src, pe.file_end > v->size ? "cut" : NULL);
    }
    tn_arena_deinit(&mem);
}

static bool is_taken(const struct tn_pe_forward *f, const struct tn_pe_symbol *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (y[i].name ? f->symbol && strcmp(f->symbol, y[i].name) == 0 : y[i].ordinal == f->ordinal)
            return true;
    return false;
}

int tn_probe_pe_takes(const struct tn_view *importer, const char *dll, const struct tn_view *exporter,
                      struct tn_arena *mem, const char **ret, size_t max, size_t *ret_n, struct tn_err *err)
{
    struct tn_pe_forward *f = NULL;
    struct tn_pe_symbol *y = NULL;
    size_t n = 0, m = 0;
    *ret_n = 0;
    int rc = tn_image_pe_forwards(exporter, mem, &f, &n, err);
    if (rc == 0)
        rc = tn_image_pe_symbols(importer, dll, mem, &y, &m, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < n; i++) {
        bool seen = *ret_n == max || !*f[i].dll;
        for (size_t k = 0; k < *ret_n && !seen; k++)
            seen = tn_str_ieq(ret[k], f[i].dll);
        if (!seen && is_taken(&f[i], y, m))
            ret[(*ret_n)++] = f[i].dll;
    }
    return 0;
}
