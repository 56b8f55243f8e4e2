/* prove.h - what was built, looked at by doctor and tried by its own Python, before it takes its place. */
#ifndef TN_CMD_PROVE_H
#define TN_CMD_PROVE_H

#include "apply/do.h"
#include "cmd/cmd.h"

struct tn_prove_verdict {
    const char *cause, *title;  /* the first finding, NULL: no problem */
    const char *says;           /* what was found, in its own sentence */
    const char *help, *command; /* the first of its remedies that is a command here; "" */
    const char *damaged;        /* "numpy==1.26.4": files of it are missing or changed; "" */
    bool in_environment;        /* it lies in what was built: its layer is CUDA, cuDNN, framework or Python */
};

/* library_path: what its activation puts in front of LD_LIBRARY_PATH; NULL. */
int tn_prove_doctor(struct tn_cmd_ctx *c, const char *env, const char *library_path, const char *expect,
                    struct tn_prove_verdict *ret, struct tn_err *err);
/* Its Python imports the frameworks that were asked for and computes with each; and its installer finds nothing
 * missing. */
int tn_prove_run(struct tn_apply *a, int *ret_status, struct tn_err *err);

#endif
