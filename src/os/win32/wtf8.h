/* wtf8.h - UTF-16 as Windows keeps names, and WTF-8 as tenon keeps them.
 *
 * WTF-8 is UTF-8 in which a lone surrogate is written as its three bytes, so that every name comes back
 * unchanged. Knows no system call: it is tested everywhere. */
#ifndef TN_OS_WIN32_WTF8_H
#define TN_OS_WIN32_WTF8_H

#include <stddef.h>
#include <stdint.h>

/* Both return the length of the whole result and write at most cap units of it (never half a character);
 * no NUL is added. A byte that is not WTF-8 becomes U+FFFD. */
size_t tn_wtf8_to_utf16(const char *s, size_t n, uint16_t *ret, size_t cap);
size_t tn_wtf8_from_utf16(const uint16_t *s, size_t n, char *ret, size_t cap);

/* Bytes of s, at most n, that end at the end of a character: for writing text in pieces. */
size_t tn_wtf8_whole(const char *s, size_t n);

#endif
