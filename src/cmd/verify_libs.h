/* verify_libs.h - which files of the CUDA libraries verify opens: those that the loader rules predict for the judged
 * environment; and whether the real loader took others. */
#ifndef TN_CMD_VERIFY_LIBS_H
#define TN_CMD_VERIFY_LIBS_H

#include "cmd/cmd.h"
#include "finding/verdict.h"
#include "measure/verify.h"

/* What a framework of the environment gets first; else the copy that any program finds. A layer of which there is no
 * copy is left out, unless a framework asks for it: then it is one that is missing. j: NULL when nothing is judged.
 * Returns how many. */
unsigned tn_verify_libs(const struct tn_judge *j, struct tn_verify_library ret[TN_VERIFY_LAYERS]);

/* Rows of measurement "loaded" whose file is another one than was predicted for its name get that one as their text. */
void tn_verify_others(struct tn_snap *s, const struct tn_judge *j, const struct tn_verify_library *library, unsigned n);

#endif
