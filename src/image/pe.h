/* pe.h - what Windows and who explains it must know of a DLL or program: machine, imports, exports that others serve,
 * version resource.
 *
 * Invariant: the resource tree is walked at most TN_MAX_PE_RESOURCES entries and three levels deep; names are bytes
 * as written (compare them ASCII case folded). Knows nothing of search order or of what a DLL should be.
 * Source: Microsoft "PE Format" (import, delay-load and bound import tables, export directory and forwarder RVAs);
 * "VS_VERSIONINFO structure" and its children. */
#ifndef TN_IMAGE_PE_H
#define TN_IMAGE_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/view.h"

enum { TN_PE_I386 = 0x14C, TN_PE_AMD64 = 0x8664, TN_PE_ARM64 = 0xAA64 };

struct tn_pe {
    uint16_t machine;
    bool plus; /* PE32+: 64 bits */
    bool dll;
    uint64_t file_end;    /* end of the last section's bytes; a file of fewer bytes was cut short */
    const char **imports; /* must be there when the file is loaded */
    size_t n_imports;
    const char **delayed; /* wanted at the first call only */
    size_t n_delayed;
    const char **bound; /* of the imports, those that were resolved before (bound imports), with what they forward to */
    size_t n_bound;
    bool has_fixed;           /* VS_FIXEDFILEINFO: */
    uint16_t file_version[4]; /* 6.14.11.12090 */
    uint16_t product_version[4];
    const char *file_version_text,
        *product_version_text; /* of the English or first string table; UTF-8 (WTF-8); NULL if none */
    const char *description, *product;
};

/* TN_E_FORMAT: not PE, or a header or import table lies outside the file. A damaged version resource is left out,
 * as Windows does. */
int tn_image_pe_open(const struct tn_view *v, struct tn_arena *a, struct tn_pe *ret, struct tn_err *err);

/* An export that another DLL serves: "sgemm" of "fast.impl_sgemm" or of "fast.#7". */
struct tn_pe_forward {
    const char *symbol; /* NULL: exported by number alone */
    uint32_t ordinal;
    const char *dll, *target; /* "fast.dll", "impl_sgemm" or "#7"; "" where the text holds no dot */
};

/* A symbol that is imported. */
struct tn_pe_symbol {
    const char *name; /* NULL: by number */
    uint32_t ordinal;
};

/* The exports of a file that another DLL serves; none for one without exports. TN_E_FORMAT, TN_E_LIMIT. */
int tn_image_pe_forwards(const struct tn_view *v, struct tn_arena *a, struct tn_pe_forward **ret, size_t *ret_n,
                         struct tn_err *err);
/* What a file imports from one DLL (its name compared ASCII case folded), delayed imports left out. */
int tn_image_pe_symbols(const struct tn_view *v, const char *dll, struct tn_arena *a, struct tn_pe_symbol **ret,
                        size_t *ret_n, struct tn_err *err);

/* "6.14.11.12090" of four parts, in the arena. */
const char *tn_image_pe_version_text(const uint16_t version[4], struct tn_arena *a);

#endif
