/* span.h - a view of bytes that somebody else owns, with checked reads.
 *
 * Every parser of this project takes a span. A read outside it says so and never touches memory. */
#ifndef TN_BASE_SPAN_H
#define TN_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tn_span {
    const unsigned char *p;
    size_t n;
};

struct tn_span tn_span_of(const void *p, size_t n);
struct tn_span tn_span_str(const char *s);

/* The n bytes at off; false if they are not all inside. */
bool tn_span_sub(struct tn_span s, uint64_t off, uint64_t n, struct tn_span *ret);
/* From off to the end; empty if off is outside. */
struct tn_span tn_span_from(struct tn_span s, uint64_t off);

/* Little and big endian numbers at off; false outside. */
bool tn_span_u8(struct tn_span s, uint64_t off, uint8_t *ret);
bool tn_span_u16(struct tn_span s, uint64_t off, bool big, uint16_t *ret);
bool tn_span_u32(struct tn_span s, uint64_t off, bool big, uint32_t *ret);
bool tn_span_u64(struct tn_span s, uint64_t off, bool big, uint64_t *ret);

/* The NUL-ended text at off, at most max bytes long; NULL if there is no NUL within that. */
const char *tn_span_cstr(struct tn_span s, uint64_t off, size_t max);

bool tn_span_eq(struct tn_span s, const char *text);
bool tn_span_starts(struct tn_span s, const char *text);
/* Offset of the first occurrence of needle at or after from, or SIZE_MAX. */
size_t tn_span_find(struct tn_span s, size_t from, const void *needle, size_t n);

/* Takes the next line off *rest, without its \n or \r\n; false when nothing is left. */
bool tn_span_line(struct tn_span *rest, struct tn_span *ret_line);
/* Without blanks (space, tab, CR, NUL) at both ends. */
struct tn_span tn_span_trim(struct tn_span s);

#endif
