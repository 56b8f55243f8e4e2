/* clean_settings.h - the settings that lead to what goes, read from the disk and changed with it. */
#ifndef TN_CMD_CLEAN_SETTINGS_H
#define TN_CMD_CLEAN_SETTINGS_H

#include "apply/tx.h"
#include "cmd/cmd.h"
#include "report/clean.h"

/* What of files and links goes with the items that go; into r->settings. root: without links; "" for this machine. */
void tn_clean_settings(struct tn_cmd_ctx *c, struct tn_clean_report *r, const char *root);
/* Makes one a part of the transaction. TN_E_EXISTS: it is not what it was when it was looked at. */
int tn_clean_setting_do(struct tn_cmd_ctx *c, struct tn_tx *t, const struct tn_setting_file *f, struct tn_err *err);
/* clean_registry.c: the same on Windows, of the environment in the registry. */
void tn_clean_registry(struct tn_cmd_ctx *c, const struct tn_clean *k, struct tn_clean_settings *ret);
int tn_clean_registry_do(struct tn_cmd_ctx *c, struct tn_tx *t, const struct tn_setting_file *f, struct tn_err *err);
/* --root without links; "" for none. Not 0: that is the exit status, all is said. */
int tn_clean_root(struct tn_cmd_ctx *c, const char **ret);

#endif
