/* version.c - symbol versions: what the new objects require of those that are loaded.
 *
 * Source: glibc elf/dl-version.c. A version that the object with the required name does not define stops the loader; a
 * weak one does not, nor does an object that defines no versions at all. musl checks nothing. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

static const char *shown(struct tn_loader *l, size_t object)
{
    const char *p = l->object[object].path;
    return p ? p : "";
}

static void lacks(struct tn_loader *l, size_t object, size_t of, const char *version, bool weak, bool none)
{
    struct tn_version_lack v = {.object = object, .of = of, .version = version, .fatal = !weak && !none};
    if (l->n_lack >= TN_MAX_LIST)
        return;
    if (none)
        v.text = tn_arena_printf(l->mem, "%s: no version information available (required by %s)", shown(l, of),
                                 shown(l, object));
    else
        v.text = tn_arena_printf(l->mem, "%s: %sversion `%s' not found (required by %s)", shown(l, of),
                                 weak ? "weak " : "", version, shown(l, object));
    l->lack = tn_arena_grow(l->mem, l->lack, l->n_lack, &l->cap_lack, sizeof *l->lack);
    l->lack[l->n_lack++] = v;
}

/* "libc.so.6:GLIBC_2.17", with '?' at its end when it is weak. */
static void check(struct tn_loader *l, size_t object, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t n = colon ? strlen(colon + 1) : 0;
    if (!n)
        return;
    bool weak = colon[n] == '?';
    const char *file = tn_arena_strndup(l->mem, text, (size_t)(colon - text));
    const char *version = tn_arena_strndup(l->mem, colon + 1, n - weak);
    size_t of = tn_names_find(&l->in->names, file);
    if (of == TN_NO_OBJECT || l->object[of].faked)
        return;
    const struct tn_rec_image *i = &l->object[of].image;
    bool none = i->provides.k == TN_ABSENT;
    if ((!none && i->provides.k != TN_KNOWN) || tn_says(i->soname, version) ||
        tn_names_has(&l->in->versions, version, of))
        return;
    lacks(l, object, of, version, weak, none);
}

size_t tn_loader_versions(struct tn_loader *l, size_t first)
{
    size_t from = l->n_lack;
    if (l->process->kind == TN_PROCESS_MUSL)
        return TN_NO_OBJECT;
    for (size_t o = first; o < l->n_object; o++) {
        struct tn_list r = l->object[o].image.requires;
        for (uint32_t i = 0; r.k == TN_KNOWN && i < r.n; i++)
            check(l, o, r.v[i]);
    }
    for (size_t i = from; i < l->n_lack; i++)
        if (l->lack[i].fatal)
            return i;
    return TN_NO_OBJECT;
}
