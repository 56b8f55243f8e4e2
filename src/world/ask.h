/* ask.h - vendor libraries asked in a child process: the live end of TN_Q_ASK.
 *
 * The question names a library by its full path and a subject; the answer is text, one statement a line:
 *
 *     WORD VALUE...        what a call answered
 *     ! CALL NUMBER        a call that failed, by its own number
 *     gpu N                what follows is about device N of the library
 *     end                  nothing was left out
 *     ended signal N | ended late | ended status N      instead of end: how the child was lost
 *
 * What it means is the probes' matter. Nothing is asked that changes the machine. */
#ifndef TN_WORLD_ASK_H
#define TN_WORLD_ASK_H

#include "base/buf.h"
#include "base/err.h"

/* Subjects: "nvml" (libnvidia-ml.so.1, nvml.dll), "cuda" (libcuda.so.1, nvcuda.dll). */
#define TN_ASK_MS 5000u /* a cold start of NVML without a persistent driver takes 2 to 3 s */

/* Asks, no longer than ms. TN_E_DENIED: not loaded, since root does not load what others may write. */
int tn_ask(const char *path, const char *subject, unsigned ms, struct tn_buf *ret, struct tn_err *err);

/* The child's side; argv: subject, path. On Windows main calls it for the words behind TN_OS_CHILD. */
int tn_ask_work(const char *const *argv);

/* For the subjects' files: one line of the answer, control characters as spaces; goes out at once. */
#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
void tn_ask_say(const char *format, ...);
void tn_ask_nvml(void *library);
void tn_ask_cuda(void *library);

#endif
