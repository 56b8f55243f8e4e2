/* fix.h - the remedy of a finding as a plan: steps in order, what is changed for the judgement of afterwards.
 *
 * Pure. A step is a remedy of the catalogue with its arguments: the catalogue says what it changes, needs and how it is
 * undone, and its command is derived for the machine. What changes an environment comes before what changes the
 * system; within both the order of the check stays, which names the best first. What only looks comes last, unless the
 * check names it first. */
#ifndef TN_PLAN_FIX_H
#define TN_PLAN_FIX_H

#include "facts/distro.h"
#include "finding/verdict.h"
#include "plan/plan.h"

#define TN_FIX_MAX_STEPS 12u

enum tn_fix_scope { TN_FIX_INSIDE, TN_FIX_SYSTEM, TN_FIX_LOOKS }; /* an environment, a shell, one's own files | ... */

struct tn_fix {
    const struct tn_finding *finding;
    struct tn_remedy chosen;
    enum tn_fix_scope scope;
    struct tn_remedy step[TN_FIX_MAX_STEPS];
    unsigned n_step;
    struct tn_remedy other[TN_MAX_REMEDIES]; /* ways beside it, in their order */
    unsigned n_other;
    bool driver;               /* it is work on the driver: printed, never done without its own word */
    struct tn_plan_says notes; /* what has to be known before: cards, Secure Boot, what else needs the old one */
};

enum tn_fix_scope tn_fix_scope_of(const struct tn_remedy *r);

/* finding: of a sink that was merged. False: it has no remedy. */
bool tn_fix_make(struct tn_arena *mem, const struct tn_snap *s, const struct tn_finding *finding, struct tn_fix *ret);

/* What tn_plan_make should be asked in place of the remedy that was chosen: the framework of the finding, with its
 * release where a build of it fits. "": the remedy is no choice of another build. */
const char *tn_fix_wish(struct tn_arena *mem, const struct tn_snap *s, const struct tn_fix *fix, bool same_release);

/* Can the facts be told that the steps leave behind; if not, why. */
enum tn_fix_told {
    TN_FIX_TOLD,
    TN_FIX_TOLD_LOOKS,     /* the last step only looks */
    TN_FIX_TOLD_ELSEWHERE, /* it is done on another machine: a host, Windows, a cluster */
    TN_FIX_TOLD_PROGRAM,   /* it changes a program, of which nothing is known here */
    TN_FIX_TOLD_TRY,       /* hardware, a build or an installer has to show it */
    TN_FIX_TOLD_CHOICE,    /* pip, conda or the distribution choose what comes, and tenon's tables do not say what */
    TN_FIX_TOLD_BY_HAND,   /* it is done by hand in a file or a window */
    TN_FIX_TOLD_ANEW,      /* the framework is still to be installed into a new environment */
    TN_FIX_TOLD_KINDS
};

#define TN_FIX_MAX_PROMISES 512u

/* What is left to do with the copy, by code that plans do not know (cmd/fix.c). */
struct tn_fix_after {
    bool loads;               /* what the loader finds is to be worked out again */
    bool env;                 /* the judged environment holds these packages instead */
    bool keep;                /* with env: libraries and toolkits stay */
    bool own;                 /* it gets the CUDA and cuDNN that its frameworks are built for */
    bool cpu;                 /* the CPU is wanted from now on */
    const char *cuda, *cudnn; /* it gets these; "" */
    struct {
        const char *package, *version;
        bool stays; /* it is there already */
    } v[TN_FIX_MAX_PROMISES];
    unsigned n;
};

/* fix_effect*.c: the facts that the steps promise, into s. Other than TOLD: s may be changed, and is of no use. */
enum tn_fix_told tn_fix_effect(struct tn_arena *mem, struct tn_snap *s, const struct tn_fix *fix,
                               struct tn_fix_after *ret);
/* Of a remedy by itself, whatever the machine: TOLD where its effect is facts. */
enum tn_fix_told tn_fix_told_of(const char *remedy);

/* driver.c: the steps of work on the driver, by the distribution and release of s. False: the remedy is none. */
bool tn_fix_is_driver_work(const char *remedy);
bool tn_fix_driver(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *fix);

/* driver_package.c: the package of the distribution's own repository that serves the cards and what is asked for.
 * False: none does, or it is not known which there are; *ret_newest: the newest version that is there, "" if not known.
 */
struct tn_fix_driver_want {
    const char *need;    /* least version; NULL: any */
    const char *branch;  /* this one alone; NULL */
    const char *flavour; /* "open" or "closed"; NULL */
    bool newest;
};
bool tn_fix_driver_package(const struct tn_snap *s, const struct tn_plan_machine *m,
                           const struct tn_fix_driver_want *want, struct tn_facts_distro_driver *ret,
                           const char **ret_newest);

#endif
