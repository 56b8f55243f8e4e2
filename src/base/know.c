/* know.c - see know.h. */
#include "base/know.h"

#include <string.h>

#include "base/err.h"

static const char *const words[] = {"unasked", "known", "absent", "denied", "failed"};

const char *tn_know_word(enum tn_know k)
{
    return words[k];
}

int tn_know_parse(const char *word)
{
    for (int i = 0; i < 5; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

enum tn_know tn_know_of_error(int code)
{
    switch (code) {
    case TN_OK: return TN_KNOWN;
    case TN_E_NOTFOUND: return TN_ABSENT;
    case TN_E_DENIED: return TN_DENIED;
    case TN_E_UNSUPPORTED: return TN_UNASKED;
    default: return TN_FAILED;
    }
}
