/* ldcache.h - /etc/ld.so.cache: which file the loader takes for a bare name.
 *
 * Invariant: entries keep the file's order, in which the loader searches. Whether a path still exists, and which
 * glibc-hwcaps names a CPU has, is the caller's matter.
 * Source: glibc sysdeps/generic/dl-cache.h and elf/dl-cache.c (formats "ld.so-1.7.0" and "glibc-ld.so.cache1.1",
 * the latter also behind the former, and its extension section). */
#ifndef TN_IMAGE_LDCACHE_H
#define TN_IMAGE_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

/* Values of flags. */
enum {
    TN_LDCACHE_LIBC6 = 0x0003, /* i386 and others without an own bit */
    TN_LDCACHE_X86_64 = 0x0303,
    TN_LDCACHE_X32 = 0x0803,
    TN_LDCACHE_AARCH64 = 0x0a03
};

struct tn_ldcache_entry {
    const char *soname, *path;
    uint32_t flags;
    const char *hwcap;     /* "x86-64-v3": in a glibc-hwcaps folder of that name; NULL if none */
    uint64_t legacy_hwcap; /* other hwcap bits: glibc from 2.37 on skips such entries */
};

struct tn_ldcache {
    struct tn_ldcache_entry *entries;
    size_t n;
    const char *generator; /* "ldconfig (Debian GLIBC ...) ..."; NULL if not named */
    bool old_format;       /* only the format of glibc before 2.2 was there */
};

/* Texts lie in file, which must outlive *ret. TN_E_FORMAT when it is no cache or of the other byte order (the
 * loader ignores such a file), TN_E_LIMIT above TN_MAX_LDCACHE_ENTRIES. */
int tn_image_ldcache_parse(struct tn_span file, struct tn_arena *a, struct tn_ldcache *ret, struct tn_err *err);

#endif
