/* wsl_libcuda_not_found.c - Windows' libcuda is in WSL, but programs do not find it.
 *
 * /etc/ld.so.conf.d/ld.wsl.conf puts /usr/lib/wsl/lib into the loader's cache. Where that file is gone, or the cache
 * was not made anew, no program meets libcuda.so.1. */
#include <string.h>

#include "check/look.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t there = s->library.n;
    if (!tn_is(TN_THE(s, host)->wsl, 2))
        return;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (!tn_look_is_libcuda(l) || tn_says(l->kind, "stub") || tn_known(l->env))
            continue;
        if (l->reachable.k != TN_KNOWN || l->reachable.v)
            return;
        if (tn_known(l->path) && strncmp(l->path.v, "/usr/lib/wsl/lib/", 17) == 0)
            there = i;
    }
    if (there == s->library.n)
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, there, path));
    tn_find_arg(out, f, "path", "%s", s->library.v[there].path.v);
    tn_find_evidence(f, TN_REF(library, there, path));
    tn_find_evidence(f, TN_REF(library, there, reachable));
    tn_find_remedy(out, f, "wsl-loader-path", NULL);
}

TN_CHECK(wsl_libcuda_not_found, "wsl-libcuda-not-found", run, .needs = TN_HAS(library));
