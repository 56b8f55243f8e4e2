/* clean.h - what of the stock may go, who still uses each of it, and how it would be removed. Pure.
 *
 * Invariant: an item goes only where it is known that nobody uses it and that all of it is what it seems; whatever is
 * not known keeps it. Who uses it is what the loader would give each environment (record load), never a guess by names.
 * What a package manager has installed, that package manager removes; what a tool keeps, its own command empties; only
 * the rest is moved away. The driver is no item. */
#ifndef TN_CLEAN_CLEAN_H
#define TN_CLEAN_CLEAN_H

#include "finding/catalogue.h"
#include "finding/verdict.h"

enum tn_clean_kind {
    TN_CLEAN_TOOLKIT,
    TN_CLEAN_CUDNN,
    TN_CLEAN_WHEEL,
    TN_CLEAN_CONDA,
    TN_CLEAN_ENV,
    TN_CLEAN_CACHE,
    TN_CLEAN_KINDS
};

enum tn_clean_state {
    TN_CLEAN_FREE,    /* nobody uses it and nobody names it */
    TN_CLEAN_NAMED,   /* nobody uses it, but settings lead to it: it goes when it is asked for by its name */
    TN_CLEAN_USED,    /* somebody loads from it, runs it, requires it or wanted it */
    TN_CLEAN_FOREIGN, /* something in it is nobody's that is known, a mount, or could not be read */
    TN_CLEAN_UNCLEAR  /* who uses it, or whose it is, could not be found out */
};

enum tn_clean_how {
    TN_CLEAN_ASIDE,   /* moved into the quarantine; undo brings it back */
    TN_CLEAN_COMMAND, /* the command of what keeps it */
    TN_CLEAN_BY_HAND  /* neither: told, not done */
};

/* Why it is used, or named. */
enum tn_clean_use {
    TN_CLEAN_LOADS,     /* env's framework loads file of it */
    TN_CLEAN_RUNS,      /* a process has file of it open */
    TN_CLEAN_REQUIRES,  /* text: a distribution there requires it */
    TN_CLEAN_HELD,      /* text: an environment that lists it; of a package in conda's store */
    TN_CLEAN_REQUESTED, /* it was installed by its name */
    TN_CLEAN_CHOSEN,    /* text: a kernel, an editor ... starts it */
    TN_CLEAN_ACTIVE,    /* it is active, or the one that is judged */
    TN_CLEAN_SEARCHED,  /* any program finds it by its name alone */
    TN_CLEAN_LINK,      /* text: a link that leads to it */
    TN_CLEAN_VARIABLE,  /* text: an environment variable that names it */
    TN_CLEAN_FILE,      /* text: a file that names it, with its line */
    TN_CLEAN_USES
};

struct tn_clean_user {
    enum tn_clean_use use;
    const struct tn_rec_env *env;   /* LOADS */
    const struct tn_rec_load *load; /* LOADS: the first file */
    const char *text;
    const char *path; /* FILE, VARIABLE: what is named; RUNS: the file */
    int64_t number;   /* FILE: line, RUNS: process id; -1: not known */
};

struct tn_clean_item {
    size_t row; /* of stock */
    const struct tn_rec_stock *r;
    enum tn_clean_kind kind;
    enum tn_clean_state state;
    enum tn_clean_how how;
    struct tn_clean_user *user;
    size_t n_user, cap_user; /* those who use it come first */
    const char *command;     /* one line, quoted; NULL: there is none, or a name that cannot be shown safely */
    const char *before;      /* a command that is due before it, or NULL */
    bool asked;              /* meant by the words of the command line, or there are none */
    bool by_itself;          /* by its version, its path or its name */
};

struct tn_clean {
    struct tn_arena *mem;
    const struct tn_snap *s;
    struct tn_clean_item *item;
    size_t n;
    uint64_t can_go;                    /* bytes that would be free again without the asked items that can go */
    const struct tn_clean_index *index; /* private */
    bool unclear_env;                   /* of an environment with a framework it is not known what it loads */
};

/* What the command line means: words of kinds (cuda, cudnn, wheels, conda, envs, caches), of versions, paths or names.
 */
struct tn_clean_wish {
    const char *const *word;
    unsigned n;
};

/* *ret_bad: the first word that means nothing; NULL: none. */
void tn_clean_make(struct tn_clean *c, const struct tn_clean_wish *wish, const char **ret_bad);
/* Would it go now: asked for, and free, or named but asked for by itself. */
bool tn_clean_goes(const struct tn_clean_item *i);
/* Bytes that would be free again without it; 0: not known. */
uint64_t tn_clean_bytes(const struct tn_clean_item *i);
const char *tn_clean_kind_word(enum tn_clean_kind k);   /* toolkit, cudnn, wheel, conda, env, cache */
const char *tn_clean_state_word(enum tn_clean_state s); /* free, named, used, foreign, unclear */
const char *tn_clean_how_word(enum tn_clean_how h);     /* aside, command, by_hand */
const char *tn_clean_use_word(enum tn_clean_use u);

/* What removes the driver's packages, in one line; NULL: no package is one of the driver, or no manager is known.
 * *ret_names: the packages, "a, b". */
const char *tn_clean_driver_command(struct tn_arena *mem, const struct tn_snap *s, const char **ret_names);

/* Is it a package in conda's store, which environments are made from? */
bool tn_clean_is_stored(const struct tn_rec_stock *r);

/* Private to this folder. */
bool tn_clean_keeps_driver(const struct tn_rec_package *p);        /* remove.c: it brings the driver along */
void tn_clean_users(struct tn_clean *c, struct tn_clean_item *i);  /* users.c */
void tn_clean_remove(struct tn_clean *c, struct tn_clean_item *i); /* remove.c: how, command */
struct tn_clean_user *tn_clean_user_add(struct tn_clean *c, struct tn_clean_item *i, enum tn_clean_use use);

#endif
