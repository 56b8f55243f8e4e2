/* code.h - constants in a few hundred bytes of machine code.
 *
 * Invariant: nothing is executed or followed; it is a search for moves of immediate numbers.
 * Knows nothing of what the numbers mean. Private to image/. Sources: Intel SDM volume 2 (MOV, CALL), Arm ARM
 * C6.2 (MOVZ, MOVK). */
#ifndef TN_IMAGE_CODE_H
#define TN_IMAGE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* The next 32-bit immediate moved to a register or memory at or after *at, which moves behind it. On x86-64 bytes
 * are tried at every offset, so numbers may appear that are none: the caller must know what to expect. */
bool tn_image_code_next_constant(unsigned machine, struct tn_span code, size_t *at, uint32_t *ret);

/* The target of the next direct call (x86-64 only) at or after *at; code lies at virtual address vaddr. */
bool tn_image_code_next_call(unsigned machine, struct tn_span code, uint64_t vaddr, size_t *at, uint64_t *ret);

#endif
