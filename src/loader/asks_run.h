/* asks_run.h - what comes of a framework's requests: each of them tried in one process, in their order.
 *
 * Pure as the loader is: the same over a machine that is being looked at and over a snapshot. */
#ifndef TN_LOADER_ASKS_RUN_H
#define TN_LOADER_ASKS_RUN_H

#include "loader/asks.h"
#include "loader/loader.h"

#define TN_MAX_LOADS 512u

/* One request, or one need below it. */
struct tn_load {
    const char *name;         /* as it is asked for: soname, or the base name of a file */
    const char *from;         /* path of the object that asks; NULL: Python */
    const char *via;          /* path of the nearest object of the framework's own above it; NULL: none */
    const struct tn_ask *ask; /* the request that it belongs to */
    bool need;                /* a DT_NEEDED below the request, else the request itself */
    enum tn_outcome outcome;
    const char *path;    /* as the loader opens it; NULL: none */
    const char *real;    /* links resolved; NULL: not known */
    enum tn_rule rule;   /* that led to path; of no use when path is NULL */
    const char *tag;     /* whose run path that was; NULL: none */
    const char *error;   /* what the loader prints; NULL: nothing */
    const char *culprit; /* name whose failure this is; its own or of a need */
    enum tn_outcome culprit_outcome;
    const char
        *culprit_path;     /* the file at fault: the damaged one, or the one that lacks a symbol version; NULL: none */
    const char *lacks;     /* that symbol version; NULL: none */
    bool damaged;          /* the culprit's file is no library that the loader takes */
    const char **shadowed; /* further copies that it hides */
    size_t n_shadowed;
    size_t search; /* number in the loader that ran */
};

struct tn_loads {
    struct tn_arena *mem;
    struct tn_loader l;
    struct tn_process process;
    struct tn_load v[TN_MAX_LOADS];
    unsigned n, n_dropped; /* rows beyond TN_MAX_LOADS are only counted */
    enum tn_outcome start; /* found: the interpreter starts */
};

/* Starts the interpreter of the environment. False when the snapshot does not say enough of it. mem outlives *ret. */
bool tn_loads_start(struct tn_loads *ret, const struct tn_snap *s, const struct tn_rec_env *env,
                    const struct tn_disk *disk, struct tn_arena *mem);
/* Makes the requests in the process as it stands: a second framework in one process comes after the first. */
void tn_loads_make(struct tn_loads *l, const struct tn_asks *a);

/* Any file as the asker: a program is started, a library is opened by the interpreter of env (NULL: by a program that
 * needs nothing). file NULL: the interpreter itself asks. Then name (NULL: nothing) is opened from inside it; a name
 * that is loaded by then is the row of the search that brought it. False when the snapshot does not say enough. */
bool tn_loads_file(struct tn_loads *ret, const struct tn_snap *s, const struct tn_rec_env *env,
                   const struct tn_disk *disk, struct tn_arena *mem, const char *file, const char *name);

/* The request for this name that counts: the first that is no preload; NULL if none. */
const struct tn_load *tn_loads_find(const struct tn_loads *l, const char *name);

#endif
