/* told.h - causes and missing libraries that a sentence names itself (text_told.c). Pure. */
#ifndef TN_EXPLAIN_TOLD_H
#define TN_EXPLAIN_TOLD_H

#include "explain/explain.h"

/* complaint.cause = slug for each cause that the sentence tells. s: as text_complaint.c writes a sentence, small
 * letters and single blanks; one_of: its look for words by bars. */
void tn_told_causes(struct tn_explain *e, const char *s, unsigned line, bool (*one_of)(const char *, const char *));
/* asked.library for each library of NVIDIA's that the sentence says is not found. low: the sentence as it stands, in
 * small letters. */
void tn_told_libraries(struct tn_explain *e, const char *low, unsigned line);

#endif
