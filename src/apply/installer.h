/* installer.h - what the steps share that start an installer: its words, its run, the stage's folders. Private to
 * src/apply. */
#ifndef TN_APPLY_INSTALLER_H
#define TN_APPLY_INSTALLER_H

#include "apply/do.h"

struct tn_words {
    struct tn_arena *mem;
    const char *v[TN_STEP_MAX_PACKAGES + 32];
    unsigned n;
};
void tn_installer_word(struct tn_words *w, const char *text);
/* extra: see tn_apply_environment. */
int tn_installer_run(struct tn_apply *a, const char *const *argv, const char *extra, int *ret_status,
                     struct tn_err *err);
int tn_installer_missing(struct tn_err *err, const char *name);
/* A folder in the stage for an installer's temporary files: made, or gone again. */
int tn_installer_temporary(struct tn_apply *a, bool make, struct tn_err *err);
/* A file in a folder of the stage, "etc/conda", which is made where it is not there. */
int tn_installer_write(struct tn_apply *a, const char *below, const char *name, const char *text, struct tn_err *err);

/* mend.c: is the Python of an environment that is there, and its pip where that installs, whole? If not, its maker may
 * work over it afterwards. */
int tn_mend_begin(struct tn_apply *a, const struct tn_plan_step *s, bool *ret_whole, struct tn_err *err);

/* conda.c: conda, mamba, micromamba; pixi's environments are workspaces, which tenon does not make. */
bool tn_conda_is_known(const struct tn_plan_step *s);
int tn_conda_create(struct tn_apply *a, const struct tn_plan_step *s, int *ret_status, struct tn_err *err);
/* The environment's own activation leads to its run time. */
int tn_conda_search(struct tn_apply *a, struct tn_err *err);

#endif
