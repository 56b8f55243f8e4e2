/* look.h - what several checks ask of a snapshot: the best answer from its facts, else from the tables.
 *
 * Invariant: the machine's own statement wins over a table, and "" or NULL means "not known", never "not there". */
#ifndef TN_CHECK_LOOK_H
#define TN_CHECK_LOOK_H

#include "base/buf.h"
#include "check/check.h"
#include "facts/arch.h"
#include "facts/table.h"

#define TN_MAX_ASKS 16

/* Numbering of the driver and of library names: WSL has Windows' drivers, but Linux' libraries. */
enum tn_platform tn_look_driver_platform(const struct tn_snap *s);
enum tn_platform tn_look_platform(const struct tn_snap *s);
bool tn_look_wsl(const struct tn_snap *s);
const char *tn_look_os_name(const struct tn_snap *s); /* "Linux", "Windows" */

/* Compute capability of a GPU row, "" if neither it nor the tables say. */
const char *tn_look_capability(const struct tn_rec_gpu *g);
const char *tn_look_gpu_name(const struct tn_rec_gpu *g);

const char *tn_look_text(struct tn_str f, const char *other);
const char *tn_look_package(const struct tn_rec_framework *f); /* its package, else its name */

/* CUDA and cuDNN that a framework was built for ("11.2", "8.1"); "" if not known. A wheel that names only the major
 * of cuDNN gets the minor of the table. */
const char *tn_look_cuda(const struct tn_snap *s, const struct tn_rec_framework *f);
const char *tn_look_cudnn(const struct tn_snap *s, const struct tn_rec_framework *f);

/* Names of libraries that the framework opens; 0 if not known. */
unsigned tn_look_asks(const struct tn_snap *s, const struct tn_rec_framework *f, const char *ret[TN_MAX_ASKS]);

/* The next framework row of the judge's environment that is a GPU build. Rows whose build is not known are reported
 * as untestable on the way. *row is advanced past it, so *row - 1 is its number. */
const struct tn_rec_framework *tn_look_gpu_build(const struct tn_judge *j, struct tn_sink *out, size_t *row);

/* Does the environment hold a GPU build of any framework? */
bool tn_look_has_gpu_build(const struct tn_judge *j);

/* Arguments that every finding about a framework has: package, version. Its row becomes evidence. */
void tn_look_name(struct tn_sink *out, struct tn_finding *f, const struct tn_judge *j, size_t framework_row);
/* Arguments of remedies inside the judged environment: python (its interpreter), prefix. */
void tn_look_env_args(struct tn_sink *out, struct tn_remedy *r, const struct tn_judge *j);
/* "pip" or "conda": what keeps the packages of this environment; name: the package that would be changed. */
const char *tn_look_installer(const struct tn_judge *j, const char *name);

/* Is the library's row of use to the judged environment at all: not 32 bits, not a stub or an empty file, not another
 * environment's. */
bool tn_look_usable(const struct tn_judge *j, const struct tn_rec_library *l);
/* In the environment, or where every program finds it. */
bool tn_look_found(const struct tn_judge *j, const struct tn_rec_library *l);
/* Does the search of this framework lead to the copy, which lies in the environment? True where that is not known. */
bool tn_look_reached(const struct tn_judge *j, const struct tn_rec_framework *f, const struct tn_rec_library *l);
/* Row of the copy of this name that the framework (NULL: any) meets first; s->library.n if there is none. */
size_t tn_look_library(const struct tn_judge *j, const struct tn_rec_framework *f, const char *soname);
/* Rows of load of this framework (NULL: of any) in the judged environment: the next at or after *row, or NULL; *row is
 * advanced past it (loads.c). */
const struct tn_rec_load *tn_look_load_next(const struct tn_judge *j, const struct tn_rec_framework *f, size_t *row);
/* Row of load that says what this framework alone gets for a name; s->load.n where that is not known. */
size_t tn_look_load(const struct tn_judge *j, const struct tn_rec_framework *f, const char *name);
/* Is that the file of a library's row? */
bool tn_look_is_loaded(const struct tn_judge *j, size_t load, const struct tn_rec_library *l);
/* Row of an environment variable with a known value; s->variable.n if there is none. */
size_t tn_look_variable(const struct tn_snap *s, const char *name);
/* Value for LD_LIBRARY_PATH that leads to these libraries, the old value behind. */
const char *tn_look_search_value(const struct tn_judge *j, struct tn_arena *mem, const size_t *library, unsigned n);

/* LD_LIBRARY_PATH without the folder of this file; NULL when it does not name the folder. */
const char *tn_look_search_without(const struct tn_judge *j, struct tn_arena *mem, const char *path);

