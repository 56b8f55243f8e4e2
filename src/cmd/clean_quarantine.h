/* clean_quarantine.h - `tenon clean quarantine [ID...]`: what is kept for undo, and with --yes its end. */
#ifndef TN_CMD_CLEAN_QUARANTINE_H
#define TN_CMD_CLEAN_QUARANTINE_H

#include "cmd/cmd.h"

/* The exit status; all is said. */
int tn_clean_quarantine(struct tn_cmd_ctx *c);

#endif
