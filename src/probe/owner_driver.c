/* owner_driver.c - what brought the libraries of the driver, and whether a verdict hangs on it.
 *
 * A healthy machine is not asked: its package database is left alone unless the driver's own files contradict each
 * other or the loaded module. Sources: WSL and Nix by their folders; the container engine mounts the host's files over
 * names in the container (proc(5), mountinfo: the fifth field is the mount point); NVIDIA's installer lists its files
 * as "1: PATH" (nvidia-installer, backup.c: INSTALLED_FILE); the rest by the owners that owner.c has found. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/owner.h"

#define MOUNTS "/proc/self/mountinfo"

bool tn_owner_is_driver(const struct tn_rec_library *l)
{
    static const char *const stems[] = {"libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler", NULL};
    return tn_known(l->stem) && tn_known(l->path) && !tn_known(l->env) && tn_str_in(l->stem.v, stems) &&
           !tn_says(l->kind, "stub") && !tn_says(l->kind, "compat") && !tn_says(l->place, "toolkit");
}

/* Names: Debian's source package nvidia-graphics-drivers, Ubuntu's of that name with a branch, NVIDIA's repositories.
 */
bool tn_owner_is_driver_package(const char *name)
{
    static const char *const heads[] = {"nvidia-driver",        "nvidia-dkms",    "nvidia-open", "nvidia-kernel",
                                        "nvidia-tesla",         "nvidia-utils",   "nvidia-smi",  "nvidia-alternative",
                                        "linux-modules-nvidia", "libnvidia-",     "libcuda1",    "cuda-drivers",
                                        "nvidia-compute-utils", "nvidia-firmware"};
    if (strstr(name, "container") || tn_str_ends(name, "-dev"))
        return false;
    for (unsigned i = 0; i < TN_LEN(heads); i++)
        if (tn_str_starts(name, heads[i]))
            return true;
    return false;
}

static bool differ(struct tn_str a, struct tn_str b)
{
    return tn_known(a) && tn_known(b) && strcmp(a.v, b.v) != 0;
}

bool tn_owner_unclear(const struct tn_probe_ctx *c)
{
    const struct tn_snap *s = c->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    bool card = s->gpu.listed != TN_KNOWN, part = false;
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c))
        return false;
    for (size_t i = 0; i < s->gpu.n; i++)
        card = card || tn_says(s->gpu.v[i].vendor, "nvidia");
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (!tn_owner_is_driver(l))
            continue;
        part = true;
        if (differ(l->version, d->version) || differ(l->version, d->library_version))
            return true;
    }
    for (size_t i = 0; i < s->module.n; i++) {
        part = part || tn_known(s->module.v[i].version);
        if (tn_is(s->module.v[i].running, 1) &&
            (differ(s->module.v[i].version, d->version) || differ(s->module.v[i].version, d->library_version)))
            return true;
    }
    if (tn_is(d->loaded, 1))
        return d->library_version.k != TN_KNOWN;
    return tn_is(d->loaded, 0) && card && part; /* why not? */
}

bool tn_owner_is_mount(struct tn_span mounts, const char *path)
{
    struct tn_span line;
    size_t n = strlen(path);
    while (tn_span_line(&mounts, &line)) {
        size_t at = 0;
        for (unsigned field = 1; field < 5 && at != SIZE_MAX; field++) {
            at = tn_span_find(line, at, " ", 1);
            at += at != SIZE_MAX;
        }
        if (at != SIZE_MAX && line.n > at + n && memcmp(line.p + at, path, n) == 0 && line.p[at + n] == ' ')
            return true;
    }
    return false;
}

bool tn_runfile_lists(struct tn_span text, const char *path)
{
    struct tn_span line;
    size_t n = strlen(path);
    while (tn_span_line(&text, &line))
        if (line.n == n + 3 && tn_span_starts(line, "1: ") && memcmp(line.p + 3, path, n) == 0)
            return true;
    return false;
}

/* The database that owner.c has asked says "PACKAGE VERSION". */
static const char *manager_of(const struct tn_snap *s, const char *owner)
{
    for (size_t i = 0; i < s->package.n; i++) {
        const struct tn_rec_package *p = &s->package.v[i];
        size_t n = tn_known(p->name) ? strlen(p->name.v) : 0;
        if (n && tn_known(p->manager) && strncmp(owner, p->name.v, n) == 0 &&
            (owner[n] == ' ' || owner[n] == '\0' || owner[n] == '-'))
            return p->manager.v;
    }
    return NULL;
}

void tn_owner_by(struct tn_probe_ctx *c, bool deep)
{
    struct tn_snap *s = c->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    struct tn_answer mounts = {0}, list = {0};
    uint32_t mounts_src = 0, list_src = 0;
    if (deep && tn_known(TN_THE(s, container)->kind)) {
        mounts = tn_world_read(c->w, c->tmp, MOUNTS, 8u * TN_MAX_SMALL_FILE);
        mounts_src = tn_probe_src(s, "read", MOUNTS, &mounts);
    }
    if (deep && tn_known(d->runfile)) {
        list = tn_world_read(c->w, c->tmp, TN_RUNFILE_LOG, TN_MAX_SMALL_FILE);
        list_src = tn_probe_src(s, "read", TN_RUNFILE_LOG, &list);
    }
    for (size_t i = 0; i < s->library.n; i++) {
        struct tn_rec_library *l = &s->library.v[i];
        if (!tn_owner_is_driver(l))
            continue;
        const char *manager = tn_known(l->owner) ? manager_of(s, l->owner.v) : NULL;
        if (tn_str_starts(l->path.v, "/usr/lib/wsl/"))
            l->by = tn_fact_str(s, l->path.src, "wsl");
        else if (tn_str_starts(l->path.v, "/nix/store/"))
            l->by = tn_fact_str(s, l->path.src, "nix");
        else if (mounts.got == TN_KNOWN && tn_owner_is_mount(mounts.data, l->path.v))
            l->by = tn_fact_str(s, mounts_src, "container");
        else if (list.got == TN_KNOWN && tn_runfile_lists(list.data, l->path.v))
            l->by = tn_fact_str(s, list_src, "runfile");
        else if (manager)
            l->by = tn_fact_str(s, l->owner.src, manager);
        else if (tn_known(d->runfile) && tn_known(l->version) && strcmp(d->runfile.v, l->version.v) == 0)
            l->by = tn_fact_str(s, d->runfile.src, "runfile"); /* its list is root's to read */
        else if (deep && l->owner.k != TN_UNASKED && l->owner.k != TN_KNOWN)
            l->by = tn_fact_nostr(l->owner.src, l->owner.k);
    }
}
