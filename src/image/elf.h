/* elf.h - what a loader, and who explains it, must know of an ELF file, read in a few small ranges.
 *
 * Invariant: only bytes that the program headers lead to are believed; section headers are used by the functions
 * that say so and their absence is no error. Knows nothing of folders, search orders or what a library should be.
 * Sources: System V ABI (gABI) chapters 4 and 5, "Linux Standard Base" for symbol versions, the DT_GNU_HASH
 * description of the GNU linker. */
#ifndef TN_IMAGE_ELF_H
#define TN_IMAGE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/view.h"

/* The few numbers of <elf.h> that callers compare with; Windows has no such header. */
enum {
    TN_ET_EXEC = 2,
    TN_ET_DYN = 3,
    TN_EM_386 = 3,
    TN_EM_PPC64 = 21,
    TN_EM_ARM = 40,
    TN_EM_X86_64 = 62,
    TN_EM_AARCH64 = 183,
    TN_EM_CUDA = 190,
    TN_DF_1_NODEFLIB = 0x800,
    TN_DF_1_PIE = 0x08000000
};

struct tn_elf_load {
    uint64_t vaddr, off, filesz;
    uint32_t flags; /* PF_X 1, PF_W 2, PF_R 4 */
};

struct tn_elf_version {
    const char *name; /* "GLIBC_2.17" */
    bool weak;
};

struct tn_elf_need { /* one file of .gnu.version_r */
    const char *file;
    struct tn_elf_version *versions;
    size_t n;
};

struct tn_elf {
    bool is64, big;
    uint8_t osabi, abiversion;
    uint16_t type, machine;
    uint32_t flags;
    uint64_t file_end;  /* largest p_offset + p_filesz; a file of fewer bytes was cut short */
    const char *interp; /* NULL if none, and so on below */
    bool has_dynamic;
    const char *soname;
    const char **needed;
    size_t n_needed;
    const char *rpath, *runpath; /* raw, tokens not expanded. That RUNPATH silences RPATH is the caller's rule */
    uint64_t dt_flags, dt_flags_1;
    bool has_stack_header, exec_stack; /* PT_GNU_STACK; PF_X in it */
    struct tn_elf_need *needs;
    size_t n_needs;
    const char **defines; /* names of .gnu.version_d but the file's own (VER_FLG_BASE) */
    size_t n_defines;
    const char *defines_base; /* that one */

    /* For the functions below. */
    struct tn_elf_load *loads;
    size_t n_loads;
    struct tn_elf_load *notes; /* PT_NOTE; vaddr unused */
    size_t n_notes;
    uint64_t strtab, strtab_end;          /* file offsets; 0 if none */
    uint64_t symtab, gnu_hash, sysv_hash; /* virtual addresses; 0 if none */
    uint64_t shoff;
    uint32_t shnum, shentsize;
    uint64_t shstr, shstr_size; /* file offset of the section names */
};

/* Reads headers, .dynamic (through PT_DYNAMIC; DT_STRTAB through the PT_LOAD map) and the version tables.
 * TN_E_FORMAT: not ELF, or a part that a loader needs lies outside the file; TN_E_LIMIT: see limits.h.
 * A cut file whose headers and dynamic part are there opens; compare file_end with the size. */
int tn_image_elf_open(const struct tn_view *v, struct tn_arena *a, struct tn_elf *ret, struct tn_err *err);

/* File offset of n bytes at a virtual address; false if no segment holds them all in the file. */
bool tn_image_elf_offset(const struct tn_elf *e, uint64_t vaddr, uint64_t n, uint64_t *ret);

struct tn_elf_section {
    uint32_t type; /* SHT_NOBITS is 8: no bytes in the file */
    uint64_t flags, addr, off, size;
};

/* By section headers. TN_E_NOTFOUND when there is none of that name, or no section headers at all. */
int tn_image_elf_section(const struct tn_elf *e, const struct tn_view *v, const char *name, struct tn_elf_section *ret,
                         struct tn_err *err);

struct tn_elf_note {
    uint32_t type;
    const char *owner;   /* "GNU", "NVIDIA Corporation" */
    struct tn_span desc; /* in the arena; empty if larger than 64 KiB */
};

/* All notes of the PT_NOTE segments, at most TN_MAX_ELF_NOTES. Malformed ends are dropped: other notes stay. */
int tn_image_elf_notes(const struct tn_elf *e, const struct tn_view *v, struct tn_arena *a, struct tn_elf_note **ret,
                       size_t *ret_n, struct tn_err *err);

struct tn_elf_symbol {
    uint64_t value, size;
    unsigned type, bind; /* STT_OBJECT 1, STT_FUNC 2; STB_GLOBAL 1, STB_WEAK 2 */
};

/* A *defined* dynamic symbol, by DT_GNU_HASH or DT_HASH, reading one bucket's chain only; any version of it.
 * TN_E_NOTFOUND when it is undefined or unknown; TN_E_UNSUPPORTED without a hash table. */
int tn_image_elf_symbol(const struct tn_elf *e, const struct tn_view *v, const char *name, struct tn_elf_symbol *ret,
                        struct tn_err *err);

/* The first min(size, max) bytes of a defined symbol as they lie in the file. TN_E_NOTFOUND also for a symbol
 * without bytes in the file (.bss, size 0). */
int tn_image_elf_symbol_bytes(const struct tn_elf *e, const struct tn_view *v, const char *name, size_t max,
                              struct tn_span *ret, struct tn_err *err);

/* "x86-64", "aarch64" ...; NULL for machines without a name here. */
const char *tn_image_elf_machine(unsigned machine);

#endif
