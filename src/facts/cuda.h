/* cuda.h - which driver a CUDA release needs, which CUDA a driver can do, what the libraries are called.
 *
 * Invariant: a number printed here is a cell of a table, with its source. Knows nothing of a machine: the
 * caller says which platform's numbering it means. */
#ifndef TN_FACTS_CUDA_H
#define TN_FACTS_CUDA_H

#include "facts/table.h"

struct tn_facts_driver_need {
    const char *floor;     /* any program of this release runs from here on; "" if not established */
    bool compat;           /* floor is that of minor-version compatibility (CUDA 11 and later) */
    const char *developed; /* the driver that the release was made with: release notes, else installer; may be "" */
    const char *installer; /* the driver in the installer's file name; may be "" */
    const char *release;   /* the row: "12.4.0" */
    struct tn_cite cite;
};

/* The driver for a CUDA release ("12", "12.4", "12.4.1"; of several rows the oldest that fits).
 * Rule: from CUDA 11 on any program of a major runs from that major's floor on (CUDA release notes Table 2,
 * "CUDA minor version compatibility"; CUDA Compatibility guide); before 11 the development driver is the floor.
 * NEWER: above every row; floor is still filled when the major is known. */
enum tn_found tn_facts_cuda_driver(const char *cuda, enum tn_platform platform, struct tn_facts_driver_need *ret);

/* Does this driver run programs of this CUDA release? *runs is set on YES and on NEWER with a known major. */
enum tn_found tn_facts_driver_runs(const char *driver, const char *cuda, enum tn_platform platform, bool *runs);

struct tn_facts_branch {
    const char *branch;   /* "470" */
    const char *max_cuda; /* the ceiling that nvidia-smi prints, "11.4"; "" unless YES */
    const char *at_least; /* on OPEN and NEWER: the highest ceiling known */
    const char *oldest_architecture, *status, *eol;
    struct tn_cite cite;
};

/* The branch of a driver version and its CUDA ceiling. Linux and Windows share branch numbers; a version between
 * two rows belongs to the lower one (Windows 472.12: 470). NEWER: above the newest branch. OPEN: known branch,
 * ceiling not established. Source: CUDA release notes Table 3. */
enum tn_found tn_facts_driver_branch(const char *driver, struct tn_facts_branch *ret);

/* Newer than any branch in the tables? */
bool tn_facts_driver_is_newer(const char *driver);

/* File name of a component ("cudart", "cublas", "cublaslt", "cufft", "curand", "cusolver", "cusparse", "nvrtc",
 * "nvjitlink", "cupti") in a CUDA release. */
enum tn_found tn_facts_cuda_lib(const char *cuda, const char *component, enum tn_platform platform, const char **ret);

struct tn_facts_lib_range {
    char component[16];
    enum tn_platform platform;
    const char *first, *last; /* CUDA releases that ship this name: "11.0", "11.8" */
};

/* Which CUDA releases ship a library of this name ("cudart64_110.dll": 11.0 to 11.8)? Windows names in any case.
 * A name may also be shipped by releases whose cells are not established. */
enum tn_found tn_facts_cuda_of_lib(const char *file, struct tn_facts_lib_range *ret);

/* Newest PTX ISA that a release writes and that its driver ceiling reads ("12.4": "8.4"). A driver refuses PTX of
 * a newer ISA (CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222), whatever minor-version compatibility says. */
enum tn_found tn_facts_cuda_ptx_isa(const char *cuda, const char **ret);

/* Capabilities that a release's compilers know ("10.0": "3.0 3.2 ... 7.5"): its own libraries hold code for no other.
 */
enum tn_found tn_facts_cuda_capabilities(const char *cuda, const char **ret);

/* The first release that knows a PTX ISA ("8.7": "12.8"). NEWER: none of the tables does. */
enum tn_found tn_facts_cuda_of_ptx_isa(const char *isa, const char **ret);

/* Oldest and newest release of the tables, for "known range". */
void tn_facts_cuda_range(const char **oldest, const char **newest);

#endif
