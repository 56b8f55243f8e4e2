/* version_text.h - version texts that vendor libraries carry in .rodata, found within a bounded number of reads.
 *
 * Invariant: at most TN_MAX_VERSION_SCAN (TN_MAX_DRIVER_SCAN) bytes are read, in pieces; only texts of the exact forms
 * below count. Without section headers the read-only segments stand in for .rodata. Private to image/. */
#ifndef TN_IMAGE_VERSION_TEXT_H
#define TN_IMAGE_VERSION_TEXT_H

#include "base/limits.h"
#include "image/elf.h"

/* "release 13.0, V13.0.88" -> "13.0.88", in the first budget bytes. TN_E_NOTFOUND. */
int tn_image_text_release(const struct tn_elf *e, const struct tn_view *v, uint64_t budget,
                          char buf[TN_MAX_VERSION_TEXT], struct tn_err *err);

/* The driver's version V: three digits, dot, two or three digits, maybe a dot and two digits. These decide at once:
 * "nvidia-application-profiles-V-rc", "nvidia id: NVIDIA ... V", a whole text "libnvidia-*.so.V".
 * plain: a whole text that is V of three parts counts too if all that are met agree, and "12.V" (NVML) decides.
 * Not for libcuda, which holds a list of old versions ("450.51.02", "535.86.06"; its debugger interface's).
 * Order of reading: the last MB (535: the partners' names), the first MB (470: the profiles), then from the tail
 * to the head (525: 6.4 MB before the end), TN_MAX_DRIVER_SCAN in all. TN_E_NOTFOUND. */
int tn_image_text_driver(const struct tn_elf *e, const struct tn_view *v, bool plain, char buf[TN_MAX_VERSION_TEXT],
                         struct tn_err *err);

#endif
