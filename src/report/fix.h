/* fix.h - a finding's remedy as a plan, as text for people and as JSON (json_contract.md, command plan). Pure. */
#ifndef TN_REPORT_FIX_H
#define TN_REPORT_FIX_H

#include "plan/fix.h"
#include "plan/step.h"
#include "report/report.h"

/* What doctor would say after the steps. */
enum tn_fix_outcome {
    TN_FIX_UNTOLD,
    TN_FIX_MENDS,
    TN_FIX_KEEPS,
    TN_FIX_GONE /* this finding would be gone, and of all else it is not known */
};

struct tn_report_fix {
    const struct tn_report *of; /* the verdict as it is now */
    const char *cause;          /* that was asked for; NULL: the first */
    const struct tn_fix *fix;   /* NULL: nothing to mend */
    const struct tn_plan *plan; /* in place of the remedy's own steps; NULL */
    const struct tn_plan_steps *steps;
    enum tn_fix_outcome outcome;
    enum tn_fix_told told;          /* why it is not told */
    const struct tn_finding *stays; /* what doctor would still find first; NULL */
    struct tn_arena *mem;
};

void tn_report_fix_text(const struct tn_report_fix *r, struct tn_buf *ret);
void tn_report_fix_json(const struct tn_report_fix *r, struct tn_buf *ret);

#endif
