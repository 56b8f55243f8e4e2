/* onnxruntime.h - what an onnxruntime-gpu release was built for.
 *
 * Invariant: the wheel's own capi/build_and_package_info.py and the names that its CUDA provider needs beat this.
 * Linux builds of the default index only. Source: table onnxruntime_builds (tools/mine.py). */
#ifndef TN_FACTS_ONNXRUNTIME_H
#define TN_FACTS_ONNXRUNTIME_H

#include "facts/table.h"

struct tn_facts_ort {
    const char *version;
    const char *cuda, *cudnn; /* "13.0", or the major alone: "12", "9"; "" if not established */
    const char *needs;        /* list of sonames */
    const char *sass, *ptx;   /* "" if nobody read them */
    uint32_t row;
    struct tn_cite cite;
};

/* The release itself, no other one stands in. OPEN: within the table's range, but not read. */
enum tn_found tn_facts_ort_build(const char *version, struct tn_facts_ort *ret);

#endif
