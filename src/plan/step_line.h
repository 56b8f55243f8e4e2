/* step_line.h - a command line in the making: each word quoted for its shell. */
#ifndef TN_PLAN_STEP_LINE_H
#define TN_PLAN_STEP_LINE_H

#include "plan/step.h"

struct tn_line {
    struct tn_buf *b;
    enum tn_shell shell;
    bool ok, first;
    const char *refused; /* the first word that cannot be quoted */
};

void tn_line_word(struct tn_line *l, const char *word);
void tn_line_words(struct tn_line *l, ...);             /* up to NULL */
void tn_line_glue(struct tn_line *l, const char *word); /* without the space before it */

/* step_manual.c. false: it has no command. */
bool tn_plan_step_by_hand(struct tn_arena *mem, const struct tn_plan_steps *all, const struct tn_plan_step *s,
                          struct tn_line *l);

#endif
