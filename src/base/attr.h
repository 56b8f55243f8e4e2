/* attr.h - what compilers spell differently. */
#ifndef TN_BASE_ATTR_H
#define TN_BASE_ATTR_H

/* Arguments are checked against the C99 formats, which mingw's own "printf" archetype is not. */
#ifdef __MINGW32__
#define TN_PRINTF(format_at, first) __attribute__((format(gnu_printf, format_at, first)))
#else
#define TN_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#endif

#endif
