/* framework_python.h - a framework by the environment's own Python, as a child: one product, one convolution.
 *
 * The script prints the results as they are; they are compared here (reference.h), so that nothing of the framework
 * judges itself. */
#ifndef TN_MEASURE_FRAMEWORK_PYTHON_H
#define TN_MEASURE_FRAMEWORK_PYTHON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* name: torch, jax, onnxruntime, tensorflow; gpu: the number the framework gives it, -1: the CPU. Appends lines of
 * told.h to ret. False: nothing is known of that framework. */
bool tn_framework_python(const char *name, const char *interpreter, int gpu, unsigned deadline_ms, struct tn_buf *ret);
/* What its Python is started with: what decides which libraries and cards a program of this shell gets, nothing else.
 */
const char *const *tn_framework_environment(struct tn_arena *mem);

#endif
