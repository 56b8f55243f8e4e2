/* wanted.c - see wanted.h. */
#include "version/wanted.h"

#include <string.h>

#include "base/str.h"

static bool same(bool fold, const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fold ? tn_lower(a[i]) != tn_lower(b[i]) : a[i] != b[i])
            return false;
        else if (!a[i])
            return true;
    return true;
}

/* The pattern with names in lower case, where case is none. */
static bool glob(const struct tn_wanted *w, const char *name)
{
    char a[TN_MAX_NAME_BYTES + 1], b[TN_MAX_NAME_BYTES + 1];
    size_t n = strlen(w->text), m = strlen(name);
    if (!w->fold)
        return tn_str_glob(w->text, name);
    if (n >= sizeof a || m >= sizeof b)
        return false;
    for (size_t i = 0; i <= n; i++)
        a[i] = tn_lower(w->text[i]);
    for (size_t i = 0; i <= m; i++)
        b[i] = tn_lower(name[i]);
    return tn_str_glob(a, b);
}

int tn_version_wanted_init(struct tn_wanted *ret, const char *text, bool fold, struct tn_err *err)
{
    struct tn_wanted w = {.kind = TN_WANTED_STEM, .fold = fold, .text = text};
    size_t n = strlen(text);
    if (n == 0 || n > TN_MAX_NAME_BYTES || strpbrk(text, "/\\"))
        return tn_err_set(err, TN_E_USAGE, NULL, "not the name of a file");
    if (strpbrk(text, "*?")) {
        w.kind = TN_WANTED_GLOB;
        w.head = strcspn(text, "*?");
    } else if (tn_version_soname_parse(text, &w.cut, NULL) == 0) {
        w.kind = TN_WANTED_LIB;
        w.fold |= w.cut.dll;
        w.head = strlen(w.cut.stem);
    } else {
        w.bare = !tn_str_starts(text, "lib");
    }
    *ret = w;
    return 0;
}

/* "8" holds "8" and "8.9.7", but not "80"; "" holds all. */
static bool holds(const char *version, const char *theirs)
{
    size_t n = strlen(version);
    return n == 0 || (strncmp(theirs, version, n) == 0 && (theirs[n] == 0 || theirs[n] == '.'));
}

static bool is_library(const struct tn_wanted *w, const char *name)
{
    struct tn_soname c;
    if (!same(w->fold, name, w->cut.stem, w->head) || tn_version_soname_parse(name, &c, NULL) || c.dll != w->cut.dll ||
        strcmp(c.stem, w->cut.stem) != 0)
        return false;
    if (w->cut.dll) /* a name of Windows is whole: cudart64_110.dll is no cudart64_11.dll */
        return strcmp(c.version, w->cut.version) == 0 && c.bits == w->cut.bits &&
               (!*w->cut.copy || strcmp(c.copy, w->cut.copy) == 0);
    return holds(w->cut.version, c.version) && (!*w->cut.copy || strcmp(c.copy, w->cut.copy) == 0);
}

static bool is_stem(const struct tn_wanted *w, const char *name)
{
    struct tn_soname c;
    size_t n = strlen(w->text), skip = w->bare && same(w->fold, name, "lib", 3) ? 3 : 0;
    bool lib = same(true, name + skip, w->text, n), plain = same(w->fold, name, w->text, n);
    if (plain && name[n] == 0)
        return true;
    if ((!lib && !plain) || tn_version_soname_parse(name, &c, NULL))
        return false;
    const char *stem = c.stem + (lib && skip && !c.dll ? 3 : 0);
    return c.dll ? tn_str_ieq(c.stem, w->text) : strcmp(stem, w->text) == 0 || strcmp(c.stem, w->text) == 0;
}

bool tn_version_wanted(const void *ctx, const char *name)
{
    const struct tn_wanted *w = ctx;
    switch (w->kind) {
    case TN_WANTED_GLOB: return same(w->fold, name, w->text, w->head) && glob(w, name);
    case TN_WANTED_LIB: return is_library(w, name);
    default: return is_stem(w, name);
    }
}
