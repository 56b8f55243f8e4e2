/* zip.h - the members of a zip file, and the bytes of one. Made for wheels from anywhere.
 *
 * Only the last span of the view is used, so that a view may forget the earlier ones.
 * Invariant: nothing is believed that the file's own size forbids; the work and memory are bounded by the caller's
 * maximum. A name that leads out of the folder, members that lie over each other or claim to grow by more than deflate
 * can are refused (TN_E_REFUSED): no tool makes such a file by accident.
 * Sources: PKWARE APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3 (zip64); RFC 1951; D. Fifield, "A better zip bomb"
 * (overlapping members); zlib, "Maximum Compression Factor" (1032:1). */
#ifndef TN_IMAGE_ZIP_H
#define TN_IMAGE_ZIP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/view.h"

struct tn_zip_member {
    const char *name;
    uint64_t off, packed, size; /* off: of its local header */
    unsigned method;            /* 0 stored, 8 deflate */
};

struct tn_zip {
    struct tn_zip_member *v; /* in the order of the directory */
    size_t n;
};

int tn_image_zip_open(const struct tn_view *v, struct tn_arena *mem, struct tn_zip *ret, struct tn_err *err);
/* NULL: there is none. */
const struct tn_zip_member *tn_image_zip_find(const struct tn_zip *z, const char *name);
/* Appends its bytes; TN_E_LIMIT for more than max of them. */
int tn_image_zip_read(const struct tn_view *v, const struct tn_zip_member *m, uint64_t max, struct tn_buf *ret,
                      struct tn_err *err);

/* Where the directory lies; only the last 65,557 bytes of the file are asked for (all of a shorter one), and for a
 * zip64 file what they name. */
int tn_image_zip_place(const struct tn_view *v, uint64_t *ret_off, uint64_t *ret_size, struct tn_err *err);
/* The member "FOLDER.dist-info/METADATA" in a part of the directory: its beginning (first), or the bytes before its
 * end. Entries that the part holds are looked at, whatever it cuts. false: it is not in this part. *ret_crc: of its
 * bytes. */
bool tn_image_zip_metadata(struct tn_span part, bool first, struct tn_arena *mem, struct tn_zip_member *ret,
                           uint32_t *ret_crc);

/* Its first bytes, at most n of them. */
int tn_image_zip_head(const struct tn_view *v, const struct tn_zip_member *m, size_t n, struct tn_buf *ret,
                      struct tn_err *err);

#endif
