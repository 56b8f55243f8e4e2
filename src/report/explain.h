/* explain.h - the answer to a pasted text. */
#ifndef TN_REPORT_EXPLAIN_H
#define TN_REPORT_EXPLAIN_H

#include <jansson.h>

#include "report/report.h"

/* r->findings: causes, most probable first (explain/signs.h); r->verdict: made of them. */
void tn_report_explain(const struct tn_report *r, struct tn_buf *ret);

/* verdict_text.c: why the first cause is one, and what to do about it. */
void tn_report_why(const struct tn_report *r, struct tn_buf *b);
void tn_report_remedy(const struct tn_report *r, struct tn_buf *b);

/* verdict_text.c: how to see that it helped. */
void tn_report_check(const struct tn_report *r, struct tn_buf *b);

/* advice.c: what the text repeats and should not. */
void tn_report_advice(const struct tn_report *r, struct tn_buf *b);
json_t *tn_report_advice_json(const struct tn_report *r);

#endif
