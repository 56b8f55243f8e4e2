/* decode.h - a compressed file as a forward stream: gzip, xz, zstd.
 *
 * Invariant: memory is bounded by the decoders' own limits (about 40 MB); output is bounded by the caller, who asks
 * piece by piece. Knows nothing of what the bytes mean. Private to image/. */
#ifndef TN_IMAGE_DECODE_H
#define TN_IMAGE_DECODE_H

#include "base/err.h"
#include "base/view.h"

enum tn_codec { TN_CODEC_NONE, TN_CODEC_GZIP, TN_CODEC_XZ, TN_CODEC_ZSTD };

struct tn_decoder;

/* By the first bytes; TN_CODEC_NONE for everything else. */
enum tn_codec tn_image_decode_codec(const struct tn_view *v);
/* codec is not TN_CODEC_NONE. Close with tn_image_decode_close. */
int tn_image_decode_open(const struct tn_view *v, enum tn_codec codec, struct tn_decoder **ret, struct tn_err *err);
/* Up to n bytes; *ret_n == 0 is the end. TN_E_FORMAT for a damaged or cut stream. */
int tn_image_decode_read(struct tn_decoder *d, void *p, size_t n, size_t *ret_n, struct tn_err *err);
void tn_image_decode_close(struct tn_decoder *d);

#endif
