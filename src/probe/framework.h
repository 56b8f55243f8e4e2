/* framework.h - what the readers of single frameworks share. Private to framework*.c.
 *
 * Order of truth: the files of the build itself, then the tables; framework.evidence says which it was. */
#ifndef TN_PROBE_FRAMEWORK_H
#define TN_PROBE_FRAMEWORK_H

#include "image/elf.h"
#include "probe/env.h"

/* One framework while it is read. */
struct tn_pyfw {
    struct tn_py *p;
    const struct tn_pyenv *e;
    const struct tn_pysite *site;
    const char *folder; /* its package folder; NULL: only a record of it is there */
    size_t row;         /* in framework */
};

struct tn_rec_framework *tn_pyfw_row(struct tn_pyfw *f);
/* Starts a row: env, name, path. */
void tn_pyfw_add(struct tn_pyfw *f, const char *name);
const char *tn_pyfw_join(struct tn_pyfw *f, const char *below);
/* Reads a small file of the package folder. */
struct tn_answer tn_pyfw_read(struct tn_pyfw *f, const char *below, uint32_t *ret_src);
/* The first row of dist of this environment and site folder with one of these names, in their order; then the same of
 * conda-meta. NULL if none. Sets package, and version where it is not known. */
const struct tn_rec_dist *tn_pyfw_package(struct tn_pyfw *f, const char *const *names);
/* cuda from conda's build string: 11.2 of "cuda112py39h..."; what is known stays. */
void tn_pyfw_cuda_of_build(struct tn_pyfw *f, const struct tn_rec_dist *d);
/* Sets what is still unasked to a state: after the last source was tried. */
void tn_pyfw_close(struct tn_pyfw *f, enum tn_know got, uint32_t src);

void tn_pyfw_tensorflow(struct tn_pyfw *f);
void tn_pyfw_torch(struct tn_pyfw *f);
void tn_pyfw_jax(struct tn_pyfw *f);
void tn_pyfw_onnxruntime(struct tn_pyfw *f);
void tn_pyfw_cupy(struct tn_pyfw *f);
void tn_pyfw_tensorrt(struct tn_pyfw *f);

/* framework_text.c: values in Python and C sources, without running either. */
enum tn_pyvalue_kind { TN_PYVALUE_NONE, TN_PYVALUE_BOOL, TN_PYVALUE_STR, TN_PYVALUE_LIST };
#define TN_PYVALUE_WORDS 64
struct tn_pyvalue {
    enum tn_pyvalue_kind kind;
    bool yes;
    const char *text;
    const char *word[TN_PYVALUE_WORDS];
    size_t n;
};
/* The value of key in `key = V`, `key: type = V`, `'key': V` or `('key', V)`, where V is a string, True, False, None or
 * a list of strings. False when it is not there or anything else. */
bool tn_pyfw_value(struct tn_arena *mem, struct tn_span text, const char *key, struct tn_pyvalue *ret);
/* The value of `#define name V`, quotes cut; NULL when it is not there, "" for an empty one. */
const char *tn_pyfw_define(struct tn_arena *mem, struct tn_span text, const char *name);

/* framework_elf.c: from the object that opens the CUDA libraries. needs: asks as well, from DT_NEEDED. below: its path
 * in the site folder. False when there is no such file. */
bool tn_pyfw_elf(struct tn_pyfw *f, const char *below, bool needs);

/* framework_needs.c: glibc, machine and cpu, from the record of a distribution that brings the build (conda: somebody
 * else than its makers built it) and from the object that was read. */
void tn_pyfw_needs(struct tn_pyfw *f, const struct tn_rec_dist *d, bool conda);
void tn_pyfw_needs_of_elf(struct tn_pyfw *f, const struct tn_elf *e, uint32_t src);

/* framework_code.c: sass, ptx and ptx_isa from the objects that hold the build's kernels, where that is worth a read.
 */
void tn_pyfw_code(struct tn_pyfw *f);

/* framework_table.c: what the tables say of a release; facts that are known stay. */
void tn_pyfw_tf_of_table(struct tn_pyfw *f);
void tn_pyfw_torch_of_table(struct tn_pyfw *f);
void tn_pyfw_jax_of_table(struct tn_pyfw *f, const char *extra);
/* asks from the CUDA and cuDNN release and the naming rule; asks of Windows are DLL names. */
void tn_pyfw_asks_of_rule(struct tn_pyfw *f, const char *const *component, const char *cuda, const char *cudnn,
                          uint32_t src);
/* Words like "7.5 8.0", "sm_75 compute_80" as architectures without dots. compute and bare words go into both lists
 * when both: the convention of TensorFlow's build. */
void tn_pyfw_set_archs(struct tn_pyfw *f, const char *const *word, size_t n, uint32_t src);

#endif
