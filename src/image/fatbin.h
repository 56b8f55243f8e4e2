/* fatbin.h - which GPU code a library holds: machine code (SASS), PTX and LTO-IR, by architecture, out of headers
 * alone.
 *
 * Containers ("fatbins") lie one behind the other in .nv_fatbin, so the walk hops from header to header by the sizes
 * that they state, and looks for the next one at 8-byte steps only where other data lies between. Nothing is unpacked.
 * Invariant: every size is checked against the section and the file; what does not add up is counted as damaged and
 * passed over; the work is bounded by the file's size (limits.h). Only the last span of the view is used, so that a
 * view may forget the earlier ones. Knows nothing of cards and drivers.
 *
 * Sources: NVIDIA cuda-toolkit fatbinary_section.h (wrapper; section names); of the inner format there is no document:
 * n-eiling/cuda-fatbin-decompression, vosen/ZLUDA (cuda_types/src/dark_api.rs), and what nvcc and fatbinary write,
 * compared with cuobjdump entry by entry (tests/real/fatbins.sh). cubins: LLVM BinaryFormat/ELF.h (EF_CUDA_*). */
#ifndef TN_IMAGE_FATBIN_H
#define TN_IMAGE_FATBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/view.h"

#define TN_FATBIN_ARCHS 48u /* different ones of one kind; NVIDIA has named about 40 in all */

struct tn_fatbin_arch {
    unsigned number;        /* 86 of sm_86, 103 of sm_103f */
    char mark;              /* 'a' (that very card only), 'f' (its family), 0 */
    uint32_t n;             /* entries */
    unsigned isa, isa_last; /* PTX: lowest and highest ISA version, major * 100 + minor: 803 is 8.3 */
};

/* Ordered by number, then mark. */
struct tn_fatbin_list {
    struct tn_fatbin_arch v[TN_FATBIN_ARCHS];
    unsigned n;
};

enum tn_fatbin_kind { TN_FATBIN_SASS, TN_FATBIN_PTX, TN_FATBIN_LTO, TN_FATBIN_KINDS };

struct tn_fatbin {
    struct tn_fatbin_list code[TN_FATBIN_KINDS];  /* what a program that loads the library can run */
    struct tn_fatbin_list parts[TN_FATBIN_KINDS]; /* __nv_relfatbin: unlinked pieces that it was linked from */
    uint32_t containers;                          /* without those pieces */
    uint32_t other;                               /* entries of kinds that are not known here */
    uint32_t damaged;      /* containers whose entries do not fill them, sections that begin wrong */
    bool section;          /* there is a section for such code, whatever is in it */
    bool scanned;          /* other data lay between containers */
    bool cut;              /* a bound was met: there may be more */
    uint64_t bytes, reads; /* asked of the view */
};

enum tn_fatbin_where {
    TN_FATBIN_SECTIONS, /* the sections that exist for it: what frameworks and most libraries have */
    TN_FATBIN_ANYWHERE  /* other data as well: cuFFT, cuSPARSE and CUPTI keep some there */
};

/* An ELF or PE file, a fatbin (.fatbin) or a cubin. A library without such code gives 0 and empty lists; TN_E_FORMAT:
 * none of these files, or its headers lie outside it. */
int tn_image_fatbin_read(const struct tn_view *v, enum tn_fatbin_where where, struct tn_fatbin *ret,
                         struct tn_err *err);

#endif
