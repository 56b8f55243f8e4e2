/* str.h - small text helpers that C lacks. ASCII rules only: locales never change what tenon finds. */
#ifndef TN_BASE_STR_H
#define TN_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TN_LEN(array) (sizeof(array) / sizeof((array)[0]))

bool tn_str_eq(const char *a, const char *b);  /* NULL equals only NULL */
bool tn_str_ieq(const char *a, const char *b); /* ASCII case folded */
bool tn_str_starts(const char *s, const char *prefix);
bool tn_str_ends(const char *s, const char *suffix);
bool tn_str_in(const char *s, const char *const *list); /* list ends with NULL */
int tn_str_cmp(const char *a, const char *b);           /* strcmp with NULL first */

static inline char tn_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline bool tn_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool tn_is_alpha(char c)
{
    c = tn_lower(c);
    return c >= 'a' && c <= 'z';
}

/* Whole text as a number; false when anything else is in it or it does not fit. base 10 or 16 (0x allowed). */
bool tn_str_u64(const char *s, size_t n, int base, uint64_t *ret);

/* Shell-like pattern: * and ? only. */
bool tn_str_glob(const char *pattern, const char *s);

/* Number of single-character edits (insert, delete, replace, swap) from a to b, at most max+1. */
unsigned tn_str_distance(const char *a, const char *b, unsigned max);

/* UTF-8: true if all n bytes are valid (no surrogates, no overlong forms). */
bool tn_utf8_valid(const char *s, size_t n);
/* Decodes one character; returns bytes taken (1 for an invalid byte, *ret = 0xFFFD). n > 0. */
size_t tn_utf8_next(const char *s, size_t n, uint32_t *ret);
/* Columns on a terminal: East Asian wide characters count 2, combining marks 0 (Unicode UAX 11, main ranges). */
unsigned tn_utf8_width(const char *s);

#endif
