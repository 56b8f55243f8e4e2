/* step.h - a plan as typed steps: what each does, what it changes, needs and how it is undone.
 *
 * Steps are data from a closed list (design 6.9): a command line is derived from a step for one shell, word by word,
 * each word quoted; no step holds a command. A word that cannot be quoted safely for a shell leaves the step without a
 * command there. Nothing here runs anything. */
#ifndef TN_PLAN_STEP_H
#define TN_PLAN_STEP_H

#include "plan/plan.h"

enum tn_step_kind {
    TN_STEP_PYTHON,    /* uv python install VERSION                            python */
    TN_STEP_VENV,      /* python -m venv, uv venv or virtualenv               python, env */
    TN_STEP_CONDA_ENV, /* conda create with packages                           env, python, channels, packages */
    TN_STEP_PACKAGES,  /* pip or uv pip install into env                       env, packages, index */
    TN_STEP_LINK,      /* the run time's libraries where the framework looks   env, python, into */
    TN_STEP_TOOLKIT,   /* by hand: the toolkit part of NVIDIA's installer      version, env (folder) */
    TN_STEP_CUDNN,     /* by hand: a full cuDNN into that folder               version, env (folder) */
    TN_STEP_SEARCH,    /* the environment's own activation leads to a folder   env, into */
    TN_STEP_IMAGE,     /* docker run of an image; with into: made first, of it image, into, packages */
    TN_STEP_UV,        /* fetch uv itself                                      - */
    TN_STEP_WSL,       /* wsl --install, on Windows                            - */
    TN_STEP_DRIVER,    /* a driver of at least this version: printed, not done version */
    TN_STEP_CHECK,     /* tenon doctor --env                                   env */
    TN_STEP_KINDS
};

enum tn_step_tool { TN_STEP_BY_PIP, TN_STEP_BY_UV, TN_STEP_BY_CONDA, TN_STEP_BY_VIRTUALENV };

#define TN_STEP_MAX_PACKAGES 48u
#define TN_PLAN_MAX_STEPS 16u

struct tn_plan_step {
    enum tn_step_kind kind;
    enum tn_step_tool tool;
    const char *program; /* "python3.11", "conda", "micromamba"; "" where the kind says it */
    const char *exe;     /* how it is started where its name does not lead to it; "" */
    const char *env;     /* folder of the environment, or name for conda (named) */
    bool named;
    const char *python, *version, *image, *into;
    const char *link;                /* of an image that is made: as into of TN_STEP_LINK; "" */
    const char *override;            /* conda counts on a driver for this CUDA, which is not there; "" */
    const char *index, *extra_index; /* "" for the user's own */
    const char *find_links;          /* a page of wheels that no index has; "" */
    const char *channel[4];
    unsigned n_channel;
    const char *package[TN_STEP_MAX_PACKAGES]; /* requirements, in the form of the tool: "numpy<2", "cudnn=8.1" */
    unsigned n_package;
    bool network, root;
    bool inside;         /* typed inside WSL, in its shell */
    bool gpu;            /* of an image: with the cards */
    unsigned mb;         /* to fetch, about; 0: not known */
    struct tn_cite cite; /* where its numbers come from */
};

struct tn_plan_steps {
    struct tn_plan_step v[TN_PLAN_MAX_STEPS];
    unsigned n;
    bool windows; /* paths and activation of the environment */
};

/* The steps of a plan that fits, for its machine. */
void tn_plan_steps_of(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *ret);

/* The command lines of a step, one a line, for a shell; false: it has none, or a word cannot be quoted. */
bool tn_plan_step_command(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                          enum tn_shell shell, struct tn_buf *ret);
/* The word that cannot be quoted for the shell; NULL: none. */
const char *tn_plan_step_refused(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                                 enum tn_shell shell);
const char *tn_plan_steps_refused(struct tn_arena *mem, const struct tn_plan_steps *all, enum tn_shell shell);
/* Interface strings: what it does, what it changes, how it is undone; with the arguments env, python, version, into,
 * packages, image, index, mb. undo may be NULL: with the environment. */
void tn_plan_step_says(struct tn_arena *mem, const struct tn_plan_step *s, struct tn_plan_say *ret_what,
                       struct tn_plan_say *ret_changes, struct tn_plan_say *ret_undo);
/* The environment's interpreter, as it is started: "ENV/bin/python", "ENV\Scripts\python.exe". */
const char *tn_plan_step_python(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s);

/* The links of TN_STEP_LINK in sh, in the folder itself. */
const char *tn_plan_link_command(const char *into);

/* What is run to make the image of a step (TN_STEP_IMAGE with into), in sh. */
#define TN_IMAGE_MAX_COMMANDS 2u
unsigned tn_plan_image_commands(struct tn_arena *mem, const struct tn_plan_step *s,
                                const char *ret[TN_IMAGE_MAX_COMMANDS], const char **ret_refused);

/* The words that start its Python, quoted for the shell, without a line end. */
bool tn_plan_step_start(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                        enum tn_shell shell, struct tn_buf *ret);

/* export_*.c: the plan in the form of another tool. false: nothing is appended, since this plan cannot be said in it
 * (*ret_why, an interface string) or a word cannot be written safely in it (*ret_word). */
enum tn_plan_form {
    TN_FORM_SH,
    TN_FORM_PS1,
    TN_FORM_REQUIREMENTS,
    TN_FORM_ENVIRONMENT, /* environment.yml */
    TN_FORM_PYPROJECT,   /* uv */
    TN_FORM_DOCKERFILE,
    TN_FORM_DEVCONTAINER,
    TN_FORM_APPTAINER,
    TN_FORM_SLURM,
    TN_FORMS
};
int tn_plan_form_of(const char *word); /* "sh" ... "slurm"; -1 */
bool tn_plan_export(struct tn_arena *mem, const struct tn_plan *p, const struct tn_plan_steps *steps,
                    enum tn_plan_form form, struct tn_buf *ret, const char **ret_why, const char **ret_word);

#endif
