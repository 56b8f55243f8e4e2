/* modinfo.h - what a kernel module file says about itself, compressed or not.
 *
 * Invariant: a module is never held whole in memory: the stream is decoded once to its end (size, signature mark,
 * section headers) and again up to .modinfo. Knows nothing of which kernel would take it.
 * Source: Linux include/linux/module.h, moduleparam.h (.modinfo), kernel/module/signing.c (the mark). */
#ifndef TN_IMAGE_MODINFO_H
#define TN_IMAGE_MODINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/view.h"

struct tn_modinfo {
    const char *version, *license, *vermagic, *name, *depends, *srcversion; /* NULL if not said */
    const char **firmware;                                                  /* "nvidia/535.309.01/gsp_tu10x.bin" */
    size_t n_firmware;
    bool signature;          /* "~Module signature appended~\n" ends the (decoded) file; not checked further */
    const char *compression; /* "none", "gzip", "xz", "zstd" */
    uint64_t size;           /* decoded bytes */
    unsigned machine;        /* ELF e_machine */
};

/* TN_E_FORMAT: not a module or a damaged stream; TN_E_NOTFOUND: ELF without .modinfo; TN_E_LIMIT: more than
 * TN_MAX_MODULE_BYTES, or more than TN_MAX_MODULE_RATIO times the compressed size, or more decoder memory than
 * modules need (xz dictionaries and zstd windows up to 32 MB). */
int tn_image_modinfo_read(const struct tn_view *v, struct tn_arena *a, struct tn_modinfo *ret, struct tn_err *err);

#endif
