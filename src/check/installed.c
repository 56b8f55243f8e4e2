/* installed.c - see installed.h.
 *
 * Sources: dpkg(1), "Package states": half-installed, unpacked and half-configured are those between which a package is
 * not usable. */
#include "check/installed.h"

#include <string.h>

#include "base/str.h"

bool tn_installed_library(const struct tn_rec_library *l, const char *stem)
{
    return tn_says(l->stem, stem) && tn_says(l->kind, "real") && !tn_is(l->bits, 32) && !tn_known(l->env) &&
           !tn_says(l->place, "toolkit") && tn_known(l->version);
}

size_t tn_installed_met(const struct tn_snap *s, const char *stem)
{
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_installed_library(&s->library.v[i], stem) && tn_is(s->library.v[i].reachable, 1) &&
            tn_is(s->library.v[i].rank, 0))
            return i;
    return s->library.n;
}

size_t tn_installed_libcuda(const struct tn_snap *s, const char *version)
{
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_installed_library(&s->library.v[i], "libcuda") && tn_says(s->library.v[i].version, version))
            return i;
    return s->library.n;
}

static bool is_main(const struct tn_rec_module *m)
{
    static const char *const parts[] = {"uvm", "drm", "modeset", "peermem", "-fs", "vgpu-vfio"};
    if (!tn_known(m->name) || !tn_str_starts(m->name.v, "nvidia"))
        return false;
    for (unsigned i = 0; i < TN_LEN(parts); i++)
        if (tn_str_ends(m->name.v, parts[i]))
            return false;
    return true;
}

enum tn_on_disk tn_installed_module(const struct tn_snap *s, const char *version, bool all, size_t *ret_row)
{
    enum tn_on_disk found = TN_DISK_UNKNOWN;
    bool unread = false;
    *ret_row = s->module.n;
    for (size_t i = 0; i < s->module.n; i++) {
        const struct tn_rec_module *m = &s->module.v[i];
        if (!is_main(m) || (!all && !tn_is(m->running, 1)))
            continue;
        unread = unread || !tn_known(m->version);
        if (!tn_known(m->version))
            continue;
        *ret_row = i;
        if (strcmp(m->version.v, version) == 0)
            return TN_DISK_HAS;
        found = TN_DISK_LACKS;
    }
    return unread ? TN_DISK_UNKNOWN : found;
}

size_t tn_installed_half(const struct tn_snap *s)
{
    static const char *const states[] = {"half-installed", "unpacked", "half-configured", NULL};
    for (size_t i = 0; i < s->package.n; i++) {
        const struct tn_rec_package *p = &s->package.v[i];
        if (tn_says(p->manager, "dpkg") && tn_is(p->driver, 1) && tn_known(p->state) && tn_str_in(p->state.v, states))
            return i;
    }
    return s->package.n;
}

size_t tn_installed_held(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_is(s->package.v[i].held, 1) && tn_is(s->package.v[i].driver, 1))
            return i;
    return s->package.n;
}

const char *tn_installed_way(const struct tn_snap *s, const char *by)
{
    const char *distro = tn_look_text(TN_THE(s, host)->distro, "");
    bool suse = tn_str_starts(distro, "opensuse") || tn_str_starts(distro, "sle");
    return tn_str_eq(by, "rpm") && suse ? "zypper" : by;
}

const char *tn_installed_owner(struct tn_arena *mem, const struct tn_rec_library *l)
{
    return tn_known(l->owner) ? tn_arena_strndup(mem, l->owner.v, strcspn(l->owner.v, " ")) : NULL;
}

size_t tn_installed_32(const struct tn_judge *j)
{
    const struct tn_snap *s = j->s;
    if (strcmp(tn_look_machine(j, NULL), "x86_64") != 0)
        return s->library.n;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (tn_look_is_libcuda(l) && tn_is(l->bits, 32) && tn_is(l->reachable, 1) && !tn_known(l->env) &&
            tn_says(l->kind, "real"))
            return i;
    }
    return s->library.n;
}

size_t tn_installed_unlinked(const struct tn_judge *j)
{
    const struct tn_snap *s = j->s;
    size_t found = s->library.n;
    if (TN_THE(s, driver)->library_path.k != TN_ABSENT)
        return found;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (tn_installed_library(l, "libcuda") && tn_says(l->place, "driver") && tn_is(l->reachable, 0) &&
            (found == s->library.n || tn_says(l->version, tn_look_text(TN_THE(s, driver)->version, ""))))
            found = i;
    }
    return found;
}
