/* steps.h - what the files share that turn a plan into steps, one file for each way of installing. */
#ifndef TN_PLAN_STEPS_H
#define TN_PLAN_STEPS_H

#include "plan/step.h"

struct tn_plan_step *tn_plan_step_add(struct tn_plan_steps *all, enum tn_step_kind kind);
void tn_plan_step_package(struct tn_plan_step *s, const char *text);
/* The frameworks, their pins and what is installed beside them, as pip reads them; wheels: with NVIDIA's wheels. */
void tn_plan_step_frameworks(struct tn_arena *mem, const struct tn_plan *p, bool wheels, struct tn_plan_step *s);
/* The environment that was asked for, or a name such as "tf-2.15". */
const char *tn_plan_env_of(struct tn_arena *mem, const struct tn_plan *p);
bool tn_plan_is_path(const char *env);

/* Does TensorFlow need to be led to NVIDIA's wheels? */
bool tn_plan_needs_link(const struct tn_plan *p);
/* The folder below site-packages that such a build does search. */
const char *tn_plan_link_into(const struct tn_plan *p);
/* A venv and NVIDIA's wheels. */
void tn_plan_steps_wheels(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all);
/* The venv and what pip installs into it; wheels: with NVIDIA's. */
void tn_plan_steps_venv(struct tn_arena *mem, const struct tn_plan *p, bool wheels, struct tn_plan_steps *all);
/* Toolkit and cuDNN by hand, and what has to be known of it. */
void tn_plan_steps_manual(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all);
void tn_plan_say_manual(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_says *ret);
/* In a container; in WSL 2. */
void tn_plan_steps_docker(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all);
void tn_plan_steps_wsl(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all);
/* conda's Python and CUDA run time, then pip. */
void tn_plan_steps_both(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all);
/* Does one of the builds take it? */
bool tn_plan_takes_conda_runtime(const struct tn_plan *p);
/* All of it from conda-forge. */
void tn_plan_steps_conda(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all);

/* mirror.c: the channel to name for conda-forge, "conda-forge" or a mirror's URL; whose settings lead where. */
const char *tn_plan_conda_channel(const struct tn_plan *p);
void tn_plan_say_mirror(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_says *ret);
/* say_conda.c: a conda that is not there, and one that sees no driver; does the plan ask conda for CUDA? */
void tn_plan_say_conda(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_says *why,
                       struct tn_plan_says *warning);
bool tn_plan_asks_cuda(const struct tn_plan *p);

#endif