/* How the CUDA libraries that a framework opens stand (cuDNN, driver and TensorRT apart). */
struct tn_look_cuda_libs {
    unsigned n_asked;
    unsigned n_missing;
    const char *missing[TN_MAX_ASKS]; /* no copy that the environment could ever load */
    size_t other[TN_MAX_ASKS];        /* for each: a copy of the same library in another version, or library.n */
    unsigned n_unreached;
    size_t unreached[TN_MAX_ASKS]; /* copies in toolkits that no loader searches */
    size_t cudart;                 /* the run time that is found, or library.n */
};
/* False when it is not known what is asked for, or what there is; then it is reported as untestable. */
bool tn_look_cuda_libs(const struct tn_judge *j, struct tn_sink *out, size_t framework_row,
                       struct tn_look_cuda_libs *ret);
/* "11.x" for a name that a whole major shares, "10.1" before that; the name's own CUDA. */
void tn_look_cuda_line(const char *name, const char *built_for, char *buf, size_t size);

/* A build from the tables that all cards and the driver can run, of the wanted release if that one does; false if
 * there is none. */
struct tn_look_fit {
    const char *release, *cuda, *flavour; /* "2.9.1", "12.6", "cu126" (torch alone) */
};
bool tn_look_fit_torch(const struct tn_judge *j, const char *wanted, struct tn_look_fit *ret);
bool tn_look_fit_tensorflow(const struct tn_judge *j, const char *wanted, struct tn_look_fit *ret);

/* Remedies that several checks offer (ways.c). */
/* Another release or flavour that fits; false if the tables have none. */
bool tn_look_remedy_fitting(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                            const struct tn_rec_framework *fw);
/* The table of releases, where nothing better can be said. */
void tn_look_remedy_builds(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                           const struct tn_rec_framework *fw);
void tn_look_remedy_cpu_build(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                              const struct tn_rec_framework *fw);
void tn_look_remedy_gpu_build(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                              const struct tn_rec_framework *fw);
/* What pip (conda) of the environment itself would choose. */
void tn_look_remedy_pip_choice(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f,
                               const struct tn_rec_framework *fw);
/* How a container of this kind gets the GPU. */
void tn_look_remedy_container(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f);
/* The way to a run time of its own for the environment. */
void tn_look_remedy_env_cuda(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, size_t framework_row);

/* The main library of cuDNN that a framework opens: "libcudnn.so.8"; "" if not known. */
void tn_look_cudnn_name(const struct tn_judge *j, const struct tn_rec_framework *f, char *buf, size_t size);
/* Another cuDNN's main library of use to the environment, whatever its major; library.n if none. */
size_t tn_look_any_cudnn(const struct tn_judge *j);

/* Machine that the judged interpreter is made for, else the host's, in uname's words ("x86_64", "i386", "aarch64"); ""
 * if not known. *ret: the fact. */
const char *tn_look_machine(const struct tn_judge *j, struct tn_ref *ret);
/* Is the build known to be made for another machine than that? */
bool tn_look_other_machine(const struct tn_judge *j, const struct tn_rec_framework *f);
/* A Jetson: its kernel says so. */
bool tn_look_is_tegra(const struct tn_snap *s);

/* Code for GPUs that a build holds: its own lists, else those of the tables for its release (code.c). */
struct tn_look_code {
    struct tn_buf sass, ptx;
    bool known;
    const char *from; /* where that was read: "build_info.py", "wheel .nv_fatbin, read ..." */
};
void tn_look_code_init(const struct tn_snap *s, const struct tn_rec_framework *f, struct tn_look_code *c);
void tn_look_code_deinit(struct tn_look_code *c);
/* NATIVE also for a card whose capability is not known: ask tn_look_capability first. */
enum tn_code tn_look_code_how(const struct tn_rec_gpu *g, const struct tn_look_code *c, struct tn_facts_code *ret);
/* May the driver compile the build's PTX? It reads the PTX ISA of its own CUDA release and older ones (error 222 else).
 * YES, NO, or OPEN: the build is for a newer CUDA than the driver's, and the version of its PTX was not read.
 * *ret_reads: the newest that the driver reads, "" if not known. */
enum tn_found tn_look_ptx(const struct tn_snap *s, const struct tn_rec_framework *f, const char **ret_reads);
/* "75 90a" and "7.5 9.0a" alike as a card's capability is written: "7.5, 9.0a"; "-" for none. */
const char *tn_look_code_shown(struct tn_sink *out, const char *words);

/* The libcuda.so.1 (nvcuda.dll) that a program would load: its row, or s->library.n. */
size_t tn_look_libcuda(const struct tn_snap *s);
bool tn_look_is_libcuda(const struct tn_rec_library *l);
/* NVIDIA kernel module files of the running kernel and of others. */
void tn_look_modules(const struct tn_snap *s, size_t *ret_running, size_t *ret_other);

#endif
