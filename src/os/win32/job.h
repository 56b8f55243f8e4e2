/* job.h - a program in a job that ends with us, as proc.c and install.c start it. Private. */
#ifndef TN_OS_WIN32_JOB_H
#define TN_OS_WIN32_JOB_H

#include "os/win32/win32.h"

struct tn_win32_job {
    HANDLE job, process, thread, out, event; /* out: our end of the pipe, overlapped */
    HANDLE theirs[3];                        /* NUL, the other end of the pipe, and one more that it is to have; NULL */
};

/* Started, or an error and closed by the caller. env NULL: a small clean one; cwd NULL: ours. */
int tn_win32_job_start(struct tn_win32_job *c, const char *const *argv, const char *const *env, const char *cwd,
                       struct tn_err *err);
/* Ends everything that is still in it. */
void tn_win32_job_close(struct tn_win32_job *c);

#endif
