/* text_listing.c - the files that a listing shows: ls, ls -l, find, locate, where. What stands there is there, whatever
 * the loader says.
 *
 * A line is one where it holds nothing but names of files: a path alone, a line of ls -l, or several names in columns
 * of which one is a library's. Only libraries are kept: found.library. */
#include <string.h>

#include "base/str.h"
#include "explain/explain.h"

#define MAX_FILE 200u

static bool is_library(const char *name)
{
    size_t n = strlen(name);
    return (tn_str_starts(name, "lib") && strstr(name, ".so")) || (n > 4 && tn_str_ieq(name + n - 4, ".dll"));
}

/* A path alone, or the name at the end of a line of ls -l; its base name is kept. */
static bool one_of_a_line(struct tn_explain *e, const struct tn_explain_line *l)
{
    char path[MAX_FILE];
    const char *from = l->text + strspn(l->text, " \t"), *arrow = strstr(from, " -> ");
    bool long_form = (from[0] == '-' || from[0] == 'l') && from[1] == 'r' && (from[2] == 'w' || from[2] == '-');
    size_t n = arrow ? (size_t)(arrow - from) : strlen(from);
    while (n && (from[n - 1] == ' ' || from[n - 1] == '\r'))
        n--;
    bool rooted = from[0] == '/' || (tn_is_alpha(from[0]) && from[1] == ':' && from[2] == '\\');
    if (!n || (!rooted && !long_form))
        return false;
    size_t at = n;
    while (at && from[at - 1] != '/' && from[at - 1] != '\\' && from[at - 1] != ' ')
        at--;
    n -= at;
    if (n == 0 || n >= sizeof path || (rooted && arrow) || (from[0] == '/' && strcspn(from, " ") < at))
        return false;
    memcpy(path, from + at, n);
    path[n] = 0;
    if (is_library(path))
        tn_explain_say(e, "found.library", path, l->number);
    return true;
}

static bool is_file_name(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!tn_is_alpha(p[i]) && !tn_is_digit(p[i]) && !strchr("._-+@*'", p[i]))
            return false;
    return n > 0;
}

/* "libd3d12.so  libd3d12core.so  nvidia-smi": names in columns; a sentence has words without a dot. */
static void columns(struct tn_explain *e, const struct tn_explain_line *l, bool speak)
{
    char name[MAX_FILE];
    unsigned names = 0, libraries = 0;
    for (const char *p = l->text + strspn(l->text, " \t`"), *end; *p; p = end + strspn(end, " \t`\r")) {
        size_t n = strcspn(p, " \t`\r");
        end = p + n;
        if (!is_file_name(p, n) || n >= sizeof name)
            return;
        memcpy(name, p, n);
        name[n] = 0;
        name[strcspn(name, "@*")] = 0; /* ls -F */
        names++;
        bool library = is_library(name);
        libraries += library;
        if (speak && library)
            tn_explain_say(e, "found.library", name, l->number);
    }
    if (!speak && names >= 2 && 2 * libraries > names)
        columns(e, l, true);
}

void tn_explain_listing_line(struct tn_explain *e, const struct tn_explain_line *l)
{
    if (!one_of_a_line(e, l))
        columns(e, l, false);
}
