/* encoding.h - bytes of a text file as UTF-8: UTF-16 of Windows' own logs, the code pages of Chinese, Western and
 * Russian Windows. Which one it is, the bytes themselves say; a text that is UTF-8 stays what it is. Pure: equal
 * results on every system. */
#ifndef TN_EXPLAIN_ENCODING_H
#define TN_EXPLAIN_ENCODING_H

#include "base/buf.h"
#include "base/span.h"

enum tn_encoding { TN_UTF8, TN_UTF16, TN_UTF16_BE, TN_GB18030, TN_CP1252, TN_CP1251 };

/* What the text is written in. ret_skip: bytes of a mark at its beginning. */
enum tn_encoding tn_encoding_of(struct tn_span s, size_t *ret_skip);
/* Appends as UTF-8; what is no character becomes U+FFFD. */
void tn_encoding_decode(struct tn_span s, enum tn_encoding e, struct tn_buf *ret);

/* From gb18030.gen.c: characters of two bytes, and of four (runs of linear number, code point). */
extern const unsigned short tn_gb_two[126 * 190];
extern const struct tn_gb_run {
    unsigned from, code;
} tn_gb_runs[];
extern const unsigned tn_n_gb_runs;

#endif
