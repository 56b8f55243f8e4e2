/* env_program.c - of an interpreter's own file: the machine it is built for, and the dynamic loader that starts it.
 *
 * Sources: System V ABI (gABI) chapters 4 and 5 (e_machine, PT_INTERP), Microsoft "PE Format" (COFF header). Only the
 * head of the file is read; nothing is run. A script in place of the program (a wrapper) has neither. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "image/elf.h"
#include "image/pe.h"
#include "probe/env.h"

#define HEAD_BYTES 4096u
#define PT_INTERP 3u

static const char *elf_machine(unsigned m)
{
    switch (m) {
    case TN_EM_386: return "i386";
    case TN_EM_X86_64: return "x86_64";
    case TN_EM_AARCH64: return "aarch64";
    case TN_EM_ARM: return "arm";
    case TN_EM_PPC64: return "ppc64le";
    default: return NULL;
    }
}

static const char *pe_machine(unsigned m)
{
    return m == TN_PE_AMD64 ? "x86_64" : m == TN_PE_I386 ? "i386" : m == TN_PE_ARM64 ? "aarch64" : NULL;
}

/* Text of PT_INTERP; NULL for a program that needs no loader. */
static const char *elf_loader(struct tn_py *p, const char *path, struct tn_span head, bool is64, bool big)
{
    uint64_t phoff = 0, off = 0, size = 0;
    uint32_t half = 0, type = 0;
    uint16_t each = 0, n = 0;
    bool ok = is64 ? tn_span_u64(head, 32, big, &phoff) : tn_span_u32(head, 28, big, &half);
    phoff = is64 ? phoff : half;
    ok = ok && tn_span_u16(head, is64 ? 54 : 42, big, &each) && tn_span_u16(head, is64 ? 56 : 44, big, &n);
    for (unsigned i = 0; ok && i < n && i < 64; i++) {
        uint64_t at = phoff + (uint64_t)i * each;
        if (phoff > HEAD_BYTES || !tn_span_u32(head, at, big, &type))
            return NULL;
        if (type != PT_INTERP)
            continue;
        if (is64) {
            ok = tn_span_u64(head, at + 8, big, &off) && tn_span_u64(head, at + 32, big, &size);
        } else {
            uint32_t o = 0, s = 0;
            ok = tn_span_u32(head, at + 4, big, &o) && tn_span_u32(head, at + 16, big, &s);
            off = o;
            size = s;
        }
        if (!ok || size < 2 || size > TN_MAX_PATH_BYTES)
            return NULL;
        struct tn_span text;
        if (!tn_span_sub(head, off, size, &text)) { /* patchelf moves it to the end */
            struct tn_answer a = tn_world_part(p->w, p->mem, path, off, size);
            if (a.got != TN_KNOWN || a.data.n < size)
                return NULL;
            text = a.data;
        }
        return memchr(text.p, 0, text.n) ? tn_arena_strdup(p->mem, (const char *)text.p) : NULL;
    }
    return NULL;
}

void tn_pyenv_program(struct tn_py *p, struct tn_pyenv *e)
{
    if (!e->interpreter)
        return;
    struct tn_answer a = tn_world_part(p->w, p->mem, e->interpreter, 0, HEAD_BYTES);
    uint32_t pe = 0;
    uint16_t m = 0;
    e->program_got = a.got;
    if (a.got == TN_UNASKED)
        return;
    e->program_src = tn_probe_src(p->s, "read", e->interpreter, &a);
    if (a.got != TN_KNOWN)
        return;
    e->program_got = TN_ABSENT;
    if (a.data.n > 20 && memcmp(a.data.p, "\177ELF", 4) == 0) {
        bool is64 = a.data.p[4] == 2, big = a.data.p[5] == 2;
        if (tn_span_u16(a.data, 18, big, &m))
            e->machine = elf_machine(m);
        e->loader = elf_loader(p, e->interpreter, a.data, is64, big);
        if (e->loader && strstr(e->loader, "linuxbrew/")) { /* a link to the system's where that is new enough */
            const char *real = tn_world_real(p->w, p->mem, e->loader, NULL);
            e->loader = real ? real : e->loader;
        }
    } else if (tn_span_starts(a.data, "MZ") && tn_span_u32(a.data, 0x3C, false, &pe) &&
               tn_span_u16(a.data, (uint64_t)pe + 4, false, &m)) {
        e->machine = pe_machine(m);
    }
}
