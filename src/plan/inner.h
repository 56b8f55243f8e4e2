/* inner.h - what the files of src/plan share. */
#ifndef TN_PLAN_INNER_H
#define TN_PLAN_INNER_H

#include "plan/plan.h"
#include "solve/solve.h"
#include "version/pep440.h"

#define TN_PLAN_BIT(aspect) (1u << (aspect))

/* builds_*.c: every build of a kind that the tables know, for this machine and way of installing: what excludes each
 * stands in it; nothing is left out but other systems' files. */
typedef void (*tn_plan_lister)(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                               struct tn_plan_builds *ret);
void tn_plan_list_tensorflow(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                             struct tn_plan_builds *ret);
void tn_plan_list_torch(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                        struct tn_plan_builds *ret);
void tn_plan_list_jax(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                      struct tn_plan_builds *ret);
void tn_plan_list_ort(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_method method,
                      struct tn_plan_builds *ret);
/* Builds of conda channels, beside the wheels of the same kind (method pip). */
void tn_plan_list_conda(struct tn_arena *mem, const struct tn_plan_machine *m, enum tn_plan_kind kind,
                        const struct tn_plan_builds *wheels, struct tn_plan_builds *ret);
/* Has conda-forge the run time that the wheel was made with, or what may take its place? Excludes it if not. */
void tn_plan_conda_runtime(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_plan_build *b);
bool tn_plan_conda_has_cuda(const struct tn_plan_machine *m, const char *cuda);

/* builds.c */
struct tn_plan_build *tn_plan_build_add(struct tn_arena *mem, struct tn_plan_builds *b);
void tn_plan_exclude(struct tn_plan_build *b, enum tn_plan_aspect a);
bool tn_plan_excluded(const struct tn_plan_build *b, enum tn_plan_aspect a);
/* Rows of table wheels for a package, newest first; yanked ones are passed over. */
struct tn_plan_wheels {
    const struct tn_table *t;
    const char *platform, *arch;
    uint32_t row, end, column[8];
};
struct tn_plan_wheel {
    const char *version, *python_min, *python_max, *glibc_min;
    unsigned mb;
    struct tn_cite cite;
};
void tn_plan_wheels_of(struct tn_plan_wheels *it, const char *package, const char *platform, const char *arch);
bool tn_plan_wheels_next(struct tn_plan_wheels *it, struct tn_plan_wheel *ret);
void tn_plan_take_wheel(struct tn_plan_build *b, const struct tn_plan_wheel *w);
const char *tn_plan_wheel_platform(const struct tn_plan_machine *m);
/* System, processor, C library, driver, cards: marks, exclusions and quality, from what the build says of itself. */
void tn_plan_judge(struct tn_plan_build *b, const struct tn_plan_machine *m);
/* By preference; see plan.h. gpu: GPU builds first. */
void tn_plan_sort(struct tn_plan_builds *b, bool gpu);
bool tn_plan_meets(const char *version, const char *spec); /* a malformed specifier is met by nothing */

/* The release whose rows of table tensorflow_pins hold for this one. */
const char *tn_plan_pins_release(const char *version);
/* The variant of a PyTorch release that the package index itself has on Linux; "" if not known. */
const char *tn_plan_torch_default(const char *version);

/* universe.c, choose.c */
struct tn_plan_var {
    uint32_t var;
    const char **value;
    uint32_t n, cap;
    struct tn_pep440 *parsed; /* of each value, made when first asked for; empty: no version of PEP 440 */
    uint32_t n_parsed;
};

enum tn_plan_reason_kind {
    TN_REASON_BUILD,       /* an aspect of a package */
    TN_REASON_PYTHON,      /* the Python that was asked for */
    TN_REASON_PIN_PYTHON,  /* releases of a pinned package and Python */
    TN_REASON_CUDNN_LINE,  /* cuDNN and CUDA */
    TN_REASON_CUDNN_CARD,  /* cuDNN and the cards: those that it dropped */
    TN_REASON_CUDNN_LATER, /* those that came after it */
    TN_REASON_OTHER        /* a release of another package that was asked for beside */
};
struct tn_plan_reason {
    enum tn_plan_reason_kind kind;
    unsigned package; /* number of the wish, or of the pin */
    enum tn_plan_aspect aspect;
};

struct tn_plan_universe {
    struct tn_arena *mem;
    const struct tn_plan_wishes *w;
    const struct tn_plan_machine *m;
    enum tn_plan_method method;
    struct tn_solve *solve;
    struct tn_plan_builds builds[TN_PLAN_KINDS]; /* in the order of the wishes */
    uint32_t build_var[TN_PLAN_KINDS];
    struct tn_plan_var python, cuda, cudnn, pin[TN_PLAN_MAX_PINS];
    const char **cudnn_majors; /* of each value of cudnn: "12 13" */
    bool *cudnn_serves;        /* of each value of cudnn: no card came after it, none was dropped */
    const char *pin_name[TN_PLAN_MAX_PINS];
    unsigned n_pin;
    struct tn_plan_reason *reason;
    size_t n_reason, cap_reason;
    bool gpu; /* GPU builds are wanted: why is in gpu_why */
    const char *gpu_why, *cpu_why;
};

