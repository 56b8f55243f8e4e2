/* fatbin_place.h - where in an ELF or PE file GPU code may lie. Private to fatbin*.c. */
#ifndef TN_IMAGE_FATBIN_PLACE_H
#define TN_IMAGE_FATBIN_PLACE_H

#include "image/fatbin.h"

/* A window over the view that grows while it moves on in small steps. */
struct tn_fatbin_window {
    const struct tn_view *view;
    struct tn_span s;
    uint64_t off, bytes, reads;
};

/* n bytes at off, read with at least `ahead` behind them where the file has them. */
int tn_fatbin_at(struct tn_fatbin_window *w, uint64_t off, size_t n, size_t ahead, struct tn_span *ret,
                 struct tn_err *err);

struct tn_fatbin_place {
    uint64_t off, size;
    enum { TN_PLACE_OTHER, TN_PLACE_CODE, TN_PLACE_PARTS } kind;
};

#define TN_FATBIN_PLACES 64u

/* The places of a file, those made for GPU code first; at most TN_FATBIN_PLACES. Places reach to the file's end at
 * most.
 */
int tn_fatbin_places(struct tn_fatbin_window *w, enum tn_fatbin_where where, struct tn_fatbin_place *ret,
                     unsigned *ret_n, bool *ret_cut, struct tn_err *err);

#endif
