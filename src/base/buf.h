/* buf.h - text that grows. Always NUL-ended; the NUL is not counted. */
#ifndef TN_BASE_BUF_H
#define TN_BASE_BUF_H

#include "base/attr.h"
#include <stdarg.h>
#include <stddef.h>

struct tn_buf {
    char *p;
    size_t n, cap;
};

void tn_buf_init(struct tn_buf *b);
void tn_buf_deinit(struct tn_buf *b);
void tn_buf_clear(struct tn_buf *b);
/* Makes room for so many more bytes, so that they can be written at p + n. */
void tn_buf_room(struct tn_buf *b, size_t more);
void tn_buf_add(struct tn_buf *b, const void *p, size_t n);
void tn_buf_str(struct tn_buf *b, const char *s);
void tn_buf_ch(struct tn_buf *b, char c);
void tn_buf_printf(struct tn_buf *b, const char *fmt, ...) TN_PRINTF(2, 3);
void tn_buf_vprintf(struct tn_buf *b, const char *fmt, va_list ap) TN_PRINTF(2, 0);

#endif
