/* takes.h - would an environment load this very file? The one place where `find` asks that.
 *
 * What the loader would give the judged environment's frameworks (record load) decides; where that is not known, the
 * copy that a framework meets first under a name that it opens (libs.c). */
#ifndef TN_CHECK_TAKES_H
#define TN_CHECK_TAKES_H

#include "check/check.h"

enum tn_takes {
    TN_TAKES_NO,
    TN_TAKES_YES,
    TN_TAKES_UNKNOWN, /* nobody there asks for it by name, or what asks is not known */
    TN_TAKES_SHADOWED /* it is in a folder that is searched, but another copy comes first */
};

struct tn_takes_answer {
    enum tn_takes how;
    const struct tn_rec_framework *by; /* who asks for it; NULL: nobody that is known to */
    size_t first;                      /* shadowed: row of the copy that comes first */
    bool path_unused; /* it lies in a folder of PATH, which a Python of the Microsoft Store does not search */
};

/* j: of the environment, or with env NULL of a program of no environment. */
void tn_check_takes(const struct tn_judge *j, size_t library_row, struct tn_takes_answer *ret);

/* The interpreter is a packaged program of the Microsoft Store: DLLs are not searched on PATH for it (Microsoft Learn,
 * "Dynamic-link library search order", packaged apps). */
bool tn_check_is_store(const struct tn_judge *j);

#endif
