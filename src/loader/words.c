/* words.c - the loader's rules and outcomes by name. */
#include "base/str.h"
#include "loader/loader.h"

const char *tn_rule_word(enum tn_rule r)
{
    static const char *const word[] = {"loaded",          "path",
                                       "RPATH",           "LD_LIBRARY_PATH",
                                       "RUNPATH",         "ld.so.cache",
                                       "default",         "API set",
                                       "side by side",    "KnownDLLs",
                                       "DLL folder",      "application",
                                       "AddDllDirectory", "SetDllDirectory",
                                       "System32",        "Windows",
                                       "working folder",  "PATH"};
    return (size_t)r < TN_LEN(word) ? word[r] : "";
}

const char *tn_step_word(enum tn_step_end e)
{
    static const char *const word[] = {"taken",   "no-folder", "absent", "denied",  "other-class", "other-machine",
                                       "refused", "damaged",   "failed", "unknown", "not-in-cache"};
    return (size_t)e < TN_LEN(word) ? word[e] : "";
}

const char *tn_outcome_word(enum tn_outcome o)
{
    static const char *const word[] = {"found", "missing", "stops", "unknown"};
    return (size_t)o < TN_LEN(word) ? word[o] : "";
}
