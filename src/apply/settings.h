/* settings.h - what of a person's environment reaches an installer: the network's settings, and an installer's own ones
 * that say where packages come from and where its cache lies. What would lead it elsewhere (PYTHON*, LD_*, PIP_TARGET,
 * VIRTUAL_ENV, CONDA_PREFIX ...) is not among them. */
#ifndef TN_APPLY_SETTINGS_H
#define TN_APPLY_SETTINGS_H

#include "base/arena.h"

enum tn_settings_use {
    TN_SETTINGS_INSTALL = 1, /* it fills an environment: with its cache, and offline where the user wants that */
    TN_SETTINGS_ASK = 2      /* a dry run, which asks the index and keeps nothing */
};
#define TN_SETTINGS_MAX 90u

/* "NAME=value" of those that are set; at most TN_SETTINGS_MAX. Returns how many. */
unsigned tn_settings_of(struct tn_arena *mem, enum tn_settings_use use, const char **ret);

#endif
