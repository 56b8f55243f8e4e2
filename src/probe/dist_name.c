/* dist_name.c - name and version of a distribution from the name of its record alone: nothing is opened.
 *
 * Sources: PyPA "Recording installed projects" (name-version.dist-info, both escaped), setuptools' .egg-info
 * (name-version-pyX.Y.egg-info or name.egg-info), conda's conda-meta/name-version-build.json, pip's "~" leftovers. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "probe/env.h"
#include "snapshot/packages.h"
#include "version/wheeltag.h"

static void copy(char *to, size_t size, const char *from, size_t n)
{
    if (n >= size)
        n = size - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

static bool normal(const char *from, size_t n, char *to, size_t size)
{
    char raw[256];
    if (n == 0 || n >= sizeof raw)
        return false;
    copy(raw, sizeof raw, from, n);
    if (raw[0] == '_') /* conda's _openmp_mutex and the like; no Python name begins so */
        return false;
    return tn_version_normal_name(raw, to, size, NULL) == 0;
}

/* name-version-build.json: only the name may hold more dashes. */
static bool parse_conda(const char *entry, size_t n, struct tn_pydist_name *ret)
{
    size_t build = n, version;
    while (build && entry[build - 1] != '-')
        build--;
    if (build < 2)
        return false;
    version = build - 1;
    while (version && entry[version - 1] != '-')
        version--;
    if (version < 2 || version + 1 >= build || build == n)
        return false;
    if (!normal(entry, version - 1, ret->package, sizeof ret->package))
        return false;
    copy(ret->version, sizeof ret->version, entry + version, build - 1 - version);
    copy(ret->build, sizeof ret->build, entry + build, n - build);
    ret->kind = TN_PYDIST_CONDA;
    return true;
}

/* The tail of a name that pip moved aside: its beginning is "~" and filling. */
static bool parse_leftover(const char *entry, size_t name_n, struct tn_pydist_name *ret)
{
    char raw[256];
    if (name_n >= sizeof raw)
        return false;
    for (size_t i = 0; i < name_n; i++)
        raw[i] = entry[i] == '_' || entry[i] == '.' ? '-' : tn_lower(entry[i]);
    raw[name_n] = 0;
    return tn_package_restore(raw, ret->package, sizeof ret->package);
}

enum tn_pydist_kind tn_pydist_parse(const char *entry, bool conda, struct tn_pydist_name *ret)
{
    size_t n = strlen(entry);
    ret->kind = TN_PYDIST_NONE;
    ret->package[0] = ret->version[0] = ret->build[0] = 0;
    if (conda) {
        if (tn_str_ends(entry, ".json"))
            parse_conda(entry, n - 5, ret);
        return ret->kind;
    }
    bool egg = tn_str_ends(entry, ".egg-info"), info = tn_str_ends(entry, ".dist-info");
    if (!egg && !info && (entry[0] != '~' || strchr(entry, '.')))
        return TN_PYDIST_NONE;
    n -= egg ? 9 : info ? 10 : 0;
    bool leftover = entry[0] == '~';
    size_t skip = leftover ? 1 + strspn(entry + 1, "-~.=%0123456789") : 0; /* the filling may hold dashes */
    const char *dash = skip < n ? memchr(entry + skip, '-', n - skip) : NULL;
    size_t name_n = dash ? (size_t)(dash - entry) : n;
    if (leftover ? !parse_leftover(entry, name_n, ret) : !normal(entry, name_n, ret->package, sizeof ret->package))
        return TN_PYDIST_NONE;
    if (dash) {
        const char *v = dash + 1;
        size_t vn = n - name_n - 1;
        for (size_t i = 0; egg && i + 3 < vn; i++) /* "-py3.8" and what follows it */
            if (memcmp(v + i, "-py", 3) == 0 && tn_is_digit(v[i + 3]))
                vn = i;
        copy(ret->version, sizeof ret->version, v, vn);
    }
    return ret->kind = leftover ? TN_PYDIST_LEFTOVER : egg ? TN_PYDIST_EGG : TN_PYDIST_INFO;
}
