/* export.h - what the forms of a plan share. See tn_plan_export in step.h. */
#ifndef TN_PLAN_EXPORT_H
#define TN_PLAN_EXPORT_H

#include "plan/step.h"

struct tn_export {
    struct tn_arena *mem;
    const struct tn_plan *p;
    const struct tn_plan_steps *steps;
    struct tn_buf *b;
    const char *why;     /* id of an interface string: the plan cannot be said in this form */
    const char *refused; /* a word that cannot be written safely in it */
};

/* "# tenon plan: tensorflow 2.20.0, Python 3.13, CUDA 12.5, cuDNN 9.3.0.75" behind a comment's mark. */
void tn_export_title(struct tn_export *x, const char *mark);
/* The step that makes the environment, and the one that installs into it. NULL if there is none. */
const struct tn_plan_step *tn_export_step(const struct tn_export *x, enum tn_step_kind kind);
/* What may be a name of a project, job, image or environment everywhere: "tf-2.15". */
const char *tn_export_name(struct tn_export *x);
/* A string of JSON, TOML and YAML alike. */
void tn_export_string(struct tn_export *x, const char *s);
/* The steps as they are done inside an image, for an environment /opt/env. */
void tn_export_inside(struct tn_export *x, struct tn_plan_steps *ret);
/* Commands of a step, one a line, each with head before it; says in x what cannot be said. */
bool tn_export_commands(struct tn_export *x, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                        enum tn_shell shell, const char *head, const char *tail);
/* True for what a form that lists packages can say: no run time from conda, no step by hand. */
bool tn_export_is_wheels(struct tn_export *x);
/* A requirement that means the same in every file: no comment, no quote, no variable. */
bool tn_export_package_ok(struct tn_export *x, const char *package);

bool tn_export_sh(struct tn_export *x);
bool tn_export_ps1(struct tn_export *x);
bool tn_export_slurm(struct tn_export *x);
bool tn_export_requirements(struct tn_export *x);
bool tn_export_environment(struct tn_export *x);
bool tn_export_pyproject(struct tn_export *x);
bool tn_export_dockerfile(struct tn_export *x);
bool tn_export_devcontainer(struct tn_export *x);
bool tn_export_apptainer(struct tn_export *x);

#endif
