/* fix_effect.h - what the effects of remedies share. Private to plan/. */
#ifndef TN_PLAN_FIX_EFFECT_H
#define TN_PLAN_FIX_EFFECT_H

#include "plan/fix.h"

/* What a remedy does, or why that cannot be told beforehand (the first ones, in the order of enum tn_fix_told). */
enum tn_effect {
    TN_EFFECT_NONE,
    TN_EFFECT_LOOKS,
    TN_EFFECT_ELSEWHERE,
    TN_EFFECT_PROGRAM,
    TN_EFFECT_TRY,
    TN_EFFECT_CHOICE,
    TN_EFFECT_BY_HAND,
    TN_EFFECT_ANEW, /* an environment that is still to be filled */
    /* the system: fix_effect_driver.c */
    TN_EFFECT_RESTART,
    TN_EFFECT_LOAD,
    TN_EFFECT_BUILD, /* the module for the running kernel is built, and runs */
    TN_EFFECT_KEY,
    TN_EFFECT_UNBLOCK,
    TN_EFFECT_RELEASE,
    TN_EFFECT_DRIVER,  /* another driver: its version is an argument */
    TN_EFFECT_FLAVOUR, /* the same, as another kind of module */
    TN_EFFECT_SAME,    /* all parts of the loaded module's version */
    TN_EFFECT_IMAGE,
    TN_EFFECT_UVM,
    TN_EFFECT_FABRIC,
    TN_EFFECT_NODES,
    TN_EFFECT_MODE,
    TN_EFFECT_MIG,
    TN_EFFECT_GIVEN, /* a container that the GPU was handed into */
    TN_EFFECT_WSL_PATH,
    TN_EFFECT_MSVC,
    TN_EFFECT_TOOLKIT,
    TN_EFFECT_CDI,
    /* shells and environments: fix_effect_env.c */
    TN_EFFECT_UNSET,
    TN_EFFECT_SET,
    TN_EFFECT_LIBRARY_PATH,
    TN_EFFECT_SHELL,
    TN_EFFECT_USER_SITE,
    TN_EFFECT_PYTHONPATH,
    TN_EFFECT_SHADOW,
    TN_EFFECT_INDEX,
    TN_EFFECT_PACKAGE,  /* one package in another version */
    TN_EFFECT_RESTORED, /* its files once more */
    TN_EFFECT_REMOVED,
    TN_EFFECT_BUILD_OF, /* another build of the framework */
    TN_EFFECT_CUDA,     /* a CUDA and cuDNN of the environment's own */
    TN_EFFECT_CPU
};

struct tn_effect_of {
    struct tn_arena *mem;
    struct tn_snap *s;
    const struct tn_fix *fix;
    const struct tn_remedy *r;
    struct tn_fix_after *after;
    uint32_t src;
};

enum tn_effect tn_effect_find(const char *remedy);
const char *tn_effect_arg(const struct tn_remedy *r, const char *key); /* "" if there is none */
enum tn_fix_told tn_effect_system(const struct tn_effect_of *e, enum tn_effect kind);
enum tn_fix_told tn_effect_env(const struct tn_effect_of *e, enum tn_effect kind);

#endif
