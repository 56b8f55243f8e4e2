/* verify.h - real work on a machine that was looked at, its results as facts: for verify, and doctor --verify. */
#ifndef TN_CMD_VERIFY_H
#define TN_CMD_VERIFY_H

#include "cmd/cmd.h"

/* Adds rows of measurement to s, which is of this machine. gpu: number of the GPU, as the driver counts. */
void tn_cmd_measure(struct tn_cmd_ctx *c, struct tn_snap *s, bool full, int gpu);

#endif
