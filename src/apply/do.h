/* do.h - the steps of a plan, done. */
#ifndef TN_APPLY_DO_H
#define TN_APPLY_DO_H

#include "apply/tx.h"
#include "plan/step.h"

/* Who hears of it. */
struct tn_apply_watch {
    void (*said)(void *ctx, const char *line, size_t n); /* a line of an installer */
    void (*tick)(void *ctx);
    void (*fetched)(void *ctx, const char *file, uint64_t now, uint64_t of); /* bytes; of 0: not known */
    void *ctx;
};

struct tn_apply {
    struct tn_arena *mem;
    const struct tn_plan_steps *steps;
    const char *python;          /* the interpreter that the environment is made of; NULL: none was found */
    const char *final;           /* the environment, absolute */
    const char *stage;           /* where it is built */
    bool changes;                /* it is there already, and is changed */
    bool conda;                  /* conda makes it */
    bool offline;                /* --bundle: nothing is fetched */
    const char *wheels;          /* the bundle's folder; NULL */
    const char *const *archives; /* folders and URLs where NVIDIA's archives are looked for before NVIDIA's own host */
    unsigned n_archives;
    const char *cuda;         /* the toolkit that was placed; NULL */
    bool unlisted;            /* an archive was placed of which nobody whom tenon knows says what it should be */
    const char *library_path; /* what the activation will lead to, in the stage; NULL: nothing */
    struct tn_tx *tx;
    struct tn_apply_watch watch;
    struct tn_buf tail, log; /* the last lines of what ran last; all of them */
};

/* Why a step is not done by tenon: id of an interface string; NULL: it is done. */
const char *tn_apply_refuses(const struct tn_plan_step *s);
/* One step, in the stage. *ret_status: of the installer, 0 good; then err is empty. */
int tn_apply_step(struct tn_apply *a, const struct tn_plan_step *s, int *ret_status, struct tn_err *err);
/* A package of an environment that is there, "numpy==1.26.4", once more over its damaged files, by the tool and from
 * the sources of the plan. */
int tn_apply_reinstall(struct tn_apply *a, const char *requirement, int *ret_status, struct tn_err *err);
/* Fetches what a step of packages would install, and all that it needs, into a folder; by the pip of the stage. */
int tn_apply_download(struct tn_apply *a, const struct tn_plan_step *s, const char *folder, int *ret_status,
                      struct tn_err *err);
/* NVIDIA's archives that a step of CUDA or cuDNN by hand wants, and their list: found or fetched, compared with it;
 * their paths. Two steps of one plan may name one file. */
int tn_apply_get_archives(struct tn_apply *a, const struct tn_plan_step *s, const char *const **ret, unsigned *ret_n,
                          struct tn_err *err);
/* Archives that were fetched and are kept for a run that is cut short: no more, once the change is made. */
void tn_apply_forget_archives(struct tn_apply *a);
/* Lines of Python in what was built, with nothing of the user's own packages. */
/* word: of sys.argv; NULL-ended, NULL: none */
int tn_apply_python(struct tn_apply *a, const char *script, const char *const *word, int *ret_status,
                    struct tn_err *err);
/* The interpreter of this machine that a plan for Python "3.11" means; NULL: there is none, or others can write it. */
const char *tn_apply_interpreter(const struct tn_snap *s, const char *minor);
/* The environment of an installer: what a person would have set for it, and nothing that leads it elsewhere. */
/* extra: "NAME=value" of more weight than any other; NULL. */
const char *const *tn_apply_environment(struct tn_arena *mem, const char *stage, const char *extra);
/* Where conda would make an environment of that name, absolute: asked of the tool that the step names. */
int tn_apply_conda_place(struct tn_arena *mem, const struct tn_plan_step *s, const char **ret, struct tn_err *err);
/* A program on the user's PATH, absolute; as root only where no other user can put one. NULL: none. */
const char *tn_apply_program(struct tn_arena *mem, const char *name);

#endif
