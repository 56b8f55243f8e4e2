/* verdict.h - what the findings come to for the judged environment (design 6.1, 6.2).
 *
 * Pure: a snapshot and findings in, data out; the report makes text of it. */
#ifndef TN_FINDING_VERDICT_H
#define TN_FINDING_VERDICT_H

#include "finding/finding.h"

enum tn_expect { TN_EXPECT_GPU, TN_EXPECT_CPU };

/* Rows from .. to - 1 of a record. */
struct tn_range {
    size_t from, to;
};

/* Where the rows of one environment lie (rows.c). */
struct tn_judge_rows {
    struct tn_range framework, dist, library;
    struct tn_range common; /* libraries of no environment */
    const char *base;       /* env.id of the base interpreter whose packages are seen, too; NULL: none */
};

/* What is judged, and against which expectation. Checks get this; env is NULL when there is no Python at all. */
struct tn_judge {
    const struct tn_snap *s;
    const struct tn_rec_env *env; /* the environment in question: the judged one, or another that is being counted */
    size_t env_row;               /* its row in s->env; meaningless without env */
    const struct tn_judge_rows *rows; /* of env; NULL: anywhere */
    const char *base;                 /* env.id whose packages env sees, too, when there are no rows; NULL: none */
    enum tn_expect expect;
    unsigned gpus;   /* with --expect N: how many, else 0 */
    const char *why; /* id of the interface string that says why this is expected */
    bool online;     /* reserved */
};

/* expect: NULL, "gpu", "cpu" or a number; TN_E_USAGE for anything else. */
int tn_judge_init(struct tn_judge *j, const struct tn_snap *s, const char *expect, struct tn_err *err);
/* Where the rows of each environment of s lie: one item for each row of s->env, in mem. */
const struct tn_judge_rows *tn_judge_index(const struct tn_snap *s, struct tn_arena *mem);
/* The same for the judge's own environment, so that no check walks through the rows of all others. */
void tn_judge_narrow(struct tn_judge *j, struct tn_arena *mem);
/* Does a row with this env.id belong to the judge's environment, or to its base when that is seen, too
 * (include-system-site-packages of pyvenv.cfg)? */
bool tn_judge_sees(const struct tn_judge *j, struct tn_str env);
/* env.id of the base whose packages this environment sees; NULL: none, or not among the environments. */
const char *tn_judge_base(const struct tn_snap *s, const struct tn_rec_env *env);
/* The framework rows (CuPy and TensorRT apart) that the judge's environment sees: the first at or after *row, or NULL;
 * *row is advanced past it. What the environment has itself hides what its base has (Python's search order). */
const struct tn_rec_framework *tn_judge_framework(const struct tn_judge *j, size_t *row);
/* Is there a device node of this path? False also where nodes were not listed. */
bool tn_judge_node(const struct tn_snap *s, const char *path);
/* The distribution of that name that Python would import: none that an earlier folder hides, and a site folder's record
 * before conda's own (pip may have replaced what conda installed). */
const struct tn_rec_dist *tn_judge_dist(const struct tn_judge *j, const char *name);
/* Libraries that the judge's environment sees and of none: the next row at or after *row, or NULL; *row is advanced
 * past it. */
const struct tn_rec_library *tn_judge_library(const struct tn_judge *j, size_t *row);
/* NVIDIA GPUs of the snapshot: the next row at or after *row, or NULL. */
const struct tn_rec_gpu *tn_judge_gpu(const struct tn_judge *j, size_t *row);

enum tn_verdict_status { TN_VERDICT_OK, TN_VERDICT_PROBLEM, TN_VERDICT_UNKNOWN };

#define TN_LAYERS 8 /* hardware driver container platform cuda cudnn framework python, in this order */
#define TN_LAYER_FACTS 8
enum tn_layer_status { TN_LAYER_GOOD, TN_LAYER_BAD, TN_LAYER_WARN, TN_LAYER_UNKNOWN, TN_LAYER_NOTHING };

struct tn_layer {
    const char *name;
    enum tn_layer_status status;
    const char *say;                  /* id of an interface string; NULL with a finding */
    const struct tn_finding *finding; /* that decides the status: its sentence is the summary; NULL when none does */
    struct tn_arg arg[TN_MAX_ARGS];
    unsigned n_arg;
    struct tn_ref fact[TN_LAYER_FACTS]; /* what say speaks of */
    unsigned n_fact;
};

struct tn_verdict {
    enum tn_verdict_status status;
    const struct tn_finding *first; /* the cause; NULL when there is none */
    const struct tn_finding *open;  /* where the verdict is unknown: the first question without an answer */
    const char *say; /* id of an interface string when there is no cause: what is well, or that it is not known (that
                        takes the title of the open question as {title}) */
    struct tn_arg arg[TN_MAX_ARGS];
    unsigned n_arg;
    unsigned warnings;
    unsigned others, others_not_ready; /* other environments with a framework */
    struct tn_layer layer[TN_LAYERS];
};

/* Adds merged findings up. A problem is an error that is confirmed or likely and no consequence. Without one, a
 * question of an error that could not be answered makes it unknown where a GPU is expected; but not one about gpu-code,
 * platform or python, whose absence of facts is common and said. others and others_not_ready are the caller's to fill
 * (check/others.c runs the checks for them). */
void tn_verdict_make(const struct tn_judge *j, const struct tn_sink *findings, struct tn_verdict *ret);

const char *tn_verdict_word(enum tn_verdict_status s); /* ok, problem, unknown */
const char *tn_layer_word(enum tn_layer_status s);     /* good, bad, warning, unknown, nothing */

#endif
