/* err.h - what a fallible function says when it fails.
 *
 * Fallible functions return 0 or a negative TN_E code and take struct tn_err * last; NULL is allowed.
 * Outputs are untouched on failure. Nothing here prints. */
#ifndef TN_BASE_ERR_H
#define TN_BASE_ERR_H

#include "base/attr.h"

enum tn_ecode {
    TN_OK = 0,
    TN_E_NOTFOUND = -1,    /* it is not there */
    TN_E_DENIED = -2,      /* it is there, we may not look */
    TN_E_IO = -3,          /* the system refused for another reason */
    TN_E_FORMAT = -4,      /* the bytes are not of the form they claim */
    TN_E_LIMIT = -5,       /* larger than a limit of limits.h */
    TN_E_TIMEOUT = -6,     /* no answer within the deadline */
    TN_E_USAGE = -7,       /* the caller asked for something that has no meaning */
    TN_E_UNSUPPORTED = -8, /* this platform or build cannot do it */
    TN_E_REFUSED = -9,     /* for safety */
    TN_E_EXISTS = -10,     /* something else is there */
    TN_E_FULL = -11,       /* no space, inodes or quota left */
    TN_E_INTERRUPTED = -12 /* the user asked for the end */
};

#define TN_ERR_TEXT 256

struct tn_err {
    int code;                /* enum tn_ecode */
    char place[TN_ERR_TEXT]; /* file, field or offset; may be empty */
    char text[TN_ERR_TEXT];  /* what happened, English, no full stop */
};

/* Fills err (if not NULL) and returns code, so that `return tn_err_set(...)` reads well. place may be NULL. */
int tn_err_set(struct tn_err *err, int code, const char *place, const char *fmt, ...) TN_PRINTF(4, 5);

/* The same with a text as it is: for what happens thousands of times, such as a name that is not there. */
int tn_err_say(struct tn_err *err, int code, const char *place, const char *text);

/* The word for a code: "not found", "permission denied" ... */
const char *tn_err_word(int code);

#endif
