/* told.h - the lines in which works tell what came of them; probe/measured.c reads them into rows of "measurement".
 *
 *     part layer=tensorflow env=env3 text=FILE      what follows was done by this library
 *     version text=2.21.0                           as it says itself
 *     device device=gpu.BUS memory=BYTES text=NAME  what it lists
 *     on device=gpu.BUS peer=gpu.BUS                what follows was done on this card; peer: with that one, if any
 *     result what=matmul precision=fp32 device=cpu status=pass worst=0.02 off=2e-07 bound=1.2e-05 text=WHERE IT RAN
 *     failed what=matmul call=TFE_Execute error=INTERNAL text=MESSAGE
 *     skipped what=matmul device=gpu why=no-gpu
 *     loaded text=FILE                              a CUDA library that the process had loaded at its end
 *
 * The form: base/pairs.h. */
#ifndef TN_MEASURE_TOLD_H
#define TN_MEASURE_TOLD_H

#include "measure/reference.h"
#include "measure/worker.h"

/* error: a name, or a word for what there is no number for: unloadable, missing, refused, wrong-size ... */
void tn_tell_failed(const char *what, const char *call, const char *error, const char *text);

/* Compares a result with the reference and tells it: in the precision that was asked for, else in the one that the
 * library may use in its place (TF32 for FP32), which is then named. True: right. placed may be NULL. */
bool tn_tell_matmul(const struct tn_ref_matmul *r, enum tn_precision asked, enum tn_precision or_else,
                    const void *result, const char *device, const char *placed);
/* Any comparison. */
bool tn_tell_verdict(const char *what, enum tn_precision p, const struct tn_ref_verdict *v, const char *device,
                     const char *placed);
bool tn_tell_conv(const struct tn_ref_conv *r, enum tn_precision asked, enum tn_precision or_else, const void *result,
                  const char *device, const char *placed);
/* The same for what an interpreter printed, whose lines are made by us: appended to ret. */
void tn_told_verdict(struct tn_buf *ret, const char *what, enum tn_precision p, const struct tn_ref_verdict *v,
                     const char *device, const char *placed);

/* Which CUDA libraries this process has mapped by now. */
void tn_tell_loaded(void);

#endif
