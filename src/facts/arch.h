/* arch.h - may machine code or PTX of given architectures run on a device of a given compute capability?
 *
 * Invariant: the rule alone, no table. Knows nothing of wheels or cards: lists come from a wheel's own code
 * objects, else from a table. Source: CUDA C++ Programming Guide, "Binary compatibility", "PTX compatibility",
 * "Architecture- and family-specific features". */
#ifndef TN_FACTS_ARCH_H
#define TN_FACTS_ARCH_H

#include "facts/table.h"

struct tn_arch {
    unsigned major, minor;
    char suffix; /* 'a': this capability only; 'f': its family; 0: none */
};

/* Reads "8.9", "89", "10.0f", "100f", "sm_90a", "compute_90"; false for anything else. */
bool tn_facts_arch_parse(const char *text, struct tn_arch *ret);

enum tn_code {
    TN_CODE_NONE,   /* "no kernel image is available" */
    TN_CODE_NATIVE, /* machine code runs as it is */
    TN_CODE_JIT     /* the driver compiles PTX first; it must know that PTX ISA (tn_facts_cuda_ptx_isa) */
};

struct tn_facts_code {
    enum tn_code how;
    char entry[16]; /* the word of the list that serves; "" on NONE */
    bool newer;     /* on NONE or JIT: the device is newer than all machine code in the list */
    bool tegra; /* on NONE or JIT: code that would run on a desktop card of this capability is there, but the device or
                   the code is Tegra's (Jetson), for which NVIDIA promises nothing */
    bool older; /* on NONE: the device is older than everything in both lists */
};

/* sass and ptx: words between blanks or commas, either may be "". Words that are no architecture are skipped.
 * Rule: machine code for X.Y runs on X.Z with Z >= Y (plain), on X.Y only (a), on X.Z of the family (f: 10.0f on
 * 10.0 and 10.3, 12.0f on 12.0 and 12.1). PTX for X.Y is compiled for any device >= X.Y (plain); a and f as above.
 * "Binary compatibility is supported only for the desktop. It is not supported for Tegra", nor between the two (same
 * guide, a note): 3.2, 5.3, 6.2, 7.2, 8.7, 10.1 and 11.0 run machine code of their own capability alone.
 * BAD: capability is none. Else YES, whatever how says. */
enum tn_found tn_facts_arch_code(const char *capability, const char *sass, const char *ptx, struct tn_facts_code *ret);

#endif
