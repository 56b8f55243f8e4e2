/* tensorflow.h - what a TensorFlow release was built for, holds and opens.
 *
 * Invariant: a wheel's own truth (build_info.py, cuda_config.h, fatbins) beats all of this; ask here only for
 * what the machine cannot show. Tested is not allowed: another minor of the same CUDA major is untested, not
 * broken. Sources: tables tensorflow_builds, tf_wheel_arch, tf_sonames, tensorflow_python_pins. */
#ifndef TN_FACTS_TENSORFLOW_H
#define TN_FACTS_TENSORFLOW_H

#include <stddef.h>

#include "facts/table.h"

struct tn_facts_tf {
    const char *version; /* the row: "2.10.0" */
    bool exact;          /* the row is that very release, not its nearest of the same minor */
    const char *package; /* "tensorflow", "tensorflow-gpu", "tensorflow[and-cuda]" ... */
    const char *python_min, *python_max;
    const char *cuda, *cudnn; /* "" for CPU builds */
    uint32_t row;             /* in table tensorflow_builds, for tn_facts_rival */
    struct tn_cite cite;
};

/* Build facts of a release (any patch number, .post and +local allowed). NEWER: above the newest minor. NO: no such
 * release, or none of this kind on this platform (a Windows GPU build after 2.10: see tn_facts_tf_known). */
enum tn_found tn_facts_tf_build(const char *version, enum tn_platform platform, bool gpu, struct tn_facts_tf *ret);

/* Is the minor of this version in the table for any platform? YES, NEWER, NO or BAD. */
enum tn_found tn_facts_tf_known(const char *version);
/* "1.0.0" and "2.21.0". */
void tn_facts_tf_range(const char **oldest, const char **newest);
/* The last minor with a GPU build for native Windows: "2.10". */
void tn_facts_tf_last_windows_gpu(char *buf, size_t size);

struct tn_facts_tf_code {
    const char *sass;     /* words "6.0 7.0": machine code */
    const char *ptx;      /* words */
    const char *min_cc;   /* lowest capability listed; may be filled where sass is not */
    const char *as_built; /* build_info's list: "sm_60 ... compute_90" (compute_XY is machine code and PTX) */
    struct tn_cite cite;
};

/* Architectures in the official GPU wheel. OPEN: not read and not listed; outputs are "" except perhaps min_cc. */
enum tn_found tn_facts_tf_code(const char *version, enum tn_platform platform, struct tn_facts_tf_code *ret);

#define TN_FACTS_TF_LIBS 8

struct tn_facts_tf_libs {
    unsigned n;
    const char *component[TN_FACTS_TF_LIBS]; /* "cudart" ... "cudnn", as the columns */
    const char *file[TN_FACTS_TF_LIBS];      /* "libcudart.so.12", "cudart64_110.dll" */
    const char *cuda, *cudnn;                /* built with */
    struct tn_cite cite;
};

/* The names that TensorFlow opens before it registers a GPU: one miss and no GPU is used. */
enum tn_found tn_facts_tf_libs(const char *version, enum tn_platform platform, struct tn_facts_tf_libs *ret);

/* Bound that a Python package needs with this release ("numpy": "<2" before 2.18; "protobuf", "keras"). NO: none
 * known. The release's own metadata may or may not say the same: the cite's notes tell. */
enum tn_found tn_facts_tf_pin(const char *version, const char *package, const char **spec, struct tn_cite *cite);

#endif
