/* english.h - messages of the C library, the shell and Windows in other languages, put into English.
 *
 * Message forms are written once, in English; table system_messages has the literal of each language. The marks of code
 * within a sentence (Markdown's `x`) are left out of it as well. Pure. */
#ifndef TN_EXPLAIN_ENGLISH_H
#define TN_EXPLAIN_ENGLISH_H

#include "base/buf.h"
#include "base/span.h"

#define TN_MAX_ENGLISH_LINES 4096u

struct tn_english {
    struct tn_buf text;                     /* the same lines */
    unsigned changed[TN_MAX_ENGLISH_LINES]; /* those that are no longer the same, from 1, ascending */
    unsigned n_changed;
};

/* False: there is nothing in another language, and ret holds nothing. */
bool tn_english_read(struct tn_span clean, struct tn_english *ret);
bool tn_english_changed(const struct tn_english *e, unsigned first, unsigned last);

#endif
