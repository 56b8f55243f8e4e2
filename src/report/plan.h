/* plan.h - a plan as text for people and as JSON (json_contract.md, command plan). Pure. */
#ifndef TN_REPORT_PLAN_H
#define TN_REPORT_PLAN_H

#include <jansson.h>

#include "plan/step.h"
#include "report/report.h"

struct tn_commands;

/* What the network was asked for, and what came. */
struct tn_report_online {
    const char *index; /* without user and password */
    unsigned requests;
    uint64_t bytes;
    struct tn_plan_says says; /* of the files that were read */
    bool refused;             /* no installer would take the plan's packages */
};

struct tn_report_plan {
    const struct tn_plan *plan;
    const struct tn_plan_steps *steps;
    const struct tn_finding *stays;        /* what would still be wrong afterwards; NULL */
    const struct tn_commands *commands;    /* that were pasted and put right; NULL */
    const struct tn_report_online *online; /* NULL: only the tables were asked */
    struct tn_arena *mem;
    enum tn_lang lang;
    enum tn_shell shell;
    bool color, verbose;
    bool applied; /* it is about to be done: nothing of "nothing is done here" */
    unsigned width;
};

/* online.c */
void tn_report_online_text(const struct tn_report_online *o, enum tn_lang lang, unsigned width, struct tn_buf *ret);
json_t *tn_report_online_json(const struct tn_report_online *o, enum tn_lang lang);

void tn_report_plan_text(const struct tn_report_plan *r, struct tn_buf *ret);
json_t *tn_report_plan_document(const struct tn_report_plan *r);
/* What a way out changes, as one sentence: "with Python 3.9 and without the GPU". */
void tn_report_changes(const struct tn_plan_way *w, enum tn_lang lang, struct tn_buf *ret);
void tn_report_plan_json(const struct tn_report_plan *r, struct tn_buf *ret);
/* Several, each for an environment of its own. */
void tn_report_plans(const struct tn_report_plan *r, unsigned n, bool json, struct tn_buf *ret);

#endif
