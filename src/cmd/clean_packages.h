/* clean_packages.h - what a package manager would do for `clean`, asked and, with --yes, done. */
#ifndef TN_CMD_CLEAN_PACKAGES_H
#define TN_CMD_CLEAN_PACKAGES_H

#include "cmd/cmd.h"
#include "report/clean.h"

/* Asks for each item that was named by itself: into r->package. This machine alone. */
void tn_clean_packages(struct tn_cmd_ctx *c, struct tn_clean_report *r);
/* Does what may be done. Not 0: that is the exit status, all is said. */
int tn_clean_packages_do(struct tn_cmd_ctx *c, struct tn_clean_report *r);

#endif
