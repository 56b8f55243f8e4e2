/* know.h - the five things that a question about a machine can come to.
 *
 * "Could not look" is never "is not there", and never "is healthy". Zeroed memory means: never asked. */
#ifndef TN_BASE_KNOW_H
#define TN_BASE_KNOW_H

enum tn_know {
    TN_UNASKED, /* nobody looked, or a record does not hold the answer */
    TN_KNOWN,   /* looked, and here it is */
    TN_ABSENT,  /* looked, and it is not there */
    TN_DENIED,  /* it may be there: no right to look */
    TN_FAILED   /* looking went wrong: time out, I/O error, malformed answer */
};

const char *tn_know_word(enum tn_know k); /* "unasked", "known", ... as in JSON */
int tn_know_parse(const char *word);      /* the value, or -1 */
/* From a TN_E code: absent, denied or failed. */
enum tn_know tn_know_of_error(int code);

#endif
