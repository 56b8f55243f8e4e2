/* err.c - see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void copy(char to[TN_ERR_TEXT], const char *from)
{
    size_t n = strnlen(from, TN_ERR_TEXT - 1);
    memcpy(to, from, n);
    to[n] = 0;
}

int tn_err_set(struct tn_err *err, int code, const char *place, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        err->code = code;
        copy(err->place, place ? place : "");
        va_start(ap, fmt);
        vsnprintf(err->text, sizeof err->text, fmt, ap);
        va_end(ap);
    }
    return code;
}

int tn_err_say(struct tn_err *err, int code, const char *place, const char *text)
{
    if (err) {
        err->code = code;
        copy(err->place, place ? place : "");
        copy(err->text, text);
    }
    return code;
}

const char *tn_err_word(int code)
{
    switch (code) {
    case TN_OK: return "ok";
    case TN_E_NOTFOUND: return "not found";
    case TN_E_DENIED: return "permission denied";
    case TN_E_IO: return "input/output error";
    case TN_E_FORMAT: return "malformed";
    case TN_E_LIMIT: return "too large";
    case TN_E_TIMEOUT: return "no answer in time";
    case TN_E_USAGE: return "wrong use";
    case TN_E_UNSUPPORTED: return "not supported here";
    case TN_E_REFUSED: return "refused";
    case TN_E_EXISTS: return "already there";
    case TN_E_FULL: return "no space left";
    case TN_E_INTERRUPTED: return "interrupted";
    default: return "unknown error";
    }
}
