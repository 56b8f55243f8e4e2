/* signs.h - what the message forms found in a text, and what they come to.
 *
 * A sign is a form that matched, with its lines; each is an observation "message.FORM" of the snapshot, so that
 * findings can point at it. Ranking adds what signs say to what the checks found in the facts that the text states.
 * Pure. */
#ifndef TN_EXPLAIN_SIGNS_H
#define TN_EXPLAIN_SIGNS_H

#include "base/buf.h"
#include "explain/english.h"
#include "explain/form.h"
#include "finding/finding.h"
#include "snapshot/snapshot.h"

#define TN_MAX_SIGN_HITS 8 /* of one form, whose holes are kept */

struct tn_sign {
    unsigned form, count;
    unsigned told; /* of them those that are told as having happened */
    unsigned first_line, last_line;
    size_t observation; /* row */
    struct {
        struct {
            const char *name, *value;
        } hole[TN_MAX_FORM_HOLES];
        unsigned n_hole, line;
    } hit[TN_MAX_SIGN_HITS];
    unsigned n_hit;
};

struct tn_signs {
    struct tn_arena *mem;
    struct tn_sign *v;
    size_t n, cap;
    const char *forget; /* forms that were learnt from this source alone are switched off; NULL: none */
};

/* Reads a cleaned text: adds signs, their observations, and what the forms say of facts. line_of: number of its first
 * line. */
void tn_signs_scan(struct tn_signs *signs, struct tn_span clean, unsigned first_line, struct tn_snap *s);
/* The same for messages in other languages (english.h): of the text in English, the lines that were changed; what is
 * shown of them is the original line. */
void tn_signs_scan_english(struct tn_signs *signs, const struct tn_english *e, struct tn_span clean,
                           unsigned first_line, struct tn_snap *s);
/* supposed.c: does the sentence speak of what could happen, up to the match at from..to? */
bool tn_signs_supposed(struct tn_span text, size_t from, size_t to);
/* Does any sign speak for a cause? */
bool tn_signs_speak(const struct tn_signs *signs);
const struct tn_sign *tn_signs_find(const struct tn_signs *signs, const char *form);
const char *tn_sign_name(const struct tn_sign *sign);

/* What the checks found on the machine that is believed to be the text's own. */
struct tn_join {
    const struct tn_snap *s; /* of the machine */
    const struct tn_sink *found;
    const char *const *checked; /* causes that checks looked for there */
    size_t n_checked;
};

/* Do text and machine plainly differ: another system, driver or card? Then the text comes from elsewhere. */
bool tn_signs_elsewhere(const struct tn_snap *text, const struct tn_snap *machine);

/* What the text as a whole comes to: found holds what the checks said of its facts (merged); *out gets the causes, most
 * probable first, consequences behind. */
/* join: NULL, or the machine: a cause that holds there comes first, one that does not hold is ruled out, and facts of
 * the machine that findings rest on become observations "here.FACT" of s. */
void tn_signs_rank(const struct tn_signs *signs, struct tn_snap *s, const struct tn_sink *found,
                   const struct tn_join *join, struct tn_sink *out);

/* Does a list of conditions hold? For the remedies of a cause (data/messages, "fix:"). */
bool tn_signs_hold(const struct tn_signs *signs, const struct tn_snap *s, const struct tn_sign *of, unsigned cond,
                   unsigned n);

#endif
