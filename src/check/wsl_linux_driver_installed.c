/* wsl_linux_driver_installed.c - a Linux driver inside WSL stands before the one that Windows provides.
 *
 * In WSL libcuda comes from Windows, below /usr/lib/wsl; a Linux display driver must not be installed there: its
 * libcuda looks for a kernel module that no WSL kernel has (CUDA on WSL User Guide, "Do not install any Linux display
 * driver"). The toolkit's own packages are fine: "cuda-toolkit", not "cuda" or "cuda-drivers". */
#include <string.h>

#include "check/look.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    if (!tn_look_wsl(s))
        return;
    size_t first = tn_look_libcuda(s);
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        if (!tn_look_is_libcuda(l) || !tn_says(l->kind, "real") || tn_is(l->bits, 32) || !tn_known(l->path) ||
            tn_known(l->env) || strncmp(l->path.v, "/usr/lib/wsl/", 13) == 0)
            continue;
        bool shadows = i == first;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, i, path));
        f->severity = shadows ? TN_ERROR : TN_NOTE;
        f->variant = shadows ? NULL : "behind";
        tn_find_arg(out, f, "path", "%s", l->path.v);
        tn_find_arg(out, f, "version", "%s", tn_look_text(l->version, "?"));
        tn_find_evidence(f, TN_REF(library, i, path));
        tn_find_evidence(f, TN_REF(library, i, version));
        tn_find_remedy(out, f, "remove-linux-driver", NULL);
        return;
    }
}

TN_CHECK(wsl_linux_driver_installed, "wsl-linux-driver-installed", run, .needs = TN_HAS(library) | TN_HAS(driver));
