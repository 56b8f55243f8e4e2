/* failed.h - of the output of a program that has ended: did it fail for what the text tells of, and did it do without
 * a GPU that it asked for? Pure. */
#ifndef TN_EXPLAIN_FAILED_H
#define TN_EXPLAIN_FAILED_H

#include "base/span.h"
#include "finding/finding.h"
#include "snapshot/snapshot.h"

/* The line where the last traceback of Python begins, with those that it came from; 0: there is none. first: number of
 * the text's first line. */
unsigned tn_failed_from(struct tn_span text, unsigned first);
/* Does any cause, harmless ones apart, rest on a line from there on? What was printed before a traceback is not what
 * the program failed of. from 0: on any line. */
bool tn_failed_by(const struct tn_snap *s, const struct tn_sink *found, unsigned from);

enum tn_fell {
    TN_FELL_NOT,
    TN_FELL_IF_GPU, /* it says so on every machine without a GPU: it means something only where there is one */
    TN_FELL_BACK    /* only who asked for a GPU is told so */
};
/* *ret: the program's words. */
enum tn_fell tn_fell_back(const struct tn_snap *s, const char **ret);

#endif
