/* code.c - see code.h. */
#include "image/code.h"

#include "image/elf.h"

/* Length of the ModRM byte, SIB and displacement at off, 0 if cut; the reg field must be 0 (MOV r/m32, imm32). */
static size_t modrm_length(struct tn_span c, size_t off)
{
    uint8_t modrm, sib = 0;
    if (!tn_span_u8(c, off, &modrm) || (modrm >> 3 & 7) != 0)
        return 0;
    unsigned mod = modrm >> 6, rm = modrm & 7;
    size_t n = 1;
    if (mod != 3 && rm == 4) {
        if (!tn_span_u8(c, off + 1, &sib))
            return 0;
        n++;
    }
    if (mod == 1)
        n += 1;
    else if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
        n += 4;
    return n;
}

static bool x86_constant(struct tn_span c, size_t *at, uint32_t *ret)
{
    for (size_t i = *at; i < c.n; i++) {
        size_t len = 0;
        if (c.p[i] == 0xC7) {
            len = modrm_length(c, i + 1);
            if (len == 0)
                continue;
        } else if ((c.p[i] & 0xF8) == 0xB8) {
            if (i > 0 && (c.p[i - 1] & 0xF8) == 0x48) /* REX.W: a 64-bit immediate */
                continue;
        } else {
            continue;
        }
        if (tn_span_u32(c, i + 1 + len, false, ret)) {
            *at = i + 1;
            return true;
        }
    }
    return false;
}

static bool arm_constant(struct tn_span c, size_t *at, uint32_t *ret)
{
    uint32_t w, k;
    for (size_t i = *at; tn_span_u32(c, i, false, &w); i += 4) {
        if ((w & 0xFFE00000u) != 0x52800000u) /* MOVZ Wd, #imm16 */
            continue;
        *ret = w >> 5 & 0xFFFF;
        /* MOVK Wd, #imm16, LSL 16 of the same register, at once or a little later. */
        for (size_t j = i + 4; j <= i + 16 && tn_span_u32(c, j, false, &k); j += 4)
            if ((k & 0xFFE00000u) == 0x72A00000u && (k & 31) == (w & 31)) {
                *ret |= (k >> 5 & 0xFFFF) << 16;
                break;
            }
        *at = i + 4;
        return true;
    }
    return false;
}

bool tn_image_code_next_constant(unsigned machine, struct tn_span code, size_t *at, uint32_t *ret)
{
    if (machine == TN_EM_X86_64)
        return x86_constant(code, at, ret);
    return machine == TN_EM_AARCH64 && arm_constant(code, at, ret);
}

bool tn_image_code_next_call(unsigned machine, struct tn_span code, uint64_t vaddr, size_t *at, uint64_t *ret)
{
    uint32_t rel;
    if (machine != TN_EM_X86_64)
        return false;
    for (size_t i = *at; i < code.n; i++) {
        if (code.p[i] != 0xE8 || !tn_span_u32(code, i + 1, false, &rel))
            continue;
        *ret = vaddr + i + 5 + (uint64_t)(int64_t)(int32_t)rel;
        *at = i + 1;
        return true;
    }
    return false;
}
