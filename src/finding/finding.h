/* finding.h - what a check reports: a cause, how sure, on what evidence, and what would help.
 *
 * Never a sentence: the cause is a slug of the catalogue, the rest are references to facts and named arguments from
 * which the catalogue makes text in either language. A finding without evidence is a bug. */
#ifndef TN_FINDING_FINDING_H
#define TN_FINDING_FINDING_H

#include "base/attr.h"
#include "snapshot/snapshot.h"

enum tn_status { TN_CONFIRMED, TN_LIKELY, TN_POSSIBLE, TN_RULED_OUT, TN_UNTESTABLE };
enum tn_severity { TN_ERROR, TN_WARNING, TN_NOTE };

#define TN_MAX_ARGS 12
#define TN_MAX_EVIDENCE 24
#define TN_MAX_REMEDIES 6

struct tn_arg {
    const char *key, *value;
};

struct tn_remedy {
    const char *id;      /* data/remedies/ID */
    const char *variant; /* which of its commands; NULL: by distribution, then system, then the default */
    struct tn_arg arg[TN_MAX_ARGS];
    unsigned n_arg;
};

struct tn_finding {
    const char *cause;
    const char *variant; /* which sentence of the cause says it best; NULL: the plain one */
    enum tn_status status;
    enum tn_severity severity; /* the cause's own unless the check lowers it */
    struct tn_ref subject;     /* what the finding is about */
    const char *env;           /* env.id when it is about one environment */
    struct tn_arg arg[TN_MAX_ARGS];
    struct tn_ref evidence[TN_MAX_EVIDENCE];
    struct tn_remedy remedy[TN_MAX_REMEDIES]; /* best first */
    unsigned n_arg, n_evidence, n_remedy;
    const char *behind; /* slug of the root cause that explains this one; NULL: it stands for itself */
};

/* Where checks put findings. Texts are copied into mem. */
struct tn_sink {
    struct tn_arena *mem;
    const char *cause; /* of the check that runs now */
    const char *env;   /* env.id that findings of environment scope get; NULL: none */
    struct tn_finding *v;
    size_t n, cap;
};

void tn_sink_init(struct tn_sink *out, struct tn_arena *mem);

/* Reports the running check's cause. The pointer is valid until the next report. */
struct tn_finding *tn_find(struct tn_sink *out, enum tn_status status, struct tn_ref subject);
/* The check cannot tell: this fact is missing. Reported once per cause, with every missing fact as evidence. */
void tn_untestable(struct tn_sink *out, struct tn_ref missing);

void tn_find_arg(struct tn_sink *out, struct tn_finding *f, const char *key, const char *fmt, ...) TN_PRINTF(4, 5);
/* Adds a fact as evidence, unless it is there already. Facts that are "absent" are evidence too. */
void tn_find_evidence(struct tn_finding *f, struct tn_ref fact);
/* Adds a remedy; fill its arguments with tn_remedy_arg. */
struct tn_remedy *tn_find_remedy(struct tn_sink *out, struct tn_finding *f, const char *id, const char *variant);
void tn_remedy_arg(struct tn_sink *out, struct tn_remedy *r, const char *key, const char *fmt, ...) TN_PRINTF(4, 5);

const char *tn_status_word(enum tn_status s);     /* confirmed, likely, possible, ruled_out, untestable */
const char *tn_severity_word(enum tn_severity s); /* error, warning, note */

/* Marks consequences (the catalogue's "behind" lines: a finding whose cause lists a root that is itself confirmed or
 * likely, no lighter, and about the same machine or environment) and sorts: causes by severity, status and layer, so
 * that the first finding is the first cause; then consequences; then benign; then untestable; ruled out last. Stable,
 * so that the same facts give the same order. */
void tn_findings_merge(struct tn_sink *out);

#endif
