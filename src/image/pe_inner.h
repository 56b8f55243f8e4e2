/* pe_inner.h - what the readers of PE share: headers, sections, the way from an address to the file. Private to image/.
 */
#ifndef TN_IMAGE_PE_INNER_H
#define TN_IMAGE_PE_INNER_H

#include "base/limits.h"
#include "image/bytes.h"
#include "image/pe.h"

enum {
    TN_PE_DIR_EXPORT = 0,
    TN_PE_DIR_IMPORT = 1,
    TN_PE_DIR_RESOURCE = 2,
    TN_PE_DIR_BOUND = 11,
    TN_PE_DIR_DELAY = 13,
    TN_PE_DIRS = 16
};
enum { TN_PE_MAX_NAME = 1024, TN_PE_MAX_TEXT = 1 << 20 };

struct tn_pe_section {
    uint32_t rva, raw_size, raw_off;
};

struct tn_pe_reader {
    struct tn_bytes b;
    struct tn_arena *a;
    struct tn_pe pe;
    struct {
        uint32_t rva, size;
    } dirs[TN_PE_DIRS];
    struct tn_pe_section sections[TN_MAX_PE_SECTIONS];
    unsigned n_sections;
    uint32_t header_size;
    uint64_t base;
    unsigned visited; /* resource entries */
};

static inline uint32_t tn_pe_u32(struct tn_span s, size_t off)
{
    uint32_t v = 0;
    tn_span_u32(s, off, false, &v);
    return v;
}

static inline uint16_t tn_pe_u16(struct tn_span s, size_t off)
{
    uint16_t v = 0;
    tn_span_u16(s, off, false, &v);
    return v;
}

/* Reads the headers. */
int tn_pe_start(struct tn_pe_reader *r, const struct tn_view *v, struct tn_arena *a, struct tn_err *err);
/* File offset of n bytes at an RVA, and where the bytes that belong together end. */
bool tn_pe_map(const struct tn_pe_reader *r, uint32_t rva, uint32_t n, uint64_t *ret, uint64_t *ret_end);
int tn_pe_at(struct tn_pe_reader *r, uint32_t rva, uint32_t n, struct tn_span *ret, struct tn_err *err);
int tn_pe_name(struct tn_pe_reader *r, uint32_t rva, const char **ret, struct tn_err *err);

#endif
