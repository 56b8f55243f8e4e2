/* form.h - message forms: which words in a text prove, suggest or speak against a cause.
 *
 * Compiled in from data/messages by tools/gen_messages.py; offsets into one pool, nothing to relocate. A form is
 * literal text with typed holes, matched without regard to ASCII case; a blank in it stands for any run of blanks and
 * at most one line end (terminals and mailers wrap). Pure. doc/messages.md has the language. */
#ifndef TN_EXPLAIN_FORM_H
#define TN_EXPLAIN_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum tn_hole {
    TN_HOLE_LIT,
    TN_HOLE_WORD, /* letters, digits, . _ + - */
    TN_HOLE_NUM,  /* digits */
    TN_HOLE_VER,  /* begins with a digit: digits, letters, . + _ - ! */
    TN_HOLE_PATH, /* no blank, quotation mark, angle bracket */
    TN_HOLE_ANY,  /* the shortest run within a line */
    TN_HOLE_REST, /* to the end of the line */
    TN_HOLE_HEX   /* 0x... or hexadecimal digits */
};
enum tn_cond { TN_COND_OS, TN_COND_PART, TN_COND_SEEN, TN_COND_TOLD, TN_COND_SAYS, TN_COND_HOLE };

struct tn_form_token {
    uint32_t kind, text, n; /* text: the folded literal or the hole's name */
};
struct tn_form_text { /* sorted by the hash of their anchor */
    uint16_t form, token, n_token;
    uint8_t lead;   /* index of the literal that holds the anchor: 0, or 1 behind a hole */
    uint8_t anchor; /* its offset in that literal */
    uint32_t gram;  /* its four bytes, bit 5 set in each */
};
struct tn_form_mean {
    uint32_t cause;
    int16_t weight;
    uint16_t cond, n_cond;
};
struct tn_form_cond {
    uint8_t kind;
    bool no;
    uint32_t what; /* text, or for seen the form */
};
struct tn_form_say {
    uint32_t fact, value;
};
struct tn_form_source {
    uint32_t text;
};
struct tn_form_fix {
    uint32_t cause, remedy;
    uint16_t cond, n_cond;
};
struct tn_form {
    uint32_t name;
    uint16_t mean, n_mean, say, n_say, source, n_source;
};
struct tn_form_sample { /* for tests alone */
    unsigned form, yes;
    const char *text;
};

extern const char tn_form_pool[];
extern const struct tn_form_token tn_form_tokens[];
extern const struct tn_form_text tn_form_texts[];
extern const struct tn_form_mean tn_form_means[];
extern const struct tn_form_cond tn_form_conds[];
extern const struct tn_form_say tn_form_says[];
extern const struct tn_form_source tn_form_sources[];
extern const struct tn_form_fix tn_form_fixs[];
extern const struct tn_form tn_forms[];
extern const unsigned char tn_form_bits[];
extern const unsigned short tn_form_first[];
extern const unsigned tn_n_forms, tn_n_form_texts, tn_n_form_tokens, tn_n_form_means, tn_n_form_conds, tn_n_form_says,
    tn_n_form_sources, tn_n_form_fixs;

#define TN_MAX_FORM_HOLES 8

struct tn_form_hit {
    unsigned form;
    size_t from, to; /* bytes of the text */
    struct {
        const char *name;
        struct tn_span value;
    } hole[TN_MAX_FORM_HOLES];
    unsigned n_hole;
};

/* Calls hit for each match in the text, in its order; every form at most once at a place. Linear in the text: at a
 * place the work is bounded. A hit that returns false ends the search. */
void tn_form_scan(struct tn_span text, bool (*hit)(void *ctx, const struct tn_form_hit *h), void *ctx);

/* The same without the forms whose byte in skip is not 0 (it may change between hits); those beyond it are looked for.
 */
void tn_form_scan_but(struct tn_span text, const unsigned char *skip, unsigned n_skip,
                      bool (*hit)(void *ctx, const struct tn_form_hit *h), void *ctx);

/* Does any form's anchor lie in this text? May say yes where none matches. For the lines of huge logs. */
bool tn_form_may_match(struct tn_span text);

/* The value of a hole, or an empty span. */
struct tn_span tn_form_hole(const struct tn_form_hit *h, const char *name);

#endif
