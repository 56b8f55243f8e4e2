/* soname.h - what the file name of a shared library says: stem, version, word size, copy.
 *
 * Invariant: a name is only cut, never interpreted; whether the version is true is image/'s matter.
 * Knows nothing of folders or links: the base name alone is given. */
#ifndef TN_VERSION_SONAME_H
#define TN_VERSION_SONAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/limits.h"

struct tn_soname {
    bool dll;                            /* a Windows name, else ELF */
    unsigned bits;                       /* 32 or 64 when a Windows name says so before "_version", else 0 */
    char stem[TN_MAX_NAME_BYTES + 1];    /* "libcudart"; Windows: lower case, "cudart" */
    char version[TN_MAX_NAME_BYTES + 1]; /* "11.0", "535.309.01"; Windows: the raw token, "110", "112_0"; "" if none */
    char copy[33];                       /* the hex mark of a renamed private copy, "80664282"; "" if none */
};

/* Cuts a base name.
 *   ELF: stem [-copy] ".so" ["." version]; the version begins with a digit.
 *   Windows: stem [bits] ["_" version] ["-" copy] [".alt"] ".dll", extension in any case; bits are cut only in
 *   front of a version ("cudart64_110.dll", but "nvcuda64.dll" keeps its 64); ".alt" becomes part of the stem, as
 *   it is in "libnvrtc.alt.so.13".
 *   copy: 8 hex digits (auditwheel's and old torch's "libcudart-80664282.so.10.2") or 32 (delvewheel).
 * TN_E_FORMAT for any other name (a path separator included), TN_E_LIMIT above TN_MAX_NAME_BYTES. */
int tn_version_soname_parse(const char *name, struct tn_soname *ret, struct tn_err *err);

/* The version that NVIDIA's Windows token stands for: "12" -> "12", "110" -> "11.0", "90" -> "9.0",
 * "112_0" -> "11.2" (nvrtc's second number is always 0), "2022.3.0" as it is. Rule: up to CUDA 10.0, and in cudart
 * and nvrtc up to 11.x, the token is major and one-digit minor run together; a bare major is below 20. */
bool tn_version_dll_token(const char *token, char *buf, size_t size);

#endif
