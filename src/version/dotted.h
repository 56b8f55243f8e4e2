/* dotted.h - plain dotted numbers: versions of drivers, CUDA, cuDNN, NCCL, glibc, files of Windows.
 *
 * Invariant: comparing never fails; a text without a number counts as 0.
 * Knows nothing of PEP 440 or dpkg, whose orders differ ("1.0rc1" is above 1.0 here only if its numbers are). */
#ifndef TN_VERSION_DOTTED_H
#define TN_VERSION_DOTTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TN_DOTTED_TEXT 32 /* bytes that every conversion below needs at most */

/* The number of a text is its longest head of the form digits ( "." digits )*; the rest is its tail and is
 * ignored when comparing: "2.36-9+deb12u4" is 2.36, "535.183.01-server" is 535.183.01.
 * ok: there is a number, and the tail is empty or does not begin with a dot ("12..4", "12." and "12.x" are no
 * numbers). */
bool tn_version_dotted_ok(const char *v);

/* Numeric, part by part; a missing part is 0, so "12" equals "12.0"; leading zeros do not count. */
int tn_version_dotted_cmp(const char *a, const char *b);
/* The same over the first `parts` parts only: (a, b, 1) compares branches of a driver. */
int tn_version_dotted_cmp_parts(const char *a, const char *b, unsigned parts);

/* Part i, counted from 0; false when there is none. A part above 64 bits reads as UINT64_MAX. */
bool tn_version_dotted_part(const char *v, unsigned i, uint64_t *ret);
/* Number of parts. */
unsigned tn_version_dotted_count(const char *v);
/* Part 0, or 0. */
uint64_t tn_version_dotted_major(const char *v);
/* The first n parts as text without leading zeros ("535.09.01", 2 -> "535.9"); false when it has fewer, or when
 * the text does not fit. */
bool tn_version_dotted_head(const char *v, unsigned n, char *buf, size_t size);

/* Packed integers. All write at most TN_DOTTED_TEXT bytes and return false, leaving buf alone, when code cannot be
 * such a number. */

/* cudaRuntimeGetVersion, cuDriverGetVersion, CUDART_VERSION: 1000 * major + 10 * minor (CUDA Runtime API,
 * "Version Management"): 12040 -> "12.4". */
bool tn_version_cuda_text(int64_t code, char buf[TN_DOTTED_TEXT]);
/* cudnnGetVersion: 1000 * major + 100 * minor + patch up to 8.x, 10000 * major + ... from 9.0 (cudnn_version.h):
 * 8907 -> "8.9.7", 90100 -> "9.1.0". */
bool tn_version_cudnn_text(int64_t code, char buf[TN_DOTTED_TEXT]);
/* ncclGetVersion: 1000 * major + 100 * minor + patch up to 2.8, 10000 * major + ... from 2.9 (NCCL_VERSION in
 * nccl.h): 2708 -> "2.7.8", 22809 -> "2.28.9". */
bool tn_version_nccl_text(int64_t code, char buf[TN_DOTTED_TEXT]);

/* Windows' four-part driver version to NVIDIA's: the last five digits, "31.0.15.4601" -> "546.01" (rule of
 * nvidia-smi's and Device Manager's two spellings of one driver). */
bool tn_version_windows_driver(const char *file_version, char buf[TN_DOTTED_TEXT]);
/* FileVersion of cudart64_*.dll: 6.14.11.<CUDART_VERSION>, "6.14.11.12090" -> "12.9". */
bool tn_version_windows_cudart(const char *file_version, char buf[TN_DOTTED_TEXT]);

#endif
