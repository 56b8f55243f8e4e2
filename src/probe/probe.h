/* probe.h - a probe turns answers of a world into facts. One file per subject, one constant per file.
 *
 * A probe never judges, never prints, and never fails: what it could not learn becomes a fact that says so
 * (absent, denied, failed), with its source. It must not know which kind of world it asks. Probes run in the order of
 * their phase, then by name; a later phase may read the facts of an earlier one. */
#ifndef TN_PROBE_PROBE_H
#define TN_PROBE_PROBE_H

#include "snapshot/snapshot.h"
#include "world/world.h"

/* What the person asked for, as far as it decides where to look. */
/* A file to be sought on all disks. */
struct tn_want_file {
    const char *name; /* as asked for: the name of the question in a record */
    bool (*keep)(const void *ctx, const char *name);
    const void *ctx;
    bool all; /* disks of the network, too */
};

struct tn_want {
    const char *env;  /* --env: a path or a name; NULL: the active one, else the first interpreter on PATH */
    bool judged_only; /* look into the judged environment alone */
    bool no_owners;   /* leave out who installed the files; a verdict asks only of a driver at odds with itself */
    bool sizes;       /* measure the environments */
    bool clean;       /* what could be cleaned away, and what every environment would load */
    bool conda;       /* conda's settings even where the judged environment is not conda's */
    bool no_code;     /* leave out which GPU code the libraries hold */
    bool loads_only;  /* which files loaders take and no more: not whether packages are whole; of rows of load what is
                         asked (load_file, load_name), else each framework alone */
    bool plain;       /* a verdict and no more: leave out what no check reads */
    const struct tn_want_file *file; /* seek it, and look at each as at a vendor library; NULL: nothing is sought */
    tn_record_set records;           /* only these and what their probes read; 0: all */
    void (*tick)(void *ctx, uint64_t folders); /* while disks are searched or measured; may be NULL */
    void *tick_ctx;
    const char *load_file, *load_name; /* an asker and a name that are to be tried besides; NULL: none */
};

struct tn_probe_ctx {
    struct tn_world *w;
    struct tn_snap *s;
    struct tn_arena *tmp; /* emptied after each probe */
    const struct tn_want *want;
};

enum tn_phase {
    TN_PHASE_HOST,
    TN_PHASE_HARDWARE,
    TN_PHASE_DRIVER,
    TN_PHASE_SEARCH,
    TN_PHASE_PYTHON,
    TN_PHASE_LIBRARY,
    TN_PHASE_LOAD,
    TN_PHASE_OWNER
};

struct tn_probe {
    const char *name;
    enum tn_phase phase;
    void (*run)(struct tn_probe_ctx *c);
    const char *doc;     /* one line: what it learns, and from where */
    tn_record_set gives; /* records that it fills in, wholly or in part; 0: not said, so it always runs */
    tn_record_set reads; /* records of other probes that it looks at, host apart, which all may read */
};

/* TN_PROBE(ident, phase, run, "what it learns", .gives = TN_HAS(toolkit), .reads = TN_HAS(search)); */
#define TN_PROBE(ident, at, fn, ...)                                                                                   \
    const struct tn_probe tn_probe_##ident = {.name = #ident, .phase = at, .run = fn, .doc = __VA_ARGS__}

/* Every probe of this folder, in the order in which they run (made by the build). */
extern const struct tn_probe *const tn_probes[];
extern const unsigned tn_n_probes;

/* Runs all of them, or those that the wanted records need (probe.c). */
void tn_probe_all(struct tn_world *w, const struct tn_want *want, struct tn_snap *s);
/* The wanted records and all that the probes read which fill them in; 0 stays 0: all. */
tn_record_set tn_probe_records(tn_record_set wanted);

/* A source for an answer to a question about name: "read /proc/version". word: read, list, stat, link, env, sys, reg.
 */
uint32_t tn_probe_src(struct tn_snap *s, const char *word, const char *name, const struct tn_answer *a);

#endif
