/* musl.c - the search of musl's loader: another order than glibc's.
 *
 * Source: musl ldso/dynlink.c (load_library, path_open, fixup_rpath). LD_LIBRARY_PATH, then the run path (DT_RUNPATH
 * replaces DT_RPATH) of the asker and of all who brought it, then the folders of /etc/ld-musl-ARCH.path. There is no
 * cache, no folders for hardware, no check of versions; the first file that opens is taken, whatever it is. A loop of
 * links ends the whole search. A loaded library answers to the name by which it was found, not to its soname. */
#include <string.h>

#include "base/str.h"
#include "loader/inner.h"

bool tn_loader_musl_own(const char *name)
{
    static const char *const own[] = {"libc.", "libpthread.", "librt.", "libm.", "libdl.", "libutil.", "libxnet."};
    for (size_t i = 0; i < TN_LEN(own); i++)
        if (tn_str_starts(name, own[i]))
            return true;
    return false;
}

static void by_name(struct tn_hunt *h)
{
    struct tn_loader *l = h->l;
    size_t bound = l->n_object + 1;
    if (!l->process->library_path)
        tn_hunt_step(h, TN_RULE_ENV, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
    if (tn_hunt_folders(h, TN_RULE_ENV, TN_NO_OBJECT, l->in->env) != TN_TRY_NEXT)
        return;
    for (size_t o = h->asker; o != TN_NO_OBJECT && bound--; o = l->object[o].loader) {
        bool run = l->object[o].image.runpath.k == TN_KNOWN;
        if (tn_hunt_folders(h, run ? TN_RULE_RUNPATH : TN_RULE_RPATH, o,
                            run ? tn_loader_runpath(l, o) : tn_loader_rpath(l, o)) != TN_TRY_NEXT)
            return;
    }
    if (l->process->foreign)
        tn_hunt_step(h, TN_RULE_DEFAULT, TN_STEP_UNKNOWN, TN_NO_OBJECT, NULL, NULL);
    else
        tn_hunt_folders(h, TN_RULE_DEFAULT, TN_NO_OBJECT, l->in->defaults);
}

void tn_hunt_musl(struct tn_hunt *h)
{
    struct tn_loader *l = h->l;
    h->musl = true;
    l->in->reason = *h->name ? "No such file or directory" : "Invalid argument";
    if (strchr(h->name, '/'))
        tn_hunt_file(h, TN_RULE_PATH, TN_NO_OBJECT, NULL, h->name);
    else if (*h->name && strlen(h->name) <= TN_MAX_NAME_BYTES)
        by_name(h);
    if (h->outcome == TN_OUTCOME_FOUND)
        return;
    if (!l->in->reason)
        l->in->reason = "No such file or directory";
    const char *why = h->outcome == TN_OUTCOME_STOPS ? h->error : l->in->reason;
    bool need = l->search[l->n_search - 1].came == TN_CAME_NEED;
    h->error = tn_arena_printf(l->mem, "Error loading shared library %s: %s%s%s%s", h->name, why,
                               need ? " (needed by " : "", need ? l->object[h->asker].path : "", need ? ")" : "");
}
