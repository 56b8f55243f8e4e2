/* sentence.h - the sentences of a cleaned text, one at a time, in small letters. Pure. */
#ifndef TN_EXPLAIN_SENTENCE_H
#define TN_EXPLAIN_SENTENCE_H

#include "base/span.h"

/* low: NUL-ended, may be written to; line: of the text. Lines of more than TN_SENTENCE_ROW bytes are no prose. */
#define TN_SENTENCE_ROW 600u
void tn_sentences(struct tn_span clean, void (*on)(void *ctx, char *low, unsigned line), void *ctx);

#endif
