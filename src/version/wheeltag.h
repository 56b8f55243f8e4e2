/* wheeltag.h - names of wheels: the file name's parts, its tags, the libc a platform tag asks for, PEP 503 names.
 *
 * Invariant: the parts are the file name's own bytes, so joining them again gives the name.
 * Knows nothing of interpreters or of which tags a machine supports. Sources: PyPA "Binary distribution format"
 * (PEP 427, 425), PEP 600, 599, 571, 513 (manylinux), PEP 656 (musllinux), PEP 503 (names). */
#ifndef TN_VERSION_WHEELTAG_H
#define TN_VERSION_WHEELTAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

struct tn_wheel {
    const char *name, *version;          /* as written: escaped, not normalised */
    const char *build;                   /* "" if none */
    const char *python, *abi, *platform; /* compressed sets: "cp38.cp39" */
};

/* Splits "name-version[-build]-python-abi-platform.whl" (base name, no folder). TN_E_FORMAT when it is none. */
int tn_version_wheel_parse(const char *file, struct tn_arena *a, struct tn_wheel *ret, struct tn_err *err);

/* The next single tag of a compressed set; start with *rest = the set. False at the end. */
bool tn_version_tag_next(const char **rest, struct tn_span *ret);
bool tn_version_tag_has(const char *set, const char *tag);

enum tn_libc { TN_LIBC_NONE, TN_LIBC_GLIBC, TN_LIBC_MUSL };

struct tn_platform_libc {
    enum tn_libc kind;
    unsigned major, minor;
    struct tn_span arch; /* "x86_64" */
};

/* What one platform tag asks of libc: manylinux1 2.5, manylinux2010 2.12, manylinux2014 2.17,
 * manylinux_X_Y X.Y, musllinux_X_Y X.Y. False for every other tag (linux_x86_64, win_amd64, any ...). */
bool tn_version_platform_libc(struct tn_span tag, struct tn_platform_libc *ret);

/* The least libc of that kind that satisfies some tag of a compressed platform set; false when none is named. */
bool tn_version_wheel_libc(const char *set, enum tn_libc kind, struct tn_platform_libc *ret);

/* PEP 503: runs of "-", "_" and "." become one "-", letters lower case. TN_E_FORMAT for a name with other
 * characters or without a letter or digit at both ends (PEP 508), TN_E_LIMIT when it does not fit into n bytes. */
int tn_version_normal_name(const char *name, char *buf, size_t n, struct tn_err *err);

#endif
