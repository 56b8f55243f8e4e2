/* images.h - containers that hold a framework with its CUDA: what is in them and which driver they ask for.
 *
 * Invariant: only what the maker's own notes say; "" is "not said". Source: table images. */
#ifndef TN_FACTS_IMAGES_H
#define TN_FACTS_IMAGES_H

#include "facts/table.h"

struct tn_facts_image {
    const char *image, *tag;         /* "nvcr.io/nvidia/tensorflow", "23.03-tf1-py3" */
    const char *framework, *version; /* "tensorflow", "1.15.5" */
    const char *python, *cuda, *cudnn;
    const char *driver_min; /* "530"; for GeForce and RTX cards */
    const char *cc_min;     /* "6.0" */
    uint32_t row;
    struct tn_cite cite;
};

/* The next image of a framework at or after *row (start with 0), which is advanced past it; newest first. version: as
 * far as it goes ("1.15" takes 1.15.5); NULL: any, those that name none too. */
bool tn_facts_image_next(const char *framework, const char *version, uint32_t *row, struct tn_facts_image *ret);

/* The newest image of this version whose CUDA can compile for the card (table cuda_arch) and whose driver floor is met.
 * driver: "525.85.05", cc: "8.9"; NULL: whatever. A row that names no CUDA or no floor is no answer; one that
 * names no least capability is held to the strictest that another names. NO: there is none.
 */
enum tn_found tn_facts_image_for(const char *framework, const char *version, const char *driver, const char *cc,
                                 struct tn_facts_image *ret);

#endif
