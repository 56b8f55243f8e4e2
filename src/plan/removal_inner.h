/* removal_inner.h - what the readers of package managers' answers share. Private to plan/. */
#ifndef TN_PLAN_REMOVAL_INNER_H
#define TN_PLAN_REMOVAL_INNER_H

#include "plan/removal.h"

/* The next word up to a blank. */
struct tn_span tn_removal_word_of(struct tn_span *rest);
/* Letters, digits and these marks alone, and not too long. */
bool tn_removal_made_of(struct tn_span s, const char *marks);
bool tn_removal_has_digit(struct tn_span s);

/* *ret is zeroed, with room for TN_REMOVAL_MAX items. */
void tn_transaction_read_apt(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret);
void tn_transaction_read_dnf(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret);
void tn_transaction_read_zypper(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret);
void tn_transaction_read_pacman(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret);

#endif