/* What its files share: a reason's number; a value, once; predicates of tn_solve_where on a range. */
struct tn_plan_range {
    struct tn_plan_var *v;
    const char *min, *max, *spec;
    struct tn_arena *mem;
    const char *set_of; /* the spec that set was read from */
    struct tn_pep440_clause *set;
    unsigned n_set;
};

uint32_t tn_plan_reason_of(struct tn_plan_universe *u, enum tn_plan_reason_kind kind, unsigned package,
                           enum tn_plan_aspect aspect);
void tn_plan_add_value(struct tn_plan_universe *u, struct tn_plan_var *v, const char *value);
bool tn_plan_in_range(void *range, uint32_t value);
bool tn_plan_in_spec(void *range, uint32_t value);
const char *tn_plan_cuda_spec(const struct tn_plan_build *b); /* "" for a CPU build */
const char *tn_plan_cudnn_spec(const struct tn_plan_build *b);

/* warn.c: a sentence about a card; the warnings of a choice. */
struct tn_plan_say *tn_plan_say_card(struct tn_arena *mem, struct tn_plan_says *says, const char *id,
                                     const struct tn_plan_card *c);
void tn_plan_warn(struct tn_arena *mem, struct tn_plan *p);

/* wished.c: marks the builds of a wish that are not what was asked for, each with the reason. */
void tn_plan_exclude_unwished(struct tn_plan_universe *u, unsigned package);

/* pins.c */
void tn_plan_list_pins(struct tn_plan_universe *u);
void tn_plan_bind_pin(struct tn_plan_universe *u, unsigned package, unsigned pin, uint32_t pin_var,
                      uint32_t python_var);
void tn_plan_bind_asked(struct tn_plan_universe *u, unsigned pin, uint32_t pin_var);
void tn_plan_bind_pin_python(struct tn_plan_universe *u, unsigned pin, uint32_t pin_var, uint32_t python_var);

void tn_plan_universe_make(struct tn_plan_universe *u);
void tn_plan_choose(struct tn_plan_universe *u, const uint32_t *value, struct tn_plan_choice *ret);

/* reason.c: the sentence of a reason, given the other reasons of its clash. */
void tn_plan_reason_say(struct tn_plan_universe *u, const uint32_t *clash, uint32_t n, uint32_t reason,
                        struct tn_plan_says *ret);
/* May it be given up? */
bool tn_plan_may_go(void *universe, uint32_t reason);
/* What is given up, and what is had instead. */
void tn_plan_way_say(struct tn_plan_universe *u, const struct tn_solve_way *way, struct tn_plan_way *ret);

/* builds_conda.c: the cuDNN releases that the channel has for this system, as values; of values of CUDA those that it
 * has a run time of; "11 12": majors of CUDA that it has this cuDNN for. */
void tn_plan_conda_cudnns(struct tn_plan_universe *u);
void tn_plan_conda_cudas(struct tn_plan_universe *u);
const char *tn_plan_conda_cudnn_majors(const struct tn_plan_universe *u, const char *cudnn);

/* inside.c. TensorFlow's install page: Windows 10 19044 (21H2) or newer for WSL 2 with a GPU. */
#define TN_PLAN_WSL_BUILD 19044
void tn_plan_inside(const struct tn_plan_machine *m, enum tn_plan_method method, struct tn_plan_machine *ret);
const char *tn_plan_image_of(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_wishes *w,
                             const struct tn_plan_choice *c);
const char *tn_plan_engine_of(const struct tn_plan_machine *m); /* docker or podman */
void tn_plan_say_engine(struct tn_arena *mem, const struct tn_plan_machine *m, bool gpu, struct tn_plan_says *why,
                        struct tn_plan_says *ret);
/* false: not here, and why. */
bool tn_plan_wsl_can(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_plan_says *conflict);
/* A distribution of WSL that is installed here, seen from Windows; NULL: none is, or it was not looked at. */
const struct tn_rec_wsl *tn_plan_wsl_there(const struct tn_plan_machine *m);
void tn_plan_say_wsl(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_choice *c,
                     struct tn_plan_says *why, struct tn_plan_says *warning);
/* NVIDIA's container for the release that was asked for, where its floor and CUDA serve driver and cards. */
bool tn_plan_image_way(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_wishes *w,
                       struct tn_plan_way *ret);

/* requires.c: fills bound of every build. */
void tn_plan_take_bounds(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_plan_builds *b);

#endif
