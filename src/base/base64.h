/* base64.h - RFC 4648 base64, with padding. */
#ifndef TN_BASE_BASE64_H
#define TN_BASE_BASE64_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

void tn_base64_encode(struct tn_buf *ret, struct tn_span bytes);
/* Appends the bytes; TN_E_FORMAT for any character that does not belong, ret then unchanged. */
int tn_base64_decode(struct tn_buf *ret, struct tn_span text, struct tn_err *err);

#endif
